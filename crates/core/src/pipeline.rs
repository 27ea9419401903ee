//! Four parts put together.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::component::Component;
use crate::confidence::Confidence;
use crate::consensus::Consensus;
use crate::constraints::Constraints;
use crate::context::Ctx;
use crate::enhancer::{Enhancer, NoEnhancement, Problem};
use crate::ensemble::Ensemble;
use crate::error::{Error, Result};
use crate::evidence::{Evidence, Kind};
use crate::method::{Fit, Method};
use crate::microclusters::Microclusters;
use crate::real::Real;
use crate::report::Report;
use crate::represent::Represent;
use crate::similarity::Similarity;

/// Representation → confident pairs → enhancement → consensus.
///
/// Each part may be a value, a reference, a `Box<dyn …>` or an `Arc<dyn …>`;
/// static, boxed and mixed compositions are the same struct. [`Pipeline::new`]
/// checks that the kinds of evidence meet, and `with_…` swaps one part.
///
/// `S` is the precision the stages store their numbers in.
#[derive(Clone, Debug)]
pub struct Pipeline<S, R, F, E, C> {
    represent: R,
    confidence: F,
    enhancer: E,
    consensus: C,
    constraints: Option<Constraints>,
    name: String,
    precision: PhantomData<fn() -> S>,
}

/// A pipeline whose parts were chosen at run time.
pub type BoxedPipeline<S> = Pipeline<
    S,
    Box<dyn Represent<S>>,
    Box<dyn Confidence<S>>,
    Box<dyn Enhancer<S>>,
    Box<dyn Consensus<S>>,
>;

impl<R, F, E, C> Pipeline<f64, R, F, E, C>
where
    R: Represent<f64>,
    F: Confidence<f64>,
    E: Enhancer<f64>,
    C: Consensus<f64>,
{
    /// A pipeline in double precision.
    pub fn new(represent: R, confidence: F, enhancer: E, consensus: C) -> Result<Self> {
        Self::in_precision(represent, confidence, enhancer, consensus)
    }
}

impl<R: Represent<f64>, C: Consensus<f64>> Pipeline<f64, R, NoEnhancement, NoEnhancement, C> {
    /// A pipeline in double precision that enhances nothing.
    pub fn plain(represent: R, consensus: C) -> Result<Self> {
        Self::new(represent, NoEnhancement, NoEnhancement, consensus)
    }
}

