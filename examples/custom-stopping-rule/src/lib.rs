//! A stopping rule of one's own, in a crate that needs `enclust-core` alone.
//!
//! The rule is immutable and shared by parallel runs; what it remembers lives in the [`Check`]
//! that each run starts. [`by_labels`] makes a check of a function of the labels.

use enclust_core::prelude::*;

part! {
    /// Stops when the labels are those of an earlier iteration: the partition has settled, or goes
    /// round in a circle.
    ///
    /// It keeps the labels of every iteration, n numbers each.
    ///
    /// ```
    /// use enclust_core::prelude::*;
    /// use enclust_example_custom_stopping_rule::Recurrence;
    ///
    /// assert_eq!(Recurrence.needs(), Quantities::LABELS);
    /// ```
    pub struct Recurrence("recurrence", "the labels are those of an earlier iteration");
}

/// Adds [`Recurrence`] under its name.
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
