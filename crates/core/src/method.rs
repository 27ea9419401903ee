//! Anything that turns an ensemble into a partition.

use std::time::Duration;

use crate::component::{Component, forward};
use crate::consensus::Fitted;
use crate::constraints::{Constraints, Violations};
use crate::context::Ctx;
use crate::dendrogram::Dendrogram;
use crate::ensemble::Ensemble;
use crate::error::Result;
use crate::evidence::Evidence;
use crate::partition::Partition;
use crate::real::Real;
use crate::report::Report;

/// A complete method of ensemble clustering. [`Pipeline`](crate::Pipeline) is
/// one; so is any algorithm that reads the whole ensemble its own way.
pub trait Method<S: Real>: Component {
    /// Does all work that does not depend on the number of clusters.
    fn fit(&self, ensemble: &Ensemble, ctx: &mut Ctx<'_, S>) -> Result<Fit<S>>;

    /// From ensemble to k clusters in one go.
    fn run(&self, ensemble: &Ensemble, k: usize, ctx: &mut Ctx<'_, S>) -> Result<Outcome> {
        let fit = self.fit(ensemble, ctx)?;
        let partition = fit.cut(k, ctx)?;
        let violations = fit.violations(&partition);
        Ok(Outcome { partition, report: fit.report, timings: fit.timings, violations })
    }
}

forward!(Method<S> {
    fn fit(&self, ensemble: &Ensemble, ctx: &mut Ctx<'_, S>) -> Result<Fit<S>>;
    fn run(&self, ensemble: &Ensemble, k: usize, ctx: &mut Ctx<'_, S>) -> Result<Outcome>;
});

/// A method that has read its ensemble and can be cut into any k.
pub struct Fit<S> {
    /// What the consensus was built on, after enhancement.
    pub evidence: Evidence<S>,
    /// How the enhancement went.
    pub report: Report,
    /// The consensus.
    pub fitted: Box<dyn Fitted<S>>,
    /// Time of each stage, in order.
    pub timings: Vec<(&'static str, Duration)>,
    /// The constraints it was made under, if there were any.
    pub constraints: Option<Constraints>,
}

impl<S: Real> Fit<S> {
    /// The partition into k clusters.
    pub fn cut(&self, k: usize, ctx: &mut Ctx<'_, S>) -> Result<Partition> {
        ctx.install(|ctx| self.fitted.cut(k, ctx))?
    }

    /// How many constraints a partition breaks; `None` if there were none.
    pub fn violations(&self, partition: &Partition) -> Option<Violations> {
        self.constraints.as_ref().map(|c| c.violations(partition))
    }

    /// The tree behind the consensus, if it has one.
    pub fn dendrogram(&self) -> Option<&Dendrogram> {
        self.fitted.dendrogram()
    }
}

/// The end of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The consensus partition.
    pub partition: Partition,
    /// How the enhancement went.
    pub report: Report,
    /// Time of each stage, in order.
    pub timings: Vec<(&'static str, Duration)>,
    /// How many constraints the partition breaks; `None` if there were none.
    pub violations: Option<Violations>,
}
