//! `enclust generate`: base clusterings from features.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use enclust::core::{Ensemble, Parameters, Values, Watch};
use enclust::generate::{KMeansPool, KMeansPoolParams, Rest, Scale};
use enclust_io::{Features, Pool, write_pool};
use serde::Serialize;

use crate::amounts::Amount;
use crate::console::{Console, plain};
use crate::csv_table::write_clusterings;
use crate::failure::Failure;
use crate::files::{self, Files};
use crate::inputs::{Input, Opened, TableArgs};
use crate::machine::in_threads;
use crate::numbers::word;
use crate::progress::Progress;
use crate::recipe::wrong;
use crate::record::{Timing, Versions, thread_count, write_json};
use crate::references::kept;

/// Make a pool of base clusterings from features
///
/// Each clustering is a run of k-means with k-means++ initialisation. Its number of clusters is
/// drawn uniformly from 2 to the square root of the number of samples. It may use a random
/// subset of the features (random subspaces) or be fitted on a random subset of the samples
/// (subsampling). An .npz pool also keeps the settings and the features of at most 5000 samples,
/// from which `enclust cluster --k auto` judges the number of clusters, and the true classes if
/// they are in the file of the features.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    enclust generate features.csv --size 100 --out pool.npz\n  \
    enclust generate features.npy --size 50 --samples 0.8 --scale unit-variance --out pool.csv")]
pub struct GenerateArgs {
    /// Features, one row per sample: .csv, .tsv, .npy, .npz, .mat, also compressed (.gz, .zst);
    /// - for standard input
    #[arg(value_name = "FEATURES")]
    features_file: PathBuf,

    /// Number of base clusterings
    #[arg(long, value_name = "N", default_value_t = 100)]
    size: usize,

    /// Minimum number of clusters of a base clustering
    #[arg(long, value_name = "K", default_value_t = 2)]
    min_clusters: usize,

    /// Maximum number of clusters of a base clustering [default: the square root of the number
    /// of samples it is fitted on]
    #[arg(long, value_name = "K")]
    max_clusters: Option<usize>,

    /// Maximum number of k-means iterations
    #[arg(long, value_name = "N", default_value_t = 100)]
    iterations: usize,

    /// Candidates for each initial centre; 1 is plain k-means++ [default: increases with the
    /// number of clusters]
    #[arg(long, value_name = "N")]
    candidates: Option<usize>,

    /// Share of the features that each clustering uses
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, allow_negative_numbers = true)]
    features: f64,

    /// Share of the samples that each clustering is fitted on
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, allow_negative_numbers = true)]
    samples: f64,

    /// Label of the other samples: none (missing), or that of the nearest centre (nearest)
    #[arg(long, value_name = "WHAT", default_value = "missing", value_parser = word::<Rest>)]
    assign: Rest,

    /// Scaling of the features: none, or unit-variance
    #[arg(long, value_name = "HOW", default_value = "none", value_parser = word::<Scale>)]
    scale: Scale,

    /// Seed of the random number generator
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Number of threads (0: all available); the pool does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,

    /// Refuse features whose reading needs more memory than this, such as 4GB [default: the free
    /// memory of the machine]
    #[arg(long, value_name = "AMOUNT")]
    memory: Option<Amount>,

    #[command(flatten)]
    table: TableArgs,

    /// Write the pool: .csv, .tsv, .npy, .npz [default: standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,

    /// Write the record of the run
    #[arg(long, value_name = "FILE.json", help_heading = "Output")]
    record: Option<PathBuf>,

    /// Print the record as JSON; the pool then needs --out
    #[arg(long, help_heading = "Output", requires = "out")]
    json: bool,
}

#[derive(Serialize)]
struct GenerateRecord {
    versions: Versions,
    command: Vec<String>,
    inputs: Vec<Input>,
    samples: usize,
    dimension: usize,
    parameters: Values,
    threads: usize,
    timings: Vec<Timing>,
    /// Number of clusters of each base clustering.
    clusters: Vec<usize>,
    missing_labels: usize,
    output: Option<String>,
}

