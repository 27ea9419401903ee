//! `enclust` without a subcommand: compares the methods on embedded data.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use enclust::core::{
    Backend, Ctx, Ensemble, Error, Method, Microclusters, Part, Partition, Report, Status,
};
use enclust::generate::{KMeansPool, KMeansPoolParams};
use enclust::metrics::{Scores, diversity};
use enclust::registry::{DEFAULT_BACKEND, standard};

use super::cluster;
use crate::console::{Console, plain};
use crate::digits;
use crate::failure::Failure;
use crate::files::{self, Files};
use crate::parts::Parts;

/// Options of the demonstration.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct DemoArgs {
    /// Seed of the base clusterings [default: 1]
    #[arg(long)]
    seed: Option<u64>,

    /// Number of base clusterings [default: 20]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    clusterings: Option<u16>,

    /// Number of threads (0: all available); the result does not depend on it [default: 0]
    #[arg(long, value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: Option<u16>,

    /// Write a report of EC-CMS on the digits: one HTML page
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// Also run all other methods, some of which take minutes
    #[arg(long)]
    all: bool,
}

impl DemoArgs {
    /// One of the given options, if there is any.
    pub fn given(&self) -> Option<&'static str> {
        let options = [
            (self.seed.is_some(), "--seed"),
            (self.clusterings.is_some(), "--clusterings"),
            (self.threads.is_some(), "--threads"),
            (self.report.is_some(), "--report"),
            (self.all, "--all"),
        ];
        options.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
    }

    fn settings(&self) -> Settings {
        Settings {
            seed: self.seed.unwrap_or(1),
            clusterings: self.clusterings.unwrap_or(20).into(),
            threads: self.threads.unwrap_or(0).into(),
        }
    }
}

struct Settings {
    seed: u64,
    clusterings: usize,
    threads: usize,
}

const METHODS: [(&str, &str); 6] = [
    ("eac", "EAC"),
    ("lwea", "LWEA"),
    ("pta-al", "PTA"),
    ("ec-cms-spectral", "EC-CMS, spectral"),
    ("ec-cms", "EC-CMS"),
    ("ec-cms-admm", "EC-CMS, ADMM"),
];

/// The method of the report.
const REPORTED: &str = "ec-cms";

/// Makes the base clusterings, runs every method, prints the table and writes the report.
pub fn run(
    args: &DemoArgs,
    parts: &impl Parts,
    console: &Console,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let replaced =
        Files::default().writes("--report", args.report.as_ref(), files::PAGE).check()?;
    let (ensemble, truth) = compare(args, out)?;
    let Some(path) = &args.report else {
        let lines = "To see EC-CMS on these digits: enclust demo --report digits.html\n\
                     In the repository: cargo run --release -- demo --report digits.html";
        return Ok(writeln!(out, "\n{lines}")?);
    };
    let words = [
        format!("--k={}", truth.clusters()),
        format!("--method={REPORTED}"),
        format!("--seed={}", args.seed.unwrap_or(1)),
        format!("--threads={}", args.threads.unwrap_or(0)),
    ];
    cluster::report_on(ensemble, truth, &words, path, parts, console)?;
    replaced.iter().for_each(|path| console.note(format_args!("replaced {}", path.display())));
    Ok(writeln!(out, "\n{}: the report of EC-CMS", plain(path.display()))?)
}

/// Prints the table of the methods.
fn compare(args: &DemoArgs, out: &mut dyn Write) -> Result<(Ensemble, Partition), Failure> {
    let settings = &args.settings();
    let (pixels, truth) = digits::load();
    let ctx = Ctx::<f64>::default().with_threads(settings.threads);
    let began = Instant::now();
    let ensemble = ctx.install(|_| base_clusterings(&pixels, settings))??;
    introduce(&ensemble, &truth, began.elapsed(), settings, out)?;

    let base = base_average(&ensemble, &truth)?;
    row(out, "base average", &base, None, "mean of the base clusterings")?;
    let registry = standard::<f64>();
    let backend = registry.backend.build(&Part::named(DEFAULT_BACKEND))?;
    for (preset, label) in METHODS {
        let preset = registry.preset(preset)?;
        let method = registry.pipeline(&preset.spec)?;
        let (scores, time, report) = score(&method, &ensemble, &truth, &*backend, settings)?;
        let note = match (report.status, report.certificate) {
            (Status::Direct, _) => preset.summary.to_string(),
            (_, Some(c)) => {
                format!("self-enhanced LWCA, optimal within {:.0e}", c.relative_distance)
            }
            (status, None) => {
                format!("self-enhanced LWCA, {} iterations, {status}", report.iterations)
            }
        };
        row(out, label, &scores, Some(time), &note)?;
    }
    if args.all {
        let shown = |name: &str| METHODS.iter().any(|(known, _)| *known == name);
        for preset in registry.presets().iter().filter(|preset| !shown(preset.name)) {
            let method = registry.pipeline(&preset.spec)?;
            let (scores, time, _) = score(&method, &ensemble, &truth, &*backend, settings)?;
            row(out, preset.name, &scores, Some(time), preset.summary)?;
        }
    }
    writeln!(
        out,
        "\nARI adjusted Rand index, NMI normalised mutual information, F pair counting,"
    )?;
    writeln!(out, "ACC accuracy by optimal matching; 1 is best. Truth is used for scoring only.")?;
    Ok((ensemble, truth))
}

