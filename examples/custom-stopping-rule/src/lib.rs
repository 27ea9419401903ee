//! A custom stopping rule, in a crate that depends only on `enclust-core`.
//!
//! The rule is immutable and shared by parallel runs. Its state is kept in the [`Check`] that
//! each run starts. [`by_labels`] makes a check from a function of the labels.

use enclust_core::prelude::*;

part! {
    /// Stops when the labels equal those of an earlier iteration: the partition no longer
    /// changes, or it cycles.
    ///
    /// It stores the labels of every iteration, n numbers each.
    ///
    /// ```
    /// use enclust_core::prelude::*;
    /// use enclust_example_custom_stopping_rule::Recurrence;
    ///
    /// assert_eq!(Recurrence.needs(), Quantities::LABELS);
    /// ```
    pub struct Recurrence("recurrence", "the labels are those of an earlier iteration");
}

/// Adds [`Recurrence`] to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.stop.add::<Recurrence>();
}

impl Stop for Recurrence {
    fn needs(&self) -> Quantities {
        Quantities::LABELS
    }

    fn start(&self) -> Box<dyn Check + '_> {
        let mut seen = Vec::new();
        by_labels(move |labels| {
            let again = seen.contains(&labels);
            seen.push(labels);
            again.then_some(Status::Converged)
        })
    }
}
