//! `enclust cluster`: from a pool of clusterings to labels.

mod auto;
mod data;
mod fitting;
mod item_consensus;
mod model;
mod outputs;
mod plan;
mod ranking;
mod report;
mod summary;

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::ArgGroup;
use enclust::core::{
    Counts, Ctx, Ensemble, Error, Fit, Metered, Microclusters, Partition, Question, Report,
    SecondOpinion, Similarity, Stage, Usage, Violations,
};
use enclust::metrics::Scores;
use enclust::registry::Precision;
use enclust_io::{Labels, NpyFloat, write_atomically, write_model};
use enclust_report::{Curve, Part, Recorder};
use enclust_stability::{Membership, Ranked, Stability};

use self::auto::{number_of_clusters, stability_of};
use self::data::Data;
use self::fitting::{fit, pipeline, traced};
use self::item_consensus::memberships;
use self::model::Saved;
use self::plan::Plan;
use self::ranking::rankings;
pub use self::report::report_on;
use crate::clusters::Clusters;
use crate::console::Console;
use crate::failure::Failure;
use crate::files::Files;
use crate::inputs::PoolArgs;
use crate::machine::{MachineArgs, Width};
use crate::parts::Parts;
use crate::progress::Watching;
use crate::recipe::RecipeArgs;
use crate::record;
use crate::record::{
    BrokenRecord, ChoiceRecord, ConstraintsRecord, CutRecord, EnsembleRecord, MachineRecord,
    MethodRecord, RunRecord, Timing, TruthRecord, Versions,
};
use crate::references::ReferenceArgs;
use crate::selection::SelectionArgs;
use crate::warnings::WarningRecord;

/// Cluster a pool of base clusterings
///
/// Labels are written to --out, or to standard output. If the true classes are known, from
/// --truth or from the pool itself, scores are shown.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    enclust cluster pool.csv --k 8 --out labels.csv\n  \
    enclust cluster Ecoli.mat --k 8 --method lwea --run 1 --out labels.csv\n  \
    enclust cluster pool.npz --k 2..12 --ca eac --enhance none --truth classes.csv --json\n  \
    enclust cluster pool.csv --k 8 --out labels.csv --save-model model.npz\n  \
    enclust cluster --similarity-in S.npy --k 5 --consensus complete --out labels.csv")]
#[command(group = ArgGroup::new("constraints").multiple(true).args(["must_link", "cannot_link"]))]
pub struct ClusterArgs {
    /// Base clusterings, one column per clustering: .csv, .tsv, .npy, .npz, .mat, also
    /// compressed (.gz, .zst); - for standard input
    #[arg(value_name = "POOL", required_unless_present = "similarity_in")]
    pool: Option<PathBuf>,

    /// Number of clusters: 8, several (4,8,10 or 2..20), auto, or auto:2..40
    #[arg(long, value_name = "K")]
    k: Clusters,

    #[command(flatten)]
    recipe: RecipeArgs,

    #[command(flatten)]
    selection: SelectionArgs,

    #[command(flatten)]
    input: PoolArgs,

    /// True classes, used to score the labels; samples without a class are not scored
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    truth: Option<PathBuf>,

    /// Pairs of samples that must be in the same cluster: two columns, numbers from 1 or ids
    #[arg(long, value_name = "FILE", help_heading = "Input", conflicts_with = "linkage")]
    must_link: Option<PathBuf>,

    /// Pairs of samples that must not be in the same cluster
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    cannot_link: Option<PathBuf>,

    /// Relabel samples until all must-links and cannot-links are satisfied, or fail
    #[arg(long, help_heading = "Input", requires = "constraints", conflicts_with = "linkage")]
    enforce: bool,

    /// Use this n x n similarity in place of the representation; without a pool it cannot be
    /// enhanced
    #[arg(long, value_name = "FILE.npy", help_heading = "Input", conflicts_with = "ca")]
    similarity_in: Option<PathBuf>,

    #[command(flatten)]
    references: ReferenceArgs,

    /// With --k auto, make clusters even if the features have none
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    machine: MachineArgs,

    #[command(flatten)]
    outputs: outputs::OutputArgs,
}

/// What a run cost.
struct Effort {
    timings: Vec<Timing>,
    usage: Usage,
}

/// A fit, and what a report needs of the run.
struct Fitted<S> {
    fit: Fit<S>,
    before: Part<Similarity<S>>,
    curves: Vec<Curve>,
}

