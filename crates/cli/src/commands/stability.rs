//! `enclust stability`: number of clusters and stability.

use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Instant;

use enclust::core::{Ensemble, Metered, Parameters, Values};
use enclust::registry::Precision;
use enclust_io::{NpyFloat, Pool, write_atomically};
use enclust_report::{Kind, LevelRecord, StabilityPage, as_command, page};
use enclust_stability::{
    Judged, Judgement, Level, Rule, Stability, StabilityParams, Verdict, choose, stability,
};
use serde::Serialize;

use crate::clusters::{parse_clusters_range, usual_range};
use crate::console::{Console, HEAD, plain};
use crate::csv_table::{cell, write_csv};
use crate::failure::Failure;
use crate::files::{self, Files};
use crate::inputs::{Input, Opened, PoolArgs};
use crate::machine::{MachineArgs, Width};
use crate::parts::Parts;
use crate::progress::Progress;
use crate::recipe::{RecipeArgs, misfit, wrong};
use crate::record::{EnsembleRecord, MachineRecord, MethodRecord, Timing, Versions};
use crate::references::{ReferenceArgs, judged};
use crate::selection::{Selection, SelectionArgs};

/// Show how stable the clusters are for each number of clusters
///
/// Subsets of the base clusterings are drawn at random, each subset is clustered and cut at
/// every k, and the partitions are compared. The table shows for each k: PAC, the share of
/// pairs whose consensus is neither low nor high (less is better); the agreement of the draws
/// beyond chance (1 is best); the growth of the area under the consensus CDF; and the gap in
/// the dendrogram. The k selected by each rule is printed below the table.
///
/// If the features are known, the samples are also compared with data that have no clusters.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    enclust stability pool.csv --k 2..20\n  \
    enclust stability Ecoli.mat --k 2..12 --method lwea --csv stability.csv --cdf cdf.csv")]
pub struct StabilityArgs {
    /// Base clusterings, one column per clustering: .csv, .tsv, .npy, .npz, .mat, also
    /// compressed (.gz, .zst); - for standard input
    #[arg(value_name = "POOL")]
    pool: PathBuf,

    /// Numbers of clusters to examine, both ends included [default: 2..20]
    #[arg(long, value_name = "FROM..TO", value_parser = parse_clusters_range)]
    k: Option<RangeInclusive<usize>>,

    /// Number of subsets of the ensemble to draw [default: 50]
    #[arg(long, value_name = "N")]
    draws: Option<usize>,

    /// Base clusterings per draw [default: a third of them, at most 10]
    #[arg(long, value_name = "N")]
    take: Option<usize>,

    /// Maximum number of distinct label rows; of more, this many random samples are used
    /// [default: 10000]
    #[arg(long, value_name = "N")]
    samples: Option<usize>,

    /// Lower limit of PAC: pairs joined by at most this share of the draws are not ambiguous
    /// [default: 0.1]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    lower: Option<f64>,

    /// Upper limit of PAC [default: 0.9]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    upper: Option<f64>,

    /// Minimum agreement at which the structure is called clear [default: 0.95]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    clear: Option<f64>,

    #[command(flatten)]
    recipe: RecipeArgs,

    #[command(flatten)]
    selection: SelectionArgs,

    #[command(flatten)]
    input: PoolArgs,

    #[command(flatten)]
    references: ReferenceArgs,

    #[command(flatten)]
    machine: MachineArgs,

    /// Write the table
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    csv: Option<PathBuf>,

    /// Write the consensus CDF of every k
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    cdf: Option<PathBuf>,

    /// Write a report: one HTML page with the figures of every k
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    report: Option<PathBuf>,

