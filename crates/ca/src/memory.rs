//! What the representations have in common to state of their memory.

use enclust_core::{Bytes, Shape};

/// Filling a condensed triangle: a slice a row, and where labels are missing a row of
/// common weights a thread.
pub fn filling(shape: &Shape) -> Bytes {
    shape.each_group(size_of::<&mut [f64]>()) + shape.vector() * shape.threads as u64
}

/// The cluster index: the overlaps of two clusterings, a number for each cluster in a
/// list that grows, and lists of their positions.
pub fn cluster_index(shape: &Shape) -> Bytes {
    let largest = Bytes(shape.largest as u64);
    let overlaps = largest * 8 * shape.largest as u64 + largest * size_of::<Vec<f64>>() as u64;
    overlaps
        + largest * 16
        + Bytes(shape.clusters as u64) * 24
        + Bytes(shape.clusterings as u64) * 16
}