/// Everything that was computed.
struct Done<S> {
    data: Data<S>,
    fit: Fit<S>,
    /// The similarity before the enhancement, if a report is requested.
    before: Part<Similarity<S>>,
    /// The iterations, if a report is requested.
    curves: Vec<Curve>,
    cuts: Vec<Cut>,
    memberships: Vec<Membership>,
    rankings: Vec<Vec<Ranked>>,
    model: Option<Saved>,
    /// What the number of clusters was chosen by, or how stable those that were given are.
    stability: Option<Stability>,
}

/// The numbers of clusters, and how they were chosen.
type Numbers = (Vec<usize>, Option<ChoiceRecord>, Option<Stability>);

/// One partition of the result.
#[derive(Debug)]
struct Cut {
    /// Requested number of clusters; the partition may have a different number.
    k: usize,
    partition: Partition,
    scores: Option<Scores>,
    violations: Option<Violations>,
    /// The share of the samples that the refinement moved, if there was one.
    moved: Option<f64>,
    second_opinion: Option<SecondOpinion>,
}

/// Runs the command in the requested precision.
pub fn run(
    args: &ClusterArgs,
    parts: &impl Parts,
    console: &Console,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    match args.machine.precision {
        Width::F32 => args.run_in::<f32>(parts, console, out),
        Width::F64 => args.run_in::<f64>(parts, console, out),
    }
}

impl ClusterArgs {
    fn run_in<S: Precision + NpyFloat>(
        &self,
        parts: &impl Parts,
        console: &Console,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let plan = Plan::new(self, parts.registry::<S>())?;
        let replaced = self.files().check()?;
        let backend = self.machine.backend(&plan.registry)?;
        let metered = Metered::new(&*backend);
        let began = Instant::now();
        let data = Data::<S>::read(self)?;
        self.outputs.check_room::<S>(data.samples)?;
        let read = Timing::new("read", began.elapsed());
        let ctx = self.machine.context(&metered, self.selection.seed.into());
        let (mut done, record) = self.compute(&plan, data, read, console, &metered, &ctx)?;
        let record = RunRecord { replaced: record::shown(&replaced), ..record };
        let tables = (&done.memberships[..], &done.rankings[..]);
        if let (Some(path), Some(saved)) = (&self.outputs.save_model, &done.model) {
            write_model(path, &saved.model)?;
        }
        self.outputs.write(&done.fit, &done.cuts, tables, &done.data)?;
        if let Some(path) = &self.outputs.report {
            let html = done.report(&record, &ctx)?;
            write_atomically(path, |file| file.write_all(html.as_bytes()))?;
        }
        self.outputs.write_record(&record)?;
        self.outputs.show(self, &done.cuts, &done.data, record, console, out)
    }

    /// Everything between reading and writing.
    fn compute<S: Precision>(
        &self,
        plan: &Plan<S>,
        mut data: Data<S>,
        read: Timing,
        console: &Console,
        metered: &Metered<'_, S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<(Done<S>, RunRecord), Failure> {
        let mut timings = vec![read];
        let began = Instant::now();
        let (ks, choice, stability) = self.numbers_of_clusters(&data, console, ctx)?;
        if choice.is_some() {
            timings.push(Timing::new("choose k", began.elapsed()));
        }
        let only = Some(ks[0]).filter(|_| ks.len() == 1);
        let question = Question::maybe(only).with_second_opinion();
        let Fitted { fit, before, curves } =
            self.fitted(plan, &mut data, &question, console, ctx)?;
        timings.extend(fit.timings.iter().map(|&(stage, time)| Timing::new(stage.key(), time)));
        let began = Instant::now();
        let cuts = cuts(&fit, &ks, &data, ctx)?;
        timings.push(Timing::new(Stage::Cut.key(), began.elapsed()));
        let memberships = match self.outputs.membership {
            Some(_) => memberships(data.ensemble.as_ref(), &fit.evidence, &cuts, ctx)?,
            None => Vec::new(),
        };
        note_misplaced(&cuts, &memberships, console);
        let rankings = match (&self.outputs.ranking, &data.ensemble) {
            (Some(_), Some(ensemble)) => {
                rankings(&pipeline(plan, &data)?, ensemble, &cuts, console, ctx)?
            }
            _ => Vec::new(),
        };
        let model = self.model(plan, &data, &cuts)?;
        let effort = Effort { timings, usage: metered.usage() };
        let record = RunRecord {
            choice,
            model: model.as_ref().map(|saved| saved.record),
            ..self.record(console, plan, &data, &fit, &cuts, effort)
        };
        let done =
            Done { data, fit, before, curves, cuts, memberships, rankings, model, stability };
        Ok((done, record))
    }

