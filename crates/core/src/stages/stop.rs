//! The stage of stopping rules.

use crate::data::partition::Partition;
use crate::error::Result;
use crate::run::iterate::State;
use crate::run::quantities::Quantities;
use crate::run::report::{Record, Status};
use crate::stages::component::{Component, forward};

/// The numbers at which a rule is met, if there are any. A solver may use them to decide when to
/// compute exact values, and an observer to estimate the remaining time.
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

    /// Merges two targets: if both have a number, the larger or smaller one, otherwise the one
    /// that exists.
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
            // A larger number of iterations is stricter, but a larger residual is less strict.
            iterations: pick(self.iterations, other.iterations, !larger),
        }
    }
}

/// A stopping rule: a convergence criterion or a limit.
///
/// The rule itself is immutable and shared. Its state during a run is kept in the [`Check`] that
/// it starts. A rule can be used only with an enhancer that [provides](crate::Enhance::provides)
/// what it needs.
pub trait Stop: Component {
    /// The quantities of each iteration that it reads.
    fn needs(&self) -> Quantities;

    /// A new check for one run.
    fn start(&self) -> Box<dyn Check + '_>;

    /// The numbers at which the rule is met, if there are any.
    fn target(&self) -> Target {
        Target::default()
    }
}

forward!(Stop {
    fn needs(&self) -> Quantities;
    fn start(&self) -> Box<dyn Check + '_>;
    fn target(&self) -> Target;
});

/// The state of a stopping rule in one run.
pub trait Check {
    /// Checks one iteration; `Some` ends the run with that status. NaN must never end a run as
    /// converged.
    ///
    /// # Errors
    ///
    /// The errors of the [`State`], for a rule that reads it.
    fn check(&mut self, record: &Record, state: &dyn State) -> Result<Option<Status>>;
}

/// A check that reads the labels of each iteration, for a rule that [needs](Stop::needs)
/// [`Quantities::LABELS`].
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

/// A function of the record can be used as a check.
impl<F: FnMut(&Record) -> Option<Status>> Check for F {
    fn check(&mut self, record: &Record, _: &dyn State) -> Result<Option<Status>> {
        Ok(self(record))
    }
}
