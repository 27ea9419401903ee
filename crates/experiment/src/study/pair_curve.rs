//! Precision and recall of the pairs above thresholds of a similarity.

use enclust_core::{Error, Partition, Real, Result, Similarity};
use rayon::prelude::*;

/// A measure of the pairs at or above a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairFigure {
    /// The share of these pairs that are in the same class.
    Precision,
    /// The share of all pairs in the same class that are among these pairs.
    Recall,
    /// Their share of all pairs.
    Share,
}

impl PairFigure {
    /// All measures.
    pub const ALL: [Self; 3] = [PairFigure::Precision, PairFigure::Recall, PairFigure::Share];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            PairFigure::Precision => "precision",
            PairFigure::Recall => "recall",
            PairFigure::Share => "share",
        }
    }
}

/// Numbers of pairs at or above one threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairCounts {
    /// Pairs at or above it.
    found: u128,
    /// Those of them that are in the same class.
    right: u128,
    /// Pairs that are in the same class.
    true_pairs: u128,
    /// All pairs.
    pairs: u128,
}

impl PairCounts {
    /// The value of a measure. If there are no pairs, the precision is 1.
    pub fn figure(&self, figure: PairFigure) -> f64 {
        let (part, whole) = match figure {
            PairFigure::Precision => (self.right, self.found),
            PairFigure::Recall => (self.right, self.true_pairs),
            PairFigure::Share => (self.found, self.pairs),
        };
        if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
    }
}

/// Counts for each threshold, in the given order, in one pass over the similarity.
///
/// ```
/// use enclust_core::{Partition, Similarity};
/// use enclust_experiment::study::{PairFigure, pair_curve};
///
/// let s = Similarity::from_matrix(3, &[1.0, 0.9, 0.4, 0.9, 1.0, 0.4, 0.4, 0.4, 1.0])?;
/// let counts = pair_curve(&s, &Partition::from_labels([0, 0, 1]), &[0.3, 0.8])?;
/// assert_eq!(counts[0].figure(PairFigure::Precision), 1.0 / 3.0);
/// assert_eq!(counts[1].figure(PairFigure::Recall), 1.0);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Size`] if the truth has another number of samples.
pub fn pair_curve<S: Real>(
    similarity: &Similarity<S>,
    truth: &Partition,
    thresholds: &[f64],
) -> Result<Vec<PairCounts>> {
    let grouping = similarity.grouping();
    Error::check_size("samples of the truth", grouping.samples(), truth.len())?;
    let mut levels = thresholds.to_vec();
    levels.sort_by(f64::total_cmp);
    let classes = classes_of_groups(similarity, truth);
    let none = || vec![(0_u128, 0_u128); levels.len() + 1];
    let added = |mut a: Vec<(u128, u128)>, b: Vec<(u128, u128)>| {
        a.iter_mut().zip(b).for_each(|(x, y)| *x = (x.0 + y.0, x.1 + y.1));
        a
    };
    // The counts are whole numbers, so the order of summation does not matter.
    let counts = (0..similarity.len())
        .into_par_iter()
        .fold(none, |mut counts, p| {
            for (value, found, right) in pairs_of(similarity, &classes, p) {
                let passed = levels.partition_point(|&t| t <= value);
                counts[passed] = (counts[passed].0 + found, counts[passed].1 + right);
            }
            counts
        })
        .reduce(none, added);
    let total =
        |from: usize| counts[from..].iter().fold((0, 0), |sum, c| (sum.0 + c.0, sum.1 + c.1));
    let (pairs, true_pairs) = total(0);
    Ok(thresholds
        .iter()
        .map(|&threshold| {
            // A pair that passes this threshold passes all smaller ones.
            let (found, right) = total(levels.partition_point(|&t| t <= threshold));
            PairCounts { found, right, true_pairs, pairs }
        })
        .collect())
}

