//! `enclust plot`: figures for papers.

mod parameters;
mod run_figures;
mod stability_figures;
mod study_figures;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use enclust_experiment::study::Results;
use enclust_figures::{Columns, Drawing, Format, convert};
use enclust_io::write_atomically;
use serde_json::Value;

use crate::console::Console;
use crate::failure::Failure;
use crate::files::{self, Files};

/// Draw a figure for a paper
///
/// Draws a finished study, the record of a run (--record of `enclust cluster`), or the output of
/// `enclust stability --json`. Colours can be told apart with any colour vision, and the letters
/// are part of the file.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    enclust plot ranks mine-results -o ranks.pdf --columns two\n  \
    enclust plot curve mine-results --x enhance.lambda -o lambda.svg\n  \
    enclust plot similarity plain.json enhanced.json -o enhanced.png")]
pub struct PlotArgs {
    /// What to draw
    #[arg(value_enum, value_name = "KIND")]
    kind: Kind,

    /// The folder of a study, the record of a run, or the JSON of enclust stability; similarity
    /// takes several records
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<PathBuf>,

    /// The figure: .svg, .pdf or .png
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// The width: one column of a journal (86 mm) or two (178 mm)
    #[arg(long, value_enum, value_name = "NUMBER", default_value = "one")]
    columns: Width,

    #[command(flatten)]
    options: Options,
}

/// What a figure shows.
#[derive(Clone, Debug, Default, Args)]
struct Options {
    /// Metric of a study [default: its first one for which larger is better]
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,

    /// Number of clusters, if there are several
    #[arg(long, value_name = "K")]
    k: Option<usize>,

    /// Number of clusterings of the ensembles, if a study has several
    #[arg(long, value_name = "N")]
    size: Option<usize>,

    /// Only these pools of a study
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pool: Option<Vec<String>>,

    /// Parameter on the horizontal axis, such as enhance.lambda, or size [default: the only one
    /// that varies]
    #[arg(long, value_name = "STAGE.PARAMETER")]
    x: Option<String>,

    /// Parameter on the vertical axis
    #[arg(long, value_name = "STAGE.PARAMETER")]
    y: Option<String>,

    /// Only this variant of a study with its grid
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
}

/// The kinds of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Study: mean ranks of the variants with the critical difference
    Ranks,
    /// Study: mean and standard deviation of every variant on every pool
    Scores,
    /// Study: a metric over one parameter, or over the number of clusterings (--x size)
    Curve,
    /// Study: a metric over two parameters
    Grid,
    /// Study: a metric against the mean time of a run
    Time,
    /// Records with --similarity and --linkage: the similarities, ordered by the last tree
    Similarity,
    /// Record with --linkage: the tree, cut
    Dendrogram,
    /// Record: the sizes of the clusters
    Sizes,
    /// JSON of stability: the consensus distribution for each number of clusters
    Cdf,
    /// JSON of stability: agreement and PAC for each number of clusters
    Stability,
}

/// The width of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Width {
    /// 86 mm
    One,
    /// 178 mm
    Two,
}

impl From<Width> for Columns {
    fn from(width: Width) -> Self {
        match width {
            Width::One => Columns::One,
            Width::Two => Columns::Two,
        }
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Ranks => "ranks",
            Kind::Scores => "scores",
            Kind::Curve => "curve",
            Kind::Grid => "grid",
            Kind::Time => "time",
            Kind::Similarity => "similarity",
            Kind::Dendrogram => "dendrogram",
            Kind::Sizes => "sizes",
            Kind::Cdf => "cdf",
            Kind::Stability => "stability",
        }
    }

    /// Whether it shows a study.
    fn is_of_study(self) -> bool {
        matches!(self, Kind::Ranks | Kind::Scores | Kind::Curve | Kind::Grid | Kind::Time)
    }

    /// The options that it reads.
    fn reads(self, option: &str) -> bool {
        match option {
            "--metric" | "--size" => self.is_of_study(),
            "--k" => {
                self.is_of_study()
                    || matches!(self, Kind::Similarity | Kind::Dendrogram | Kind::Sizes)
            }
            // Ranks are computed over all pools.
            "--pool" => self.is_of_study() && self != Kind::Ranks,
            "--x" => matches!(self, Kind::Curve | Kind::Grid),
            "--y" => self == Kind::Grid,
            "--variant" => matches!(self, Kind::Curve | Kind::Grid),
            _ => false,
        }
    }
}

