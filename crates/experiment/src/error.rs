//! What can go wrong with a study, with the place where it did.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// A study that cannot be read, run or put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// A file cannot be read.
    #[error("{}: {error}", .path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A file cannot be written.
    #[error("{}: cannot be written: {error}", .path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The file is not a study.
    #[error("{file}:{line}:{column}: {message}")]
    Syntax {
        /// Which file.
        file: String,
        /// Line, counted from one.
        line: usize,
        /// Column, counted from one.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// A key has a value that makes no sense.
    #[error("{file}: {key}: {what}")]
    Value {
        /// Which file.
        file: String,
        /// Which key.
        key: &'static str,
        /// What is wrong with its value.
        what: String,
    },
    /// A pipeline cannot be put together.
    #[error("{file}:{line}: variant \"{variant}\": {error}")]
    Variant {
        /// Which file.
        file: String,
        /// Line on which the variant begins, counted from one.
        line: usize,
        /// Its name.
        variant: String,
        /// What is wrong with it.
        error: Box<enclust_core::Error>,
    },
    /// The linear algebra cannot be set up.
    #[error("backend: {error}")]
    Backend {
        /// Why.
        error: Box<enclust_core::Error>,
    },
    /// A variant names neither a method nor the parts of one.
    #[error(
        "{file}:{line}: variant \"{variant}\" names no method; give method, or ca and finish, or a [base]"
    )]
    NoMethod {
        /// Which file.
        file: String,
        /// Line on which the variant begins, counted from one.
        line: usize,
        /// Its name.
        variant: String,
    },
    /// A grid that nobody published.
    #[error("{file}:{line}: variant \"{variant}\": no grid was published for {}", of(.parameter))]
    NoPublishedGrid {
        /// Which file.
        file: String,
        /// Line on which the variant begins, counted from one.
        line: usize,
        /// Its name.
        variant: String,
        /// The parameter; `None` for all of them.
        parameter: Option<String>,
    },
    /// A name stands for two things.
    #[error("{file}: two {what}s are called \"{name}\"")]
    Twice {
        /// Which file.
        file: String,
        /// What is named: "variant", "grid" or "pool".
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Something was asked for by a name nobody has.
    #[error("there is no {what} \"{name}\"; known: {}", .known.join(", "))]
    Unknown {
        /// What was asked for.
        what: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A method that a table does not have.
    #[error("the table {table} has no method \"{method}\"; it has {}", .known.join(", "))]
    NotInTable {
        /// The table.
        table: &'static str,
        /// The name given.
        method: String,
        /// The methods it has.
        known: Vec<String>,
    },
    /// A method of the paper that this version does not have.
    #[error("{method} is not available yet; available here: {}", .available.join(", "))]
    NotAvailable {
        /// The method.
        method: String,
        /// The methods that are.
        available: Vec<String>,
    },
    /// No file belongs to a pool's name.
    #[error("pool \"{name}\" is not in {}", folders(.looked))]
    PoolNotFound {
        /// The name as the study writes it.
        name: String,
        /// The folders searched, in order.
        looked: Vec<PathBuf>,
    },
    /// A pool cannot be read.
    #[error(transparent)]
    Pool(Box<enclust_io::ReadError>),
    /// A pool has no truth where one is needed.
    #[error("pool \"{pool}\" has no truth labels, but {needed_by} needs them")]
    NoTruth {
        /// The pool.
        pool: String,
        /// The metric or the number of clusters that needs the truth.
        needed_by: String,
    },
    /// A draw or a column does not fit a pool, or the pool's own scores fail.
    #[error("pool \"{pool}\": {error}")]
    Draw {
        /// The pool.
        pool: String,
        /// What does not fit.
        error: Box<enclust_core::Error>,
    },
    /// A figure that does not exist for a variant.
    #[error("variant \"{variant}\" makes no similarity, but {metric} is a figure of one")]
    NoSimilarity {
        /// The variant.
        variant: String,
        /// The metric.
        metric: String,
    },
    /// A run failed.
    #[error("{cell}: {error}")]
    Cell {
        /// Pool, run and variant in words.
        cell: String,
        /// Why.
        error: Box<enclust_core::Error>,
    },
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// The folder holds the results of something else.
    #[error(
        "{} holds another study: {}; take another folder, or remove this one",
        .folder.display(), listed(.differences)
    )]
    OtherStudy {
        /// The folder.
        folder: PathBuf,
        /// What differs, at least one thing.
        differences: Vec<Difference>,
    },
    /// Another process works in the folder.
    #[error("{}: another run is working in this folder", .folder.display())]
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
    /// Shards that do not add up.
    #[error("{missing} of {cells} runs are missing, the first of them: {first}")]
    Incomplete {
        /// Number of runs that no shard has.
        missing: usize,
        /// Number of runs of the whole study.
        cells: usize,
        /// The first missing one in words.
        first: String,
    },
    /// Two shards disagree.
    #[error("{}: its result for {cell} is not that of the shards before", .folder.display())]
    Conflict {
        /// The shard that came later.
        folder: PathBuf,
        /// The run in words.
        cell: String,
    },
    /// A shard that is not "number/count".
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

/// Something that is not the same in two studies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where in the resolved study, such as `variants.0.name`.
    pub at: String,
    /// What the folder holds, `nothing` if it has no such entry.
    pub there: String,
    /// What was to be run.
    pub here: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {} there and {} here", self.at, self.there, self.here)
    }
}

/// The first few differences; one change often shows in many places.
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
        return "any folder, for none was given".into();
    }
    // The folder of a file that is named without one.
    let shown =
        |p: &PathBuf| if p.as_os_str().is_empty() { ".".into() } else { p.display().to_string() };
    looked.iter().map(shown).collect::<Vec<_>>().join(" or ")
}