    /// Print everything as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

const RULES: [(Rule, &str); 5] = [
    (Rule::Auto, "auto"),
    (Rule::Agreement, "agreement"),
    (Rule::Pac, "pac"),
    (Rule::DeltaArea, "delta-area"),
    (Rule::Gap, "gap"),
];

#[derive(Serialize)]
struct StabilityRecord {
    versions: Versions,
    command: Vec<String>,
    inputs: Vec<Input>,
    samples: usize,
    /// Number of samples on which everything was computed.
    used: usize,
    groups: usize,
    ensemble: EnsembleRecord,
    method: MethodRecord,
    machine: MachineRecord,
    seed: u32,
    parameters: Values,
    take: usize,
    timings: Vec<Timing>,
    levels: Vec<LevelRecord>,
    choices: Vec<RuleRecord>,
    /// The comparison with data without clusters, if the features are known.
    judgement: Option<JudgementRecord>,
}

#[derive(Serialize)]
struct JudgementRecord {
    k: usize,
    guess: usize,
    structure: bool,
    reason: String,
    samples: usize,
    parameters: Values,
    levels: Vec<JudgedRecord>,
}

#[derive(Serialize)]
struct JudgedRecord {
    k: usize,
    agreement: f64,
    reference_agreement: f64,
    eigengap: f64,
    gap: f64,
}

#[derive(Serialize)]
struct RuleRecord {
    rule: &'static str,
    k: usize,
    clear: bool,
    reason: String,
}

/// Runs the command in the requested precision.
pub fn run(
    args: &StabilityArgs,
    parts: &impl Parts,
    console: &Console,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    match args.machine.precision {
        Width::F32 => args.run_in::<f32>(parts, console, out),
        Width::F64 => args.run_in::<f64>(parts, console, out),
    }
}

impl StabilityArgs {
    fn run_in<S: Precision + NpyFloat>(
        &self,
        parts: &impl Parts,
        console: &Console,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let registry = parts.registry::<S>();
        let spec = self.recipe.resolve(&registry)?;
        let method = registry.pipeline(&spec).map_err(|error| misfit(error, &spec, &registry))?;
        let backend = self.machine.backend(&registry)?;
        let params = self.params()?;
        let replaced = Files::default()
            .reads("the pool", Some(&self.pool))
            .reads("--features", self.references.features.as_ref())
            .writes("--csv", self.csv.as_ref(), files::TABLE)
            .writes("--cdf", self.cdf.as_ref(), files::TABLE)
            .writes("--report", self.report.as_ref(), files::PAGE)
            .check()?;
        let (pool, mut input) = self.read_pool(console)?;
        let origin = self.references.origin(&pool, &self.input.table, &self.machine)?;
        let (origin, features) = origin.unzip();
        input.extend(features.flatten().filter(|_| self.wants_record()));
        let names = pool.columns.as_deref();
        let (ensemble, selection) = self.selection.take_from(pool.ensemble, names, &self.pool)?;

        let began = Instant::now();
        let progress = Progress::new(console, "drawing parts of the ensemble");
        let metered = Metered::new(&*backend);
        let ctx = self.machine.context(&metered, self.selection.seed.into());
        let ks = self.k.clone().unwrap_or_else(|| usual_range(&ensemble));
        let watched = ctx.with_observer(&progress);
        let found = stability(&method, &ensemble, ks.clone(), &params, &watched)?;
        drop(progress);
        let mut timings = vec![Timing::new("stability", began.elapsed())];
        let began = Instant::now();
        let judgement = origin.map(|origin| judged(&origin, ks, console, &ctx.in_double()));
        let judgement = judgement.transpose()?;
        if judgement.is_some() {
            timings.push(Timing::new("references", began.elapsed()));
        }

        self.write(&found)?;
        for path in replaced {
            console.note(format_args!("replaced {}", path.display()));
        }
        let method = MethodRecord::of(Some(self.recipe.method_name().to_string()), &spec);
        let machine = MachineRecord::of(&self.machine, &metered.usage());
        if let (false, Some(idle)) = (self.json, machine.idle_backend()) {
            console.note(idle);
        }
        if self.wants_record() {
            let effort = (machine, timings);
            let data = (&ensemble, selection, input);
            let judgement = judgement.as_ref().map(JudgementRecord::from);
            let record = self.record(console, method, data, &found, effort);
            let record = StabilityRecord { judgement, ..record };
            self.write_report(&record)?;
            if self.json {
                serde_json::to_writer_pretty(&mut *out, &record)?;
                return Ok(writeln!(out)?);
            }
        }
        self.print(&found, &ensemble, &choices(&found), out)?;
        Ok(judgement.iter().try_for_each(|judgement| print_judgement(judgement, out))?)
    }