    /// Fits the method, and keeps what a report needs if one is requested.
    fn fitted<S: Precision>(
        &self,
        plan: &Plan<S>,
        data: &mut Data<S>,
        question: &Question,
        console: &Console,
        ctx: &Ctx<'_, S>,
    ) -> Result<Fitted<S>, Failure> {
        let watching = Watching::new(console);
        if self.outputs.report.is_none() {
            let fit = fit(plan, data, question, &ctx.with_observer(&watching))?;
            return Ok(Fitted { fit, before: report::nothing_enhanced(), curves: Vec::new() });
        }
        let recorder = Recorder::new(Some(&watching));
        let (fit, before) = traced(plan, data, question, &ctx.with_observer(&recorder))?;
        Ok(Fitted { fit, before, curves: recorder.into_curves() })
    }

    /// A given option that only `--k auto` uses.
    fn only_with_auto(&self) -> Option<&'static str> {
        let features = self.references.features.as_ref().map(|_| "--features");
        features.or(self.force.then_some("--force"))
    }

    /// All files that are read and written.
    fn files(&self) -> Files<'_> {
        let files = Files::default()
            .reads("the pool", self.pool.as_ref())
            .reads("--similarity-in", self.similarity_in.as_ref())
            .reads("--truth", self.truth.as_ref())
            .reads("--features", self.references.features.as_ref())
            .reads("--must-link", self.must_link.as_ref())
            .reads("--cannot-link", self.cannot_link.as_ref());
        self.outputs.add_to(files)
    }

    /// The given numbers of clusters, or the one chosen from the data.
    fn numbers_of_clusters<S: Precision>(
        &self,
        data: &Data<S>,
        console: &Console,
        ctx: &Ctx<'_, S>,
    ) -> Result<Numbers, Failure> {
        let range = match &self.k {
            Clusters::These(ks) => {
                let stability = self.stability_of(ks, data, console, ctx)?;
                return Ok((ks.clone(), None, stability));
            }
            Clusters::Auto(range) => range.clone(),
        };
        let ensemble = data.ensemble.as_ref().ok_or(Failure::NoInput)?;
        let origin = data.origin.as_ref();
        let (choice, stability) =
            number_of_clusters(ensemble, origin, range, self.force, console, &ctx.in_double())?;
        Ok((vec![choice.k], Some(choice), stability))
    }

    /// How stable several given numbers of clusters are, if a report shows it and it is quickly found.
    fn stability_of<S: Precision>(
        &self,
        ks: &[usize],
        data: &Data<S>,
        console: &Console,
        ctx: &Ctx<'_, S>,
    ) -> Result<Option<Stability>, Failure> {
        let (Some(least), Some(most)) = (ks.iter().min(), ks.iter().max()) else { return Ok(None) };
        let fits = ks.len() > 1 && *least >= 2 && most - least <= report::NARROW;
        let ensemble = data.ensemble.as_ref().filter(|ensemble| {
            fits && self.outputs.report.is_some()
                && ensemble.clusterings() >= 2
                && Microclusters::of(ensemble).len() <= report::FEW_TO_RESAMPLE
        });
        let stability =
            |ensemble| stability_of(ensemble, *least..=*most, console, &ctx.in_double());
        ensemble.map(stability).transpose()
    }

    fn record<S: Precision>(
        &self,
        console: &Console,
        plan: &Plan<S>,
        data: &Data<S>,
        fit: &Fit<S>,
        cuts: &[Cut],
        effort: Effort,
    ) -> RunRecord {
        let constraints = data.constraints.as_ref().map(|c| ConstraintsRecord {
            must_link: c.must_link().len(),
            cannot_link: c.cannot_link().len(),
            enforced: c.is_enforced(),
        });
        RunRecord {
            versions: Versions::THIS,
            command: console.command_line(),
            inputs: data.inputs.clone(),
            layouts: data.layouts.clone(),
            samples: data.ensemble.as_ref().map_or(data.samples, Ensemble::total),
            groups: fit.evidence.grouping().len(),
            ensemble: data
                .ensemble
                .as_ref()
                .zip(data.selection.clone())
                .map(|(e, selection)| EnsembleRecord::of(e, selection, self.input.noise)),
            method: MethodRecord::of(plan.preset.clone(), &plan.spec),
            constraints,
            truth: data.truth.as_ref().map(|truth| data.truth_record(truth)),
            machine: MachineRecord::of(&self.machine, &effort.usage),
            seed: self.selection.seed,
            reduction: fit.reduction.clone(),
            learning: fit.learning.clone().map(Report::without_last),
            pairs: fit.pairs,
            report: fit.report.clone().without_last(),
            timings: effort.timings,
            choice: None,
            model: None,
            results: cuts.iter().map(|cut| data.result(cut)).collect(),
            warnings: warnings(data, fit, cuts),
            outputs: self.outputs.paths(),
            replaced: Vec::new(),
        }
    }
}

