//! A stopping rule of one's own, in a crate that needs `enclust-core` alone.
//!
//! The rule is immutable and shared by parallel runs; what it remembers lives in the [`Check`]
//! that each run starts.

use enclust_core::{Check, Quantities, Range, Real, Record, Registry, Status, Stop, part};

part! {
    /// Stops when every relative step has been below ε for several iterations in a row, so that
    /// one short step between two long ones ends nothing.
    ///
    /// ```
    /// use enclust_core::{Change, NoState, Record, Status, Stop};
    /// use enclust_example_custom_stopping_rule::Patience;
    ///
    /// let rule = Patience::default().epsilon(0.1).window(2);
    /// let mut check = rule.start();
    /// let mut step = |step| {
    ///     let record = Record::default().with_changes(vec![Change::new("C", step, 1.0)]);
    ///     check.check(&record, &NoState).unwrap()
    /// };
    /// assert_eq!(step(0.01), None);
    /// assert_eq!(step(0.50), None); // counts from the beginning again
    /// assert_eq!(step(0.01), None);
    /// assert_eq!(step(0.01), Some(Status::Converged));
    /// ```
    pub struct Patience(
        "patience",
        "every relative step below epsilon for several iterations in a row"
    ) {
        /// How small the relative step of every variable must be.
        pub epsilon: f64 = 1e-2, in Range::Positive;
        /// For how many iterations in a row.
        pub window: usize = 3, in Range::AtLeast(1.0);
    }
}

/// Adds [`Patience`] under its name.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.stop.add::<Patience>();
}

impl Stop for Patience {
    fn needs(&self) -> Quantities {
        Quantities::CHANGES
    }

    fn start(&self) -> Box<dyn Check + '_> {
        let mut quiet = 0;
        Box::new(move |record: &Record| {
            // A ratio that is not a number compares as not small.
            let small = record.changes.iter().all(|c| c.ratio() < self.epsilon);
            quiet = if small && !record.changes.is_empty() { quiet + 1 } else { 0 };
            (quiet >= self.window).then_some(Status::Converged)
        })
    }
}
