//! Iterative refinement: corrections in one precision, the result in another.

use std::ops::Range;

use enclust_core::{Backend, Condensed, Problem, Real, Result, Similarity};
use enclust_linalg::Vector;
use rayon::prelude::*;

use crate::objective::clip;

use super::between::Between;
use super::certificate::rounding;
use super::inside::{Inside, residuals};
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

/// The share of the allowed residual that the entries between islands may keep. Each factor of
/// three costs one step. It is small because what alternating directions leave belongs to small
/// eigenvalues, where a residual means a larger error.
const SHARE_BETWEEN: f64 = 0.1;

/// The residual of the entries between islands is trusted down to this many rounding errors of the
/// first one: their steps do not amplify rounding errors.
const ERRORS_BETWEEN: f64 = 16.0;

/// A solve that iterates in the precision `T`.
///
/// It works in rounds. The residual is computed in double precision; the entries between islands
/// are corrected and then those inside; and the corrections are added to the result, which has
/// the precision `S` of the problem. With this, `f32` reaches any accuracy that `S` can represent.
pub struct Refinement<'a, S, T: Real> {
    problem: &'a Problem<'a, S>,
    system: &'a System,
    backend: &'a dyn Backend<T>,
    /// The values between groups, without the hat scaling.
    answer: Panels<S>,
    round: Round<'a, T>,
    measure: Measure,
    /// The smallest norm since the residual was last recomputed, and the number of iterations
    /// since then.
    best: f64,
    since_best: usize,
    /// The relative rounding error of the operator.
    rounding_of_step: f64,
}

/// The work of a round.
enum Round<'a, T: Real> {
    /// Nothing has been done yet. The residual is stored, and two matrices of working memory.
    Fresh {
        r: Panels<T>,
        spare: (Panels<T>, Panels<T>),
    },
    Between {
        solve: Between<T>,
        goal: f64,
        inside: Vec<Panels<T>>,
        norm_inside: f64,
    },
    Inside {
        solve: Inside<'a, T>,
        goal: f64,
        norm_between: f64,
    },
    /// The corrections have been added to the result.
    Done,
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
        backend: &'a dyn Backend<T>,
    ) -> Self {
        let mut solve = Refinement {
            answer: start(problem, system),
            round: Round::Done,
            measure: Measure::default(),
            best: f64::INFINITY,
            since_best: 0,
            rounding_of_step: rounding_of_step::<T>(system),
            problem,
            system,
            backend,
        };
        let given = (!starts_from_similarity(problem)).then_some(problem.similarity);
        solve.measure_anew(given);
        solve
    }

    /// ‖R‖, the norm of the residual over the n × n matrix.
    pub fn norm(&self) -> f64 {
        match &self.round {
            Round::Fresh { .. } | Round::Done => self.measure.square.sqrt(),
            Round::Between { solve, norm_inside, .. } => solve.norm().hypot(*norm_inside),
            Round::Inside { solve, norm_between, .. } => solve.norm().hypot(*norm_between),
        }
    }

    /// Upper bound on the rounding errors of the residual at the beginning of the round.
    pub fn rounding(&self) -> f64 {
        rounding(self.system, &self.measure)
    }

    /// One iteration; none if the starting point is good enough. The residual is recomputed if
    /// the recursively updated one is below `target` or may be inaccurate through rounding.
    pub fn step(&mut self, target: f64) -> Result<Progress> {
        if matches!(self.round, Round::Fresh { .. }) {
            if self.norm() < target {
                return Ok(Progress::Going);
            }
            self.begin_between(target)?;
        }
        let between = self.step_between(target)?;
        let ends = !between && self.step_inside(target);
        let stalled = !between && self.stalls();
        let ends = ends || stalled || self.norm() <= target;
        Ok(if ends { self.look_again(target, stalled) } else { Progress::Going })
    }

    /// A step for the entries between islands; false if none was needed.
    fn step_between(&mut self, target: f64) -> Result<bool> {
        let Round::Between { solve, goal, .. } = &mut self.round else { return Ok(false) };
        let needed = solve.norm() > *goal && !solve.ends();
        if needed {
            solve.step()?;
        }
        if solve.norm() <= *goal || solve.ends() {
            self.begin_inside(target)?;
        }
        Ok(needed)
    }

    /// A step for the entries inside islands; returns whether the round ends.
    fn step_inside(&mut self, target: f64) -> bool {
        let Round::Inside { solve, goal, norm_between } = &mut self.round else { return true };
        // If the entries between islands keep more than they may, the others cannot make up for
        // it, and another round follows.
        let share =
            |goal: f64| (goal.powi(2) - norm_between.powi(2)).max(0.5 * goal.powi(2)).sqrt();
        solve.step(share(*goal));
        if solve.ends(share(*goal)) && *goal > target {
            // The correction is known by now, and its rounding errors with it.
            *goal = goal.min(target.max(self.rounding_of_step * solve.size()));
        }
        solve.ends(share(*goal))
    }

    fn begin_between(&mut self, target: f64) -> Result<()> {
        let Round::Fresh { r, spare } = std::mem::replace(&mut self.round, Round::Done) else {
            return Ok(());
        };
        let inside = residuals(self.system, &r);
        let norm_inside = inside.iter().map(|r| r.dot(r)).sum::<f64>().sqrt();
        let attainable = ERRORS_BETWEEN * T::epsilon().wide() * self.measure.square.sqrt();
        let goal = (SHARE_BETWEEN * target).max(attainable);
        let solve = Between::new(self.system, self.backend, r, spare, goal)?;
        self.round = Round::Between { solve, goal, inside, norm_inside };
        Ok(())
    }

    fn begin_inside(&mut self, target: f64) -> Result<()> {
        let Round::Between { solve, inside, .. } = std::mem::replace(&mut self.round, Round::Done)
        else {
            return Ok(());
        };
        let norm_between = solve.norm();
        correct(self.system, &mut self.answer, |i, columns, row| solve.add_to(i, columns, row));
        drop(solve); // before the others need memory
        let solve = Inside::new(self.system, self.backend, inside)?;
        (self.best, self.since_best) = (f64::INFINITY, 0);
        let goal = target.max(self.measure.square.sqrt() * self.trusted_drop());
        self.round = Round::Inside { solve, goal, norm_between };
        Ok(())
    }

    /// The share of the true residual down to which the recursively updated one is trusted before
    /// the correction is known; it is at most the residual divided by λ. A value that is too small
    /// does not reduce the accuracy but causes useless iterations. The share is therefore at least
    /// 0.1 √ε, where ε is the machine precision, and at most 0.1.
    fn trusted_drop(&self) -> f64 {
        let rounding = self.rounding_of_step / self.system.equations.lambda;
        rounding.clamp(0.1 * T::epsilon().wide().sqrt(), 0.1)
    }

    /// Recomputes the residual and returns whether there was progress.
    fn look_again(&mut self, target: f64, stalled: bool) -> Progress {
        let before = self.measure.square.sqrt();
        self.settle();
        self.measure_anew(Some(self.problem.similarity));
        let norm = self.norm();
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

    /// Adds the corrections of the round to the result, which ends the round.
    fn settle(&mut self) {
        let round = std::mem::replace(&mut self.round, Round::Done);
        correct(self.system, &mut self.answer, |i, columns, row| round.add_to(i, columns, row));
    }

    /// Recomputes the residual of the result, for a new round. The similarity is not given if the
    /// result is equal to it.
    fn measure_anew(&mut self, given: Option<&Similarity<S>>) {
        let n = self.system.len();
        let mut r = Panels::upper(n);
        let mut spare = (Panels::full(n), Panels::full(n));
        let memory = (&mut spare.0, &mut spare.1);
        self.measure = residual(self.system, given, &self.answer, memory, &mut r);
        self.round = Round::Fresh { r, spare };
    }

    /// The condensed values between groups, with the corrections of the round.
    pub fn answer(&self) -> Condensed<Vec<S>> {
        let mut answer = Panels::upper(self.system.len());
        answer.change(&self.answer, |value, so_far| *value = so_far);
        correct(self.system, &mut answer, |i, columns, row| self.round.add_to(i, columns, row));
        condensed(self.system, &answer)
    }

    /// The result and its measured quantities.
    pub fn finish(mut self) -> (Condensed<Vec<S>>, Measure) {
        if !matches!(self.round, Round::Fresh { .. }) {
            self.settle();
            self.measure_anew(Some(self.problem.similarity));
        }
        let Refinement { system, answer, measure, round, .. } = self;
        drop(round); // before the answer is copied
        (condensed(system, &answer), measure)
    }
}

