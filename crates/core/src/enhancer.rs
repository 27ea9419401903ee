//! The seam of enhancers: from a similarity to a better one.

use std::sync::Arc;

use crate::component::{Component, forward};
use crate::confidence::{Confidence, Confident};
use crate::context::Ctx;
use crate::convergence::Convergence;
use crate::error::{Error, Result};
use crate::memory::{Bytes, Footprint, Shape};
use crate::microclusters::Microclusters;
use crate::real::Real;
use crate::report::Report;
use crate::similarity::Similarity;

/// What an enhancer reads.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a, S> {
    /// A, the similarity to enhance.
    pub similarity: &'a Similarity<S>,
    /// H and Ω, the pairs to believe.
    pub confident: &'a Confident<S>,
    /// Where to start, for enhancers that can: an earlier answer to a similar
    /// problem.
    pub start: Option<&'a Similarity<S>>,
}

/// What an enhancer gives.
#[derive(Clone, Debug)]
pub struct Enhanced<S> {
    /// The enhanced similarity.
    pub similarity: Similarity<S>,
    /// How it went.
    pub report: Report,
}

/// Improves a similarity by propagating its high-confidence pairs.
pub trait Enhancer<S: Real>: Component {
    /// The enhanced similarity and the report on it.
    fn enhance(&self, problem: &Problem<'_, S>, ctx: &mut Ctx<'_, S>) -> Result<Enhanced<S>>;

    /// Whether it leaves every similarity as it is, so that a pipeline need not
    /// select confident pairs, and any kind of evidence may pass.
    fn is_identity(&self) -> bool {
        false
    }

    /// What [`enhance`](Self::enhance) takes: an upper bound, for a run is refused by
    /// it.
    ///
    /// Unless stated otherwise, a similarity, and two n' × n' matrices to work with.
    fn footprint(&self, shape: &Shape) -> Footprint {
        Footprint::new(shape.similarity(), shape.square() * 2)
    }

    /// The same enhancer with another stopping rule; [`Error::Unsupported`] for
    /// one that does not iterate.
    fn with_stop(&self, stop: Arc<dyn Convergence>) -> Result<Box<dyn Enhancer<S>>> {
        Err(Error::unsupported(self.name(), format!("the stopping rule {}", stop.name())))
    }
}

forward!(Enhancer<S> {
    fn enhance(&self, problem: &Problem<'_, S>, ctx: &mut Ctx<'_, S>) -> Result<Enhanced<S>>;
    fn is_identity(&self) -> bool;
    fn footprint(&self, shape: &Shape) -> Footprint;
    fn with_stop(&self, stop: Arc<dyn Convergence>) -> Result<Box<dyn Enhancer<S>>>;
});

/// No enhancement: every similarity stays as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEnhancement;

impl Component for NoEnhancement {
    fn name(&self) -> &str {
        "none"
    }
}

impl<S: Real> Enhancer<S> for NoEnhancement {
    fn enhance(&self, problem: &Problem<'_, S>, _: &mut Ctx<'_, S>) -> Result<Enhanced<S>> {
        Ok(Enhanced { similarity: problem.similarity.clone(), report: Report::direct("none") })
    }

    fn is_identity(&self) -> bool {
        true
    }

    /// A pipeline passes the evidence on as it is.
    fn footprint(&self, _: &Shape) -> Footprint {
        Footprint::default()
    }
}

impl<S: Real> Confidence<S> for NoEnhancement {
    fn select(
        &self,
        _: &Microclusters,
        similarity: &Similarity<S>,
        _: &mut Ctx<'_, S>,
    ) -> Result<Confident<S>> {
        Ok(Confident::none(similarity.len()))
    }

    fn footprint(&self, shape: &Shape) -> Footprint {
        Footprint::new(Confident::<S>::bytes(shape, 0), Bytes(0))
    }
}