/// Makes the pool.
pub fn run(args: &GenerateArgs, console: &Console, out: &mut dyn Write) -> Result<(), Failure> {
    let params = args.params();
    let generator = KMeansPool::new(params.clone()).map_err(|error| wrong(error.into()))?;
    let replaced = Files::default()
        .reads("the features", Some(&args.features_file))
        .writes("--out", args.out.as_ref(), files::LABELS)
        .writes("--record", args.record.as_ref(), files::RECORD)
        .check()?;
    let began = Instant::now();
    let (features, input) = args.read(console)?;
    let mut timings = vec![Timing::new("read", began.elapsed())];
    let began = Instant::now();
    let ensemble = args.generate(&generator, &features, console)?;
    timings.push(Timing::new("generate", began.elapsed()));
    let origin = kept(&features.values, features.dimension, &params)?;
    let (ids, truth) = (features.ids.clone(), features.truth.clone());
    let pool = Pool { ids, truth, origin: Some(origin), ..Pool::new(ensemble) };
    if let Some(path) = &args.out {
        write_pool(path, &pool)?;
    }
    if args.json || args.record.is_some() {
        let record =
            args.record(console, &params, (&features, input), &pool.ensemble, timings.clone());
        if let Some(path) = &args.record {
            write_json(path, &record)?;
        }
        if args.json {
            serde_json::to_writer_pretty(&mut *out, &record)?;
            return Ok(writeln!(out)?);
        }
    }
    let mut text = summary(args, &features, &pool.ensemble, &timings);
    replaced.iter().for_each(|path| text.push_str(&format!("\nreplaced {}", path.display())));
    let text = plain(text);
    if args.out.is_some() {
        return Ok(writeln!(out, "{text}")?);
    }
    write_clusterings(out, &pool)?;
    console.note(text);
    Ok(())
}

impl GenerateArgs {
    fn params(&self) -> KMeansPoolParams {
        KMeansPoolParams::default()
            .size(self.size)
            .min_clusters(self.min_clusters)
            .max_clusters(self.max_clusters)
            .iterations(self.iterations)
            .candidates(self.candidates)
            .features(self.features)
            .samples(self.samples)
            .assign(self.assign)
            .scale(self.scale)
            .seed(self.seed)
    }

    /// The features, and their identification if a record is requested.
    fn read(&self, console: &Console) -> Result<(Features, Vec<Input>), Failure> {
        let opened = Opened::load("features", &self.features_file, self.memory)?;
        let (features, layout) = opened.source.features(&self.table.options(self.memory))?;
        if let Some(layout) = layout {
            console.detail(1, opened.told(layout));
        }
        let wanted = self.json || self.record.is_some();
        Ok((features, wanted.then(|| opened.input(layout)).transpose()?.into_iter().collect()))
    }

    fn generate(
        &self,
        generator: &KMeansPool,
        features: &Features,
        console: &Console,
    ) -> Result<Ensemble, Failure> {
        let progress = Progress::new(console, "making base clusterings");
        let watch = Watch::default().with_observer(&progress);
        let make = || generator.generate_watched(&features.values, features.dimension, watch);
        in_threads(self.threads, make)?.map_err(Failure::in_file(&self.features_file))
    }

    fn record(
        &self,
        console: &Console,
        params: &KMeansPoolParams,
        (features, inputs): (&Features, Vec<Input>),
        ensemble: &Ensemble,
        timings: Vec<Timing>,
    ) -> GenerateRecord {
        GenerateRecord {
            versions: Versions::THIS,
            command: console.command_line(),
            inputs,
            samples: features.samples,
            dimension: features.dimension,
            parameters: params.to_values(),
            threads: thread_count(self.threads),
            timings,
            clusters: ensemble.clusters().to_vec(),
            missing_labels: ensemble.missing(),
            output: self.out.as_ref().map(|path| path.display().to_string()),
        }
    }
}

fn summary(
    args: &GenerateArgs,
    features: &Features,
    ensemble: &Ensemble,
    timings: &[Timing],
) -> String {
    let fewest = ensemble.clusters().iter().min().copied().unwrap_or(0);
    let most = ensemble.clusters().iter().max().copied().unwrap_or(0);
    let seconds: f64 = timings.iter().map(|timing| timing.seconds).sum();
    format!(
        "{}: {} samples, {} features; {} clusterings of {fewest} to {most} clusters, seed {}, {seconds:.2} s",
        args.features_file.display(),
        features.samples,
        features.dimension,
        ensemble.clusterings(),
        args.seed,
    )
}
