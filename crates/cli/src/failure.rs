//! Errors of the command, with a message of one or two lines and an exit code.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use enclust::core::{Bytes, Error, Stage};
use enclust_experiment::StudyError;
use enclust_figures::FigureError;
use enclust_io::{ReadError, WriteError};

use crate::record::name_of_sample;

/// Exit code of a failed run.
pub const FAILED: u8 = 1;
/// Exit code of a command line that is invalid independently of the data.
pub const USAGE: u8 = 2;
/// The exit code if `--k auto` finds that the data have no clusters.
pub const NO_STRUCTURE: u8 = 3;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The requested parts or their parameters do not exist or do not fit together.
    #[error("{error}{hint}")]
    Recipe {
        /// What is wrong with them.
        error: Error,
        /// A second line, including the line break, or an empty string.
        hint: String,
    },
    /// None of the parts has this parameter.
    #[error(
        "none of the parts has the parameter \"{parameter}\": {parts}{}",
        if ["alpha", "lambda"].contains(parameter) { "; --method ec-cms has it" } else { "" }
    )]
    NoSuchParameter {
        /// The parameter.
        parameter: &'static str,
        /// The parts and their parameters.
        parts: String,
    },
    /// Several parts have this parameter.
    #[error(
        "--{parameter} {value}: more than one part has this parameter; write {}",
        .stages.iter().map(|stage| format!("--set {stage}.{parameter}={value}")).collect::<Vec<_>>().join(" or ")
    )]
    AmbiguousParameter {
        /// The parameter.
        parameter: &'static str,
        /// The given value.
        value: f64,
        /// The stages that have it.
        stages: Vec<Stage>,
    },
    /// A parameter of a stopping rule is given, but the enhancer uses its own rule.
    #[error(
        "stop.{parameter}: no stopping rule is named; add --stop NAME (enclust list stop shows them)"
    )]
    NoStop {
        /// The parameter.
        parameter: String,
    },
    /// A setting does not have the form stage.parameter=value.
    #[error(
        "\"{text}\" is not STAGE.PARAMETER=VALUE; the stages are {}",
        Stage::PIPELINE.map(Stage::key).join(", ")
    )]
    Setting {
        /// What was given.
        text: String,
    },
    /// The option was renamed in this version.
    #[error("{old} is now called {new}")]
    RenamedOption {
        /// The option given.
        old: &'static str,
        /// Its current name.
        new: &'static str,
    },
    /// A file is given in place of the name of a confidence component.
    #[error(
        "--confidence takes the name of a confidence part, and there is none called \"{text}\"; \
         to write the item and cluster consensus to a file, use --membership {text}"
    )]
    MembershipFile {
        /// What was given.
        text: String,
    },
    /// Confident pairs are selected but not used.
    #[error(
        "--confidence {name} has no effect, because nothing is enhanced; name an --enhance part"
    )]
    IdleConfidence {
        /// The confidence component.
        name: String,
    },
    /// The name is not in the list of known names.
    #[error("there is no {what} \"{name}\"; known: {}", .known.join(", "))]
    Unknown {
        /// The kind of thing that was requested.
        what: &'static str,
        /// The given name.
        name: String,
        /// The known names.
        known: Vec<String>,
    },
    /// A tree is requested from a consensus function that makes none.
    #[error("{option} needs a tree, and {part} makes none; average, complete and single do")]
    NoTree {
        /// The option that needs one.
        option: &'static str,
        /// The consensus function.
        part: String,
    },
    /// A similarity is requested from parts that make none.
    #[error("{option} needs a similarity, and {part} makes none")]
    NoSimilarity {
        /// The option that needs one.
        option: &'static str,
        /// The representation.
        part: String,
    },
    /// A model is requested from a representation that has no value for new rows.
    #[error(
        "--save-model needs a representation that has values for new rows, and {part} has none; \
         --ca {} works", .known.join(" or --ca ")
    )]
    NoNewRows {
        /// The representation.
        part: String,
        /// The representations that have values for new rows.
        known: Vec<String>,
    },
    /// A model is requested for several numbers of clusters.
    #[error("--save-model needs exactly one number of clusters; write for example --k 8")]
    ModelOfSeveral,
    /// Cannot-links have no effect on evidence that is not a similarity.
    #[error(
        "--cannot-link has no effect before the labels, because {part} makes no similarity; add \
         --enforce to have the labels satisfy it"
    )]
    IdleCannotLinks {
        /// The representation.
        part: String,
    },
    /// Must-links join a cannot-link pair.
    #[error(
        "{} and {} are a cannot-link pair, but must-links join them: {}",
        .pair[0], .pair[1], .chain.join(" - ")
    )]
    Contradiction {
        /// The cannot-link pair, by id.
        pair: [String; 2],
        /// The samples on the path of must-links.
        chain: Vec<String>,
    },
    /// Cannot-links need more clusters than requested.
    #[error(
        "cannot-links keep {} apart in such a way that --k {k} is too small; use a larger k, remove \
         one of these cannot-links, or leave out --enforce", .samples.join(", ")
    )]
    TooFewClusters {
        /// The number of clusters.
        k: usize,
        /// The samples, by id.
        samples: Vec<String>,
    },
    /// An option needs base clusterings, but only a similarity is given.
    #[error("{what} needs base clusterings, but only {} is given", .similarity.display())]
    NeedsPool {
        /// The option or part that needs them.
        what: String,
        /// The similarity.
        similarity: PathBuf,
    },
    /// The table has no chart.
    #[error("--chart draws the table time; {table} has no chart")]
    NoChart {
        /// The table.
        table: String,
    },
    /// An option that this kind of figure does not read.
    #[error("{option} has no effect on {kind}; {} have it", .kinds.join(", "))]
    NotInFigure {
        /// The option.
        option: &'static str,
        /// The kind of figure.
        kind: &'static str,
        /// The kinds that read it.
        kinds: Vec<&'static str>,
    },
    /// A kind of figure that shows one source is given several.
    #[error("{kind} shows one source, but {given} are given")]
    OneSource {
        /// The kind of figure.
        kind: &'static str,
        /// Number of sources.
        given: usize,
    },
    /// A file or folder does not have what a figure shows.
    #[error("{}: {reason}", .path.display())]
    NotToPlot {
        /// The file or folder.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// A figure needs one of several values.
    #[error("{}: there are several; choose by {option}: {}", .path.display(), .known.join(", "))]
    Choose {
        /// The file or folder.
        path: PathBuf,
        /// The option that chooses.
        option: &'static str,
        /// The values.
        known: Vec<String>,
    },
    /// A figure cannot be made.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// Neither a pool nor a similarity is given.
    #[error("there is nothing to cluster: give a pool, or a similarity with --similarity-in")]
    NoInput,
    /// An option that only `--k auto` uses.
    #[error("{option} has an effect only with --k auto")]
    OnlyWithAuto {
        /// The option.
        option: &'static str,
    },
    /// The features have no clusters.
    #[error(
        "no structure, one cluster is the answer; --force makes {guess} clusters\n(k = {guess}: \
         {reason})"
    )]
    NoStructure {
        /// The most plausible number of clusters above one.
        guess: usize,
        /// Why there is no structure.
        reason: String,
    },
    /// The settings that a pool keeps cannot be read.
    #[error(
        "the array \"generator\" of the pool is not from this version of enclust; give the features by --features"
    )]
    Generator,
    /// An output cannot be written, or would replace an input or another output.
    #[error("{option} {}: {reason}", .path.display())]
    OutputFile {
        /// The option that names it.
        option: &'static str,
        /// The given path.
        path: PathBuf,
        /// Why it is refused.
        reason: String,
    },
    /// Standard input is given for two inputs.
    #[error("{one} and {other} cannot both be read from standard input (-); name a file for one")]
    StandardInput {
        /// An input.
        one: &'static str,
        /// Another one.
        other: &'static str,
    },
    /// Standard input is given for an input whose size must be known before it is read.
    #[error("{option} cannot be read from standard input (-); name a file")]
    NeedsFile {
        /// The option.
        option: &'static str,
    },
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file could not be written.
    #[error("cannot write {0}")]
    Write(#[from] WriteError),
    /// A file could not be read for the record.
    #[error("{}: {error}", .path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The pool does not have this column.
    #[error("{}: there is no clustering {column}, only {clusterings}", .path.display())]
    NoColumn {
        /// The pool.
        path: PathBuf,
        /// The requested column, counted from 1.
        column: usize,
        /// Number of clusterings in the pool.
        clusterings: usize,
    },
    /// The pool has no clustering of this name, or several.
    #[error("{}: {}", .path.display(), misnamed(.name, *.found, .known))]
    NoNamedColumn {
        /// The pool.
        path: PathBuf,
        /// The requested name.
        name: String,
        /// Number of clusterings with this name.
        found: usize,
        /// The names of all clusterings.
        known: Vec<String>,
    },
    /// The content of a file does not fit the request.
    #[error("{}: {error}", .path.display())]
    Data {
        /// The file it came from.
        path: PathBuf,
        /// What is wrong with it.
        error: Error,
    },
    /// A result is too large for the disk.
    #[error(
        "{}: {rows} x {rows} numbers take {needed}, but only {available} are free on the disk{}",
        .path.display(), if *.halved { "; --precision f32 takes half" } else { "" }
    )]
    Disk {
        /// The file to be written.
        path: PathBuf,
        /// Rows of the matrix.
        rows: usize,
        /// Its size.
        needed: Bytes,
        /// The available space.
        available: Bytes,
        /// Whether single precision would halve the size.
        halved: bool,
    },
    /// The method needs too much memory, but others do not.
    #[error("{error}{}", that_fit(.methods))]
    Memory {
        /// What does not fit.
        error: Box<Error>,
        /// The methods that do.
        methods: Vec<String>,
    },
    /// An error of the library.
    #[error(transparent)]
    Core(#[from] Error),
    /// A study failed.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// One command gave another one options that it does not have.
    #[error("{0}")]
    Options(clap::Error),
    /// A result could not be written as JSON.
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Standard output could not be written.
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// Turns an error into an error about the data in this file.
    pub fn in_file(path: &Path) -> impl Fn(Error) -> Failure + '_ {
        move |error| Failure::Data { path: path.into(), error }
    }

    /// An error about constraints that names samples by id, or by number counted from 1; other
    /// errors unchanged.
    pub fn named(error: Error, ids: Option<&[String]>) -> Failure {
        let name = |&sample: &usize| name_of_sample(sample, ids);
        match error {
            Error::Contradiction { pair, chain } => Failure::Contradiction {
                pair: [name(&pair.0), name(&pair.1)],
                chain: chain.iter().map(name).collect(),
            },
            Error::TooFewClusters { k, samples } => {
                Failure::TooFewClusters { k, samples: samples.iter().map(name).collect() }
            }
            other => other.into(),
        }
    }

    /// [`USAGE`] for errors that can be detected from the command line, [`NO_STRUCTURE`] if the
    /// data have no clusters, otherwise [`FAILED`].
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Recipe { .. }
            | Failure::NoSuchParameter { .. }
            | Failure::AmbiguousParameter { .. }
            | Failure::NoStop { .. }
            | Failure::Setting { .. }
            | Failure::RenamedOption { .. }
            | Failure::MembershipFile { .. }
            | Failure::IdleConfidence { .. }
            | Failure::Unknown { .. }
            | Failure::NoTree { .. }
            | Failure::NoSimilarity { .. }
            | Failure::NoNewRows { .. }
            | Failure::ModelOfSeveral
            | Failure::IdleCannotLinks { .. }
            | Failure::NeedsPool { .. }
            | Failure::NoChart { .. }
            | Failure::NotInFigure { .. }
            | Failure::OneSource { .. }
            | Failure::Figure(FigureError::NoImages)
            | Failure::OnlyWithAuto { .. }
            | Failure::NoInput
            | Failure::OutputFile { .. }
            | Failure::StandardInput { .. }
            | Failure::NeedsFile { .. }
            | Failure::Study(StudyError::NotInTable { .. } | StudyError::NotAvailable { .. }) => {
                USAGE
            }
            Failure::NoStructure { .. } => NO_STRUCTURE,
            _ => FAILED,
        }
    }
}

