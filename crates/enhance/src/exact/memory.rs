//! The memory of the exact solver.

use enclust_core::{Bytes, Footprint, Real, Shape};

use crate::objective::evaluation_bytes;

use super::tiles::TILE;

/// The memory of a solve that iterates in `T`: two full matrices, five in upper tiles, one bit
/// per entry that marks free entries, and another inside islands, the result in upper tiles before
/// it is copied, and a few panels per thread, of which the residual needs four in double
/// precision. This is the most that the blocks inside islands take, if there is only one; those
/// between islands take less, and their memory is freed before. The size of the graph, its
/// factors, the order and the backend's prepared forms depends on the number of confident pairs.
pub fn footprint<T: Real>(shape: &Shape) -> Footprint {
    let iterated = shape.clone().with_scalar(size_of::<T>());
    let panel = |shape: &Shape| shape.vector() * TILE as u64;
    let full = |shape: &Shape| shape.square() + panel(shape);
    let upper = |shape: &Shape| Bytes(shape.square().0 / 2) + panel(shape);
    let matrices = full(&iterated) * 2 + upper(&iterated) * 5;
    let mask = Bytes(shape.clone().with_scalar(1).square().0 / 8) + shape.each_group(16);
    let scratch = panel(&shape.in_double()) * 4 * shape.threads as u64;
    let graphs = shape.input * 5 + shape.each_group(256);
    // The copy of the result is counted as the result. The tiles from which it is copied are
    // added only after the matrices are freed.
    let answer = Bytes(upper(shape).0.saturating_sub(shape.condensed().0));
    let evaluation = evaluation_bytes(shape);
    let working = matrices + mask * 2 + scratch + graphs + answer + evaluation;
    Footprint::new(shape.similarity(), working)
}
