//! Memory estimates shared by the representations.

use enclust_core::{Bytes, Shape};

/// Filling a condensed triangle: one slice per row and, if labels are missing, one row of
/// common weights per thread.
pub fn filling(shape: &Shape) -> Bytes {
    shape.each_group(size_of::<&mut [f64]>()) + shape.vector() * shape.threads as u64
}

/// The cluster index: for each thread, the overlaps of two clusterings, one number per cluster in a growing
/// list, and lists of their positions.
pub fn cluster_index(shape: &Shape) -> Bytes {
    let largest = Bytes(shape.largest as u64);
    let overlaps = largest * 8 * shape.largest as u64 + largest * size_of::<Vec<f64>>() as u64;
    (overlaps + largest * 16) * shape.threads as u64
        + Bytes(shape.clusters as u64) * 24
        + Bytes(shape.clusterings as u64) * 16
}
