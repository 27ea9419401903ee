//! A stopping rule of one's own, in a crate that needs `enclust-core` alone.
//!
//! The rule is immutable and shared by parallel runs; what it remembers lives in
//! the [`Check`] that each run starts.

use enclust_core::{
    Check, Component, Convergence, Needs, ParamError, Parameters, Range, Real, Record, Registry,
    Result, Status, parameters,
};

const NAME: &str = "patience";

parameters! {
    /// Parameters of [`Patience`].
    pub struct PatienceParams for "patience" {
        /// How small the relative step of every variable must be.
        pub epsilon: f64 = 1e-2, in Range::Positive;
        /// For how many iterations in a row.
        pub window: usize = 3, in Range::AtLeast(1.0);
    }
}

/// Stops when every relative step has been below ε for several iterations in a
/// row, so that one short step between two long ones ends nothing.
///
/// ```
/// use enclust_core::{Change, Convergence, Record, Status};
/// use enclust_example_custom_stopping_rule::{Patience, PatienceParams};
///
/// let rule = Patience::new(PatienceParams { epsilon: 0.1, window: 2 })?;
/// let mut check = rule.start();
/// let mut step = |step| {
///     let changes = vec![Change { name: "C", step, scale: 1.0 }];
///     check.check(&Record { changes, ..Record::default() })
/// };
/// assert_eq!(step(0.01), None);
/// assert_eq!(step(0.50), None); // counts from the beginning again
/// assert_eq!(step(0.01), None);
/// assert_eq!(step(0.01), Some(Status::Converged));
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Patience {
    params: PatienceParams,
}

impl Patience {
    /// Checks the parameters.
    pub fn new(params: PatienceParams) -> Result<Self, ParamError> {
        params.validate()?;
        Ok(Patience { params })
    }
}

/// Adds [`Patience`] under its name.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.stop.register::<PatienceParams>(
        NAME,
        "every relative step below epsilon for several iterations in a row",
        |p| Ok(Box::new(Patience::new(p)?)),
    );
}

impl Component for Patience {
    fn name(&self) -> &str {
        NAME
    }
}

impl Convergence for Patience {
    fn needs(&self) -> Needs {
        Needs { changes: true, ..Needs::default() }
    }

    fn start(&self) -> Box<dyn Check> {
        Box::new(Counting { params: self.params.clone(), quiet: 0 })
    }
}

/// The rule at work in one run.
struct Counting {
    params: PatienceParams,
    /// Iterations in a row with small steps only.
    quiet: usize,
}

impl Check for Counting {
    fn check(&mut self, record: &Record) -> Option<Status> {
        // A ratio that is not a number compares as not small.
        let small = record.changes.iter().all(|c| c.ratio() < self.params.epsilon);
        let quiet = small && !record.changes.is_empty();
        self.quiet = if quiet { self.quiet + 1 } else { 0 };
        (self.quiet >= self.params.window).then_some(Status::Converged)
    }
}
