//! Item and cluster consensus of a given clustering.

use enclust_core::{Error, Grouping, Partition, Real, Result, Similarity};
use rayon::prelude::*;

/// The item and cluster consensus of a partition; see [`membership`].
#[derive(Clone, Debug, PartialEq)]
pub struct Membership {
    /// For each cluster, the mean similarity of its pairs; `None` for a cluster of one sample.
    pub clusters: Vec<Option<f64>>,
    /// For each sample, the similarity to its own cluster and to the others; with counts, for each row.
    pub items: Vec<ItemConsensus>,
    /// For each sample, its soft membership: the mean similarity to each cluster, divided by the
    /// sum over the clusters. A sample counts as similar to its own cluster of one sample.
    pub soft: Vec<Vec<f64>>,
}

impl Membership {
    /// The disagreement about each sample: the entropy of its soft membership divided by that of
    /// equal memberships, from 0 to 1. It is 0 if there is only one cluster.
    pub fn entropies(&self) -> Vec<f64> {
        let entropy = |soft: &Vec<f64>| {
            // An empty sum of floats is -0, which would be written as such.
            let terms = soft.iter().filter(|&&p| p > 0.0).map(|p| -p * p.ln());
            let sum = terms.fold(0.0, |sum, term| sum + term);
            if soft.len() < 2 { 0.0 } else { sum / (soft.len() as f64).ln() }
        };
        self.soft.iter().map(entropy).collect()
    }

    /// The samples that are more similar to another cluster than to their own.
    pub fn misplaced(&self) -> Vec<usize> {
        let fits_worse = |item: &ItemConsensus| item.margin().is_some_and(|margin| margin < 0.0);
        (0..self.items.len()).filter(|&i| fits_worse(&self.items[i])).collect()
    }
}

/// The similarity of a sample to the clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ItemConsensus {
    /// Mean similarity to the other samples of its cluster; `None` if there are none.
    pub own: Option<f64>,
    /// The other cluster with the largest mean similarity (the first among equal ones) and this
    /// mean similarity; `None` if there is no other cluster.
    pub other: Option<(usize, f64)>,
}

impl ItemConsensus {
    /// The similarity to its own cluster minus the similarity to the best other cluster, from
    /// −1 to 1. If it is negative, the sample fits the other cluster better. `None` for a
    /// singleton cluster or if there is no other cluster.
    pub fn margin(&self) -> Option<f64> {
        Some(self.own? - self.other?.1)
    }
}

/// Item consensus and cluster consensus of a partition.
///
/// # Problem
///
/// With similarities Sᵢⱼ (the co-association of an ensemble in the definition of Monti et al.)
/// and clusters of N samples each, the consensus of a cluster is the mean of Sᵢⱼ over its N(N −
/// 1)/2 pairs. The consensus of a sample i and a cluster is the mean of Sᵢⱼ over the samples j
/// ≠ i of the cluster.
///
/// # Parameters
///
/// A similarity and a partition of the same samples. The partition may split groups of the
/// similarity.
///
/// # Complexity
///
/// O(n'² + nk) time for n' groups, because samples are counted instead of enumerating pairs.
/// O(nk) memory in addition to the similarity.
///
/// # Determinism and ties
///
/// Sums are evaluated in the order of the groups, for any number of threads. A cluster of one
/// sample has no pairs, so the consensus of the cluster and of its sample is undefined: `None`,
/// not 0 or 1.
///
/// # Errors
///
/// [`Error::Size`] if the partition has a different number of samples.
///
/// # Example
///
/// ```
/// use enclust_core::{Partition, Similarity};
/// use enclust_stability::membership;
///
/// let s = Similarity::from_matrix(3, &[1.0, 0.75, 0.5, 0.75, 1.0, 0.0, 0.5, 0.0, 1.0])?;
/// let found = membership(&s, &Partition::from_labels([0, 0, 1]))?;
/// assert_eq!(found.clusters, [Some(0.75), None]);
/// assert_eq!(found.items[0].margin(), Some(0.25));
/// assert_eq!(found.items[2].other, Some((0, 0.25)));
/// assert_eq!(found.soft[0], [0.6, 0.4]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Reference
///
/// S. Monti, P. Tamayo, J. Mesirov, T. Golub, "Consensus clustering", Machine Learning 52
/// (2003).
pub fn membership<S: Real>(
    similarity: &Similarity<S>,
    partition: &Partition,
) -> Result<Membership> {
    let grouping = similarity.grouping();
    Error::check_size("samples of the partition", grouping.samples(), partition.len())?;
    let mut sizes = vec![0.0; partition.clusters()];
    let rows = partition.labels().iter().zip(grouping.row_counts());
    rows.for_each(|(&cluster, count)| sizes[cluster] += count as f64);
    let shares = shares(similarity, partition);
    // The consensus is the same for all samples of a group that are in the same cluster.
    let of_groups: Vec<Vec<(ItemConsensus, Vec<f64>)>> = (0..similarity.len())
        .into_par_iter()
        .map(|p| {
            let sums = sums(similarity, &shares, sizes.len(), p);
            let within = similarity.within()[p].wide();
            let item = |&(cluster, _): &(usize, f64)| {
                let means = means(&sums, &sizes, within, cluster);
                (consensus(&means, sizes[cluster], cluster), normalised(means))
            };
            shares[p].iter().map(item).collect()
        })
        .collect();
    let (items, soft): (Vec<ItemConsensus>, Vec<Vec<f64>>) =
        (grouping.map().iter().zip(partition.labels()))
            .map(|(&p, &cluster)| {
                let p = p as usize;
                let place = shares[p].partition_point(|&(c, _)| c < cluster);
                of_groups[p][place].clone()
            })
            .unzip();
    Ok(Membership { clusters: cluster_means(&items, grouping, partition, &sizes), items, soft })
}

