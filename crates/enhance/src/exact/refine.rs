//! Iterative refinement: the conjugate gradient method in one precision, the result in another.

use enclust_core::{Backend, Condensed, Problem, Real, Result};
use enclust_linalg::ConjugateGradients;

use rayon::prelude::*;

use crate::objective::clip;

use super::certificate::rounding;
use super::operator::{ProductLaplacian, Scratch};
use super::preconditioner::AlternatingDirections;
use super::residual::{Measure, residual};
use super::system::System;
use super::tiles::{Panels, TILE, rows_of};

/// Number of iterations without a new smallest residual after which the residual is recomputed.
/// The conjugate gradient method does not lower the residual in every step, but plateaus of this
/// length mean rounding errors or a very slow system.
const PATIENCE: usize = 200;

/// The residual is recomputed if it exceeds its smallest value by this factor. Factors of ten
/// occur in normal iterations.
const LARGEST_RISE: f64 = 30.0;

/// If the recomputed residual is still above this share of the previous one, rounding errors
/// prevent further progress.
const LEAST_PROGRESS: f64 = 0.5;

/// A solve that iterates in the precision `T`.
///
/// From time to time, the correction is added to the result, in the precision `S` of the problem,
/// and the residual is recomputed in double precision. With this, `f32` reaches any accuracy that
/// `S` can represent.
pub struct Refinement<'a, S, T: Real> {
    problem: &'a Problem<'a, S>,
    system: &'a System,
    iteration: ConjugateGradients<ProductLaplacian<'a, T>, AlternatingDirections<'a, T>>,
    /// The values between groups, without the hat scaling.
    answer: Panels<S>,
    /// Whether there is a correction that has not been added to the result.
    moved: bool,
    measure: Measure,
    /// The smallest norm since the residual was last recomputed, and the number of iterations
    /// since then.
    best: f64,
    since_best: usize,
    trusted_drop: f64,
}

/// The state of the iteration after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// The iteration can continue.
    Going,
    /// This precision allows no further correction.
    Exhausted,
}

impl<'a, S: Real, T: Real> Refinement<'a, S, T> {
    /// Starts from the starting point of the problem, or from the similarity itself.
    pub fn new(
        problem: &'a Problem<'a, S>,
        system: &'a System,
        backend: &dyn Backend<T>,
    ) -> Result<Self> {
        let operator = ProductLaplacian::new(system, backend);
        let preconditioner = AlternatingDirections::new(system, backend)?;
        let mut solve = Refinement {
            answer: start(problem, system),
            iteration: ConjugateGradients::new(operator, preconditioner),
            moved: false,
            measure: Measure::default(),
            best: f64::INFINITY,
            since_best: 0,
            trusted_drop: trusted_drop::<T>(system),
            problem,
            system,
        };
        let norm = solve.measure_anew();
        solve.iteration.restart(norm);
        Ok(solve)
    }

    /// ‖R‖, the norm of the residual over the n × n matrix.
    pub fn norm(&self) -> f64 {
        self.iteration.norm()
    }

    /// Upper bound on the rounding errors of the residual at the last
    /// [`settle`](Self::settle).
    pub fn rounding(&self) -> f64 {
        rounding(self.system, &self.measure)
    }

    /// One iteration; none if the starting point is good enough. The residual is recomputed if
    /// the recursively updated one is below `target` or may be inaccurate through rounding.
    pub fn step(&mut self, target: f64) -> Progress {
        if !self.moved && self.norm() < target {
            return Progress::Going;
        }
        if !self.iteration.step() {
            self.settle();
            return Progress::Exhausted;
        }
        self.moved = true;
        let stalled = self.stalls();
        if self.norm() > target.max(self.measure.square.sqrt() * self.trusted_drop) && !stalled {
            return Progress::Going;
        }
        self.look_again(target, stalled)
    }

    /// Recomputes the residual and returns whether there was progress.
    fn look_again(&mut self, target: f64, stalled: bool) -> Progress {
        let before = self.measure.square.sqrt();
        self.settle();
        let norm = self.norm();
        self.iteration.restart(norm);
        (self.best, self.since_best) = (norm, 0);
        // Rounding prevents a smaller true residual. In double precision, a long plateau may also
        // mean a slow system.
        let slow = stalled && size_of::<T>() == size_of::<f64>();
        let stuck = !slow && norm > target && norm > LEAST_PROGRESS * before;
        if stuck { Progress::Exhausted } else { Progress::Going }
    }

