//! The seam of stopping rules.

use crate::component::{Component, forward};
use crate::report::{Record, Status};

/// The quantities of a [`Record`] that someone will read; an iteration computes
/// no others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Step lengths of the iterates.
    pub changes: bool,
    /// Value of the objective.
    pub objective: bool,
    /// Residual of the optimality conditions.
    pub residual: bool,
}

impl Needs {
    /// Everything either of two asks for.
    pub fn and(self, other: Needs) -> Needs {
        Needs {
            changes: self.changes || other.changes,
            objective: self.objective || other.objective,
            residual: self.residual || other.residual,
        }
    }
}

/// A rule that says when an iteration may stop.
///
/// The rule itself is immutable and shared; what it remembers during a run
/// lives in the [`Check`] it starts.
pub trait Convergence: Component {
    /// What it reads.
    fn needs(&self) -> Needs;

    /// A fresh check for one run.
    fn start(&self) -> Box<dyn Check>;
}

forward!(Convergence {
    fn needs(&self) -> Needs;
    fn start(&self) -> Box<dyn Check>;
});

/// A stopping rule at work in one run.
pub trait Check {
    /// Looks at an iteration; `Some` ends the run with that status. A NaN must
    /// never end a run as converged.
    fn check(&mut self, record: &Record) -> Option<Status>;
}