    /// The pool, and its identification if a record is requested.
    fn read_pool(&self, console: &Console) -> Result<(Pool, Vec<Input>), Failure> {
        let memory = self.machine.memory;
        let opened = Opened::load("pool", &self.pool, memory)?;
        let (pool, layout) = opened.source.pool(&self.input.options(memory))?;
        if let Some(layout) = layout {
            console.detail(1, opened.told(layout));
        }
        let input = self.wants_record().then(|| opened.input(layout)).transpose()?;
        Ok((pool, input.into_iter().collect()))
    }

    /// Whether a record is requested.
    fn wants_record(&self) -> bool {
        self.json || self.report.is_some()
    }

    fn write_report(&self, record: &StabilityRecord) -> Result<(), Failure> {
        let Some(path) = &self.report else { return Ok(()) };
        let file = self.pool.file_name().unwrap_or_default().to_string_lossy();
        let range = record.levels.first().zip(record.levels.last());
        let ks = range.map_or(String::new(), |(a, b)| format!("; k = {} to {}", a.k, b.k));
        let data = StabilityPage {
            title: format!("How many clusters: {file}"),
            subtitle: format!("{}{ks}", record.method.in_a_line),
            repeat: as_command(&record.command),
            record,
        };
        let html = page(Kind::Stability, &data.title, &data)?;
        Ok(write_atomically(path, |file| file.write_all(html.as_bytes()))?)
    }

    fn params(&self) -> Result<StabilityParams, Failure> {
        let mut params = StabilityParams::default().take(self.take);
        let given = |from: Option<f64>, to: &mut f64| *to = from.unwrap_or(*to);
        params.draws = self.draws.unwrap_or(params.draws);
        params.samples = self.samples.unwrap_or(params.samples);
        given(self.lower, &mut params.lower);
        given(self.upper, &mut params.upper);
        given(self.clear, &mut params.clear);
        params.validate().map_err(|error| wrong(error.into()))?;
        Ok(params)
    }

    fn write(&self, found: &Stability) -> Result<(), Failure> {
        if let Some(path) = &self.csv {
            write_atomically(path, |file| write_levels(file, &found.levels))?;
        }
        if let Some(path) = &self.cdf {
            write_atomically(path, |file| write_cdf(file, &found.levels))?;
        }
        Ok(())
    }

    fn record(
        &self,
        console: &Console,
        method: MethodRecord,
        (ensemble, selection, inputs): (&Ensemble, Selection, Vec<Input>),
        found: &Stability,
        (machine, timings): (MachineRecord, Vec<Timing>),
    ) -> StabilityRecord {
        StabilityRecord {
            versions: Versions::THIS,
            command: console.command_line(),
            inputs,
            samples: found.samples,
            used: found.used,
            groups: found.groups,
            ensemble: EnsembleRecord::of(ensemble, selection, self.input.noise),
            method,
            machine,
            seed: self.selection.seed,
            parameters: found.params.to_values(),
            take: found.take,
            timings,
            levels: found.levels.iter().map(LevelRecord::from).collect(),
            choices: choices(found),
            judgement: None,
        }
    }

