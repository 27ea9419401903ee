//! The heat maps of a run.

use enclust_core::{Evidence, Partition, Real, Similarity};
use serde::Serialize;

use super::cells::{Cells, cells, ideal};
use super::factored;
use super::layout::Layout;
use crate::packed::Packed;

/// The matrices of a run with a common order of rows and columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeatMaps {
    /// Number of samples of each row.
    pub bins: Vec<u64>,
    /// Number of distinct label rows, or of the rows to which they were reduced.
    pub groups: usize,
    /// Whether a row of the heat map holds several of them.
    pub aggregated: bool,
    /// The matrices.
    pub maps: Vec<HeatMap>,
}

/// A symmetric matrix. Cells are the upper triangle with the diagonal, row by row; the diagonal has
/// the pairs of different samples of a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeatMap {
    /// What it is: `before` the enhancement, `after` it, their `difference`, `clustered` without an
    /// enhancement, or the `ideal` matrix of the true classes.
    pub key: &'static str,
    /// The smallest value of the packed numbers; the largest one is 1.
    pub from: f64,
    /// The mean of each cell.
    pub mean: Packed,
    /// The smallest value of each cell, if cells are means of values that are known.
    pub low: Option<Packed>,
    /// The largest value of each cell.
    pub high: Option<Packed>,
}

impl HeatMap {
    fn of(key: &'static str, from: f64, cells: Cells, aggregated: bool) -> Self {
        let packed = |values: Vec<f64>| Packed::new(values, from..=1.0);
        HeatMap {
            key,
            from,
            mean: packed(cells.mean),
            low: aggregated.then(|| packed(cells.low)),
            high: aggregated.then(|| packed(cells.high)),
        }
    }

    fn of_means(key: &'static str, mean: Vec<f64>) -> Self {
        HeatMap { key, from: 0.0, mean: Packed::new(mean, 0.0..=1.0), low: None, high: None }
    }
}

impl HeatMaps {
    /// The heat maps of the evidence that was clustered, of the similarity before its enhancement and
    /// of the true classes; `None` if the evidence is no similarity.
    ///
    /// ```
    /// use enclust_core::{Evidence, Grouping, Partition, Similarity};
    /// use enclust_report::{HeatMaps, Layout};
    ///
    /// let s = Similarity::from_matrix(3, &[1.0, 0.9, 0.4, 0.9, 1.0, 0.2, 0.4, 0.2, 1.0])?;
    /// let layout = Layout::new(s.grouping(), None, &[]);
    /// let maps = HeatMaps::new(&layout, &Evidence::from(s), None, None).unwrap();
    /// assert_eq!((maps.maps[0].key, maps.bins), ("clustered", vec![1, 1, 1]));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn new<S: Real>(
        layout: &Layout,
        clustered: &Evidence<S>,
        before: Option<&Similarity<S>>,
        truth: Option<&Partition>,
    ) -> Option<Self> {
        let grouping = clustered.grouping();
        let aggregated = layout.aggregates();
        let mut maps = match clustered {
            Evidence::Factored(factored) => {
                vec![HeatMap::of_means("clustered", factored::means(layout, factored))]
            }
            Evidence::Similarity(after) => of_matrices(layout, after, before, aggregated),
            _ => return None,
        };
        let same_samples = |truth: &&Partition| truth.len() == grouping.samples();
        let ideal = truth.filter(same_samples).map(|truth| ideal(layout, grouping, truth));
        maps.extend(ideal.map(|means| HeatMap::of_means("ideal", means)));
        let groups = grouping.len();
        Some(HeatMaps { bins: layout.sizes().to_vec(), groups, aggregated, maps })
    }
}

fn of_matrices<S: Real>(
    layout: &Layout,
    after: &Similarity<S>,
    before: Option<&Similarity<S>>,
    aggregated: bool,
) -> Vec<HeatMap> {
    let grouping = after.grouping();
    let of = |s: &Similarity<S>| cells(layout, grouping, 1.0, |p, q| value(s, p, q));
    let same_groups = |before: &&Similarity<S>| before.len() == after.len();
    let Some(before) = before.filter(same_groups) else {
        return vec![HeatMap::of("clustered", 0.0, of(after), aggregated)];
    };
    let difference = cells(layout, grouping, 0.0, |p, q| value(after, p, q) - value(before, p, q));
    vec![
        HeatMap::of("before", 0.0, of(before), aggregated),
        HeatMap::of("after", 0.0, of(after), aggregated),
        HeatMap::of("difference", -1.0, difference, aggregated),
    ]
}

