//! Errors, with the place where they occurred.

use crate::evidence::Kind;
use crate::memory::Bytes;
use crate::run::quantities::Quantities;
use crate::stages::stage::Stage;

/// The result of all fallible functions of enclust.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Invalid input or a numerical failure.
///
/// An iteration that does not converge is not an error; the [`Status`](crate::Status) of its
/// report states it. Positions are counted from zero.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input has no samples or no clusterings.
    #[error("the {what} is empty")]
    Empty {
        /// What was empty.
        what: &'static str,
    },
    /// A column or row of labels has a wrong length.
    #[error("{what} {index} (counted from 0) has {found} entries, but {expected} were expected")]
    Ragged {
        /// The kind of line: "clustering" or "sample".
        what: &'static str,
        /// Its index, counted from zero.
        index: usize,
        /// The expected length.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// A size is not the expected one.
    #[error("{what}: expected {expected}, found {found}")]
    Size {
        /// What was measured.
        what: &'static str,
        /// The expected size.
        expected: usize,
        /// The size found.
        found: usize,
    },
    /// An index is out of bounds.
    #[error("{what} {index} does not exist; there are {len}, counted from 0")]
    Index {
        /// What was indexed.
        what: &'static str,
        /// The invalid index, counted from zero.
        index: usize,
        /// The number of elements.
        len: usize,
    },
    /// A sample or group is paired with itself.
    #[error("{what} {index} is paired with itself")]
    SelfPair {
        /// What was paired.
        what: &'static str,
        /// Its index, counted from zero.
        index: usize,
    },
    /// Must-links join a cannot-link pair.
    #[error(
        "samples {} and {} are a cannot-link pair, but must-links join them: {}",
        .pair.0, .pair.1, path(.chain)
    )]
    Contradiction {
        /// The cannot-link pair.
        pair: (usize, usize),
        /// The samples on a path from one end of the pair to the other. A must-link joins each
        /// sample to the next.
        chain: Vec<usize>,
    },
    /// Cannot-links need more clusters than there are.
    #[error(
        "cannot-links keep the samples {} apart in such a way that k = {k} clusters are not enough; \
         use a larger k or remove one of them", numbers(.samples)
    )]
    TooFewClusters {
        /// The number of clusters.
        k: usize,
        /// Samples that cannot be labelled with k clusters, although any of them could be left
        /// out: one sample of each component of the must-links.
        samples: Vec<usize>,
    },
    /// The weight of a base clustering is out of range.
    #[error(
        "weight {value} of clustering {clustering} is out of range: it must lie in [0.000001, 1000000]"
    )]
    Weight {
        /// The clustering, counted from zero.
        clustering: usize,
        /// Its weight.
        value: f64,
    },
    /// A row of labels that occurs zero times.
    #[error("the count of row {row} (counted from 0) is 0: leave out rows that do not occur")]
    Count {
        /// The row, counted from zero.
        row: usize,
    },
    /// An entry of a matrix is NaN or out of range.
    #[error(
        "{what} at row {row}, column {column} (counted from 0) is {value}, but must lie in [0, 1]"
    )]
    Entry {
        /// The matrix.
        what: &'static str,
        /// Row, counted from zero.
        row: usize,
        /// Column, counted from zero.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// A feature of a sample is not finite.
    #[error(
        "feature {feature} of sample {sample} (counted from 0) is {value}, which is not a finite number"
    )]
    Feature {
        /// The sample, counted from zero.
        sample: usize,
        /// The feature, counted from zero.
        feature: usize,
        /// The value found.
        value: f64,
    },
    /// A matrix that must be symmetric is not.
    #[error(
        "the matrix is not symmetric: entry ({row}, {column}) is {upper}, but entry ({column}, {row}) is {lower}"
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
    /// A value is not an integer multiple of one over the stated denominator.
    #[error("{value} is not an integer multiple of 1/{denominator}")]
    Denominator {
        /// The stated denominator.
        denominator: f64,
        /// The value found.
        value: f64,
    },
    /// A number of clusters that is not possible.
    #[error(
        "k = {k} is not possible: {component} gives between 1 and {largest} clusters for this input"
    )]
    ClusterCount {
        /// The requested number.
        k: usize,
        /// The largest possible number.
        largest: usize,
        /// The component.
        component: String,
    },
    /// A component learns for one number of clusters, but the run has none.
    #[error("{component} learns for one number of clusters; request one k at a time")]
    NeedsClusters {
        /// The component.
        component: String,
    },
    /// A cut into a number of clusters for which the evidence was not learned.
    #[error("the evidence was learned for k = {fitted}, not for k = {k}; fit again with k = {k}")]
    OtherClusters {
        /// The number for which it was learned.
        fitted: usize,
        /// The requested number.
        k: usize,
    },
    /// A component does not support this input.
    #[error("{component} does not support {what}")]
    Unsupported {
        /// The component.
        component: String,
        /// What it does not support.
        what: String,
    },
    /// A stage does not accept the evidence of the previous stage.
    #[error("{consumer} reads {}, but {producer} makes {made}", list(.accepts))]
    KindMismatch {
        /// The stage that reads the evidence.
        consumer: String,
        /// The kinds of evidence that it accepts.
        accepts: Vec<Kind>,
        /// The stage that makes the evidence.
        producer: String,
        /// The kind that it makes.
        made: Kind,
    },
    /// A stopping rule reads a quantity that the enhancer does not provide.
    #[error(
        "the stopping rule {rule} reads {needs}, which {component} does not provide{}",
        if .known.is_empty() { String::new() } else { format!("; rules that work with it: {}", .known.join(", ")) }
    )]
    StopMismatch {
        /// The rule.
        rule: String,
        /// The quantities that are not provided.
        needs: Quantities,
        /// The part that iterates.
        component: String,
        /// The rules that the part supports, if they are known.
        known: Vec<String>,
    },
    /// There is no stage of this name.
    #[error("no stage is called \"{name}\"; known: {}", stage_keys())]
    UnknownStage {
        /// The given name.
        name: String,
    },
    /// A name of an earlier version.
    #[error("\"{old}\" is now called \"{new}\"")]
    Renamed {
        /// The given name.
        old: String,
        /// The current name.
        new: String,
    },
    /// The text of a part is not valid.
    #[error("\"{text}\" is not a valid part: {reason}; write name or name(parameter=value, …)")]
    Syntax {
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A part failed for a reason of its own.
    #[error("{component}: {reason}")]
    Part {
        /// The part.
        component: String,
        /// The reason.
        reason: String,
    },
    /// There is no component of this name.
    #[error("no {stage} is called \"{name}\"; known: {}", .known.join(", "))]
    UnknownComponent {
        /// The stage whose parts were searched.
        stage: &'static str,
        /// The requested name.
        name: String,
        /// The known names.
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
    /// A computation gave a number that is not finite.
    #[error("{what} is not finite{}", at_iteration(*.iteration))]
    NotFinite {
        /// What was computed.
        what: &'static str,
        /// The iteration; 0 before the first one.
        iteration: usize,
    },
    /// An inner iteration did not reach its guaranteed accuracy.
    #[error("{what} did not converge in {iterations} iterations")]
    NoConvergence {
        /// What was computed.
        what: &'static str,
        /// The number of iterations.
        iterations: usize,
    },
    /// A run would need more memory than is available. Nothing large has been allocated.
    #[error(
        "{stage} needs {needed} for {size}, but {available} are available: {}",
        choices(.advice)
    )]
    Memory {
        /// The stage that needs the most memory, and its part.
        stage: String,
        /// The size of the input, such as "n' = 40000".
        size: String,
        /// The peak of memory in use while the stage runs.
        needed: Bytes,
        /// The available memory: the [limit](crate::Ctx::with_memory) or that of the machine.
        available: Bytes,
        /// Possible remedies, each sufficient on its own unless it states otherwise.
        advice: Vec<String>,
    },
    /// The caller cancelled work that has no partial result.
    #[error("{what} was stopped{}", after(*.done, *.total))]
    Cancelled {
        /// The work that was cancelled.
        what: &'static str,
        /// The amount of work that was done.
        done: u64,
        /// The total amount of work; 0 if it is not known.
        total: u64,
    },
    /// The thread pool could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// The requested number of threads.
        threads: usize,
        /// The message of the system.
        reason: String,
    },
}

