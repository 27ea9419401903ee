//! Errors of studies, with their location.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// A study cannot be read, run or merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// A file cannot be read.
    #[error("{}: {error}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// A file cannot be written.
    #[error("{}: cannot be written: {error}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The file is not a study.
    #[error("{file}:{line}:{column}: {message}")]
    Syntax {
        /// The file.
        file: String,
        /// Line, counted from one.
        line: usize,
        /// Column, counted from one.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// A key has an invalid value.
    #[error("{file}: {key}: {what}")]
    Value {
        /// The file.
        file: String,
        /// The key.
        key: &'static str,
        /// What is wrong with its value.
        what: String,
    },
    /// A pipeline cannot be built.
    #[error("{file}:{line}: variant \"{variant}\": {error}")]
    Variant {
        /// The file.
        file: String,
        /// Line on which the variant begins, counted from one.
        line: usize,
        /// Its name.
        variant: String,
        /// What is wrong with it.
        error: Box<enclust_core::Error>,
    },
    /// The linear-algebra backend cannot be created.
    #[error("backend: {error}")]
    Backend {
        /// The cause.
        error: Box<enclust_core::Error>,
    },
    /// A variant specifies neither a method nor its parts.
    #[error(
        "{file}:{line}: variant \"{variant}\" has no method; give method, or ca and consensus, or a [base]"
    )]
    NoMethod {
        /// The file.
        file: String,
        /// Line on which the variant begins, counted from one.
        line: usize,
        /// Its name.
        variant: String,
    },
    /// No grid was published for the parameter.
    #[error("{file}:{line}: variant \"{variant}\": no grid was published for {}", of(.parameter))]
    NoPublishedGrid {
        /// The file.
        file: String,
        /// Line on which the variant begins, counted from one.
        line: usize,
        /// Its name.
        variant: String,
        /// The parameter; `None` for all of them.
        parameter: Option<String>,
    },
    /// A name is used twice.
    #[error("{file}: two {what}s are called \"{name}\"")]
    Twice {
        /// The file.
        file: String,
        /// The kind of thing that has this name: "variant", "grid" or "pool".
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The requested name does not exist.
    #[error("there is no {what} \"{name}\"; known: {}", .known.join(", "))]
    Unknown {
        /// The kind of thing that was requested.
        what: &'static str,
        /// The given name.
        name: String,
        /// The known names.
        known: Vec<String>,
    },
    /// The table does not have this method.
    #[error("the table {table} has no method \"{method}\"; it has {}", .known.join(", "))]
    NotInTable {
        /// The table.
        table: &'static str,
        /// The given name.
        method: String,
        /// The methods it has.
        known: Vec<String>,
    },
    /// This version does not have this method of the paper.
    #[error("{method} is not available yet; available here: {}", .available.join(", "))]
    NotAvailable {
        /// The method.
        method: String,
        /// The available methods.
        available: Vec<String>,
    },
    /// There is no file for the name of a pool.
    #[error("pool \"{name}\" is not in {}", folders(.looked))]
    PoolNotFound {
        /// The name as the study writes it.
        name: String,
        /// The folders that were searched, in order.
        looked: Vec<PathBuf>,
    },
    /// A pool cannot be read.
    #[error(transparent)]
    Pool(Box<enclust_io::ReadError>),
    /// A pool has no truth, but the truth is needed.
    #[error("pool \"{pool}\" has no truth labels, but {needed_by} needs them")]
    NoTruth {
        /// The pool.
        pool: String,
        /// The metric or the number of clusters that needs the truth.
        needed_by: String,
    },
    /// A draw or a column does not fit a pool, or its clusterings cannot be scored.
    #[error("pool \"{pool}\": {error}")]
    Draw {
        /// The pool.
        pool: String,
        /// The cause.
        error: Box<enclust_core::Error>,
    },
    /// A metric is not defined for a variant.
    #[error("variant \"{variant}\" makes no similarity, but {metric} needs one")]
    NoSimilarity {
        /// The variant.
        variant: String,
        /// The metric.
        metric: String,
    },
    /// A run failed.
    #[error("{cell}: {error}")]
    Cell {
        /// A description of pool, run and variant.
        cell: String,
        /// The cause.
        error: Box<enclust_core::Error>,
    },
    /// The study was cancelled; what was finished before is kept.
    #[error("{error}")]
    Cancelled {
        /// How far it got.
        error: Box<enclust_core::Error>,
    },
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// The requested number.
        threads: usize,
        /// The error of the system.
        reason: String,
    },
    /// The folder contains the results of a different study.
    #[error(
        "{} contains a different study: {}; use another folder, or remove this one",
        .folder.display(), listed(.differences)
    )]
    OtherStudy {
        /// The folder.
        folder: PathBuf,
        /// The differences, at least one.
        differences: Vec<Difference>,
    },
    /// The folder contains other files and no study.
    #[error(
        "{}: this folder is not empty and contains no study; name a new folder (--out)",
        .folder.display()
    )]
    NotOwned {
        /// The folder.
        folder: PathBuf,
    },
    /// Another process is using the folder.
    #[error("{}: another run is using this folder", .folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// The journal of a folder was changed or damaged.
    #[error("{}: line {line} is damaged; remove the folder to start again", .path.display())]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// Line, counted from one.
        line: usize,
    },
    /// A folder has no journal.
    #[error("{}: there is no study in this folder", .folder.display())]
    NoStudy {
        /// The folder.
        folder: PathBuf,
    },
    /// The shards are incomplete.
    #[error("{missing} of {cells} runs are missing, the first of them: {first}")]
    Incomplete {
        /// Number of runs that no shard has.
        missing: usize,
        /// Number of runs of the whole study.
        cells: usize,
        /// A description of the first missing run.
        first: String,
    },
    /// Two shards have different results for the same run.
    #[error("{}: its result for {cell} differs from that of a previous shard", .folder.display())]
    Conflict {
        /// The later shard.
        folder: PathBuf,
        /// A description of the run.
        cell: String,
    },
    /// A shard does not have the form "number/count".
    #[error("\"{text}\" is not a shard; write 3/16 for the third of sixteen")]
    Shard {
        /// What was given.
        text: String,
    },
}

