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
}

impl Report {
    /// The report of something that does not iterate.
    pub fn direct(component: impl Into<String>) -> Self {
        Report { component: component.into(), status: Status::Direct, iterations: 0, last: None }
    }
}
