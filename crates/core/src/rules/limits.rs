//! Stopping rules that end a run whether or not it has converged.

use crate::compose::params::Range;
use crate::part;
use crate::run::quantities::Quantities;
use crate::run::report::{Record, Status};
use crate::stages::stop::{Check, Stop, Target};

part! {
    /// Stops after a given number of iterations.
    pub struct IterationLimit("iterations", "a number of iterations") {
        /// Maximum number of iterations.
        pub limit: usize = 100, in Range::AtLeast(1.0);
    }
}

impl Stop for IterationLimit {
    fn needs(&self) -> Quantities {
        Quantities::NONE
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(|record: &Record| {
            (record.iteration >= self.limit).then_some(Status::IterationLimit)
        })
    }

    fn target(&self) -> Target {
        Target::iterations(self.limit)
    }
}

part! {
    /// Stops after a given time. This is the only rule whose result depends on the clock: a run
    /// that it ends is not reproducible, and the [`Status`] of the run states this limit.
    pub struct TimeLimit("time", "a number of seconds") {
        /// Maximum duration of the iteration in seconds.
        pub seconds: f64 = 60.0, in Range::Positive;
    }
}

impl Stop for TimeLimit {
    fn needs(&self) -> Quantities {
        Quantities::NONE
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(|record: &Record| {
            (record.elapsed.as_secs_f64() >= self.seconds).then_some(Status::TimeLimit)
        })
    }
}