/// Uses plain k-means++ so that the table equals the one in the README.
fn base_clusterings(pixels: &[f64], settings: &Settings) -> Result<Ensemble, Error> {
    let params = KMeansPoolParams::default()
        .size(settings.clusterings)
        .candidates(Some(1))
        .seed(settings.seed);
    KMeansPool::new(params)?.generate(pixels, digits::PIXELS)
}

fn introduce(
    ensemble: &Ensemble,
    truth: &Partition,
    time: Duration,
    settings: &Settings,
    out: &mut dyn Write,
) -> io::Result<()> {
    let largest = ensemble.clusters().iter().max().copied().unwrap_or(0);
    let smallest = ensemble.clusters().iter().min().copied().unwrap_or(0);
    writeln!(out, "enclust {}: {}", env!("CARGO_PKG_VERSION"), digits::TITLE)?;
    writeln!(
        out,
        "{} samples, {} classes; {} k-means clusterings of {smallest} to {largest} clusters, seed {}, made in {}",
        truth.len(),
        truth.clusters(),
        ensemble.clusterings(),
        settings.seed,
        seconds(time),
    )?;
    writeln!(
        out,
        "{} microclusters, diversity {:.3}\n",
        Microclusters::of(ensemble).len(),
        diversity(ensemble)
    )?;
    writeln!(
        out,
        "{:<17} {:>6} {:>6} {:>6} {:>6} {:>7} {:>9}",
        "method", "ARI", "NMI", "F", "ACC", "purity", "time"
    )
}

type Numbers = [f64; 5];

fn numbers(scores: &Scores) -> Numbers {
    [scores.ari, scores.nmi, scores.pairs.f1, scores.accuracy, scores.purity]
}

fn row(
    out: &mut dyn Write,
    label: &str,
    n: &Numbers,
    time: Option<Duration>,
    note: &str,
) -> io::Result<()> {
    let time = time.map_or_else(|| "-".to_string(), seconds);
    writeln!(
        out,
        "{label:<17} {:>6.3} {:>6.3} {:>6.3} {:>6.3} {:>7.3} {time:>9}  {note}",
        n[0], n[1], n[2], n[3], n[4]
    )
}

/// Mean scores of the base clusterings themselves.
fn base_average(ensemble: &Ensemble, truth: &Partition) -> Result<Numbers, Error> {
    let m = ensemble.clusterings();
    let mut mean = [0.0; 5];
    for k in 0..m {
        let partition = Partition::from_labels(ensemble.column(k).iter().copied());
        let scores = numbers(&Scores::of(truth, &partition)?);
        mean.iter_mut().zip(scores).for_each(|(m_, s)| *m_ += s / m as f64);
    }
    Ok(mean)
}

/// Scores of one method at the true number of clusters, its run time and its report.
fn score(
    method: &dyn Method<f64>,
    ensemble: &Ensemble,
    truth: &Partition,
    backend: &dyn Backend<f64>,
    settings: &Settings,
) -> Result<(Numbers, Duration, Report), Error> {
    let ctx = Ctx::new(backend).with_seed(settings.seed).with_threads(settings.threads);
    let began = Instant::now();
    let outcome = method.run(ensemble, truth.clusters(), &ctx)?;
    let time = began.elapsed();
    Ok((numbers(&Scores::of(truth, &outcome.partition)?), time, outcome.report))
}

fn seconds(time: Duration) -> String {
    let s = time.as_secs_f64();
    if s < 1.0 { format!("{:.1} ms", s * 1e3) } else { format!("{s:.2} s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table without the run times, which vary.
    fn table(threads: u16) -> Vec<String> {
        let mut out = Vec::new();
        let args = DemoArgs { clusterings: Some(6), threads: Some(threads), ..DemoArgs::default() };
        compare(&args, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let rows = text.lines().skip(5).take(1 + METHODS.len());
        rows.map(|line| line.chars().take(52).collect()).collect()
    }

    #[test]
    fn every_method_has_a_row_and_threads_change_nothing() {
        let rows = table(1);
        let labels = METHODS.iter().map(|(_, label)| *label);
        for (row, label) in rows.iter().zip(["base average"].into_iter().chain(labels)) {
            assert!(row.starts_with(&format!("{label} ")), "{row}");
        }
        assert_eq!(rows.len(), 1 + METHODS.len());
        assert_eq!(rows, table(2));
    }
}
