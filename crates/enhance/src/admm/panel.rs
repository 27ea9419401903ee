//! One iteration on a few columns.
//!
//! Three steps follow each other: `update_c` solves for the new C, `update_e` stores it and
//! updates E, Y₁ and T. Both need no other columns of these variables. `update_f` needs the
//! transpose of T and therefore runs when all panels are done.
//!
//! The loops of the three files are plain; `pulp` compiles them for several vector instruction
//! sets and chooses the fastest one at run time. No operation is reordered, so the results are
//! bitwise equal on every processor.

use enclust_core::{Backend, Real};

use super::Admm;
use super::blocks::InverseBlocks;
use super::norms::Sums;
use super::run::FixedColumns;
use super::update_c::solve_for_c;
use super::update_e::take_step;
use super::variable::Variable;

/// The input that all panels share.
pub struct Shared<'a, S> {
    pub params: &'a Admm,
    pub inverse: &'a InverseBlocks<S>,
    pub sizes: &'a [f64],
    pub fixed: &'a FixedColumns<S>,
    pub a: &'a Variable<S>,
    pub f: &'a Variable<S>,
    pub backend: &'a dyn Backend<S>,
}

/// Some columns of a variable, with the corresponding part of its diagonal.
pub type Part<'a, S> = (&'a mut [S], &'a mut [S]);

/// The columns of C, E, Y₁ and T that a panel updates.
pub struct Columns<'a, S> {
    pub first: usize,
    pub c: Part<'a, S>,
    pub e: Part<'a, S>,
    pub y1: Part<'a, S>,
    pub t: Part<'a, S>,
}

impl<S: Real> Columns<'_, S> {
    /// One iteration. Returns the sums of C, E, Y₁, and of Y₂ without its step.
    pub fn update(mut self, shared: &Shared<'_, S>) -> [Sums; 4] {
        let solved = solve_for_c(&self, shared);
        let y2 = Sums { step: 0.0, scale: solved.y2_squares };
        let [c, e, y1] = take_step(&mut self, shared, solved);
        [c, e, y1, y2]
    }
}
