//! Counts how often the draws join each pair of samples, without an n × n matrix.

use enclust_core::{Counts, Ensemble, Microclusters, Result};
use rayon::prelude::*;

/// Counts of the pairs of samples over the partitions of the draws.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tally {
    /// Number of pairs that c draws join, for c from 0 to the number of draws.
    pub(crate) pairs: Vec<u128>,
    /// For each cluster of the reference, the number of its pairs and the total number of times
    /// that the draws join them.
    pub(crate) inside: Vec<Inside>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Inside {
    pub(crate) pairs: u128,
    pub(crate) joined: u128,
}

impl Tally {
    /// Counts the pairs between groups of samples that neither a draw nor the reference
    /// separates: n'² steps per draw for n' groups, and memory for one row per thread. The last
    /// column is the reference, the others are the draws.
    ///
    /// Only whole numbers are added, so the order of summation does not matter.
    pub(crate) fn of(columns: &[&[u32]], counts: Option<&Counts>) -> Result<Self> {
        let rows = Ensemble::from_columns(columns)?.counted(counts.cloned())?;
        let microclusters = Microclusters::of(&rows);
        let draws = columns.len() - 1;
        let rows = (0..microclusters.len()).into_par_iter();
        let nothing = || Tally::empty(draws, microclusters.clusters()[draws]);
        let counted = rows.fold(
            || (nothing(), Vec::new()),
            |(mut tally, mut row), p| {
                tally.add_row(&microclusters, p, &mut row);
                (tally, row)
            },
        );
        Ok(counted.map(|(tally, _)| tally).reduce(nothing, Tally::plus))
    }

    /// The share of draws that join a pair in a cluster of the reference, averaged over the
    /// pairs of a cluster and then over the clusters that have pairs.
    pub(crate) fn mean_cluster_consensus(&self) -> Option<f64> {
        let draws = (self.pairs.len() - 1) as f64;
        let means: Vec<f64> = (self.inside.iter().filter(|cluster| cluster.pairs > 0))
            .map(|cluster| cluster.joined as f64 / (cluster.pairs as f64 * draws))
            .collect();
        (!means.is_empty()).then(|| means.iter().sum::<f64>() / means.len() as f64)
    }

    fn empty(draws: usize, clusters: usize) -> Self {
        Tally { pairs: vec![0; draws + 1], inside: vec![Inside::default(); clusters] }
    }

    /// Adds the pairs within group p, and of p with every later group.
    fn add_row(&mut self, groups: &Microclusters, p: usize, row: &mut Vec<f32>) {
        let draws = self.pairs.len() - 1;
        let (sizes, reference) = (groups.grouping().sizes(), groups.column(draws));
        let own = sizes[p] as u128;
        self.add(own * (own - 1) / 2, draws, Some(reference[p]));
        row.clear();
        row.resize(groups.len() - p - 1, 0.0);
        // Single precision counts exactly up to 16 million.
        groups.add_agreement(p, |k| if k < draws { 1.0 } else { 0.0 }, row);
        for (q, &joined) in (p + 1..).zip(row.iter()) {
            let cluster = (reference[p] == reference[q]).then_some(reference[p]);
            self.add(own * sizes[q] as u128, joined as usize, cluster);
        }
    }

    fn add(&mut self, pairs: u128, joined: usize, cluster: Option<u32>) {
        self.pairs[joined] += pairs;
        if let Some(cluster) = cluster {
            let inside = &mut self.inside[cluster as usize];
            inside.pairs += pairs;
            inside.joined += pairs * joined as u128;
        }
    }

    fn plus(mut self, other: Tally) -> Tally {
        self.pairs.iter_mut().zip(other.pairs).for_each(|(a, b)| *a += b);
        for (a, b) in self.inside.iter_mut().zip(other.inside) {
            *a = Inside { pairs: a.pairs + b.pairs, joined: a.joined + b.joined };
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, evaluated for each pair of samples.
    fn plain(columns: &[&[u32]]) -> Tally {
        let (reference, draws) = columns.split_last().unwrap();
        let clusters = reference.iter().max().map_or(0, |&c| c as usize + 1);
        let mut tally = Tally::empty(draws.len(), clusters);
        for j in 0..reference.len() {
            for i in 0..j {
                let joined = draws.iter().filter(|draw| draw[i] == draw[j]).count();
                let cluster = (reference[i] == reference[j]).then_some(reference[i]);
                tally.add(1, joined, cluster);
            }
        }
        tally
    }

    proptest! {
        #[test]
        fn counting_groups_is_counting_samples(
            ensemble in enclust_testkit::generate::ensembles(30, 7, 4)
        ) {
            let columns: Vec<&[u32]> = (0..ensemble.clusterings()).map(|k| ensemble.column(k)).collect();
            prop_assert_eq!(Tally::of(&columns, None).unwrap(), plain(&columns));
        }
    }

    #[test]
    fn the_mean_counts_every_cluster_once() {
        // The reference joins the first two samples and the last three. The only draw does not
        // join the first two, and joins one of the three pairs of the last three.
        let tally = Tally::of(&[&[0, 1, 2, 2, 3], &[0, 0, 1, 1, 1]], None).unwrap();
        assert_eq!(tally.mean_cluster_consensus(), Some((0.0 + 1.0 / 3.0) / 2.0));
        assert_eq!(Tally::of(&[&[0, 1], &[0, 1]], None).unwrap().mean_cluster_consensus(), None);
    }
}