/// Value, number of pairs and number of true pairs: within group p, and of p with each
/// later group.
fn pairs_of<'a, S: Real>(
    similarity: &'a Similarity<S>,
    classes: &'a [Vec<(usize, u128)>],
    p: usize,
) -> impl Iterator<Item = (f64, u128, u128)> + 'a {
    let sizes = similarity.grouping().sizes();
    let size = sizes[p] as u128;
    let right = classes[p].iter().map(|&(_, c)| c * (c - 1) / 2).sum();
    let within = (similarity.within()[p].wide(), size * (size - 1) / 2, right);
    let others = similarity.row(p).iter().enumerate().map(move |(at, &value)| {
        let q = p + 1 + at;
        (value.wide(), size * sizes[q] as u128, common(&classes[p], &classes[q]))
    });
    std::iter::once(within).chain(others)
}

/// Number of samples per class in each group, sorted by class.
fn classes_of_groups<S: Real>(
    similarity: &Similarity<S>,
    truth: &Partition,
) -> Vec<Vec<(usize, u128)>> {
    let mut classes = vec![Vec::<(usize, u128)>::new(); similarity.len()];
    let grouping = similarity.grouping();
    let rows = grouping.map().iter().zip(truth.labels()).zip(grouping.row_counts());
    for ((&group, &class), count) in rows {
        let count = count as u128;
        let counts = &mut classes[group as usize];
        match counts.binary_search_by_key(&class, |&(c, _)| c) {
            Ok(at) => counts[at].1 += count,
            Err(at) => counts.insert(at, (class, count)),
        }
    }
    classes
}

/// Number of pairs in the same class between two groups.
fn common(a: &[(usize, u128)], b: &[(usize, u128)]) -> u128 {
    let in_b = |class| b.binary_search_by_key(&class, |&(c, _)| c).map_or(0, |at| b[at].1);
    a.iter().map(|&(class, count)| count * in_b(class)).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use enclust_core::Grouping;
    use proptest::prelude::*;

    use super::*;

    /// Reference implementation over all pairs of samples, one threshold at a time.
    fn slow(matrix: &[f64], truth: &[usize], threshold: f64) -> PairCounts {
        let n = truth.len();
        let mut counts = PairCounts { found: 0, right: 0, true_pairs: 0, pairs: 0 };
        for i in 0..n {
            for j in i + 1..n {
                let (found, same) = (matrix[i * n + j] >= threshold, truth[i] == truth[j]);
                counts.pairs += 1;
                counts.found += u128::from(found);
                counts.true_pairs += u128::from(same);
                counts.right += u128::from(found && same);
            }
        }
        counts
    }

    proptest! {
        #[test]
        fn counts_are_those_of_all_pairs(
            groups in prop::collection::vec(0_usize..4, 1..12),
            classes in prop::collection::vec(0_usize..3, 12),
            values in prop::collection::vec(0_u8..=10, 10),
            thresholds in prop::collection::vec(0_u8..=11, 0..5),
        ) {
            let map = Partition::from_labels(&groups).labels().iter().map(|&g| g as u32).collect();
            let grouping = Arc::new(Grouping::from_map(map).unwrap());
            let n = grouping.len();
            let value = |i: usize| f64::from(values[i % 10]) / 10.0;
            let between = (0..n * (n - 1) / 2).map(value).collect();
            let within = (0..n).map(|p| value(p + 3)).collect();
            let s = Similarity::new(grouping, between, within, vec![1.0; n]).unwrap();
            let truth = Partition::from_labels(&classes[..groups.len()]);
            let thresholds: Vec<f64> = thresholds.iter().map(|&t| f64::from(t) / 10.0).collect();
            let fast = pair_curve(&s, &truth, &thresholds).unwrap();
            let matrix = s.to_matrix();
            for (fast, t) in fast.iter().zip(&thresholds) {
                prop_assert_eq!(*fast, slow(&matrix, truth.labels(), *t));
            }
        }
    }
}
