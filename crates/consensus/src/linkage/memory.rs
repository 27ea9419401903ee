//! The memory of linkage.

use enclust_core::{Bytes, Footprint, Merge};

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

/// The memory of a table for this number of crowds, computed in 64 bits also on 32-bit systems.
pub(super) fn table(groups: usize) -> Bytes {
    let pairs = (groups as u64).saturating_mul((groups as u64).saturating_sub(1)) / 2;
    Bytes(pairs) * size_of::<f64>() as u64
}
