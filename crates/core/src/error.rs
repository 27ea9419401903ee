//! What can go wrong, with the place where it did.

use crate::evidence::Kind;
use crate::memory::Bytes;
use crate::run::quantities::Quantities;
use crate::stages::stage::Stage;

/// Result of everything fallible in enclust.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Bad input or broken numerics.
///
/// Not converging is not an error: it is a [`Status`](crate::Status) in the
/// report. Positions are counted from zero.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input has no samples or no clusterings.
    #[error("the {what} is empty")]
    Empty {
        /// What was empty.
        what: &'static str,
    },
    /// A column or row of labels has another length than the first one.
    #[error("{what} {index} has {found} entries where {expected} were expected")]
    Ragged {
        /// What kind of line: "clustering" or "sample".
        what: &'static str,
        /// Which one, counted from zero.
        index: usize,
        /// Length of the first one.
        expected: usize,
        /// Length of this one.
        found: usize,
    },
    /// Two things that must have the same size do not.
    #[error("{what}: expected {expected}, found {found}")]
    Size {
        /// What was measured.
        what: &'static str,
        /// The size that was needed.
        expected: usize,
        /// The size that was given.
        found: usize,
    },
    /// An index points outside.
    #[error("{what} {index} does not exist, there are {len}")]
    Index {
        /// What was indexed.
        what: &'static str,
        /// The offending index, counted from zero.
        index: usize,
        /// How many there are.
        len: usize,
    },
    /// A pair that is no pair.
    #[error("{what} {index} is paired with itself")]
    SelfPair {
        /// What was paired.
        what: &'static str,
        /// Which one, counted from zero.
        index: usize,
    },
    /// A cannot-link pair that must-links join.
    #[error(
        "samples {} and {} cannot be linked, but must-links join them: {}",
        .pair.0, .pair.1, path(.chain)
    )]
    Contradiction {
        /// The cannot-link pair.
        pair: (usize, usize),
        /// The samples from one end of the pair to the other, each joined with the
        /// next by a must-link.
        chain: Vec<usize>,
    },
    /// The weight of a base clustering is out of range.
    #[error(
        "weight {value} of clustering {clustering} is out of range, must lie in [0.000001, 1000000]"
    )]
    Weight {
        /// Which clustering.
        clustering: usize,
        /// Its weight.
        value: f64,
    },
    /// An entry of a matrix is not a number within its range.
    #[error(
        "{what} at row {row}, column {column}: {value} is not allowed there, must lie in [0, 1]"
    )]
    Entry {
        /// Which matrix.
        what: &'static str,
        /// Row, counted from zero.
        row: usize,
        /// Column, counted from zero.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// A feature of a sample is not finite.
    #[error("feature {feature} of sample {sample} is {value}, which is no finite number")]
    Feature {
        /// Which sample, counted from zero.
        sample: usize,
        /// Which feature, counted from zero.
        feature: usize,
        /// The value found.
        value: f64,
    },
    /// A matrix that must be symmetric is not.
    #[error(
        "entries ({row}, {column}) = {upper} and ({column}, {row}) = {lower} differ, the matrix is not symmetric"
    )]
    Asymmetric {
        /// Row of the upper entry.
        row: usize,
        /// Column of the upper entry.
        column: usize,
        /// Entry above the diagonal.
        upper: f64,
        /// Entry below the diagonal.
        lower: f64,
    },
    /// A value that is no whole multiple of one over the stated denominator.
    #[error("{value} is no whole multiple of 1/{denominator}")]
    Denominator {
        /// The denominator stated.
        denominator: f64,
        /// The value found.
        value: f64,
    },
    /// A number of clusters that cannot be reached.
    #[error("k = {k} clusters cannot be reached: {component} gives between 1 and {largest} here")]
    ClusterCount {
        /// The number asked for.
        k: usize,
        /// The largest number that can be reached.
        largest: usize,
        /// Who says so.
        component: String,
    },
    /// A component learns for one number of clusters and was not told which.
    #[error("{component} learns for one number of clusters: ask for one k at a time")]
    NeedsClusters {
        /// The component.
        component: String,
    },
    /// A cut into another number of clusters than the evidence was learned for.
    #[error("the evidence was learned for k = {fitted}, not for k = {k}")]
    OtherClusters {
        /// The number it was learned for.
        fitted: usize,
        /// The number asked for.
        k: usize,
    },
    /// A component has no definition for this input.
    #[error("{component} does not support {what}")]
    Unsupported {
        /// The component.
        component: String,
        /// What it has no definition for.
        what: String,
    },
    /// Two stages that do not fit together.
    #[error("{consumer} reads {}, but {producer} makes {made}", list(.accepts))]
    KindMismatch {
        /// The stage that reads.
        consumer: String,
        /// What it can read.
        accepts: Vec<Kind>,
        /// The stage that writes.
        producer: String,
        /// What it makes.
        made: Kind,
    },
    /// A stopping rule that reads what an enhancer does not provide.
    #[error(
        "the stopping rule {rule} reads {needs}, which {component} does not provide{}",
        if .known.is_empty() { String::new() } else { format!("; rules that work with it: {}", .known.join(", ")) }
    )]
    StopMismatch {
        /// The rule.
        rule: String,
        /// What it reads that is not there.
        needs: Quantities,
        /// The part that iterates.
        component: String,
        /// The rules that would do, where they are known.
        known: Vec<String>,
    },
    /// No stage of that name.
    #[error("no stage is called \"{name}\"; known: {}", stage_keys())]
    UnknownStage {
        /// The name given.
        name: String,
    },
    /// A name of an earlier version.
    #[error("\"{old}\" is now called \"{new}\"")]
    Renamed {
        /// The name given.
        old: String,
        /// The name it has now.
        new: String,
    },
    /// A part in words that cannot be read.
    #[error("\"{text}\" is no part: {reason}; write name, or name(parameter=value, …)")]
    Syntax {
        /// The words.
        text: String,
        /// What is wrong with them.
        reason: String,
    },
    /// A part failed for a reason of its own.
    #[error("{component}: {reason}")]
    Part {
        /// The part.
        component: String,
        /// What it says.
        reason: String,
    },
    /// No component of that name.
    #[error("no {stage} is called \"{name}\"; known: {}", .known.join(", "))]
    UnknownComponent {
        /// Which table was asked.
        stage: &'static str,
        /// The name asked for.
        name: String,
        /// The names it knows.
        known: Vec<String>,
    },
    /// A parameter is unknown, of the wrong type or out of range.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// A matrix that must be positive definite is not.
    #[error("the matrix is not positive definite (pivot {pivot})")]
    NotPositiveDefinite {
        /// Index of the first pivot that is not positive.
        pivot: usize,
    },
    /// A computation left the finite numbers.
    #[error("{what} is not finite at iteration {iteration}")]
    NotFinite {
        /// What was computed.
        what: &'static str,
        /// When.
        iteration: usize,
    },
    /// An inner iteration did not reach the accuracy it promises.
    #[error("{what} did not converge in {iterations} iterations")]
    NoConvergence {
        /// What was computed.
        what: &'static str,
        /// How many iterations were made.
        iterations: usize,
    },
    /// A run would need more memory than there is; nothing large was made yet.
    #[error(
        "{stage} needs {needed} where {available} are available at {size}: {}",
        choices(.advice)
    )]
    Memory {
        /// The stage that needs most, and the part that does it.
        stage: String,
        /// The size at which it does, such as "n' = 40000".
        size: String,
        /// The most memory in use while the stage runs.
        needed: Bytes,
        /// What there is: the [limit](crate::Ctx::with_memory) or what the machine has.
        available: Bytes,
        /// What would help, each on its own.
        advice: Vec<String>,
    },
    /// The caller stopped work that gives nothing unless it is finished.
    #[error("{what} was stopped{}", after(*.done, *.total))]
    Cancelled {
        /// What was going on.
        what: &'static str,
        /// How much was done, in units of its own.
        done: u64,
        /// How much there is to do; 0 if that is not known.
        total: u64,
    },
    /// The thread pool could not be made.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// How many threads were asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}

