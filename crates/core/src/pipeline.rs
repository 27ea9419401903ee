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
use crate::grouping::Grouping;
use crate::memory::{self, Bytes, Footprint, Need, Shape};
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

    /// What each stage of a run of this shape needs, in order; the run needs the
    /// largest [peak](Need::peak) of them.
    ///
    /// This is what a run is refused by before anything of size n' × n' is made. What
    /// depends on more than the shape is checked by the part itself, before it takes
    /// it: groups that linkage must split, a cut into very many clusters.
    ///
    /// ```
    /// use enclust_core::{Bytes, Need, NoEnhancement, Pipeline, Precomputed, Shape, Similarity};
    /// # use enclust_core::{Component, Consensus, Ctx, Evidence, Fitted, Kind, Result};
    /// # #[derive(Debug)] struct MyConsensus;
    /// # impl Component for MyConsensus { fn name(&self) -> &str { "mine" } }
    /// # impl Consensus<f64> for MyConsensus {
    /// #     fn accepts(&self) -> &[Kind] { &[Kind::Similarity] }
    /// #     fn fit(&self, _: &Evidence<f64>, _: &mut Ctx<'_, f64>) -> Result<Box<dyn Fitted<f64>>> {
    /// #         unreachable!()
    /// #     }
    /// # }
    /// let similarity = Similarity::from_matrix(2, &[1.0, 0.3, 0.3, 1.0])?;
    /// let method = Pipeline::plain(Precomputed::new(similarity), MyConsensus)?;
    /// let needs = method.footprint(&Shape::ahead::<f64>(100_000, 20, 30, 10_000));
    /// assert_eq!(needs.iter().map(|n| n.stage).collect::<Vec<_>>(),
    ///     ["microclusters", "represent", "consensus"]);
    /// let peak = needs.iter().map(Need::peak).max();
    /// assert!(peak > Some(Bytes(800_000_000)), "an n' × n' matrix of f64");
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn footprint(&self, shape: &Shape) -> Vec<Need> {
        let Shape { samples, clusterings, groups, .. } = *shape;
        let rows = Microclusters::footprint(samples, clusterings, groups);
        let first = self.represent.footprint(shape);
        let mut evidence = first.result;
        let mut needs = vec![
            need("microclusters", "", Bytes(0), rows),
            need("represent", self.represent.name(), rows.result, first),
        ];
        if !self.enhancer.is_identity() {
            let pairs = self.confidence.footprint(shape);
            let enhanced = self.enhancer.footprint(&shape.clone().with_input(pairs.result));
            let held = rows.result + evidence;
            needs.push(need("confidence", self.confidence.name(), held, pairs));
            needs.push(need("enhance", self.enhancer.name(), held + pairs.result, enhanced));
            // The given similarity and the pairs are gone when the consensus begins.
            evidence = enhanced.result;
        }
        let last = self.consensus.footprint(&shape.clone().with_input(evidence));
        needs.push(need("consensus", self.consensus.name(), rows.result + evidence, last));
        needs
    }

    /// The needs of the stages, if they can be met.
    fn budget(&self, shape: &Shape, limit: Option<Bytes>) -> Result<Vec<Need>> {
        memory::check(|shape| self.footprint(shape), shape, limit)
    }

    fn fit_here(&self, ensemble: &Ensemble, ctx: &mut Ctx<'_, S>) -> Result<Fit<S>> {
        self.check_constraints(ensemble)?;
        let clusters = match self.represent.reads_k() {
            true => Some(ctx.clusters_for(self.represent.name())?),
            false => None,
        };
        let mut watch = Stopwatch::new();
        let limit = ctx.memory();
        check_rows(ensemble, limit)?;
        let microclusters = Microclusters::of(ensemble);
        let needs = self.budget(&shape_of(&microclusters, ctx), limit)?;
        watch.lap("microclusters");
        begin(ctx, &needs, "represent");
        ctx.take_learned();
        let evidence = self.represent.build(&microclusters, ctx)?;
        let learning = ctx.take_learned();
        watch.lap("represent");
        let grouping = self.split(&evidence)?;
        let (microclusters, needs) = match Arc::ptr_eq(&grouping, microclusters.grouping()) {
            true => (microclusters, needs),
            false => self.regroup(microclusters, &grouping, limit, ctx)?,
        };
        let evidence = match evidence {
            Evidence::Similarity(a) if !Arc::ptr_eq(a.grouping(), &grouping) => {
                a.refined(&grouping)?.into()
            }
            unchanged => unchanged,
        };
        let (evidence, report) = match evidence {
            Evidence::Similarity(a) if !self.enhancer.is_identity() => {
                let (enhanced, report) =
                    self.enhance(microclusters, &a, &needs, ctx, &mut watch)?;
                (enhanced.into(), report)
            }
            unchanged => (unchanged, Report::direct(self.enhancer.name())),
        };
        begin(ctx, &needs, "consensus");
        let fitted = self.consensus.fit(&evidence, ctx)?;
        watch.lap("consensus");
        let constraints = self.constraints.clone();
        let timings = watch.laps;
        Ok(Fit { evidence, learning, report, fitted, timings, constraints, clusters })
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

    /// A similarity, or the constraints, may tell samples apart that the labels do not.
    /// Then there are more groups than the run was checked for.
    fn regroup(
        &self,
        mut microclusters: Microclusters,
        finer: &Arc<Grouping>,
        limit: Option<Bytes>,
        ctx: &Ctx<'_, S>,
    ) -> Result<(Microclusters, Vec<Need>)> {
        if !self.enhancer.is_identity() {
            microclusters = microclusters.refined(finer)?;
        }
        let shape = shape_of(&microclusters, ctx).with_groups(finer.len());
        let needs = self.budget(&shape, limit)?;
        Ok((microclusters, needs))
    }

    fn enhance(
        &self,
        microclusters: Microclusters,
        similarity: &Similarity<S>,
        needs: &[Need],
        ctx: &mut Ctx<'_, S>,
        watch: &mut Stopwatch,
    ) -> Result<(Similarity<S>, Report)> {
        begin(ctx, needs, "confidence");
        let mut confident = self.confidence.select(&microclusters, similarity, ctx)?;
        if let Some(constraints) = &self.constraints {
            constraints.fix(similarity.grouping(), &mut confident)?;
        }
        watch.lap("confidence");
        begin(ctx, needs, "enhance");
        let problem = Problem { similarity, confident: &confident, start: None };
        let enhanced = self.enhancer.enhance(&problem, ctx)?;
        let similarity = match &self.constraints {
            Some(constraints) => constraints.imposed_on(enhanced.similarity)?,
            None => enhanced.similarity,
        };
        watch.lap("enhance");
        Ok((similarity, enhanced.report))
    }

    /// The groups of the evidence, constrained samples on their own. Split after the
    /// representation is built, because one that counts groups (PTS) would be another
    /// one on finer groups.
    fn split(&self, evidence: &Evidence<S>) -> Result<Arc<Grouping>> {
        match &self.constraints {
            Some(constraints) => constraints.split(evidence.grouping()),
            None => Ok(Arc::clone(evidence.grouping())),
        }
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
    fn reads_k(&self) -> bool {
        self.represent.reads_k()
    }

    fn fit(&self, ensemble: &Ensemble, ctx: &mut Ctx<'_, S>) -> Result<Fit<S>> {
        let fit = ctx.install(|ctx| self.fit_here(ensemble, ctx));
        ctx.hold(Bytes(0));
        fit?
    }
}

/// Refuses an ensemble whose rows cannot even be merged. How many are distinct is not
/// known before.
fn check_rows(ensemble: &Ensemble, limit: Option<Bytes>) -> Result<()> {
    let (n, m) = (ensemble.samples(), ensemble.clusterings());
    let needed = Microclusters::footprint(n, m, n).total();
    let size = format!("{n} samples and {m} clusterings");
    memory::require("microclusters", needed, limit, &size, "take fewer of either")
}

fn shape_of<S: Real>(microclusters: &Microclusters, ctx: &Ctx<'_, S>) -> Shape {
    Shape::of::<S>(microclusters).with_needs(ctx.observer_needs()).with_k(ctx.clusters)
}

fn need(stage: &'static str, component: &str, held: Bytes, own: Footprint) -> Need {
    Need { stage, component: component.to_string(), held, own }
}

/// Begins a stage: tells it how much the stages before it hold, and the observer that
/// it begins.
fn begin<S: Real>(ctx: &mut Ctx<'_, S>, needs: &[Need], stage: &'static str) {
    let held = needs.iter().find(|need| need.stage == stage).map(|need| need.held);
    ctx.hold(held.unwrap_or_default());
    ctx.stage(stage);
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
