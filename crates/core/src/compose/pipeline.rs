//! Pipelines of parts.

use std::sync::Arc;

use crate::compose::method::{Fit, Method};
use crate::compose::stages_of_a_run::{Form, Kept, Trace, Wanted};
use crate::data::constraints::Constraints;
use crate::data::ensemble::Ensemble;
use crate::data::microclusters::Microclusters;
use crate::error::{Error, Result};
use crate::evidence::Kind;
use crate::memory::{self, Bytes, Footprint, Need, Shape};
use crate::numbers::real::Real;
use crate::run::context::Ctx;
use crate::run::quantities::Quantities;
use crate::run::question::Question;
use crate::stages::ca::Ca;
use crate::stages::component::Component;
use crate::stages::confidence::Confidence;
use crate::stages::consensus::Consensus;
use crate::stages::enhance::{Enhance, NoEnhancement};
use crate::stages::reduce::{Reduce, Reduced, RunSize};
use crate::stages::stage::Stage;
use crate::stages::stop::Stop;

/// Representation → confident pairs → enhancement → consensus.
///
/// Each part may be a value, a reference, a `Box<dyn …>` or an `Arc<dyn …>`; static, boxed and
/// mixed compositions use the same struct. A composition is checked when it is made: all
/// parameters must be in range, each stage must accept the kind of evidence that the previous
/// stage makes, and the enhancer must provide what the stopping rule reads. The methods `with_…`
/// replace one part.
///
/// `S` is the precision in which the stages store their numbers.
#[derive(Clone, Debug)]
pub struct Pipeline<S, A, F, E, C> {
    pub(super) reduce: Option<Arc<dyn Reduce<S>>>,
    pub(super) ca: A,
    pub(super) confidence: F,
    pub(super) enhance: E,
    pub(super) stop: Option<Arc<dyn Stop>>,
    pub(super) consensus: C,
    pub(super) constraints: Option<Constraints>,
    name: String,
}

/// Up to this many label rows, a run uses the matrix of a similarity if that fits into memory:
/// linkage of a matrix is then faster than that of a factored similarity.
const MATRIX_UP_TO: usize = 20_000;

/// Up to this many label rows, a run on a factored similarity counts as one that does not hold a
/// value for every pair of rows: its time grows with the square of the rows, too.
const FACTORED_UP_TO: usize = 100_000;

/// A pipeline whose parts were chosen at run time.
pub type BoxedPipeline<S> =
    Pipeline<S, Box<dyn Ca<S>>, Box<dyn Confidence<S>>, Box<dyn Enhance<S>>, Box<dyn Consensus<S>>>;

impl<A, F, E, C> Pipeline<f64, A, F, E, C>
where
    A: Ca<f64>,
    F: Confidence<f64>,
    E: Enhance<f64>,
    C: Consensus<f64>,
{
    /// A pipeline in double precision.
    ///
    /// # Errors
    ///
    /// The same as for [`in_precision`](Self::in_precision).
    pub fn new(ca: A, confidence: F, enhance: E, consensus: C) -> Result<Self> {
        Self::in_precision(ca, confidence, enhance, consensus)
    }
}

impl<A: Ca<f64>, C: Consensus<f64>> Pipeline<f64, A, NoEnhancement, NoEnhancement, C> {
    /// A pipeline in double precision without enhancement.
    ///
    /// # Errors
    ///
    /// The same as for [`in_precision`](Self::in_precision).
    pub fn plain(ca: A, consensus: C) -> Result<Self> {
        Self::new(ca, NoEnhancement, NoEnhancement, consensus)
    }
}

