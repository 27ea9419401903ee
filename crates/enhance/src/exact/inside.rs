//! The blocks inside islands, by conjugate gradients.

use std::ops::Range;

use enclust_core::{Backend, Real, Result};
use enclust_linalg::{ConjugateGradients, Vector};
use rayon::prelude::*;

use super::operator::ProductLaplacian;
use super::preconditioner::AlternatingDirections;
use super::system::System;
use super::tiles::Panels;

/// Corrects the entries inside islands. Each island is a system of its own, with step lengths of
/// its own, and is left alone once it is accurate enough.
pub struct Inside<'a, T: Real> {
    solves: Vec<Solve<'a, T>>,
}

struct Solve<'a, T: Real> {
    first: usize,
    iteration: ConjugateGradients<ProductLaplacian<'a, T>, AlternatingDirections<'a, T>>,
    /// Its share of the entries of all islands.
    share: f64,
    exhausted: bool,
}

/// The residuals inside the islands of a system that have free entries.
pub fn residuals<T: Real>(system: &System, r: &Panels<T>) -> Vec<Panels<T>> {
    let free = system.islands.iter().filter(|island| island.inside.is_some());
    let inside = free.map(|island| {
        let (first, n) = (island.positions.start, island.positions.len());
        Panels::from_upper(n, |i, j| r.at(first + i, first + j))
    });
    inside.collect()
}

impl<'a, T: Real> Inside<'a, T> {
    /// Starts from the [`residuals`].
    pub fn new(
        system: &'a System,
        backend: &dyn Backend<T>,
        residuals: Vec<Panels<T>>,
    ) -> Result<Self> {
        let mut residuals = residuals.into_iter();
        let mut solves = Vec::new();
        let entries = |n: usize| (n * n) as f64;
        let free = || system.islands.iter().filter(|island| island.inside.is_some());
        let all: f64 = free().map(|island| entries(island.positions.len())).sum();
        for island in &system.islands {
            let Some(equations) = &island.inside else { continue };
            let operator = ProductLaplacian::new(equations, backend);
            let preconditioner = AlternatingDirections::new(equations, backend)?;
            let residual = residuals.next().expect("one residual per island");
            let iteration = ConjugateGradients::new(operator, preconditioner, residual);
            let share = entries(island.positions.len()) / all;
            solves.push(Solve {
                first: island.positions.start,
                iteration,
                share,
                exhausted: false,
            });
        }
        Ok(Inside { solves })
    }

    /// ‖R‖ over the entries inside islands.
    pub fn norm(&self) -> f64 {
        self.solves.iter().map(|s| s.iteration.norm().powi(2)).sum::<f64>().sqrt()
    }

    /// One iteration in every island that is not accurate enough for a norm of `goal` in all.
    pub fn step(&mut self, goal: f64) {
        let open = self.solves.par_iter_mut().filter(|s| s.is_open(goal));
        open.for_each(|s| s.exhausted = !s.iteration.step());
    }

    /// Whether all islands are accurate enough for a norm of `goal` in all.
    pub fn ends(&self, goal: f64) -> bool {
        !self.solves.iter().any(|s| s.is_open(goal))
    }

    /// ‖X‖ of the correction, up to one step.
    pub fn size(&self) -> f64 {
        let corrections = self.solves.iter().map(|s| s.iteration.correction().0);
        corrections.map(|x| x.dot(x)).sum::<f64>().sqrt()
    }

    /// Adds some columns of row i of the hatted correction.
    pub fn add_to(&self, i: usize, columns: Range<usize>, row: &mut [f64]) {
        let solve = self.solves.partition_point(|s| s.first <= i).checked_sub(1);
        let Some(Solve { first, iteration, .. }) = solve.map(|at| &self.solves[at]) else { return };
        let (x, owed, p) = iteration.correction();
        let inside = columns.start.max(*first)..columns.end.min(first + x.rows());
        if i >= first + x.rows() {
            return;
        }
        for j in inside {
            let (low, high) = (i.min(j) - first, i.max(j) - first);
            row[j - columns.start] += x.at(low, high).wide() + owed * p.at(low, high).wide();
        }
    }
}

impl<T: Real> Solve<'_, T> {
    fn is_open(&self, goal: f64) -> bool {
        !self.exhausted && self.iteration.norm() > goal * self.share.sqrt()
    }
}