impl From<enclust_io::WriteError> for StudyError {
    fn from(error: enclust_io::WriteError) -> Self {
        StudyError::Write { path: error.path, error: error.error }
    }
}

impl From<enclust_io::ReadError> for StudyError {
    fn from(error: enclust_io::ReadError) -> Self {
        StudyError::Pool(Box::new(error))
    }
}

/// A difference between two studies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The location in the resolved study, such as `variants.0.name`.
    pub at: String,
    /// The value in the folder, `nothing` if there is no such entry.
    pub there: String,
    /// The value in the current study.
    pub here: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {} there and {} here", self.at, self.there, self.here)
    }
}

/// The first few differences; a single change often causes several of them.
fn listed(differences: &[Difference]) -> String {
    const SHOWN: usize = 3;
    let mut text: Vec<String> = differences.iter().take(SHOWN).map(Difference::to_string).collect();
    if differences.len() > SHOWN {
        text.push(format!("and {} more", differences.len() - SHOWN));
    }
    text.join(", ")
}

fn of(parameter: &Option<String>) -> &str {
    parameter.as_deref().unwrap_or("any of its parameters")
}

fn folders(looked: &[PathBuf]) -> String {
    if looked.is_empty() {
        return "any folder, because none was given".into();
    }
    // The folder of a file that is given without a folder.
    let shown =
        |p: &PathBuf| if p.as_os_str().is_empty() { ".".into() } else { p.display().to_string() };
    looked.iter().map(shown).collect::<Vec<_>>().join(" or ")
}

impl StudyError {
    pub(crate) fn cancelled(error: enclust_core::Error) -> Self {
        StudyError::Cancelled { error: Box::new(error) }
    }
}