    /// Whether the residual is far above its smallest value, or has been above it for long.
    fn stalls(&mut self) -> bool {
        let norm = self.norm();
        if norm < self.best {
            (self.best, self.since_best) = (norm, 0);
        } else {
            self.since_best += 1;
        }
        self.since_best >= PATIENCE || norm > LARGEST_RISE * self.best
    }

    /// Adds the current correction to the result and recomputes the residual.
    pub fn settle(&mut self) {
        if !std::mem::replace(&mut self.moved, false) {
            return;
        }
        let (system, (x, owed, p)) = (self.system, self.iteration.correction());
        self.answer.par_panels().enumerate().for_each(|(j, answer)| {
            for (i, ((row, x), p)) in answer.iter_mut().zip(x.panel(j)).zip(p.panel(j)).enumerate()
            {
                let steps = x.iter().zip(p).map(|(x, p)| x.wide() + owed * p.wide());
                for ((value, step), k) in row.iter_mut().zip(steps).zip(rows_of(j, system.len())) {
                    *value = clip(S::of(value.wide() + step / system.hat(i, k)));
                }
            }
        });
        let norm = self.measure_anew();
        self.iteration.replace(norm);
    }

    /// Recomputes the residual of the result; returns its norm.
    fn measure_anew(&mut self) -> f64 {
        let given = self.problem.similarity;
        let (r, Scratch { t, y }) = self.iteration.residual();
        self.measure = residual(self.system, given, &self.answer, (t, y), r);
        self.measure.square.sqrt()
    }

    /// The condensed values between groups at the last [`settle`](Self::settle).
    pub fn answer(&self) -> Condensed<Vec<S>> {
        condensed(self.system, &self.answer)
    }

    /// The result and its measured quantities.
    pub fn finish(mut self) -> (Condensed<Vec<S>>, Measure) {
        self.settle();
        let Refinement { system, answer, measure, iteration, .. } = self;
        drop(iteration); // before the answer is copied
        (condensed(system, &answer), measure)
    }
}

fn condensed<S: Real>(system: &System, answer: &Panels<S>) -> Condensed<Vec<S>> {
    Condensed::filled(system.len(), |p, row| {
        let i = system.position[p];
        for (&j, value) in system.position[p + 1..].iter().zip(row) {
            *value = answer.at(i.min(j), i.max(j));
        }
    })
}

/// The share of the last true residual down to which the recursively updated one is trusted.
/// Rounding errors are multiplied by the condition of the system, and every step adds a few. A
/// value that is too small does not reduce the accuracy but causes useless iterations. The share
/// is therefore at least 0.1 √ε, where ε is the machine precision, and at most 0.1.
fn trusted_drop<T: Real>(system: &System) -> f64 {
    const ERRORS_PER_STEP: f64 = 4.0;
    let epsilon = T::epsilon().wide();
    let rounding = ERRORS_PER_STEP * epsilon * system.largest_diagonal() / system.lambda;
    rounding.clamp(0.1 * epsilon.sqrt(), 0.1)
}

/// The starting point, or the similarity, with the fixed entries set to their values.
fn start<S: Real>(problem: &Problem<'_, S>, system: &System) -> Panels<S> {
    let given = problem.similarity;
    let from = problem.start.filter(|s| s.grouping() == given.grouping()).unwrap_or(given);
    let (n, values) = (system.len(), from.pairs());
    let mut start = Panels::from_upper(n, |i, j| match (system.order[i], system.order[j]) {
        (p, q) if p == q => S::zero(),
        at => values[at],
    });
    start.par_panels().enumerate().for_each(|(j, panel)| {
        for k in rows_of(j, n) {
            for (q, value) in problem.confident.fixed.iter_row(system.order[k]) {
                if let Some(row) = panel.get_mut(system.position[q]) {
                    row[k % TILE] = value;
                }
            }
        }
    });
    start
}