    fn print(
        &self,
        found: &Stability,
        ensemble: &Ensemble,
        choices: &[RuleRecord],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Stability { samples, used, groups, take, params, method, .. } = found;
        let part = match used < samples {
            true => format!(", computed on {used} random samples"),
            false => String::new(),
        };
        writeln!(
            out,
            "{}: {samples} samples, {} clusterings, {groups} distinct label rows{}{part}\n\
             {method}, {} draws of {take} clusterings, PAC between {} and {}\n",
            plain(self.pool.display()),
            ensemble.clusterings(),
            missing_labels(ensemble),
            params.draws,
            params.lower,
            params.upper,
        )?;
        writeln!(
            out,
            "{HEAD}{:>5} {:>7} {:>9} {:>10} {:>7}  PAC as a bar{HEAD:#}",
            "k", "PAC", "agreement", "delta area", "gap"
        )?;
        found.levels.iter().try_for_each(|level| print_level(level, out))?;
        writeln!(out)?;
        for RuleRecord { rule, k, reason, .. } in choices {
            writeln!(out, "{HEAD}{rule:<10}{HEAD:#} k = {k}: {reason}")?;
        }
        Ok(())
    }
}

/// The number of missing labels, if there are any.
fn missing_labels(ensemble: &Ensemble) -> String {
    match ensemble.missing() {
        0 => String::new(),
        missing => format!(", {missing} labels missing"),
    }
}

fn print_level(level: &Level, out: &mut dyn Write) -> io::Result<()> {
    const WIDTH: f64 = 40.0;
    let gap = level.gap.map_or_else(|| "-".to_string(), |gap| format!("{gap:.3}"));
    let bar = "#".repeat((level.pac * WIDTH).round() as usize);
    writeln!(
        out,
        "{:>5} {:>7.3} {:>9.3} {:>10.3} {gap:>7}  {bar}",
        level.k, level.pac, level.agreement, level.delta_area
    )
}

/// The choices of all rules; rules that cannot be applied are omitted.
fn choices(found: &Stability) -> Vec<RuleRecord> {
    let chosen =
        RULES.into_iter().filter_map(|(rule, name)| Some((name, choose(found, rule).ok()?)));
    chosen
        .map(|(rule, choice)| RuleRecord {
            rule,
            k: choice.k,
            clear: choice.verdict == Verdict::Clear,
            reason: choice.reason,
        })
        .collect()
}

/// The comparison with data without clusters, and its answer.
fn print_judgement(found: &Judgement, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\nEAC and average link against data without clusters, {} samples, {} references\n\n\
         {HEAD}{:>5} {:>9} {:>10} {:>8} {:>7}{HEAD:#}",
        found.samples,
        2 * found.params.references,
        "k",
        "agreement",
        "references",
        "eigengap",
        "gap"
    )?;
    for level in &found.levels {
        let Judged { k, agreement, reference_agreement, eigengap, gap } = level;
        writeln!(
            out,
            "{k:>5} {agreement:>9.3} {reference_agreement:>10.3} {eigengap:>8.3} {gap:>7.3}"
        )?;
    }
    let answer = match found.structure {
        true => format!("k = {}", found.guess),
        false => format!("no structure, one cluster (k = {})", found.guess),
    };
    writeln!(out, "\n{HEAD}references{HEAD:#} {answer}: {}", found.reason())
}

fn write_levels(file: &mut dyn Write, levels: &[Level]) -> io::Result<()> {
    let head = ["k", "pac", "agreement", "area", "delta_area", "cluster_consensus", "gap"];
    let rows = levels.iter().map(|level| {
        [
            level.k.to_string(),
            level.pac.to_string(),
            level.agreement.to_string(),
            level.cdf.area().to_string(),
            level.delta_area.to_string(),
            cell(level.cluster_consensus),
            cell(level.gap),
        ]
    });
    write_csv(file, head.map(String::from), rows)
}

fn write_cdf(file: &mut dyn Write, levels: &[Level]) -> io::Result<()> {
    let rows = levels.iter().flat_map(|level| {
        let steps = level.cdf.steps();
        steps.map(|(value, share)| [level.k.to_string(), value.to_string(), share.to_string()])
    });
    write_csv(file, ["k", "consensus", "cdf"].map(String::from), rows)
}

impl From<&Judgement> for JudgementRecord {
    fn from(found: &Judgement) -> Self {
        let level = |level: &Judged| JudgedRecord {
            k: level.k,
            agreement: level.agreement,
            reference_agreement: level.reference_agreement,
            eigengap: level.eigengap,
            gap: level.gap,
        };
        JudgementRecord {
            k: found.k(),
            guess: found.guess,
            structure: found.structure,
            reason: found.reason(),
            samples: found.samples,
            parameters: found.params.to_values(),
            levels: found.levels.iter().map(level).collect(),
        }
    }
}
