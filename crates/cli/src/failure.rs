//! What can go wrong, in a line or two, and the exit code it leads to.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use enclust::core::{Bytes, Error, Stage};
use enclust_experiment::StudyError;
use enclust_io::{ReadError, WriteError};

/// Exit code of a run that failed.
pub const FAILED: u8 = 1;
/// Exit code of a command line that makes no sense, whatever the data.
pub const USAGE: u8 = 2;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The parts asked for, or their parameters, do not exist or do not fit together.
    #[error("{error}{hint}")]
    Recipe {
        /// What is wrong with them.
        error: Error,
        /// A second line, with its line break, or nothing.
        hint: String,
    },
    /// No part in use has such a parameter.
    #[error("none of the parts has a parameter \"{parameter}\": {parts}")]
    NoSuchParameter {
        /// The parameter.
        parameter: &'static str,
        /// The parts in use, with what they can be given.
        parts: String,
    },
    /// Several parts in use have such a parameter.
    #[error(
        "--{parameter} {value}: more than one part has it; say {}",
        .stages.iter().map(|stage| format!("--set {stage}.{parameter}={value}")).collect::<Vec<_>>().join(" or ")
    )]
    AmbiguousParameter {
        /// The parameter.
        parameter: &'static str,
        /// What it was to be.
        value: f64,
        /// The stages that have it.
        stages: Vec<Stage>,
    },
    /// A stopping rule's parameter, where the enhancer stops by its own rule.
    #[error(
        "stop.{parameter}: no stopping rule is named; add --stop NAME (enclust list stop shows them)"
    )]
    NoStop {
        /// The parameter.
        parameter: String,
    },
    /// A setting that is not stage.parameter=value.
    #[error(
        "\"{text}\" is not STAGE.PARAMETER=VALUE; the stages are {}",
        Stage::PIPELINE.map(Stage::key).join(", ")
    )]
    Setting {
        /// What was given.
        text: String,
    },
    /// An option of an earlier version.
    #[error("{old} is now called {new}")]
    RenamedOption {
        /// The option given.
        old: &'static str,
        /// What it is called now.
        new: &'static str,
    },
    /// A file where the choice of confident pairs is named.
    #[error(
        "--confidence names a choice of confident pairs, and there is none called \"{text}\"; \
         to write how firmly each sample holds to its cluster, say --membership {text}"
    )]
    MembershipFile {
        /// What was given.
        text: String,
    },
    /// Confident pairs that nothing propagates.
    #[error(
        "--confidence {name} has no effect, because nothing is enhanced; name an --enhance part"
    )]
    IdleConfidence {
        /// The choice of confident pairs.
        name: String,
    },
    /// Something to choose from a list that is not in it.
    #[error("there is no {what} \"{name}\"; known: {}", .known.join(", "))]
    Unknown {
        /// What was asked for.
        what: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A tree is asked of a consensus function that makes none.
    #[error("{option} needs a tree, and {part} makes none; average, complete and single do")]
    NoTree {
        /// The option that needs one.
        option: &'static str,
        /// The consensus function.
        part: String,
    },
    /// A similarity is asked of parts that make none.
    #[error("{option} needs a similarity, and {part} makes none")]
    NoSimilarity {
        /// The option that needs one.
        option: &'static str,
        /// The representation.
        part: String,
    },
    /// Something that reads clusterings, where there is only a similarity.
    #[error("{what} reads base clusterings, and there is only {}", .similarity.display())]
    NeedsPool {
        /// What reads them.
        what: String,
        /// The similarity.
        similarity: PathBuf,
    },
    /// A chart of a table that has none.
    #[error("--chart draws the table time; {table} has no chart")]
    NoChart {
        /// The table.
        table: String,
    },
    /// Neither a pool nor a similarity.
    #[error("there is nothing to cluster: name a pool, or a similarity with --similarity-in")]
    NoInput,
    /// A file that cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file that cannot be written.
    #[error("cannot write {0}")]
    Write(#[from] WriteError),
    /// A file whose bytes cannot be had for the record.
    #[error("{}: {error}", .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A column that the pool does not have.
    #[error("{}: there is no clustering {column}, only {clusterings}", .path.display())]
    NoColumn {
        /// The pool.
        path: PathBuf,
        /// The column asked for, counted from 1.
        column: usize,
        /// How many clusterings there are.
        clusterings: usize,
    },
    /// What a file holds does not fit what is asked of it.
    #[error("{}: {error}", .path.display())]
    Data {
        /// The file it came from.
        path: PathBuf,
        /// What is wrong with it.
        error: Error,
    },
    /// A result is too large for the disk.
    #[error(
        "{}: {rows} x {rows} numbers take {needed}, and the disk has {available} left{}",
        .path.display(), if *.halved { "; --precision f32 takes half" } else { "" }
    )]
    Disk {
        /// The file to be written.
        path: PathBuf,
        /// Rows of the matrix.
        rows: usize,
        /// Its size.
        needed: Bytes,
        /// The room there is.
        available: Bytes,
        /// Whether single precision would halve it.
        halved: bool,
    },
    /// The library refused.
    #[error(transparent)]
    Core(#[from] Error),
    /// A study failed.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A result could not be put into words.
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The standard output cannot be written to.
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// The same error, as one of the data in a file.
    pub fn in_file(path: &Path) -> impl Fn(Error) -> Failure + '_ {
        move |error| Failure::Data { path: path.into(), error }
    }

    /// [`USAGE`] for what the command line alone shows to be wrong, else [`FAILED`].
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
            | Failure::NeedsPool { .. }
            | Failure::NoChart { .. }
            | Failure::NoInput
            | Failure::Study(StudyError::NotInTable { .. } | StudyError::NotAvailable { .. }) => {
                USAGE
            }
            _ => FAILED,
        }
    }
}

/// The last panic, in words.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Keeps what a panic says instead of printing a backtrace. A reader may still make an
/// error of it; [`report_defect`] is for those that nobody caught.
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

/// Two lines on a panic that ended the program.
pub fn report_defect() {
    let said = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
    anstream::eprintln!(
        "enclust: this is a defect of enclust{}\nPlease report it with the command line: {}/issues",
        said.unwrap_or_default(),
        env!("CARGO_PKG_REPOSITORY")
    );
}
