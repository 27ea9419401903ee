//! What happened during a run.

use std::fmt;
use std::time::Duration;

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The answer came without iterating.
    Direct,
    /// The stopping rule was met.
    Converged,
    /// The iteration limit came first.
    IterationLimit,
    /// The time limit came first.
    TimeLimit,
    /// The arithmetic cannot get any closer, and the stopping rule was not met.
    PrecisionLimit,
    /// An observer or the cancel flag stopped it.
    Cancelled,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Direct => "direct",
            Status::Converged => "converged",
            Status::IterationLimit => "iteration limit reached",
            Status::TimeLimit => "time limit reached",
            Status::PrecisionLimit => "limit of the precision reached",
            Status::Cancelled => "cancelled",
        })
    }
}

/// The step of one variable in one iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Which variable.
    pub name: &'static str,
    /// Norm of the step.
    pub step: f64,
    /// Norm of the variable before the step.
    pub scale: f64,
}

impl Change {
    /// Step relative to scale; NaN for 0/0, infinite for a step away from 0.
    pub fn ratio(&self) -> f64 {
        self.step / self.scale
    }
}

/// One iteration, as stopping rules and observers see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Number of the iteration, from 1.
    pub iteration: usize,
    /// Time since the iteration began.
    pub elapsed: Duration,
    /// Step of each variable, if someone needs it.
    pub changes: Vec<Change>,
    /// Value of the objective, if someone needs it.
    pub objective: Option<f64>,
    /// Relative residual of the optimality conditions, if someone needs it.
    pub residual: Option<f64>,
    /// Whether the arithmetic cannot get any closer to the answer.
    pub exhausted: bool,
}

/// A proof of how close an answer is to the optimum of the enhancement problem:
/// every figure is an upper bound, computed from the answer itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// ‖R‖ / λ‖A‖, R the residual of the optimality conditions, as it was computed.
    pub relative_residual: f64,
    /// ‖C − C*‖ / ‖A‖: "optimal within …".
    pub relative_distance: f64,
    /// ‖C − C*‖ over the samples (Frobenius).
    pub distance: f64,
    /// The largest |C − C*| of any pair.
    pub largest_distance: f64,
    /// Value of the objective at C.
    pub objective: f64,
    /// How much lower the objective could be.
    pub objective_gap: f64,
    /// How far any fixed entry is from the value it is fixed to. (That every entry
    /// lies in [0, 1] is checked by [`Similarity`](crate::Similarity) itself.)
    pub fixed_error: f64,
}

/// How an enhancement went.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Who did it.
    pub component: String,
    /// How it ended.
    pub status: Status,
    /// Number of iterations made.
    pub iterations: usize,
    /// The last iteration, if there was one.
    pub last: Option<Record>,
    /// How close the answer is to the optimum, if the enhancer can prove it.
    pub certificate: Option<Certificate>,
}

impl Report {
    /// The report of something that does not iterate.
    pub fn direct(component: impl Into<String>) -> Self {
        let component = component.into();
        Report { component, status: Status::Direct, iterations: 0, last: None, certificate: None }
    }
}