fn value<S: Real>(s: &Similarity<S>, p: usize, q: usize) -> f64 {
    if p == q { s.within()[p].wide() } else { s.between(p, q).wide() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use enclust_core::{Ensemble, Factored, Grouping, Microclusters};

    use super::*;

    /// Mean, smallest and largest value of the pairs of different samples of two bins, pair by pair.
    fn slow(matrix: &[f64], bins: &[usize], a: usize, b: usize) -> Option<(f64, f64, f64)> {
        let n = bins.len();
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let in_cell = |&(i, j): &(usize, usize)| i != j && bins[i] == a && bins[j] == b;
        let values: Vec<f64> = pairs.filter(in_cell).map(|(i, j)| matrix[i * n + j]).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let low = values.iter().copied().reduce(f64::min)?;
        Some((mean, low, values.iter().copied().reduce(f64::max)?))
    }

    fn ensemble() -> Ensemble {
        let column =
            |a: usize, b: usize, k: usize| (0..900).map(|i| i * a / b % k).collect::<Vec<_>>();
        Ensemble::from_columns(&[column(1, 1, 30), column(7, 2, 31), column(1, 90, 10)]).unwrap()
    }

    #[test]
    fn cells_are_those_of_all_pairs_of_samples() {
        let map: Vec<u32> = (0..900).map(|i| i % 700).collect();
        let grouping = Arc::new(Grouping::from_map(map).unwrap());
        let n = grouping.len();
        let between = (0..n * (n - 1) / 2).map(|at| (at * 31 % 97) as f64 / 96.0).collect();
        let within = (0..n).map(|p| (p % 5) as f64 / 5.0).collect();
        let s = Similarity::new(grouping.clone(), between, within, vec![1.0; n]).unwrap();
        let layout = Layout::new(&grouping, None, &[]);
        let bins: Vec<usize> =
            grouping.map().iter().map(|&p| layout.bin_of[p as usize] as usize).collect();
        let found = cells(&layout, &grouping, 1.0, |p, q| value(&s, p, q));
        let matrix = s.to_matrix();
        let last = layout.sizes().len() - 1;
        for (a, b) in [(0, 0), (0, 1), (3, last), (7, 7), (last, last), (20, 100)] {
            let (mean, low, high) = slow(&matrix, &bins, a, b).unwrap();
            let cell = layout.cell(a, b);
            assert!((found.mean[cell] - mean).abs() < 1e-12, "{a}, {b}");
            assert_eq!((found.low[cell], found.high[cell]), (low, high), "{a}, {b}");
        }
    }

    #[test]
    fn means_without_a_matrix_are_those_of_the_matrix() {
        let rows = Microclusters::of(&ensemble());
        let weights: Vec<f64> = (0..71).map(|c| (c % 9) as f64 / 8.0).collect();
        let factored = Factored::new(&rows, &weights).unwrap();
        let layout = Layout::new(rows.grouping(), None, &[]);
        let fast = factored::means(&layout, &factored);
        let value = |p, q| factored.between(p, q);
        let slow = cells(&layout, rows.grouping(), 1.0, value).mean;
        assert!(fast.iter().zip(&slow).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn the_ideal_matrix_has_the_shares_of_the_true_pairs() {
        let truth = Partition::from_labels((0..900).map(|i| i % 3));
        let grouping = Grouping::singletons(900);
        let layout = Layout::new(&grouping, None, &[]);
        let matrix: Vec<f64> =
            (0..810_000).map(|at| f64::from(u8::from(at / 900 % 3 == at % 900 % 3))).collect();
        let bins: Vec<usize> = layout.bin_of.iter().map(|&bin| bin as usize).collect();
        let shares = ideal(&layout, &grouping, &truth);
        for (a, b) in [(0, 0), (0, 1), (3, 200), (299, 299)] {
            let expected = slow(&matrix, &bins, a, b).map_or(1.0, |(mean, _, _)| mean);
            assert!((shares[layout.cell(a, b)] - expected).abs() < 1e-12, "{a}, {b}");
        }
    }

    #[test]
    fn a_difference_needs_both_matrices() {
        let s = Similarity::from_matrix(2, &[1.0, 0.25, 0.25, 1.0]).unwrap();
        let t = Similarity::from_matrix(2, &[1.0, 0.75, 0.75, 1.0]).unwrap();
        let layout = Layout::new(s.grouping(), None, &[]);
        let maps = HeatMaps::new(&layout, &Evidence::from(t), Some(&s), None).unwrap().maps;
        let keys: Vec<&str> = maps.iter().map(|map| map.key).collect();
        assert_eq!(keys, ["before", "after", "difference"]);
        // (0, 1) is the second cell; a difference of 0.5 is three quarters of the way from −1 to 1.
        assert_eq!(maps[2].mean.levels()[1], 49151);
        assert_eq!(maps[2].mean.levels()[0], 32768);
    }
}