impl<S, A, F, E, C> Pipeline<S, A, F, E, C>
where
    S: Real,
    A: Ca<S>,
    F: Confidence<S>,
    E: Enhance<S>,
    C: Consensus<S>,
{
    /// A pipeline in the precision `S`, for example
    /// `Pipeline::<f32, _, _, _, _>::in_precision(…)`.
    ///
    /// # Errors
    ///
    /// [`Error::Param`] if a parameter is out of range; [`Error::KindMismatch`] if a stage does
    /// not accept the evidence that the previous stage makes.
    pub fn in_precision(ca: A, confidence: F, enhance: E, consensus: C) -> Result<Self> {
        let parts: [&dyn Component; 4] = [&ca, &confidence, &enhance, &consensus];
        parts.iter().try_for_each(|part| part.check())?;
        let made = ca.kind();
        if !enhance.is_identity() && made != Kind::Similarity {
            return Err(mismatch(enhance.name(), &[Kind::Similarity], ca.name(), made));
        }
        if !consensus.accepts().contains(&made) {
            return Err(mismatch(consensus.name(), consensus.accepts(), ca.name(), made));
        }
        let (reduce, stop, constraints) = (None, None, None);
        let pipeline = Pipeline {
            reduce,
            ca,
            confidence,
            enhance,
            stop,
            consensus,
            constraints,
            name: String::new(),
        };
        Ok(pipeline.named())
    }

    /// Sets the name to that of all parts that have an effect.
    fn named(self) -> Self {
        let mut names = vec![self.ca.name()];
        if !self.enhance.is_identity() {
            names.extend([self.confidence.name(), self.enhance.name()]);
            names.extend(self.stop.as_ref().map(|stop| stop.name()));
        }
        names.push(self.consensus.name());
        Pipeline { name: names.join("+"), ..self }
    }

    /// The same pipeline with other parts; the reduction, the stopping rule and the constraints are
    /// kept.
    fn over<A2, F2, E2, C2>(
        parts: Pipeline<S, A2, F2, E2, C2>,
        kept: KeptParts<S>,
    ) -> Result<Pipeline<S, A2, F2, E2, C2>>
    where
        A2: Ca<S>,
        F2: Confidence<S>,
        E2: Enhance<S>,
        C2: Consensus<S>,
    {
        let KeptParts { reduce, stop, constraints } = kept;
        let parts = Pipeline { reduce, constraints, ..parts };
        match stop {
            Some(stop) if !parts.enhance.is_identity() => parts.with_shared_stop(stop),
            _ => Ok(parts),
        }
    }

    /// The parts that do not depend on the types of the others.
    fn kept(&self) -> KeptParts<S> {
        let (reduce, stop) = (self.reduce.clone(), self.stop.clone());
        KeptParts { reduce, stop, constraints: self.constraints.clone() }
    }

    /// The same pipeline with this reduction of the label rows. Without one, all distinct rows
    /// stay.
    ///
    /// # Errors
    ///
    /// [`Error::Param`] if a parameter is out of range.
    pub fn with_reduce(self, reduce: impl Reduce<S> + 'static) -> Result<Self> {
        self.with_shared_reduce(Arc::new(reduce))
    }

    /// The same as [`with_reduce`](Self::with_reduce) for a part behind an `Arc`.
    ///
    /// # Errors
    ///
    /// The same as for [`with_reduce`](Self::with_reduce).
    pub fn with_shared_reduce(self, reduce: Arc<dyn Reduce<S>>) -> Result<Self> {
        reduce.check()?;
        Ok(Pipeline { reduce: Some(reduce), ..self })
    }

    /// The same pipeline with another representation.
    ///
    /// # Errors
    ///
    /// The same as for [`in_precision`](Self::in_precision), here and in the methods below.
    pub fn with_ca<A2: Ca<S>>(self, ca: A2) -> Result<Pipeline<S, A2, F, E, C>> {
        let kept = self.kept();
        let parts = Pipeline::in_precision(ca, self.confidence, self.enhance, self.consensus)?;
        Self::over(parts, kept)
    }

    /// The same pipeline with another choice of confident pairs.
    pub fn with_confidence<F2: Confidence<S>>(
        self,
        confidence: F2,
    ) -> Result<Pipeline<S, A, F2, E, C>> {
        let kept = self.kept();
        let parts = Pipeline::in_precision(self.ca, confidence, self.enhance, self.consensus)?;
        Self::over(parts, kept)
    }

    /// The same pipeline with another enhancer. A stopping rule is kept if the new enhancer
    /// enhances; if the new enhancer does not support the rule, an error is returned.
    pub fn with_enhance<E2: Enhance<S>>(self, enhance: E2) -> Result<Pipeline<S, A, F, E2, C>> {
        let kept = self.kept();
        let parts = Pipeline::in_precision(self.ca, self.confidence, enhance, self.consensus)?;
        Self::over(parts, kept)
    }

    /// The same pipeline with another consensus function.
    pub fn with_consensus<C2: Consensus<S>>(
        self,
        consensus: C2,
    ) -> Result<Pipeline<S, A, F, E, C2>> {
        let kept = self.kept();
        let parts = Pipeline::in_precision(self.ca, self.confidence, self.enhance, consensus)?;
        Self::over(parts, kept)
    }

    /// The same pipeline with a stopping rule that replaces the enhancer's own, or, in a pipeline
    /// without an enhancer, that of a representation that learns.
    ///
    /// ```
    /// use enclust_core::{IterationLimit, Pipeline, Precomputed, Similarity};
    /// # use enclust_core::{Component, Consensus, Ctx, Evidence, Fitted, Kind, Result};
    /// # #[derive(Debug)] struct MyConsensus;
    /// # impl Component for MyConsensus { fn name(&self) -> &str { "mine" } }
    /// # impl Consensus<f64> for MyConsensus {
    /// #     fn accepts(&self) -> &[Kind] { &[Kind::Similarity] }
    /// #     fn fit(&self, _: &Evidence<f64>, _: &Ctx<'_, f64>) -> Result<Box<dyn Fitted<f64>>> {
    /// #         unreachable!()
    /// #     }
    /// # }
    /// let similarity = Similarity::from_matrix(2, &[1.0, 0.3, 0.3, 1.0])?;
    /// let plain = Pipeline::plain(Precomputed::new(similarity), MyConsensus)?;
    /// let error = plain.with_stop(IterationLimit::default()).unwrap_err();
    /// assert_eq!(error.to_string(), "precomputed without an enhancer does not support the \
    ///     stopping rule iterations: it does not iterate");
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::StopMismatch`] if the rule reads a quantity that the iteration does not provide;
    /// [`Error::Unsupported`] if nothing iterates.
    pub fn with_stop(self, stop: impl Stop + 'static) -> Result<Self> {
        self.with_shared_stop(Arc::new(stop))
    }

    /// The same as [`with_stop`](Self::with_stop) for a rule behind an `Arc`.
    ///
    /// # Errors
    ///
    /// The same as for [`with_stop`](Self::with_stop).
    pub fn with_shared_stop(self, stop: Arc<dyn Stop>) -> Result<Self> {
        stop.check()?;
        let (component, provided) = if self.enhance.is_identity() {
            (format!("{} without an enhancer", self.ca.name()), self.ca.provides())
        } else {
            (self.enhance.name().to_string(), self.enhance.provides())
        };
        let Some(provided) = provided else {
            let what = format!("the stopping rule {}: it does not iterate", stop.name());
            return Err(Error::unsupported(component, what));
        };
        // Labels of an iterate are available in a pipeline, because it has a consensus function.
        let labels = provided.contains(Quantities::ITERATE).then_some(Quantities::LABELS);
        let needs = stop.needs().without(provided.and(labels.unwrap_or_default()));
        if !needs.is_empty() {
            let (rule, known) = (stop.name().to_string(), Vec::new());
            return Err(Error::StopMismatch { rule, needs, component, known });
        }
        Ok(Pipeline { stop: Some(stop), ..self }.named())
    }

    /// The same pipeline with these user constraints, which replace earlier ones; an empty set
    /// removes them. The constraints are kept when parts are replaced.
    ///
    /// The representation is computed from the ensemble alone. Then every sample of a cannot-link
    /// becomes its own group, the confident pairs are selected, and the cannot-links override the
    /// entries that these pairs fix. In the similarity that is clustered, their entries are exactly
    /// 0, even if the iteration was stopped early. [`Fit::cut`] relabels the samples that
    /// must-links connect. [`Constraints`] describes the details.
    ///
    /// Fitting returns [`Error::Size`] if the constraints are for another number of samples, and
    /// [`Error::Unsupported`] for cannot-links that are not
    /// [enforced](Constraints::enforced) in a pipeline without a similarity, where they would have
    /// no effect. [`Fit::cut`] returns an error if enforced constraints cannot be satisfied.
    pub fn with_constraints(self, constraints: Constraints) -> Self {
        Pipeline { constraints: Some(constraints).filter(|c| !c.is_empty()), ..self }
    }

    /// The memory that each stage needs in a run of this shape, in order. The run needs the
    /// largest [peak](Need::peak) of them.
    ///
    /// If less memory is available, the run returns an error before anything of size n' × n' is
    /// allocated. Memory that depends on more than the shape (groups that linkage must split, a
    /// cut into very many clusters) is checked by the part itself before it is allocated.
    ///
    /// ```
    /// use enclust_core::{Bytes, Need, Pipeline, Precomputed, Shape, Similarity, Stage};
    /// # use enclust_core::{Component, Consensus, Ctx, Evidence, Fitted, Kind, Result};
    /// # #[derive(Debug)] struct MyConsensus;
    /// # impl Component for MyConsensus { fn name(&self) -> &str { "mine" } }
    /// # impl Consensus<f64> for MyConsensus {
    /// #     fn accepts(&self) -> &[Kind] { &[Kind::Similarity] }
    /// #     fn fit(&self, _: &Evidence<f64>, _: &Ctx<'_, f64>) -> Result<Box<dyn Fitted<f64>>> {
    /// #         unreachable!()
    /// #     }
    /// # }
    /// let similarity = Similarity::from_matrix(2, &[1.0, 0.3, 0.3, 1.0])?;
    /// let method = Pipeline::plain(Precomputed::new(similarity), MyConsensus)?;
    /// let needs = method.footprint(&Shape::ahead::<f64>(100_000, 20, 30, 10_000));
    /// assert_eq!(needs.iter().map(|n| n.stage).collect::<Vec<_>>(),
    ///     [Stage::Microclusters, Stage::Ca, Stage::Consensus]);
    /// let peak = needs.iter().map(Need::peak).max();
    /// assert!(peak > Some(Bytes(800_000_000)), "an n' × n' matrix of f64");
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn footprint(&self, shape: &Shape) -> Vec<Need> {
        self.footprint_of(shape, Wanted::default())
    }

    /// The needs of a run from which this is wanted.
    pub(super) fn footprint_of(&self, shape: &Shape, wanted: Wanted) -> Vec<Need> {
        let Shape { samples, clusterings, groups, .. } = *shape;
        let rows = Microclusters::footprint(samples, clusterings, groups);
        let merged = Need::new(Stage::Microclusters, "", Bytes(0), rows);
        let Some((reduce, left)) = self.reduction_of(shape, wanted) else {
            let mut needs = vec![merged];
            let shape = shape.clone().with_kind(self.kind_at(shape, wanted));
            needs.extend(self.footprint_on(&shape, rows.result, wanted));
            return needs;
        };
        let own = reduce.footprint(shape, left);
        let reduced = Need::new(Stage::Reduce, reduce.name(), rows.result, own);
        let mut needs = vec![merged, reduced];
        // The original rows are kept, because samples may be refined by them.
        needs.extend(self.footprint_reduced(shape, left, rows.result + own.result, wanted));
        needs
    }

    /// The needs of the stages after a reduction to this many rows.
    fn footprint_reduced(
        &self,
        shape: &Shape,
        left: usize,
        held: Bytes,
        wanted: Wanted,
    ) -> Vec<Need> {
        let shape = shape.clone().with_groups(left);
        let shape = shape.clone().with_kind(self.kind_at(&shape, wanted));
        self.footprint_on(&shape, held, wanted)
    }

    /// Adds to an error about memory how many rows would fit, if there are any.
    pub(super) fn advised(&self, error: Error, shape: &Shape, wanted: Wanted) -> Error {
        let Error::Memory { stage, size, needed, available, mut advice } = error else {
            return error;
        };
        if self.ca.reads_rows() {
            let Shape { samples, clusterings, groups, .. } = *shape;
            let rows = Microclusters::footprint(samples, clusterings, groups).result;
            let fits = |left: usize| {
                let held = rows + Reduced::bytes(shape, left);
                let needs = self.footprint_reduced(shape, left, held, wanted);
                needs.iter().all(|need| need.peak() <= available)
            };
            let left = memory::largest(groups, fits);
            let reduction = || format!("reduce the label rows to {left} (--reduce {left})");
            advice.splice(0..0, (left > 0).then(reduction));
        }
        Error::Memory { stage, size, needed, available, advice }
    }

    /// Whether this composition can run on a [factored](crate::Factored) similarity, without a
    /// matrix: nothing but the consensus function reads the similarity, and it reads that kind.
    pub(super) fn may_be_factored(&self, shape: &Shape) -> bool {
        let cannot_links = self.constraints.as_ref().is_some_and(|c| !c.cannot_link().is_empty());
        self.enhance.is_identity()
            && shape.is_complete()
            && !cannot_links
            && self.ca.kind() == Kind::Similarity
            && self.ca.as_cluster_weights().is_some()
            && self.consensus.accepts().contains(&Kind::Factored)
    }

    /// The kind of evidence of a run of this shape. Above some size, the form without a matrix is
    /// the faster one.
    pub(super) fn kind_at(&self, shape: &Shape, wanted: Wanted) -> Kind {
        let factored = match wanted.form {
            Form::Matrix => false,
            Form::Factored => true,
            Form::Faster => shape.groups > MATRIX_UP_TO,
        };
        if factored && self.may_be_factored(shape) { Kind::Factored } else { self.ca.kind() }
    }

    /// The reduction of a run of this shape, and how many rows are left at most; `None` if all rows
    /// stay.
    pub(super) fn reduction_of(
        &self,
        shape: &Shape,
        wanted: Wanted,
    ) -> Option<(&dyn Reduce<S>, usize)> {
        let reduce = self.reduce.as_deref().filter(|_| self.ca.reads_rows())?;
        let factored = self.kind_at(shape, wanted) == Kind::Factored;
        let small_enough = factored && shape.groups <= FACTORED_UP_TO;
        let size = RunSize::new(shape.groups, !small_enough && self.holds_all_pairs(shape));
        let left = reduce.rows(size).filter(|&left| left < shape.groups)?;
        Some((reduce, left.max(1)))
    }

    /// Whether the memory of the stages grows with the square of the number of rows.
    fn holds_all_pairs(&self, shape: &Shape) -> bool {
        // At these sizes the largest term decides.
        const LARGE: usize = 1_000_000;
        let peak = |groups: usize| {
            let shape = shape.clone().with_samples(groups).with_groups(groups);
            let needs = self.footprint_on(&shape, Bytes(0), Wanted::default());
            needs.iter().map(|need| need.own.total().0).max().unwrap_or(0)
        };
        peak(2 * LARGE) / 3 > peak(LARGE)
    }

    /// The needs of the stages after the reduction, which begin while `held` bytes are in use.
    fn footprint_on(&self, shape: &Shape, mut held: Bytes, wanted: Wanted) -> Vec<Need> {
        let mut first = match shape.kind {
            Kind::Factored if self.ca.kind() != Kind::Factored => {
                Footprint::new(shape.factored(), shape.factored())
            }
            _ => self.ca.footprint(shape),
        };
        if self.ca.provides().is_some() {
            let shape = shape.clone().with_needs(self.needs(shape));
            first.working = first.working + self.reading(&shape, first.result);
        }
        let mut evidence = first.result;
        let mut needs = vec![Need::new(Stage::Ca, self.ca.name(), held, first)];
        if !self.enhance.is_identity() {
            if wanted.plain {
                let own = self.consensus.footprint(&shape.clone().with_input(evidence));
                let name = self.consensus.name();
                needs.push(Need::new(Stage::Plain, name, held + evidence, own));
                // Without a tree, only the labels are kept.
                if self.consensus.makes_tree() {
                    held = held + own.result;
                }
            }
            let pairs = self.confidence.footprint(shape);
            let enhanced = self.enhancement(shape, pairs.result);
            let before = held + evidence;
            needs.push(Need::new(Stage::Confidence, self.confidence.name(), before, pairs));
            let before = before + pairs.result;
            needs.push(Need::new(Stage::Enhance, self.enhance.name(), before, enhanced));
            // The input similarity and the pairs have been freed when the consensus begins.
            if wanted.kept == Kept::Everything {
                held = before;
            }
            evidence = enhanced.result;
        }
        let last = self.consensus.footprint(&shape.clone().with_input(evidence));
        needs.push(Need::new(Stage::Consensus, self.consensus.name(), held + evidence, last));
        needs
    }

    /// The memory of the enhancer, plus that of a rule that reads the iterate.
    fn enhancement(&self, shape: &Shape, pairs: Bytes) -> Footprint {
        let shape = shape.clone().with_needs(self.needs(shape)).with_input(pairs);
        let mut own = self.enhance.footprint(&shape);
        own.working = own.working + self.reading(&shape, own.result);
        own
    }

    /// What the stopping rule and the observer read.
    fn needs(&self, shape: &Shape) -> Quantities {
        let rule = self.stop.as_ref().map_or(Quantities::NONE, |stop| stop.needs());
        rule.and(shape.needs)
    }

    /// The memory of a rule or an observer that reads the iterate or its labels.
    fn reading(&self, shape: &Shape, iterate: Bytes) -> Bytes {
        let mut bytes = Bytes(0);
        if shape.needs.contains(Quantities::ITERATE) || shape.needs.contains(Quantities::LABELS) {
            bytes = bytes + shape.similarity() * 2;
        }
        if shape.needs.contains(Quantities::LABELS) {
            bytes = bytes + self.consensus.footprint(&shape.clone().with_input(iterate)).total();
        }
        bytes
    }

    /// Runs the stages like [`fit`](Method::fit) and keeps all intermediate results: the label
    /// rows, the similarity A before enhancement, the confident pairs H and Ω, and the enhanced
    /// similarity C.
    ///
    /// ```
    /// use enclust_core::{Ctx, Ensemble, Pipeline, Precomputed, Question, Similarity};
    /// # use enclust_core::{Component, Consensus, Evidence, Fitted, Kind, Partition, Result};
    /// # #[derive(Debug)] struct Halves;
    /// # impl Component for Halves { fn name(&self) -> &str { "halves" } }
    /// # impl Consensus<f64> for Halves {
    /// #     fn accepts(&self) -> &[Kind] { &[Kind::Similarity] }
    /// #     fn fit(&self, _: &Evidence<f64>, _: &Ctx<'_, f64>) -> Result<Box<dyn Fitted<f64>>> {
    /// #         Ok(Box::new(Pair))
    /// #     }
    /// # }
    /// # struct Pair;
    /// # impl Fitted<f64> for Pair {
    /// #     fn cut(&self, _: usize, _: &Ctx<'_, f64>) -> Result<Partition> {
    /// #         Ok(Partition::from_labels([0, 1]))
    /// #     }
    /// #     fn largest_k(&self) -> usize { 2 }
    /// # }
    /// let similarity = Similarity::from_matrix(2, &[1.0, 0.3, 0.3, 1.0])?;
    /// let method = Pipeline::plain(Precomputed::new(similarity), Halves)?;
    /// let ensemble = Ensemble::from_columns(&[[0, 1]])?;
    /// let trace = method.trace(&ensemble, &Question::default(), &Ctx::default())?;
    /// assert_eq!(trace.given.as_similarity().unwrap().between(0, 1), 0.3);
    /// assert!(trace.confident.is_none(), "nothing is enhanced");
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`fit`](Method::fit).
    pub fn trace(
        &self,
        ensemble: &Ensemble,
        question: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Trace<S>> {
        let made =
            ctx.install(|ctx| self.run_stages(ensemble, question, ctx, Kept::Everything))??;
        Ok(made.into_trace())
    }
}

