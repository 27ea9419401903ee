//! A run of a pipeline, stage by stage.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::compose::method::{Fit, Plain};
use crate::compose::pipeline::Pipeline;
use crate::compose::refinement::Refinement;
use crate::data::ensemble::Ensemble;
use crate::data::grouping::Grouping;
use crate::data::microclusters::Microclusters;
use crate::data::partition::Partition;
use crate::error::{Error, Result};
use crate::evidence::factored::Factored;
use crate::evidence::similarity::Similarity;
use crate::evidence::{Evidence, Kind};
use crate::memory::{self, Bytes, Need, Shape};
use crate::numbers::real::Real;
use crate::run::context::Ctx;
use crate::run::iterate::Until;
use crate::run::quantities::Quantities;
use crate::run::question::Question;
use crate::run::report::{Change, PairsReport, ReductionReport, Report};
use crate::stages::ca::{Ca, Represented};
use crate::stages::confidence::Confidence;
use crate::stages::confident::Confident;
use crate::stages::consensus::Consensus;
use crate::stages::enhance::{Enhance, Problem};
use crate::stages::stage::Stage;
use crate::warnings::Warning;

/// A run with all intermediate results.
#[non_exhaustive]
pub struct Trace<S> {
    /// The label rows, over the groups for which the confident pairs were selected.
    pub microclusters: Microclusters,
    /// A: the evidence before enhancement.
    pub given: Evidence<S>,
    /// H and Ω, the confident pairs; `None` if nothing was enhanced.
    pub confident: Option<Confident<S>>,
    /// The consensus, with C, the enhanced similarity, as its evidence.
    pub fit: Fit<S>,
}

/// The results of the stages of a run that were kept.
pub(super) struct Made<S> {
    microclusters: Microclusters,
    /// The similarity before enhancement, if it was enhanced.
    given: Option<Similarity<S>>,
    confident: Option<Confident<S>>,
    pub fit: Fit<S>,
}

impl<S: Real> Made<S> {
    /// For a run that kept everything.
    pub fn into_trace(self) -> Trace<S> {
        let Made { microclusters, given, confident, fit } = self;
        let given = given.map_or_else(|| fit.evidence.clone(), Evidence::from);
        Trace { microclusters, given, confident, fit }
    }
}

/// What is wanted from a run, as far as it determines its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub kept: Kept,
    /// The consensus of the plain similarity.
    pub plain: bool,
    pub form: Form,
}

impl Wanted {
    fn by(question: &Question, kept: Kept) -> Self {
        let matrix = question.matrix || kept == Kept::Everything;
        let form = if matrix { Form::Matrix } else { Form::Faster };
        Wanted { kept, plain: question.second_opinion, form }
    }
}

/// The form of a similarity that need not be a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// The faster one for the size of the run.
    #[default]
    Faster,
    /// A matrix, because it is read.
    Matrix,
    /// Label rows and weights, because a matrix does not fit into memory.
    Factored,
}

/// Which intermediate results of a run are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kept {
    /// The input of each stage is freed when the stage is done.
    #[default]
    Nothing,
    /// All of them, for a [`Trace`].
    Everything,
}