impl Error {
    /// [`Error::Size`] if the sizes differ.
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

    /// An [`Error::Unsupported`] for this component.
    pub fn unsupported(component: impl Into<String>, what: impl Into<String>) -> Self {
        Error::Unsupported { component: component.into(), what: what.into() }
    }
}

/// An invalid parameter.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamError {
    /// The value is out of range.
    #[error("{component}: {parameter} = {value} is out of range: it {range}")]
    OutOfRange {
        /// The component.
        component: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The given value.
        value: String,
        /// The range as a predicate, such as "must be > 0".
        range: String,
    },
    /// The component has no such parameter.
    #[error("{component} has no parameter \"{parameter}\"; known: {}", if .known.is_empty() { "none".to_string() } else { .known.join(", ") })]
    Unknown {
        /// The component.
        component: &'static str,
        /// The given name.
        parameter: String,
        /// The known names.
        known: Vec<String>,
    },
    /// The value has the wrong type.
    #[error("{component}: {parameter} must be {expected}, but {value} was given")]
    WrongType {
        /// The component.
        component: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// A description of valid values.
        expected: String,
        /// The given value.
        value: String,
    },
}

fn at_iteration(iteration: usize) -> String {
    if iteration == 0 { String::new() } else { format!(" in iteration {iteration}") }
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

/// Samples in words.
fn numbers(samples: &[usize]) -> String {
    samples.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

fn path(samples: &[usize]) -> String {
    samples.iter().map(usize::to_string).collect::<Vec<_>>().join(" - ")
}
