//! The stage of stopping rules.

use crate::data::partition::Partition;
use crate::error::Result;
use crate::run::iterate::State;
use crate::run::quantities::Quantities;
use crate::run::report::{Record, Status};
use crate::stages::component::{Component, forward};

/// What a rule waits for, where that is a number. A solver may read it to choose when to look
/// closely, and an observer to tell how long a run will take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Target {
    /// The relative residual at which the rule is met.
    pub residual: Option<f64>,
    /// The relative step of every variable at which the rule is met.
    pub step: Option<f64>,
    /// The iteration at which the rule is met.
    pub iterations: Option<usize>,
}

impl Target {
    /// A target for the relative residual.
    pub fn residual(residual: f64) -> Self {
        Target { residual: Some(residual), ..Target::default() }
    }

    /// A target for the relative step of every variable.
    pub fn step(step: f64) -> Self {
        Target { step: Some(step), ..Target::default() }
    }

    /// A target for the number of iterations.
    pub fn iterations(iterations: usize) -> Self {
        Target { iterations: Some(iterations), ..Target::default() }
    }

    /// Number by number, `f` of two targets that both name it, or the one that is named.
    pub(crate) fn merged(self, other: Target, larger: bool) -> Self {
        fn pick<T: PartialOrd + Copy>(a: Option<T>, b: Option<T>, larger: bool) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(if (a > b) == larger { a } else { b }),
                (a, b) => a.or(b),
            }
        }
        Target {
            residual: pick(self.residual, other.residual, larger),
            step: pick(self.step, other.step, larger),
            // More iterations are the stricter rule, unlike larger residuals.
            iterations: pick(self.iterations, other.iterations, !larger),
        }
    }
}

/// A rule that says when an iteration may stop: a convergence criterion or a limit.
///
/// The rule itself is immutable and shared. What it remembers during a run lives in the [`Check`]
/// that it starts. A rule is paired only with an enhancer that
/// [provides](crate::Enhance::provides) what it needs.
pub trait Stop: Component {
    /// What it reads of each iteration.
    fn needs(&self) -> Quantities;

    /// A fresh check for one run.
    fn start(&self) -> Box<dyn Check + '_>;

    /// What it waits for, where that is a number.
    fn target(&self) -> Target {
        Target::default()
    }
}

forward!(Stop {
    fn needs(&self) -> Quantities;
    fn start(&self) -> Box<dyn Check + '_>;
    fn target(&self) -> Target;
});

/// A stopping rule at work in one run.
pub trait Check {
    /// Looks at an iteration; `Some` ends the run with that status. A NaN must never end a run as
    /// converged.
    ///
    /// # Errors
    /// Those of the [`State`], for a rule that reads it.
    fn check(&mut self, record: &Record, state: &dyn State) -> Result<Option<Status>>;
}

/// A check that reads the labels of each iteration; for a rule that
/// [needs](Stop::needs) [`Quantities::LABELS`].
///
/// ```
/// use enclust_core::{Check, Partition, Status, by_labels};
///
/// // Stops as soon as there are two clusters.
/// let check: Box<dyn Check> =
///     by_labels(|labels: Partition| (labels.clusters() == 2).then_some(Status::Converged));
/// ```
pub fn by_labels<'a>(check: impl FnMut(Partition) -> Option<Status> + 'a) -> Box<dyn Check + 'a> {
    Box::new(ByLabels(check))
}

struct ByLabels<F>(F);

impl<F: FnMut(Partition) -> Option<Status>> Check for ByLabels<F> {
    fn check(&mut self, _: &Record, state: &dyn State) -> Result<Option<Status>> {
        Ok((self.0)(state.labels()?))
    }
}

/// A function of the record is a check.
impl<F: FnMut(&Record) -> Option<Status>> Check for F {
    fn check(&mut self, record: &Record, _: &dyn State) -> Result<Option<Status>> {
        Ok(self(record))
    }
}
