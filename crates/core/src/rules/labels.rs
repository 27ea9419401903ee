//! A stopping rule on the labels.

use crate::compose::params::Range;
use crate::data::partition::Partition;
use crate::error::Result;
use crate::part;
use crate::run::iterate::State;
use crate::run::quantities::Quantities;
use crate::run::report::{Record, Status};
use crate::stages::stop::{Check, Stop};

part! {
    /// Stops when the labels no longer change: the partition that the pipeline's consensus
    /// function gives for the k of the question was the same in several consecutive checks.
    ///
    /// # Complexity
    ///
    /// One consensus per check. Average linkage of n' groups costs about as much as a few
    /// iterations of the solvers, so a larger `every` can save time.
    ///
    /// # Errors
    ///
    /// [`Error::NeedsClusters`](crate::Error::NeedsClusters) if the run is not for one k.
    pub struct SteadyLabels("labels", "the labels of the consensus no longer change") {
        /// Number of consecutive checks that must find the same labels as the check before.
        pub patience: usize = 3, in Range::AtLeast(1.0);
        /// Number of iterations between two checks.
        pub every: usize = 1, in Range::AtLeast(1.0);
    }
}

impl Stop for SteadyLabels {
    fn needs(&self) -> Quantities {
        Quantities::LABELS
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(Steady { rule: self, labels: None, unchanged: 0 })
    }
}

struct Steady<'a> {
    rule: &'a SteadyLabels,
    labels: Option<Partition>,
    unchanged: usize,
}

impl Check for Steady<'_> {
    fn check(&mut self, record: &Record, state: &dyn State) -> Result<Option<Status>> {
        if !record.iteration.is_multiple_of(self.rule.every) {
            return Ok(None);
        }
        let now = state.labels()?;
        self.unchanged = if self.labels.as_ref() == Some(&now) { self.unchanged + 1 } else { 0 };
        self.labels = Some(now);
        Ok((self.unchanged >= self.rule.patience).then_some(Status::Converged))
    }
}