impl<S, A, F, E, C> Pipeline<S, A, F, E, C>
where
    S: Real,
    A: Ca<S>,
    F: Confidence<S>,
    E: Enhance<S>,
    C: Consensus<S>,
{
    /// Runs every stage.
    pub(super) fn run_stages(
        &self,
        ensemble: &Ensemble,
        question: &Question,
        ctx: &Ctx<'_, S>,
        kept: Kept,
    ) -> Result<Made<S>> {
        self.check_constraints(ensemble)?;
        let clusters = self.clusters_read(question)?;
        let mut watch = Stopwatch::new();
        let limit = ctx.memory();
        check_rows(ensemble, limit)?;
        ctx.watch().begin(Stage::Microclusters)?;
        let microclusters = Microclusters::of(ensemble);
        watch.lap(Stage::Microclusters);
        let budget = |shape: &Shape, wanted: Wanted| {
            memory::check(|shape| self.footprint_of(shape, wanted), shape, limit)
                .map_err(|error| self.advised(error, shape, wanted))
        };
        let shape = shape_of(&microclusters, question, ctx);
        let mut wanted = Wanted::by(question, kept);
        let mut needs = match budget(&shape, wanted) {
            Err(Error::Memory { .. })
                if wanted.form == Form::Faster && self.may_be_factored(&shape) =>
            {
                wanted.form = Form::Factored;
                budget(&shape, wanted)?
            }
            needs => needs?,
        };
        let Rows { microclusters, mut reduction, refinement } =
            self.reduced(microclusters, &shape, wanted, &needs, ctx)?;
        if reduction.is_some() {
            watch.lap(Stage::Reduce);
            needs = budget(&shape_of(&microclusters, question, ctx), wanted)?;
        }

        let stage = begin(ctx, &needs, Stage::Ca)?;
        let kind = self.kind_at(&shape_of(&microclusters, question, ctx), wanted);
        let represented = self.represent(&microclusters, kind, question, &stage)?;
        check_counts(self.ca.name(), &microclusters, &represented.evidence)?;
        let learning = represented.report;
        watch.lap(Stage::Ca);

        let grouping = self.split(&represented.evidence)?;
        let regrouped = !Arc::ptr_eq(&grouping, microclusters.grouping());
        let microclusters = if regrouped && !self.enhance.is_identity() {
            microclusters.refined(&grouping)?
        } else {
            microclusters
        };
        let needs = if regrouped {
            // There are more groups than in the shape that was checked before.
            let shape = shape_of(&microclusters, question, ctx);
            budget(&shape.with_groups(grouping.len()), wanted)?
        } else {
            needs
        };
        let given = regroup(represented.evidence, &grouping)?;
        let plain = self.plain_consensus(&given, &needs, question, ctx)?;
        if plain.is_some() {
            watch.lap(Stage::Plain);
        }
        let mut pairs = None;
        let mut warnings: Vec<Warning> = reduction.iter().filter_map(about_reduction).collect();
        let (evidence, given, confident, report) = match given {
            Evidence::Similarity(a) if !self.enhance.is_identity() => {
                let run = Enhancement { microclusters: &microclusters, a: &a, question };
                let (c, confident, report) = self.enhance(run, &needs, ctx, &mut watch)?;
                let found = confident.report(a.grouping());
                warnings.extend(about_pairs(&confident, &found));
                pairs = Some(found);
                if let Some(reduction) = &mut reduction {
                    reduction.change = Some(Change::of_similarity("C", &a, &c).ratio());
                }
                let kept = (kept == Kept::Everything).then_some((a, confident));
                let (given, confident) = kept.unzip();
                (c.into(), given, confident, report)
            }
            unchanged => (unchanged, None, None, Report::direct(self.enhance.name())),
        };

        let stage = begin(ctx, &needs, Stage::Consensus)?;
        let evidence = self.constrained(evidence)?;
        let fitted = self.consensus.fit(&evidence, &stage)?;
        watch.lap(Stage::Consensus);
        let constraints = self.constraints.clone();
        let timings = watch.laps;
        let fit = Fit {
            evidence,
            reduction,
            refinement,
            learning,
            pairs,
            report,
            warnings,
            plain,
            fitted,
            timings,
            constraints,
            clusters,
        };
        Ok(Made { microclusters, given, confident, fit })
    }

    /// The label rows of the run, reduced if there are too many.
    fn reduced(
        &self,
        microclusters: Microclusters,
        shape: &Shape,
        wanted: Wanted,
        needs: &[Need],
        ctx: &Ctx<'_, S>,
    ) -> Result<Rows> {
        let Some((reduce, left)) = self.reduction_of(shape, wanted) else {
            return Ok(Rows { microclusters, reduction: None, refinement: None });
        };
        let stage = begin(ctx, needs, Stage::Reduce)?;
        let reduced = reduce.reduce(&microclusters, left, &stage)?;
        let fixed = self.constraints.as_ref().map_or(&[][..], |c| c.cannot_link());
        let refinement =
            reduced.refine_by.map(|weights| Refinement::new(microclusters, weights, fixed));
        let (microclusters, reduction) = (reduced.microclusters, Some(reduced.report));
        Ok(Rows { microclusters, reduction, refinement: refinement.transpose()? })
    }

    /// Builds the evidence. The stopping rule belongs to the enhancer if there is one.
    fn represent(
        &self,
        microclusters: &Microclusters,
        kind: Kind,
        question: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        if let (Kind::Factored, Some(weights)) = (kind, self.ca.as_cluster_weights()) {
            let weights = weights.cluster_weights(microclusters);
            return Ok(Factored::new(microclusters, &weights)?.into());
        }
        let labeller = self.labeller(question, ctx);
        let stop = self.stop.as_deref().filter(|_| self.enhance.is_identity());
        let until =
            Until::default().with_stop(stop).with_labeller(labeller.as_ref().map(|f| f as _));
        self.ca.build_until(microclusters, question, until, ctx)
    }

    /// The consensus of the evidence before enhancement, if the question asks for it. A
    /// consensus without a tree is cut now, because it may hold as much memory as the evidence.
    fn plain_consensus(
        &self,
        given: &Evidence<S>,
        needs: &[Need],
        question: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Option<Plain<S>>> {
        let tree = self.consensus.makes_tree();
        let wanted = question.second_opinion && (tree || question.k.is_some());
        if !wanted || self.enhance.is_identity() {
            return Ok(None);
        }
        let stage = begin(ctx, needs, Stage::Plain)?;
        let quiet = stage.with_watch(ctx.watch().quiet());
        let fitted = match self.constraints {
            Some(_) => self.consensus.fit(&self.constrained(given.clone())?, &quiet)?,
            None => self.consensus.fit(given, &quiet)?,
        };
        Ok(Some(match question.k.filter(|_| !tree) {
            Some(k) => Plain::Cut { k, partition: fitted.cut(k, &quiet)? },
            None => Plain::Fitted(fitted),
        }))
    }

    /// Computes the labels of an iterate; `None` if the question has no k.
    fn labeller<'a>(
        &'a self,
        question: &Question,
        ctx: &Ctx<'a, S>,
    ) -> Option<impl Fn(&Similarity<S>) -> Result<Partition> + Sync + 'a> {
        let quiet = ctx.with_watch(ctx.watch().quiet());
        let labels = move |c: &Similarity<S>, k: usize| {
            self.consensus.fit(&c.clone().into(), &quiet)?.cut(k, &quiet)
        };
        question.k.map(|k| move |c: &Similarity<S>| labels(c, k))
    }

    /// The k of the question, if a part reads it.
    fn clusters_read(&self, question: &Question) -> Result<Option<usize>> {
        if self.ca.reads_k() {
            return question.k_for(self.ca.name()).map(Some);
        }
        match &self.stop {
            Some(stop) if stop.needs().contains(Quantities::LABELS) => {
                question.k_for(stop.name()).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn check_constraints(&self, ensemble: &Ensemble) -> Result<()> {
        let Some(constraints) = &self.constraints else { return Ok(()) };
        let made = self.ca.kind();
        let listed = !constraints.cannot_link().is_empty();
        if listed && !constraints.is_enforced() && made != Kind::Similarity {
            let what = format!("cannot-links, which have no effect on {made}; enforce them");
            return Err(Error::unsupported(self.ca.name(), what));
        }
        constraints.check_samples(ensemble.samples())
    }

    /// The evidence for the consensus function. Cannot-links are exact zeros of a similarity.
    fn constrained(&self, evidence: Evidence<S>) -> Result<Evidence<S>> {
        match (&self.constraints, evidence) {
            (Some(constraints), Evidence::Similarity(s)) => Ok(constraints.imposed_on(s)?.into()),
            (_, evidence) => Ok(evidence),
        }
    }

    fn enhance(
        &self,
        run: Enhancement<'_, S>,
        needs: &[Need],
        ctx: &Ctx<'_, S>,
        watch: &mut Stopwatch,
    ) -> Result<(Similarity<S>, Confident<S>, Report)> {
        let Enhancement { microclusters, a, question } = run;
        let stage = begin(ctx, needs, Stage::Confidence)?;
        let mut confident = self.confidence.select(microclusters, a, &stage)?;
        if let Some(constraints) = &self.constraints {
            constraints.fix(a.grouping(), &mut confident)?;
        }
        watch.lap(Stage::Confidence);

        let stage = begin(ctx, needs, Stage::Enhance)?;
        let labeller = self.labeller(question, ctx);
        let until = Until::default()
            .with_stop(self.stop.as_deref())
            .with_labeller(labeller.as_ref().map(|f| f as _));
        let problem = Problem::new(a, &confident)?.with_until(until);
        let enhanced = self.enhance.enhance(&problem, &stage)?;
        watch.lap(Stage::Enhance);
        Ok((enhanced.similarity, confident, enhanced.report))
    }

    /// The groups of a similarity, with every sample of a cannot-link in its own group. Groups are
    /// split after the representation is built, because a representation that counts groups (PTS)
    /// would give different values on finer groups.
    fn split(&self, evidence: &Evidence<S>) -> Result<Arc<Grouping>> {
        match &self.constraints {
            Some(constraints) if evidence.kind() == Kind::Similarity => {
                constraints.split(evidence.grouping())
            }
            _ => Ok(Arc::clone(evidence.grouping())),
        }
    }
}

/// [`Error::Unsupported`] if the groups of the evidence do not have the counts of the rows, so that
/// later stages would take each row for one sample.
fn check_counts<S: Real>(
    component: &str,
    microclusters: &Microclusters,
    evidence: &Evidence<S>,
) -> Result<()> {
    match evidence.grouping().counts() == microclusters.grouping().counts() {
        true => Ok(()),
        false => Err(Error::unsupported(component, "rows with counts; repeat the rows")),
    }
}

/// The label rows on which the stages run.
struct Rows {
    microclusters: Microclusters,
    /// The report on their reduction, if they were reduced.
    reduction: Option<ReductionReport>,
    refinement: Option<Refinement>,
}

/// The warning about samples that no representative row matches.
fn about_reduction(report: &ReductionReport) -> Option<Warning> {
    (report.unmatched > 0).then_some(Warning::Unmatched { samples: report.unmatched })
}

/// The warning about confident pairs that cannot enhance anything.
fn about_pairs<S>(confident: &Confident<S>, report: &PairsReport) -> Option<Warning> {
    let empty = (report.pairs == 0).then_some(Warning::NothingEnhanced);
    confident.refusal.clone().or(empty)
}

/// The input of an enhancement.
struct Enhancement<'a, S> {
    microclusters: &'a Microclusters,
    a: &'a Similarity<S>,
    question: &'a Question,
}

/// The similarity over the groups of the run. Constraints can separate samples that the
/// similarity does not separate.
fn regroup<S: Real>(evidence: Evidence<S>, grouping: &Arc<Grouping>) -> Result<Evidence<S>> {
    match evidence {
        Evidence::Similarity(a) if !Arc::ptr_eq(a.grouping(), grouping) => {
            Ok(a.refined(grouping)?.into())
        }
        unchanged => Ok(unchanged),
    }
}

/// Returns an error if there is not enough memory to merge the rows of the ensemble. The number
/// of distinct rows is not known at this point.
fn check_rows(ensemble: &Ensemble, limit: Option<Bytes>) -> Result<()> {
    let (n, m) = (ensemble.samples(), ensemble.clusterings());
    let needed = Microclusters::footprint(n, m, n).total();
    let size = format!("{n} samples and {m} clusterings");
    memory::require(
        &Stage::Microclusters.of(""),
        needed,
        limit,
        &size,
        "use fewer samples or clusterings",
    )
}

fn shape_of<S: Real>(
    microclusters: &Microclusters,
    question: &Question,
    ctx: &Ctx<'_, S>,
) -> Shape {
    Shape::of::<S>(microclusters).with_needs(ctx.watch().needs()).with_k(question.k)
}

/// Begins a stage: notifies the observer and gives the stage the memory that earlier results do
/// not occupy.
fn begin<'a, S: Real>(ctx: &Ctx<'a, S>, needs: &[Need], stage: Stage) -> Result<Ctx<'a, S>> {
    ctx.watch().begin(stage)?;
    let held = needs.iter().find(|need| need.stage == stage).map(|need| need.held);
    Ok(ctx.holding(held.unwrap_or_default()))
}

struct Stopwatch {
    last: Instant,
    laps: Vec<(Stage, Duration)>,
}

impl Stopwatch {
    fn new() -> Self {
        Stopwatch { last: Instant::now(), laps: Vec::new() }
    }

    fn lap(&mut self, stage: Stage) {
        let now = Instant::now();
        self.laps.push((stage, now - self.last));
        self.last = now;
    }
}