impl<T: Real> Round<'_, T> {
    /// Adds some columns of row i of the hatted corrections.
    fn add_to(&self, i: usize, columns: Range<usize>, row: &mut [f64]) {
        match self {
            Round::Between { solve, .. } => solve.add_to(i, columns, row),
            Round::Inside { solve, .. } => solve.add_to(i, columns, row),
            Round::Fresh { .. } | Round::Done => {}
        }
    }
}

/// Adds hatted corrections to an answer. `add_to` adds those of some columns of a row.
fn correct<S: Real>(
    system: &System,
    answer: &mut Panels<S>,
    add_to: impl Fn(usize, Range<usize>, &mut [f64]) + Sync,
) {
    let roots = &system.roots;
    answer.par_panels().enumerate().for_each(|(j, answer)| {
        let columns = rows_of(j, system.len());
        for (i, row) in answer.iter_mut().enumerate() {
            let mut steps = [0.0; TILE];
            add_to(i, columns.clone(), &mut steps[..columns.len()]);
            for ((value, step), root) in row.iter_mut().zip(steps).zip(&roots[columns.clone()]) {
                *value = clip(S::of(value.wide() + step / (roots[i] * root)));
            }
        }
    });
}

fn condensed<S: Real>(system: &System, answer: &Panels<S>) -> Condensed<Vec<S>> {
    Condensed::filled(system.len(), |p, row| {
        let i = system.position[p];
        for (&j, value) in system.position[p + 1..].iter().zip(row) {
            *value = answer.at(i.min(j), i.max(j));
        }
    })
}

/// The rounding error of the residual after some steps, relative to the norm of the correction.
fn rounding_of_step<T: Real>(system: &System) -> f64 {
    const ERRORS_PER_STEP: f64 = 4.0;
    ERRORS_PER_STEP * T::epsilon().wide() * system.equations.largest_diagonal()
}

/// Whether the [`start`] is the similarity itself: there is no other starting point, and the fixed
/// entries keep their values.
fn starts_from_similarity<S: Real>(problem: &Problem<'_, S>) -> bool {
    let (given, fixed) = (problem.similarity, &problem.confident.fixed);
    let keeps = |p: usize| fixed.iter_row(p).all(|(q, value)| given.between(p, q) == value);
    problem.start.is_none() && (0..fixed.rows()).all(keeps)
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
