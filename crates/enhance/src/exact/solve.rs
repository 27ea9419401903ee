//! Conjugate gradients on the system.

use enclust_core::{Problem, Real, Similarity};
use rayon::prelude::*;

use crate::objective::clip;

use super::system::{Squares, System};
use super::tiles::{Panels, dot, multiplicity, rows_of};

/// The state of preconditioned conjugate gradients with the diagonal as
/// preconditioner. The solution and the residual are kept in upper tiles, the
/// direction in full, because the graph is applied to whole columns of it.
pub struct Solve<S> {
    system: System<S>,
    x: Panels<S>,
    r: Panels<S>,
    p: Panels<S>,
    product: Panels<S>,
    working: Panels<S>,
    n: usize,
    squares: Squares,
}

impl<S: Real> Solve<S> {
    /// Starts from the problem's start, or from the similarity itself.
    pub fn new(system: System<S>, problem: &Problem<'_, S>) -> Self {
        let n = problem.similarity.len();
        let from = problem.start.filter(|s| s.grouping() == problem.similarity.grouping());
        let start = system.start(from.unwrap_or(problem.similarity), &problem.confident.fixed);
        let mut solve = Solve {
            x: Panels::upper(n),
            r: Panels::upper(n),
            p: start,
            product: Panels::upper(n),
            working: Panels::full(n),
            n,
            squares: Squares::default(),
            system,
        };
        solve.x.par_panels().enumerate().for_each(|(j, x)| {
            let rows = x.len();
            x.copy_from_slice(&solve.p.panel(j)[..rows]);
        });
        solve.restart(problem.similarity);
        solve
    }

    /// The residual of what `p` holds as a solution, and the first direction.
    fn restart(&mut self, similarity: &Similarity<S>) {
        self.system.apply(&self.p, &mut self.working, &mut self.r);
        self.system.residual(similarity, &mut self.r);
        // A step of length zero moves nothing and measures the residual.
        self.squares = self.advance(0.0);
        self.system.next_direction(&self.r, 0.0, &mut self.p);
    }

    /// ‖R‖, the norm of the residual over the n × n matrix.
    pub fn residual(&self) -> f64 {
        self.squares.plain.sqrt()
    }

    /// One iteration.
    pub fn step(&mut self) {
        let curvature = self.system.apply(&self.p, &mut self.working, &mut self.product);
        let before = self.squares.preconditioned;
        if before == 0.0 || curvature <= 0.0 {
            return; // nothing is left to correct
        }
        self.squares = self.advance(before / curvature);
        let beta = self.squares.preconditioned / before;
        self.system.next_direction(&self.r, beta, &mut self.p);
    }

    fn advance(&mut self, alpha: f64) -> Squares {
        let along = (&self.p, &self.product);
        self.system.advance(alpha, along, (&mut self.x, &mut self.r))
    }

    /// The solution between groups, cut to [0, 1], fixed entries at their values.
    pub fn between(&self, problem: &Problem<'_, S>) -> Vec<S> {
        let fixed = &problem.confident.fixed;
        enclust_core::fill_condensed(self.n, |p, row| {
            for (q, out) in (p + 1..self.n).zip(row.iter_mut()) {
                let value = S::of(self.x.at(p, q).wide() / self.system.hat(p, q));
                *out = clip(value);
            }
            for (q, value) in fixed.iter_row(p).filter(|&(q, _)| q > p) {
                row[q - p - 1] = value;
            }
        })
    }

    /// The norm over the n × n matrix, and the largest entry, of the true residual
    /// of an answer; a bound of the rounding errors made in computing it is added.
    pub fn true_residual(
        mut self,
        similarity: &Similarity<S>,
        answer: &Similarity<S>,
    ) -> (f64, f64) {
        let none = enclust_core::Csr::empty(self.n, self.n);
        self.p = self.system.start(answer, &none);
        let size = full_norm(&self.p, self.n);
        self.system.apply(&self.p, &mut self.working, &mut self.r);
        self.system.residual(similarity, &mut self.r);
        let norm = square(&self.r, self.n).sqrt();
        let rounding = 8.0 * S::epsilon().wide() * self.system.largest_diagonal();
        let largest = largest(&self.r, &self.system, self.n);
        (norm + rounding * size, largest + rounding)
    }
}

/// ‖·‖² of a symmetric matrix given by its upper tiles.
fn square<S: Real>(r: &Panels<S>, n: usize) -> f64 {
    let panel = |j: usize| -> f64 {
        let tile = |i: usize| {
            let rows = &r.panel(j)[rows_of(i, n)];
            multiplicity(i, j) * dot(rows, rows)
        };
        (0..=j).map(tile).sum()
    };
    let count = n.div_ceil(super::tiles::TILE);
    (0..count).into_par_iter().map(panel).collect::<Vec<_>>().iter().sum()
}

fn full_norm<S: Real>(p: &Panels<S>, n: usize) -> f64 {
    let count = n.div_ceil(super::tiles::TILE);
    let sums: Vec<f64> = (0..count).into_par_iter().map(|j| dot(p.panel(j), p.panel(j))).collect();
    sums.iter().sum::<f64>().sqrt()
}

/// The largest entry of the unhatted residual.
fn largest<S: Real>(r: &Panels<S>, system: &System<S>, n: usize) -> f64 {
    let row = |p: usize| {
        let entry = |q: usize| r.at(p, q).wide().abs() / system.hat(p, q);
        (p + 1..n).map(entry).fold(0.0, f64::max)
    };
    (0..n).into_par_iter().map(row).collect::<Vec<_>>().into_iter().fold(0.0, f64::max)
}