impl<S, A, F, E, C> Component for Pipeline<S, A, F, E, C>
where
    S: Real,
    A: Ca<S>,
    F: Confidence<S>,
    E: Enhance<S>,
    C: Consensus<S>,
{
    fn name(&self) -> &str {
        &self.name
    }
}

impl<S, A, F, E, C> Method<S> for Pipeline<S, A, F, E, C>
where
    S: Real,
    A: Ca<S>,
    F: Confidence<S>,
    E: Enhance<S>,
    C: Consensus<S>,
{
    /// True if the representation learns for one k or the stopping rule reads labels.
    fn reads_k(&self) -> bool {
        let labels = |stop: &Arc<dyn Stop>| stop.needs().contains(Quantities::LABELS);
        self.ca.reads_k() || self.stop.as_ref().is_some_and(labels)
    }

    fn fit(&self, ensemble: &Ensemble, question: &Question, ctx: &Ctx<'_, S>) -> Result<Fit<S>> {
        let made = ctx.install(|ctx| self.run_stages(ensemble, question, ctx, Kept::Nothing))??;
        Ok(made.fit)
    }
}

/// The parts that are kept when the others are replaced.
struct KeptParts<S> {
    reduce: Option<Arc<dyn Reduce<S>>>,
    stop: Option<Arc<dyn Stop>>,
    constraints: Option<Constraints>,
}

fn mismatch(consumer: &str, accepts: &[Kind], producer: &str, made: Kind) -> Error {
    Error::KindMismatch {
        consumer: consumer.to_string(),
        accepts: accepts.to_vec(),
        producer: producer.to_string(),
        made,
    }
}
