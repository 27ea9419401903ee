//! Similarities of samples from those of their base clusters.

use enclust_core::{Bytes, Condensed, Microclusters, Real, Shape};

use crate::memory::filling;

/// The mean, over the clusterings, of the similarities between the clusters of two groups, for all
/// pairs of groups. A clustering counts by its weight. `similarities(k, label)` returns the similarities of
/// one cluster to all clusters of its clustering k. No label may be missing.
///
/// The clusters of a group are stored contiguously, so a value is a sum of entries of one short
/// list: the similarities of the first group's clusters to the other clusters of the same
/// clusterings.
pub(crate) fn mean_similarities<'a, S: Real>(
    microclusters: &Microclusters,
    similarities: impl Fn(usize, usize) -> &'a [f64] + Sync,
) -> Condensed<Vec<S>> {
    let (n, m) = (microclusters.len(), microclusters.clusterings());
    let offsets = microclusters.cluster_offsets();
    let homes = clusters_of_groups(microclusters, &offsets);
    let total = microclusters.total_weight();
    Condensed::filled(n, |p, row| {
        let mut near = Vec::with_capacity(offsets[m]);
        for k in 0..m {
            let weight = microclusters.weight(k);
            let own = similarities(k, microclusters.label(p, k) as usize);
            near.extend(own.iter().map(|s| s * weight));
        }
        for (out, others) in row.iter_mut().zip(homes[(p + 1) * m..].chunks_exact(m)) {
            let sum: f64 = others.iter().map(|&other| near[other as usize]).sum();
            // Rounding must not make a mean of numbers up to 1 larger than 1.
            *out = S::of((sum / total).min(1.0));
        }
    })
}

/// The memory of [`mean_similarities`] without its result: the clusters of each group, and one list
/// of similarities per thread.
pub(crate) fn mean_similarities_bytes(shape: &Shape) -> Bytes {
    let homes = shape.each_group(size_of::<u32>()) * shape.clusterings as u64;
    let near = Bytes(shape.clusters as u64) * (size_of::<f64>() * shape.threads) as u64;
    homes + near + filling(shape)
}

/// The m clusters of each group, numbered through all clusterings, one group after the other.
pub(crate) fn clusters_of_groups(microclusters: &Microclusters, offsets: &[usize]) -> Vec<u32> {
    let mut homes = Vec::with_capacity(microclusters.len() * microclusters.clusterings());
    for p in 0..microclusters.len() {
        let home = |k: usize| offsets[k] as u32 + microclusters.label(p, k);
        homes.extend((0..microclusters.clusterings()).map(home));
    }
    homes
}
