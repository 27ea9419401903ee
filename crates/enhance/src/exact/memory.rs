//! What the exact solver takes.

use enclust_core::{Bytes, Footprint, Real, Shape};

use crate::objective::evaluation_bytes;

use super::tiles::TILE;

/// What a solve that iterates in `T` takes: two full matrices and five in upper tiles,
/// one bit per entry for which are free, the answer in upper tiles before it is copied, and
/// a few panels for each thread, of which the residual needs four in double precision. Graph,
/// factor, their order and what the backend prepares of them follow the confident pairs.
pub fn footprint<T: Real>(shape: &Shape) -> Footprint {
    let iterated = shape.clone().with_scalar(size_of::<T>());
    let panel = |shape: &Shape| shape.vector() * TILE as u64;
    let full = |shape: &Shape| shape.square() + panel(shape);
    let upper = |shape: &Shape| Bytes(shape.square().0 / 2) + panel(shape);
    let matrices = full(&iterated) * 2 + upper(&iterated) * 5;
    let masks = Bytes(shape.clone().with_scalar(1).square().0 / 8) + shape.each_group(16);
    let scratch = panel(&shape.in_double()) * 4 * shape.threads as u64;
    let graphs = shape.input * 5 + shape.each_group(256);
    // The copy of the answer is the result; the tiles it is copied from come on top
    // only after the matrices are freed.
    let answer = Bytes(upper(shape).0.saturating_sub(shape.condensed().0));
    let evaluation = evaluation_bytes(shape);
    let working = matrices + masks + scratch + graphs + answer + evaluation;
    Footprint::new(shape.similarity(), working)
}
