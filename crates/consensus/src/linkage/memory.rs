//! What linkage takes.

use enclust_core::{Bytes, Footprint, Merge};

use super::agglomerate::Join;

/// What the tree of so many samples in so many groups takes.
pub(super) fn footprint(samples: usize, groups: usize) -> Footprint {
    let each = |count: usize, bytes: usize| Bytes(count as u64) * bytes as u64;
    // Weight, name, best partner and its similarity; twice when gaps are closed.
    let slots = each(groups, 2 * 48 + size_of::<Join>());
    // The samples by group, the joins inside groups, all joins, the same with heights,
    // and what becomes of each cluster.
    let samples_too = each(samples, 8 + 3 * size_of::<Join>() + 24) + each(groups, 64);
    Footprint::new(each(samples, size_of::<Merge>()), table(groups) + slots + samples_too)
}

/// What a table of so many kinds of clusters takes, in 64 bits also where addresses
/// have 32.
pub(super) fn table(groups: usize) -> Bytes {
    let pairs = (groups as u64).saturating_mul((groups as u64).saturating_sub(1)) / 2;
    Bytes(pairs) * size_of::<f64>() as u64
}