impl<S> Data<S> {
    /// The scores of a partition, on the samples that have a true class.
    fn scores(&self, truth: &Labels, partition: &Partition) -> Result<Scores, Error> {
        match truth.missing[..] {
            [] => Scores::of(&truth.partition, partition),
            _ => Scores::of(&truth.partition, &partition.rearranged(&truth.known())),
        }
    }

    /// How many samples have a true class.
    fn truth_record(&self, truth: &Labels) -> TruthRecord {
        let counts = self.ensemble.as_ref().and_then(Ensemble::counts);
        let of_row = |&row: &usize| counts.map_or(1, |counts| counts.of_rows()[row]);
        let missing: usize = truth.missing.iter().map(of_row).sum();
        let all = counts.map_or(truth.samples(), Counts::total);
        TruthRecord { samples: all - missing, missing }
    }

    /// The record of a result.
    fn result(&self, cut: &Cut) -> CutRecord {
        let Cut { k, partition, scores, violations, moved, second_opinion } = cut;
        let broken = |c| BrokenRecord::of(c, partition, self.ids.as_deref());
        CutRecord {
            broken: self.constraints.as_ref().map(broken),
            second_opinion: *second_opinion,
            moved: *moved,
            ..CutRecord::of(*k, partition, scores.as_ref(), *violations)
        }
    }
}

/// The warnings about the data, the fit and each result.
fn warnings<S: Precision>(data: &Data<S>, fit: &Fit<S>, cuts: &[Cut]) -> Vec<WarningRecord> {
    let ensemble = data.ensemble.as_ref().zip(data.selection.as_ref());
    let mut warnings: Vec<WarningRecord> = ensemble
        .map(|(ensemble, selection)| WarningRecord::of_ensemble(ensemble, selection))
        .unwrap_or_default();
    let similarity = data.similarity_warning.clone();
    warnings.extend(similarity.map(|warning| WarningRecord::new(warning, None)));
    warnings.extend(fit.warnings.iter().map(|w| WarningRecord::new(w.clone(), None)));
    for cut in cuts {
        let found = fit.label_warnings(cut.k, &cut.partition, cut.second_opinion);
        warnings.extend(found.into_iter().map(|w| WarningRecord::new(w, Some(cut.k))));
    }
    warnings
}

/// Tells how many samples are more similar to another cluster than to their own.
fn note_misplaced(cuts: &[Cut], memberships: &[Membership], console: &Console) {
    for (cut, found) in cuts.iter().zip(memberships) {
        let misplaced = found.misplaced().len();
        if misplaced > 0 {
            console.note(format_args!(
                "k = {}: {misplaced} samples are more similar to another cluster than to their own; \
                 their margin is negative",
                cut.k
            ));
        }
    }
}

fn cuts<S: Precision>(
    fit: &Fit<S>,
    ks: &[usize],
    data: &Data<S>,
    ctx: &Ctx<'_, S>,
) -> Result<Vec<Cut>, Failure> {
    let mut cuts = Vec::with_capacity(ks.len());
    for &k in ks {
        let (partition, moved) = fit
            .cut_and_moves(k, ctx)
            .map_err(|error| Failure::named(error, data.ids.as_deref()))?;
        let scores = data.truth.as_ref().map(|truth| data.scores(truth, &partition)).transpose()?;
        let violations = fit.violations(&partition);
        let second_opinion = fit.second_opinion(k, &partition, ctx)?;
        cuts.push(Cut { k, partition, scores, violations, moved, second_opinion });
    }
    Ok(cuts)
}
