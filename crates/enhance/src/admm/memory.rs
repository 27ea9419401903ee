//! What a run of ADMM takes.

use enclust_core::{Bytes, Footprint, Shape};

use super::run::PANEL;
use crate::objective::evaluation_bytes;

/// A, C, E, F, Y₁ and T.
const VARIABLES: u64 = 6;

/// At most so many bytes are taken by a run.
///
/// The inverse is counted as dense, which it is at most; making it, before there are
/// variables, takes less than they do.
pub fn footprint(shape: &Shape) -> Footprint {
    let squares = shape.square() * (VARIABLES + 1);
    // Diagonals; order, sizes, positions, degrees and the headers of lists.
    let vectors = shape.vector() * VARIABLES + shape.each_group(100);
    // Fixed entries by column, the system by rows, and a copy for an ablation: each no
    // larger than what is read.
    let pairs = shape.input * 3;
    let working = squares + vectors + pairs + panels(shape) + evaluation_bytes(shape);
    Footprint::new(shape.similarity(), working)
}

/// What threads work on: a panel, its solution, a mirrored panel, and single columns.
fn panels(shape: &Shape) -> Bytes {
    let columns = shape.vector() * (3 * PANEL as u64) + shape.in_double().vector() * 8;
    columns * shape.threads.min(shape.groups.div_ceil(PANEL)) as u64
}
