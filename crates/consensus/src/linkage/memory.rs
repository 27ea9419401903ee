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
    let table = triangle::<f64>(groups);
    Footprint::new(each(samples, size_of::<Merge>()), table + slots + samples_too)
}

/// What splitting groups until there are so many takes: the finer similarity.
pub(super) fn splitting<S>(samples: usize, groups: usize) -> Bytes {
    let values = Bytes(2 * size_of::<S>() as u64 + 32) * groups as u64;
    triangle::<S>(groups) + values + Bytes(samples as u64) * size_of::<u32>() as u64
}

fn triangle<T>(groups: usize) -> Bytes {
    // In 64 bits also where addresses have 32.
    let pairs = (groups as u64).saturating_mul((groups as u64).saturating_sub(1)) / 2;
    Bytes(pairs) * size_of::<T>() as u64
}
