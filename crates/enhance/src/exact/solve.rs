//! Conjugate gradients on the system.

use enclust_core::{Problem, Real, Result, fill_condensed};
use rayon::prelude::*;

use crate::objective::clip;

use super::operator::{Operator, Vectors};
use super::residual::{Condensed, Measure, residual};
use super::system::System;
use super::tiles::{Panels, TILE, rows_of};

/// The state of preconditioned conjugate gradients, in the form with one pass for
/// both inner products (Chronopoulos and Gear).
///
/// The iteration works in the precision `T`; now and then the correction is added
/// to the answer, in the precision `S` of the problem, and the residual of that is
/// computed anew in double precision. So `f32` reaches any accuracy `S` can hold.
pub struct Solve<'a, S, T> {
    problem: &'a Problem<'a, S>,
    system: &'a System,
    operator: Operator<'a, T>,
    /// The values between groups, not hatted.
    answer: Panels<S>,
    vectors: Vectors<T>,
    /// Working space: two matrices.
    t: Panels<T>,
    y: Panels<T>,
    last: Option<Step>,
    /// The length of a step along p that x has not made yet.
    owed: Option<f64>,
    /// Whether there is a correction that is not in the answer yet.
    moved: bool,
    norm: f64,
    measure: Measure,
    /// The smallest norm since the residual was last computed anew, and its age.
    best: f64,
    since_best: usize,
    trusted_drop: f64,
}

/// What the next step must know of the last.
#[derive(Clone, Copy)]
struct Step {
    alpha: f64,
    decrease: f64,
}

/// Where the iteration stands after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// There is more to do.
    Going,
    /// Nothing is left that this precision could correct.
    Exhausted,
}

impl<'a, S: Real, T: Real> Solve<'a, S, T> {
    /// Starts from the problem's start, or from the similarity itself.
    pub fn new(problem: &'a Problem<'a, S>, system: &'a System) -> Result<Self> {
        let n = system.len();
        let upper = || Panels::upper(n);
        let vectors = Vectors { x: upper(), r: upper(), p: upper(), q: upper(), z: upper() };
        let mut solve = Solve {
            answer: start(problem, system),
            operator: Operator::new(system)?,
            vectors,
            t: Panels::full(n),
            y: Panels::full(n),
            last: None,
            owed: None,
            moved: false,
            norm: 0.0,
            measure: Measure::default(),
            best: f64::INFINITY,
            since_best: 0,
            trusted_drop: trusted_drop::<T>(system),
            problem,
            system,
        };
        solve.measure_anew();
        Ok(solve)
    }

    /// ‖R‖, the norm of the residual over the n × n matrix.
    pub fn norm(&self) -> f64 {
        self.norm
    }

    /// One iteration; none if the start is good enough. When the residual that is carried along falls below `target`, or
    /// rounding may have spoilt it, it is computed anew.
    pub fn step(&mut self, target: f64) -> Progress {
        if !self.moved && self.norm < target {
            return Progress::Going;
        }
        let v = &mut self.vectors;
        self.operator.half_correct(&v.r, &mut self.t);
        let products = self.operator.correct((&v.r, &self.t), (&mut v.z, &mut self.y));
        let Some(lengths) = self.lengths(products.decrease, products.curvature) else {
            self.settle();
            return Progress::Exhausted;
        };
        let square = self.operator.advance(lengths, self.owed, &mut self.vectors, &self.y);
        self.norm = square.sqrt();
        self.owed = if self.owed.is_some() { None } else { Some(lengths.0) };
        self.moved = true;
        self.last = Some(Step { alpha: lengths.0, decrease: products.decrease });
        let stalled = self.stalls();
        if self.norm > target.max(self.measure.square.sqrt() * self.trusted_drop) && !stalled {
            return Progress::Going;
        }
        self.look_again(target, stalled)
    }

    /// Computes the residual anew, and says whether that led anywhere.
    fn look_again(&mut self, target: f64, stalled: bool) -> Progress {
        let before = self.measure.square.sqrt();
        self.settle();
        // The old directions are conjugate to each other only up to rounding, and the
        // residual they belong to was another one.
        self.last = None;
        (self.best, self.since_best) = (self.norm, 0);
        // Rounding keeps the true residual up. In double precision, a long plateau may
        // also be a slow system.
        let slow = stalled && size_of::<T>() == size_of::<f64>();
        let stuck = !slow && self.norm > target && self.norm > 0.5 * before;
        if stuck { Progress::Exhausted } else { Progress::Going }
    }