impl<S, R, F, E, C> Pipeline<S, R, F, E, C>
where
    S: Real,
    R: Represent<S>,
    F: Confidence<S>,
    E: Enhancer<S>,
    C: Consensus<S>,
{
    /// A pipeline in the precision `S`, for example
    /// `Pipeline::<f32, _, _, _, _>::in_precision(…)`.
    pub fn in_precision(represent: R, confidence: F, enhancer: E, consensus: C) -> Result<Self> {
        let made = represent.kind();
        if !enhancer.is_identity() && made != Kind::Similarity {
            return Err(mismatch(enhancer.name(), &[Kind::Similarity], represent.name(), made));
        }
        if !consensus.accepts().contains(&made) {
            return Err(mismatch(consensus.name(), consensus.accepts(), represent.name(), made));
        }
        let name = [represent.name(), enhancer.name(), consensus.name()].join("+");
        Ok(Pipeline {
            represent,
            confidence,
            enhancer,
            consensus,
            constraints: None,
            name,
            precision: PhantomData,
        })
    }

    /// The same pipeline with another representation.
    pub fn with_represent<R2: Represent<S>>(
        self,
        represent: R2,
    ) -> Result<Pipeline<S, R2, F, E, C>> {
        let parts =
            Pipeline::in_precision(represent, self.confidence, self.enhancer, self.consensus)?;
        Ok(Pipeline { constraints: self.constraints, ..parts })
    }

    /// The same pipeline with another choice of confident pairs.
    pub fn with_confidence<F2: Confidence<S>>(
        self,
        confidence: F2,
    ) -> Result<Pipeline<S, R, F2, E, C>> {
        let parts =
            Pipeline::in_precision(self.represent, confidence, self.enhancer, self.consensus)?;
        Ok(Pipeline { constraints: self.constraints, ..parts })
    }

    /// The same pipeline with another enhancer.
    pub fn with_enhancer<E2: Enhancer<S>>(self, enhancer: E2) -> Result<Pipeline<S, R, F, E2, C>> {
        let parts =
            Pipeline::in_precision(self.represent, self.confidence, enhancer, self.consensus)?;
        Ok(Pipeline { constraints: self.constraints, ..parts })
    }

    /// The same pipeline with another consensus function.
    pub fn with_consensus<C2: Consensus<S>>(
        self,
        consensus: C2,
    ) -> Result<Pipeline<S, R, F, E, C2>> {
        let parts =
            Pipeline::in_precision(self.represent, self.confidence, self.enhancer, consensus)?;
        Ok(Pipeline { constraints: self.constraints, ..parts })
    }

    /// The same pipeline under constraints of the user, in place of earlier ones; an
    /// empty set is none. They stay when parts are swapped.
    ///
    /// The representation is that of the ensemble alone. Then every constrained sample
    /// becomes a group of its own, confident pairs are chosen, and the constraints are
    /// laid over the entries they fix. In the enhanced similarity the constrained
    /// entries are 1 and 0 exactly, with an iterate that was stopped early, too. (An
    /// enhancer told to ignore Ω, as an ablation, propagates nothing of them.)
    ///
    /// Fitting is [`Error::Unsupported`] if the enhancer is the identity, which
    /// could but ignore them, and [`Error::Size`] if they are about another number of
    /// samples.
    pub fn with_constraints(self, constraints: Constraints) -> Self {
        Pipeline { constraints: Some(constraints).filter(|c| !c.is_empty()), ..self }
    }

    fn fit_here(&self, ensemble: &Ensemble, ctx: &mut Ctx<'_, S>) -> Result<Fit<S>> {
        self.check_constraints(ensemble)?;
        let mut watch = Stopwatch::new();
        let microclusters = Microclusters::of(ensemble);
        watch.lap("microclusters");
        let evidence = self.represent.build(&microclusters, ctx)?;
        watch.lap("represent");
        let (evidence, report) = match evidence {
            Evidence::Similarity(a) if !self.enhancer.is_identity() => {
                let (enhanced, report) = self.enhance(microclusters, a, ctx, &mut watch)?;
                (enhanced.into(), report)
            }
            unchanged => (unchanged, Report::direct(self.enhancer.name())),
        };
        let fitted = self.consensus.fit(&evidence, ctx)?;
        watch.lap("consensus");
        let constraints = self.constraints.clone();
        Ok(Fit { evidence, report, fitted, timings: watch.laps, constraints })
    }

    fn check_constraints(&self, ensemble: &Ensemble) -> Result<()> {
        match &self.constraints {
            Some(_) if self.enhancer.is_identity() => {
                let what = "must-link and cannot-link constraints";
                Err(Error::unsupported(self.enhancer.name(), what))
            }
            Some(constraints) => constraints.check_samples(ensemble.samples()),
            None => Ok(()),
        }
    }

    fn enhance(
        &self,
        microclusters: Microclusters,
        similarity: Similarity<S>,
        ctx: &mut Ctx<'_, S>,
        watch: &mut Stopwatch,
    ) -> Result<(Similarity<S>, Report)> {
        let similarity = self.split(similarity)?;
        // A similarity may tell samples apart that the labels do not.
        let microclusters = if Arc::ptr_eq(similarity.grouping(), microclusters.grouping()) {
            microclusters
        } else {
            microclusters.refined(similarity.grouping())?
        };
        let mut confident = self.confidence.select(&microclusters, &similarity, ctx)?;
        if let Some(constraints) = &self.constraints {
            constraints.fix(similarity.grouping(), &mut confident)?;
        }
        watch.lap("confidence");
        let problem = Problem { similarity: &similarity, confident: &confident, start: None };
        let enhanced = self.enhancer.enhance(&problem, ctx)?;
        let similarity = match &self.constraints {
            Some(constraints) => constraints.imposed_on(enhanced.similarity)?,
            None => enhanced.similarity,
        };
        watch.lap("enhance");
        Ok((similarity, enhanced.report))
    }

    /// Constrained samples on their own. Split after the representation is built,
    /// because one that counts groups (PTS) would be another one on finer groups.
    fn split(&self, similarity: Similarity<S>) -> Result<Similarity<S>> {
        let Some(constraints) = &self.constraints else { return Ok(similarity) };
        let finer = constraints.split(similarity.grouping())?;
        if Arc::ptr_eq(&finer, similarity.grouping()) {
            return Ok(similarity);
        }
        similarity.refined(&finer)
    }
}

impl<S, R, F, E, C> Component for Pipeline<S, R, F, E, C>
where
    S: Real,
    R: Represent<S>,
    F: Confidence<S>,
    E: Enhancer<S>,
    C: Consensus<S>,
{
    fn name(&self) -> &str {
        &self.name
    }
}

impl<S, R, F, E, C> Method<S> for Pipeline<S, R, F, E, C>
where
    S: Real,
    R: Represent<S>,
    F: Confidence<S>,
    E: Enhancer<S>,
    C: Consensus<S>,
{
    fn fit(&self, ensemble: &Ensemble, ctx: &mut Ctx<'_, S>) -> Result<Fit<S>> {
        ctx.install(|ctx| self.fit_here(ensemble, ctx))?
    }
}

fn mismatch(consumer: &str, accepts: &[Kind], producer: &str, made: Kind) -> Error {
    Error::KindMismatch {
        consumer: consumer.to_string(),
        accepts: accepts.to_vec(),
        producer: producer.to_string(),
        made,
    }
}

struct Stopwatch {
    last: Instant,
    laps: Vec<(&'static str, Duration)>,
}

impl Stopwatch {
    fn new() -> Self {
        Stopwatch { last: Instant::now(), laps: Vec::new() }
    }

    fn lap(&mut self, stage: &'static str) {
        let now = Instant::now();
        self.laps.push((stage, now - self.last));
        self.last = now;
    }
}