/// The methods that fit into the memory, as another remedy.
fn that_fit(methods: &[String]) -> String {
    match methods {
        [] => String::new(),
        methods => format!("; methods that fit (--method): {}", methods.join(", ")),
    }
}

/// What is wrong with the name of a clustering.
fn misnamed(name: &str, found: usize, known: &[String]) -> String {
    const SHOWN: usize = 10;
    if known.is_empty() {
        return format!("\"{name}\": the clusterings have no names; select them by number");
    }
    if found > 1 {
        return format!("{found} clusterings are called \"{name}\"; select them by number");
    }
    let more = if known.len() > SHOWN { ", …" } else { "" };
    let known = known[..known.len().min(SHOWN)].join(", ");
    format!("there is no clustering \"{name}\"; the names are {known}{more}")
}

/// The message of the last panic.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Stores the message of a panic instead of printing a backtrace. A reader may still turn the
/// panic into an error; [`report_defect`] handles panics that are not caught.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or(String::new(), |l| format!(" at {l}"));
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let text = text.unwrap_or("no message").lines().next().unwrap_or_default();
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(format!("{place}: {text}"));
    }));
}

/// Prints two lines about a panic that ended the program.
pub fn report_defect() {
    let said = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
    anstream::eprintln!(
        "enclust: this is a bug in enclust{}\nPlease report it with the command line: {}/issues",
        said.unwrap_or_default(),
        env!("CARGO_PKG_REPOSITORY")
    );
}
