//! How sure the assignment of each sample is.

use enclust_core::Partition;
use enclust_stability::Membership;
use serde::Serialize;

/// Number of samples in the table.
const LISTED: usize = 50;
/// More clusters are not compared pair by pair.
const MOST_CLUSTERS: usize = 40;

/// Item consensus, margin and entropy of the samples, and the consensus of the clusters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Certainty {
    /// For each cluster, the mean similarity of its pairs; `None` for a cluster of one sample.
    pub clusters: Vec<Option<f64>>,
    /// The samples by the mean similarity to their own cluster.
    pub item: Histogram,
    /// The samples by the similarity to their own cluster minus that to the best other one.
    pub margin: Histogram,
    /// The samples by the entropy of their soft membership.
    pub entropy: Histogram,
    /// Number of samples that are more similar to another cluster than to their own.
    pub misplaced: u64,
    /// The mean soft membership, in each cluster, of the samples of each cluster; `None` for more
    /// than 40 clusters.
    pub soft: Option<Vec<Vec<f64>>>,
    /// The samples with the highest entropy.
    pub least: Vec<Uncertain>,
}

/// Numbers of samples in intervals of equal length.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Histogram {
    /// The lowest value.
    pub from: f64,
    /// The highest value, which belongs to the last interval.
    pub to: f64,
    /// Number of samples in each interval.
    pub counts: Vec<u64>,
    /// Number of samples without a value.
    pub without: u64,
}

/// A sample whose assignment is not sure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Uncertain {
    /// Its name, or its number counted from 1.
    pub name: String,
    /// Its cluster.
    pub label: usize,
    /// Mean similarity to the other samples of its cluster.
    pub own: Option<f64>,
    /// The other cluster with the largest mean similarity.
    pub other: Option<usize>,
    /// The similarity to its own cluster minus that to the best other one.
    pub margin: Option<f64>,
    /// The entropy of its soft membership, from 0 to 1.
    pub entropy: f64,
}

impl Histogram {
    /// The values with the number of samples that have them.
    fn of(
        (from, to): (f64, f64),
        intervals: usize,
        values: impl Iterator<Item = (Option<f64>, u64)>,
    ) -> Self {
        let mut counts = vec![0; intervals];
        let mut without = 0;
        for (value, samples) in values {
            match value {
                None => without += samples,
                Some(value) => {
                    let at = (intervals as f64 * (value - from) / (to - from)) as usize;
                    counts[at.min(intervals - 1)] += samples;
                }
            }
        }
        Histogram { from, to, counts, without }
    }
}

impl Certainty {
    /// Summarises the membership of a partition. `name` gives the name of a sample.
    pub fn of(found: &Membership, partition: &Partition, name: impl Fn(usize) -> String) -> Self {
        let entropies = found.entropies();
        let counts: Vec<u64> = match partition.counts() {
            Some(counts) => counts.of_rows().iter().map(|&count| count as u64).collect(),
            None => vec![1; partition.len()],
        };
        let weighted = |value: &dyn Fn(usize) -> Option<f64>| {
            (0..counts.len()).map(|i| (value(i), counts[i])).collect::<Vec<_>>().into_iter()
        };
        let item = weighted(&|i| found.items[i].own);
        let margin = weighted(&|i| found.items[i].margin());
        let entropy = weighted(&|i| Some(entropies[i]));
        let mut order: Vec<usize> = (0..entropies.len()).collect();
        order.sort_by(|&a, &b| entropies[b].total_cmp(&entropies[a]).then(a.cmp(&b)));
        order.truncate(LISTED);
        let uncertain = |&i: &usize| Uncertain {
            name: name(i),
            label: partition.labels()[i],
            own: found.items[i].own,
            other: found.items[i].other.map(|(cluster, _)| cluster),
            margin: found.items[i].margin(),
            entropy: entropies[i],
        };
        Certainty {
            clusters: found.clusters.clone(),
            item: Histogram::of((0.0, 1.0), 20, item),
            margin: Histogram::of((-1.0, 1.0), 40, margin),
            entropy: Histogram::of((0.0, 1.0), 20, entropy),
            misplaced: found.misplaced().iter().map(|&i| counts[i]).sum(),
            soft: mean_soft(found, partition, &counts),
            least: order.iter().map(uncertain).collect(),
        }
    }
}

/// One row per cluster.
fn mean_soft(found: &Membership, partition: &Partition, counts: &[u64]) -> Option<Vec<Vec<f64>>> {
    let k = partition.clusters();
    if k > MOST_CLUSTERS {
        return None;
    }
    let (mut sums, mut sizes) = (vec![vec![0.0; k]; k], vec![0.0; k]);
    for ((soft, &label), &count) in found.soft.iter().zip(partition.labels()).zip(counts) {
        sizes[label] += count as f64;
        sums[label].iter_mut().zip(soft).for_each(|(sum, share)| *sum += share * count as f64);
    }
    sums.iter_mut().zip(&sizes).for_each(|(row, size)| row.iter_mut().for_each(|sum| *sum /= size));
    Some(sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclust_core::Similarity;
    use enclust_stability::membership;

    #[test]
    fn samples_are_counted_and_the_least_certain_one_comes_first() {
        let s = [1.0, 0.9, 0.2, 0.1, 0.9, 1.0, 0.3, 0.2, 0.2, 0.3, 1.0, 0.4, 0.1, 0.2, 0.4, 1.0];
        let s = Similarity::from_matrix(4, &s).unwrap();
        let partition = Partition::from_labels([0, 0, 1, 1]);
        let found = membership(&s, &partition).unwrap();
        let certainty = Certainty::of(&found, &partition, |i| format!("s{i}"));
        assert_eq!(certainty.item.counts.iter().sum::<u64>(), 4);
        assert_eq!(certainty.item.counts[18], 2);
        assert_eq!(certainty.least[0].name, "s2");
        let entropies: Vec<f64> = certainty.least.iter().map(|least| least.entropy).collect();
        assert!(entropies.is_sorted_by(|a, b| a >= b), "{entropies:?}");
        let soft = certainty.soft.unwrap();
        assert!(soft.iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-12));
        assert_eq!(certainty.misplaced, 0);
    }
}
