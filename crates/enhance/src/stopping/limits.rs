//! Rules that end a run whether or not it has converged.

use enclust_core::{
    Check, Component, Convergence, Needs, ParamError, Parameters, Range, Record, Result, Status,
    parameters,
};

use super::Stateless;

parameters! {
    /// Parameters of [`IterationLimit`].
    pub struct IterationLimitParams for "iterations" {
        /// The last iteration to make.
        pub limit: usize = 100, in Range::AtLeast(1.0);
    }
}

parameters! {
    /// Parameters of [`TimeLimit`].
    pub struct TimeLimitParams for "time" {
        /// How long the iteration may take.
        pub seconds: f64 = 60.0, in Range::Positive;
    }
}

/// Stops after a number of iterations.
#[derive(Clone, Debug, Default)]
pub struct IterationLimit {
    params: IterationLimitParams,
}

impl IterationLimit {
    /// Checks the parameters.
    pub fn new(params: IterationLimitParams) -> Result<Self, ParamError> {
        params.validate()?;
        Ok(IterationLimit { params })
    }
}

impl Component for IterationLimit {
    fn name(&self) -> &str {
        "iterations"
    }
}

impl Convergence for IterationLimit {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn start(&self) -> Box<dyn Check> {
        let limit = self.params.limit;
        Box::new(Stateless(move |record: &Record| {
            (record.iteration >= limit).then_some(Status::IterationLimit)
        }))
    }
}

/// Stops after a time. The only rule whose answer depends on the clock: a run it
/// ends is not reproducible, and its [`Status`] says so.
#[derive(Clone, Debug, Default)]
pub struct TimeLimit {
    params: TimeLimitParams,
}

impl TimeLimit {
    /// Checks the parameters.
    pub fn new(params: TimeLimitParams) -> Result<Self, ParamError> {
        params.validate()?;
        Ok(TimeLimit { params })
    }
}

impl Component for TimeLimit {
    fn name(&self) -> &str {
        "time"
    }
}

impl Convergence for TimeLimit {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn start(&self) -> Box<dyn Check> {
        let seconds = self.params.seconds;
        Box::new(Stateless(move |record: &Record| {
            (record.elapsed.as_secs_f64() >= seconds).then_some(Status::TimeLimit)
        }))
    }
}