/// For each group, the clusters that contain its samples, in ascending order, with the number
/// of samples.
fn shares<S: Real>(similarity: &Similarity<S>, partition: &Partition) -> Vec<Vec<(usize, f64)>> {
    let mut shares: Vec<Vec<(usize, f64)>> = vec![Vec::new(); similarity.len()];
    let grouping = similarity.grouping();
    let rows = grouping.map().iter().zip(partition.labels()).zip(grouping.row_counts());
    for ((&p, &cluster), count) in rows {
        let share = &mut shares[p as usize];
        match share.binary_search_by_key(&cluster, |&(c, _)| c) {
            Ok(place) => share[place].1 += count as f64,
            Err(place) => share.insert(place, (cluster, count as f64)),
        }
    }
    shares
}

/// For each cluster, the sum of the similarities of a sample of group p to all samples of
/// the cluster, where the sample itself is counted like another sample of its group.
fn sums<S: Real>(
    similarity: &Similarity<S>,
    shares: &[Vec<(usize, f64)>],
    clusters: usize,
    p: usize,
) -> Vec<f64> {
    let mut sums = vec![0.0; clusters];
    for (q, share) in shares.iter().enumerate() {
        let value = if q == p { similarity.within()[p] } else { similarity.between(p, q) }.wide();
        share.iter().for_each(|&(cluster, count)| sums[cluster] += count * value);
    }
    sums
}

/// The mean similarity of a sample of this cluster to the other samples of each cluster, from the
/// sums of its group; 1 for a cluster that has no other sample.
fn means(sums: &[f64], sizes: &[f64], within: f64, cluster: usize) -> Vec<f64> {
    let mut means: Vec<f64> = sums.iter().zip(sizes).map(|(sum, size)| sum / size).collect();
    let others = sizes[cluster] - 1.0;
    means[cluster] = if others > 0.0 { (sums[cluster] - within) / others } else { 1.0 };
    means
}

/// The same numbers with sum 1. A sample that is similar to no cluster belongs to all equally.
fn normalised(mut means: Vec<f64>) -> Vec<f64> {
    let sum: f64 = means.iter().sum();
    let equal = 1.0 / means.len() as f64;
    means.iter_mut().for_each(|mean| *mean = if sum > 0.0 { *mean / sum } else { equal });
    means
}

/// The consensus of a sample of this cluster, which has `size` samples.
fn consensus(means: &[f64], size: f64, cluster: usize) -> ItemConsensus {
    let own = (size > 1.0).then(|| means[cluster]);
    let mut other: Option<(usize, f64)> = None;
    for (c, &mean) in means.iter().enumerate().filter(|&(c, _)| c != cluster) {
        if other.is_none_or(|(_, best)| mean > best) {
            other = Some((c, mean));
        }
    }
    ItemConsensus { own, other }
}

/// Every pair counts for both of its samples, so the mean over the pairs of a cluster equals
/// the mean over its samples.
fn cluster_means(
    items: &[ItemConsensus],
    grouping: &Grouping,
    partition: &Partition,
    sizes: &[f64],
) -> Vec<Option<f64>> {
    let mut sums = vec![None; sizes.len()];
    let rows = items.iter().zip(partition.labels()).zip(grouping.row_counts());
    for ((item, &cluster), count) in rows {
        if let Some(own) = item.own {
            *sums[cluster].get_or_insert(0.0) += own * count as f64;
        }
    }
    sums.into_iter().zip(sizes).map(|(sum, size)| sum.map(|sum: f64| sum / size)).collect()
}
