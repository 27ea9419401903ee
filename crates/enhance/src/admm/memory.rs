//! The memory of a run of ADMM.

use enclust_core::{Bytes, Footprint, Shape};

use super::variable::PANEL;
use crate::objective::evaluation_bytes;

/// A, C, E, F, Y₁ and T.
const VARIABLES: u64 = 6;

/// Upper bound on the memory of a run.
///
/// The inverse is counted as dense, which is the worst case. Computing it, before the variables
/// are allocated, takes less memory than the variables.
pub fn footprint(shape: &Shape) -> Footprint {
    let squares = shape.square() * (VARIABLES + 1);
    // Diagonals; order, sizes, positions, degrees and the headers of lists.
    let vectors = shape.vector() * VARIABLES + shape.each_group(100);
    // Fixed entries by column, the system by rows, and a copy for an ablation. Each is at most as
    // large as the input.
    let pairs = shape.input * 3;
    let working = squares + vectors + pairs + panels(shape) + evaluation_bytes(shape);
    Footprint::new(shape.similarity(), working)
}

/// The working memory of the threads: a panel, its solution, a mirrored panel, and single columns.
fn panels(shape: &Shape) -> Bytes {
    let columns = shape.vector() * (3 * PANEL as u64) + shape.in_double().vector() * 8;
    columns * shape.threads.min(shape.groups.div_ceil(PANEL)) as u64
}