impl Options {
    /// Returns an error for an option that this kind of figure does not read.
    fn check(&self, kind: Kind) -> Result<(), Failure> {
        let given = [
            ("--metric", self.metric.is_some()),
            ("--k", self.k.is_some()),
            ("--size", self.size.is_some()),
            ("--pool", self.pool.is_some()),
            ("--x", self.x.is_some()),
            ("--y", self.y.is_some()),
            ("--variant", self.variant.is_some()),
        ];
        let idle = given.into_iter().find(|(option, given)| *given && !kind.reads(option));
        let Some((option, _)) = idle else { return Ok(()) };
        let kinds = Kind::value_variants().iter().filter(|kind| kind.reads(option));
        let kinds = kinds.map(|kind| kind.name()).collect();
        Err(Failure::NotInFigure { option, kind: kind.name(), kinds })
    }
}

/// Draws the figure and writes it.
pub fn run(args: &PlotArgs, console: &Console) -> Result<(), Failure> {
    let PlotArgs { kind, sources, options, .. } = args;
    options.check(*kind)?;
    if sources.len() > 1 && *kind != Kind::Similarity {
        return Err(Failure::OneSource { kind: kind.name(), given: sources.len() });
    }
    let replaced = sources
        .iter()
        .fold(Files::default(), |files, source| files.reads("the source", Some(source)))
        .writes("--out", Some(&args.out), files::FIGURE)
        .check()?;
    let figure = figure(*kind, sources, options)?;
    write(&args.out, &*figure, args.columns.into())?;
    for path in replaced {
        console.note(format_args!("replaced {}", path.display()));
    }
    Ok(())
}

/// Writes a figure in the format that the ending of the file's name stands for.
pub fn write(path: &Path, figure: &dyn Drawing, columns: Columns) -> Result<(), Failure> {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let format = Format::of_ending(&ending).unwrap_or(Format::Svg);
    let bytes = convert(&figure.svg(columns)?, format)?;
    Ok(write_atomically(path, |file| file.write_all(&bytes))?)
}

fn figure(kind: Kind, sources: &[PathBuf], options: &Options) -> Result<Box<dyn Drawing>, Failure> {
    let source = &sources[0];
    if kind.is_of_study() {
        let results = Results::read(source)?;
        let study = study_figures::Shown::new(&results, source, options)?;
        return Ok(match kind {
            Kind::Ranks => Box::new(study.ranks()?),
            Kind::Scores => Box::new(study.scores()?),
            Kind::Time => Box::new(study.time()?),
            Kind::Grid => Box::new(study.grid(options)?),
            _ => Box::new(study.curve(options)?),
        });
    }
    Ok(match kind {
        Kind::Similarity => Box::new(run_figures::similarity(sources, options.k)?),
        Kind::Dendrogram => Box::new(run_figures::dendrogram(source, options.k)?),
        Kind::Sizes => Box::new(run_figures::sizes(source, options.k)?),
        Kind::Cdf => Box::new(stability_figures::cdf(source)?),
        _ => Box::new(stability_figures::by_k(source)?),
    })
}

/// Reads a JSON file.
fn read_json(path: &Path) -> Result<Value, Failure> {
    if path.is_dir() {
        let reason = "a folder; this figure is made from a JSON file (--record FILE.json of enclust \
                      cluster, or what enclust stability --json prints)";
        return Err(not_to_plot(path, reason));
    }
    let failed = |error| Failure::File { path: path.into(), error };
    let bytes = std::fs::read(path).map_err(failed)?;
    serde_json::from_slice(&bytes).map_err(|error| not_to_plot(path, format!("no JSON: {error}")))
}

fn not_to_plot(path: &Path, reason: impl Into<String>) -> Failure {
    Failure::NotToPlot { path: path.into(), reason: reason.into() }
}

/// The only value, the chosen one if there are several, or an error that lists them.
fn choose<T: Copy + PartialEq + ToString>(
    path: &Path,
    option: &'static str,
    known: &[T],
    chosen: Option<T>,
) -> Result<T, Failure> {
    let names = || known.iter().map(T::to_string).collect();
    match (known, chosen) {
        (_, Some(chosen)) if known.contains(&chosen) => Ok(chosen),
        (_, Some(chosen)) => {
            Err(Failure::Unknown { what: option, name: chosen.to_string(), known: names() })
        }
        (&[only], None) => Ok(only),
        (_, None) => Err(Failure::Choose { path: path.into(), option, known: names() }),
    }
}
