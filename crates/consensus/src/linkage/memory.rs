//! The memory of linkage.

use enclust_core::{Bytes, Footprint, Merge, Shape};

use super::agglomerate::Join;

/// The memory of the tree for this number of samples and groups.
pub(super) fn footprint(samples: usize, groups: usize) -> Footprint {
    let each = |count: usize, bytes: usize| Bytes(count as u64) * bytes as u64;
    // Weight, name, best partner and its similarity; twice while empty slots are removed.
    let slots = each(groups, 2 * 48 + size_of::<Join>());
    // The samples by group, the merges inside groups, all merges, the same with heights, and
    // the current cluster of each sample.
    let samples_too = each(samples, 8 + 3 * size_of::<Join>() + 24) + each(groups, 64);
    Footprint::new(each(samples, size_of::<Merge>()), table(groups) + slots + samples_too)
}

/// The memory of the tree of a factored similarity.
pub(super) fn footprint_factored(shape: &Shape) -> Footprint {
    let each = |count: usize, bytes: usize| Bytes(count as u64) * bytes as u64;
    let labels = Bytes(shape.groups as u64) * shape.clusterings as u64;
    // Histograms and the index, both with room to grow, and the sums of each thread.
    let histograms = labels * (16 * 6) + each(shape.clusters, 48);
    let clusters = each(shape.groups, 2 * 400) + each(shape.groups, 16) * shape.threads as u64;
    let samples = each(shape.samples, 8 + 3 * size_of::<Join>() + 24);
    Footprint::new(each(shape.samples, size_of::<Merge>()), histograms + clusters + samples)
}

/// The memory of a table for this number of crowds, computed in 64 bits also on 32-bit systems.
pub(super) fn table(groups: usize) -> Bytes {
    let pairs = (groups as u64).saturating_mul((groups as u64).saturating_sub(1)) / 2;
    Bytes(pairs) * size_of::<f64>() as u64
}