impl Error {
    /// [`Error::Size`] unless both are equal.
    pub fn check_size(what: &'static str, expected: usize, found: usize) -> Result<()> {
        if expected == found { Ok(()) } else { Err(Error::Size { what, expected, found }) }
    }

    /// An [`Error::Part`]: a part failed for a reason of its own.
    ///
    /// ```
    /// use enclust_core::Error;
    ///
    /// let error = Error::failed("my-ca", "the table of weights is not there");
    /// assert_eq!(error.to_string(), "my-ca: the table of weights is not there");
    /// ```
    pub fn failed(component: impl Into<String>, reason: impl ToString) -> Self {
        Error::Part { component: component.into(), reason: reason.to_string() }
    }

    /// An [`Error::Unsupported`] from its two halves.
    pub fn unsupported(component: impl Into<String>, what: impl Into<String>) -> Self {
        Error::Unsupported { component: component.into(), what: what.into() }
    }
}

/// A parameter that cannot be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamError {
    /// The value lies outside the parameter's range.
    #[error("{component}: {parameter} = {value} is out of range, {range}")]
    OutOfRange {
        /// The component.
        component: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value given.
        value: String,
        /// The range in words.
        range: String,
    },
    /// The component has no such parameter.
    #[error("{component} has no parameter \"{parameter}\"; known: {}", if .known.is_empty() { "none".to_string() } else { .known.join(", ") })]
    Unknown {
        /// The component.
        component: &'static str,
        /// The name given.
        parameter: String,
        /// The names it knows.
        known: Vec<String>,
    },
    /// The value has the wrong type.
    #[error("{component}: {parameter} is {expected}, but {value} was given")]
    WrongType {
        /// The component.
        component: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What is expected.
        expected: String,
        /// What was given.
        value: String,
    },
}

fn after(done: u64, total: u64) -> String {
    if total == 0 { String::new() } else { format!(" after {done} of {total}") }
}

fn stage_keys() -> String {
    Stage::ALL.map(Stage::key).join(", ")
}

/// "a, b, or c".
fn choices(advice: &[String]) -> String {
    match advice {
        [before @ .., last] if !before.is_empty() => format!("{}, or {last}", before.join(", ")),
        few => few.concat(),
    }
}

fn list(kinds: &[Kind]) -> String {
    kinds.iter().map(Kind::to_string).collect::<Vec<_>>().join(" or ")
}

fn path(samples: &[usize]) -> String {
    samples.iter().map(usize::to_string).collect::<Vec<_>>().join(" - ")
}