    /// Whether the residual is far above its best, or has long been above it.
    fn stalls(&mut self) -> bool {
        const PATIENCE: usize = 200;
        if self.norm < self.best {
            (self.best, self.since_best) = (self.norm, 0);
        } else {
            self.since_best += 1;
        }
        self.since_best >= PATIENCE || self.norm > 30.0 * self.best
    }

    /// α and β; none where nothing is left to correct.
    fn lengths(&self, decrease: f64, curvature: f64) -> Option<(f64, f64)> {
        let positive = |v: f64| v > 0.0 && v.is_finite();
        if !positive(decrease) || !positive(curvature) {
            return None;
        }
        let (alpha, beta) = self.last.map_or((decrease / curvature, 0.0), |last| {
            let beta = decrease / last.decrease;
            (decrease / (curvature - beta * decrease / last.alpha), beta)
        });
        // Lost conjugacy: start over from the steepest descent.
        Some(if positive(alpha) { (alpha, beta) } else { (decrease / curvature, 0.0) })
    }

    /// Adds the correction made so far to the answer, and computes the residual of that.
    pub fn settle(&mut self) {
        if !std::mem::replace(&mut self.moved, false) {
            return;
        }
        let (system, Vectors { x, p, .. }) = (self.system, &self.vectors);
        let owed = self.owed.take().unwrap_or(0.0);
        self.answer.par_panels().enumerate().for_each(|(j, answer)| {
            for (i, ((row, x), p)) in answer.iter_mut().zip(x.panel(j)).zip(p.panel(j)).enumerate()
            {
                let steps = x.iter().zip(p).map(|(x, p)| x.wide() + owed * p.wide());
                for ((value, step), k) in row.iter_mut().zip(steps).zip(rows_of(j, system.len())) {
                    *value = clip(S::of(value.wide() + step / system.hat(i, k)));
                }
            }
        });
        self.vectors.x.clear();
        self.measure_anew();
    }

    fn measure_anew(&mut self) {
        let working = (&mut self.t, &mut self.y);
        let given = self.problem.similarity;
        self.measure = residual(self.system, given, &self.answer, working, &mut self.vectors.r);
        self.norm = self.measure.square.sqrt();
    }

    /// The values between groups, condensed, as they are at the last
    /// [`settle`](Self::settle).
    pub fn answer(&self) -> Vec<S> {
        condensed(self.system, &self.answer)
    }

    /// The answer and what was measured of it.
    pub fn finish(mut self) -> (Vec<S>, Measure) {
        self.settle();
        let Solve { system, answer, measure, vectors, t, y, .. } = self;
        drop((vectors, t, y)); // before the answer is copied
        (condensed(system, &answer), measure)
    }
}

fn condensed<S: Real>(system: &System, answer: &Panels<S>) -> Vec<S> {
    fill_condensed(system.len(), |p, row| {
        let i = system.position[p];
        for (&j, value) in system.position[p + 1..].iter().zip(row) {
            *value = answer.at(i.min(j), i.max(j));
        }
    })
}

/// The share of the last true residual down to which the one carried along is
/// trusted: rounding errors are magnified by the condition of the system. Too much
/// trust costs no accuracy, only iterations that lead nowhere.
fn trusted_drop<T: Real>(system: &System) -> f64 {
    let epsilon = T::epsilon().wide();
    (4.0 * epsilon * system.largest_diagonal() / system.lambda).clamp(0.1 * epsilon.sqrt(), 0.1)
}

/// The start, or the similarity, with the fixed entries at their values.
fn start<S: Real>(problem: &Problem<'_, S>, system: &System) -> Panels<S> {
    let given = problem.similarity;
    let from = problem.start.filter(|s| s.grouping() == given.grouping()).unwrap_or(given);
    let (n, values) = (system.len(), Condensed::new(system.len(), from.condensed()));
    let mut start = Panels::from_upper(n, |i, j| values.at(system.order[i], system.order[j]));
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
