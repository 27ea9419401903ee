//! Errors of reading and writing, with their position in the file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use enclust_core::Bytes;

use crate::separator::Separator;

/// A file could not be read.
///
/// The message has one or two lines: the file, the position, the cause and, if possible, a
/// remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[error("{}: {fault}", .path.display())]
pub struct ReadError {
    /// The path of the file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: Fault,
}

impl ReadError {
    /// Combines the fault with the path of the file.
    pub fn new(path: impl AsRef<Path>, fault: impl Into<Fault>) -> Self {
        ReadError { path: path.as_ref().into(), fault: fault.into() }
    }
}

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("{}: {error}", .path.display())]
pub struct WriteError {
    /// The path of the file.
    pub path: PathBuf,
    /// The error of the system.
    pub error: io::Error,
}

/// A position in a file, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A position in a text file; a header counts as a line, an id column as a column.
    Line {
        /// The line of the file.
        line: usize,
        /// The column in that line.
        column: usize,
    },
    /// A position in an array or a table.
    Cell {
        /// The name of the array, if it has one.
        array: Option<String>,
        /// Row, counted from 1.
        row: usize,
        /// Column, counted from 1.
        column: usize,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line { line, column } => write!(f, "line {line}, column {column}"),
            Place::Cell { array: None, row, column } => write!(f, "row {row}, column {column}"),
            Place::Cell { array: Some(name), row, column } => {
                write!(f, "{name:?}, row {row}, column {column}")
            }
        }
    }
}

/// What is wrong with the content of a file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There is no such column of counts, or there are several.
    #[error(
        "{found} columns are called {wanted}, but one is needed for the counts; there are {columns} \
         columns{}", all_called(.known)
    )]
    NoCounts {
        /// The number or the name that was stated.
        wanted: String,
        /// How many columns it names.
        found: usize,
        /// Number of columns.
        columns: usize,
        /// Their names.
        known: Vec<String>,
    },
    /// A count is not a whole number above 0.
    #[error("{at}: the count is {value}, but a row occurs a whole number of times, at least once")]
    Count {
        /// Where it is.
        at: Place,
        /// The content of the cell.
        value: String,
    },
    /// The counts of the rows do not fit together.
    #[error("{what}")]
    Counts {
        /// What is wrong with them.
        what: String,
    },
    /// A sample without a cluster, in a row that stands for several samples.
    #[error(
        "{at}: the label -1 is a cluster of its own for each sample, but this row occurs {count} \
         times; --noise missing is possible, or repeat the row"
    )]
    NoiseCount {
        /// Where the label is.
        at: Place,
        /// The count of the row.
        count: u64,
    },
    /// The system could not read the content.
    #[error("{message}")]
    System {
        /// The kind of the error.
        kind: io::ErrorKind,
        /// The error of the system.
        message: String,
    },
    /// The path is a folder, a device or a pipe.
    #[error("not a regular file")]
    NotAFile,
    /// It is not a valid MATLAB file.
    #[error(transparent)]
    Mat(#[from] MatError),
    /// It is not a valid NumPy array.
    #[error(transparent)]
    Npy(#[from] NpyError),
    /// It is not a valid archive of NumPy arrays.
    #[error("not a valid .npz archive: {what}")]
    Npz {
        /// What is wrong with the archive.
        what: String,
    },
    /// An array in an archive is not valid.
    #[error("array {name:?}: {error}")]
    InArray {
        /// Its name.
        name: String,
        /// What is wrong with it.
        error: NpyError,
    },
    /// It is not a valid Parquet table.
    #[error("not a readable Parquet file: {what}")]
    Parquet {
        /// What is wrong with it.
        what: String,
    },
    /// It is a Parquet file, and this build cannot read them.
    #[error("this build cannot read Parquet files; build with the feature \"parquet\"")]
    NoParquet,
    /// It is not a text file, and only text files are supported here.
    #[error("not a text file; a text file is needed here")]
    NotText,
    /// The array does not contain floats, and only floats are supported here.
    #[error("the values are not floats; convert them with astype(float)")]
    NotFloats,
    /// The text file is not UTF-8.
    #[error("line {line} is not UTF-8 text; save the file as UTF-8")]
    NotUtf8 {
        /// The first such line, counted from 1.
        line: usize,
    },
    /// A line has a different number of cells than the first line.
    #[error(
        "line {line} has {found} cells, but {expected} were expected (separator: {separator}; \
         --separator states another)"
    )]
    Ragged {
        /// The line, counted from 1.
        line: usize,
        /// Cells of the first line.
        expected: usize,
        /// Cells of this one.
        found: usize,
        /// The separator that was stated or detected.
        separator: Separator,
    },
    /// A quoted cell is not closed before the end of the file.
    #[error("{at}: the quote is not closed; close it, or remove it")]
    UnclosedQuote {
        /// Where the cell begins.
        at: Place,
    },
    /// Text stands before or after the quotes of a cell.
    #[error(
        "{at}: text stands beside a quoted cell; quote the whole cell and double quotes inside it"
    )]
    StrayQuote {
        /// Where.
        at: Place,
    },
    /// The text contains a zero byte.
    #[error("line {line} contains a zero byte, so this is not a text file; save it as UTF-8 text")]
    Nul {
        /// The first such line, counted from 1.
        line: usize,
    },
    /// The text is UTF-16 or UTF-32.
    #[error("the text is UTF-16, which is not supported; save the file as UTF-8")]
    Utf16,
    /// It is unclear what separates the cells.
    #[error(
        "it is unclear what separates the cells ({}); state it: --separator comma|semicolon|tab|space",
        listed(.candidates)
    )]
    SeparatorUnclear {
        /// What may separate them.
        candidates: Vec<Separator>,
    },
    /// Reading needs too much memory.
    #[error(
        "reading it needs {needed} of memory, but the limit is {available}; --memory raises it"
    )]
    Memory {
        /// The bytes needed.
        needed: Bytes,
        /// The stated limit, or the available memory.
        available: Bytes,
    },
    /// The content of a compressed file or of standard input exceeds the memory.
    #[error("its content is longer than the memory limit allows, {available}; --memory raises it")]
    TooLong {
        /// The bytes that were left.
        available: Bytes,
    },
    /// A compressed file is not valid.
    #[error("the {format} data are damaged: {what}")]
    Compressed {
        /// The compression.
        format: &'static str,
        /// What is wrong.
        what: String,
    },
    /// A blank line is followed by other lines.
    #[error("line {line} is blank; write NA for a missing label")]
    Blank {
        /// The line, counted from 1.
        line: usize,
    },
    /// It is unclear whether the first line is a header.
    #[error("it is unclear whether line 1 is a header or a sample; state which: --header yes|no")]
    HeaderUnclear,
    /// It is unclear whether the first column names the samples.
    #[error(
        "it is unclear whether column 1 names the samples or is data; state which: --id-column yes|no"
    )]
    IdsUnclear,
    /// Two samples have the same name.
    #[error("{at}: the sample id {id:?} occurs twice (if these are labels: --id-column no)")]
    DuplicateId {
        /// Where it occurs again.
        at: Place,
        /// The id.
        id: String,
    },
    /// A sample has no name although others have one.
    #[error("{at}: the sample id is missing (if these are labels: --id-column no)")]
    MissingId {
        /// Where.
        at: Place,
    },
    /// A file of arrays does not contain the required array.
    #[error("there is no array {}, only {}", alternatives(.wanted), quoted(.found))]
    NoArray {
        /// The accepted names.
        wanted: Vec<&'static str>,
        /// The arrays in the file.
        found: Vec<String>,
    },
    /// A variable or column has an unsupported type.
    #[error("{name:?} cannot be read: it contains {holds}")]
    Unread {
        /// Its name.
        name: String,
        /// What it contains.
        holds: String,
    },
    /// An array has the wrong shape.
    #[error("{}the shape is {shape:?}, {expected} is needed", named(.array))]
    Shape {
        /// Its name, if it has one.
        array: Option<String>,
        /// Its shape.
        shape: Vec<usize>,
        /// The required shape, in words.
        expected: &'static str,
    },
    /// A table has the wrong number of columns.
    #[error("{found} columns found; {expected}")]
    Columns {
        /// The requirement, in words.
        expected: &'static str,
        /// The actual number.
        found: usize,
    },
    /// The truth and the clusterings have different numbers of samples.
    #[error(
        "{truth} truth labels for {samples} samples (rows){}",
        if *.transposed { format!("; there are {truth} columns: is the pool transposed?") } else { String::new() }
    )]
    Samples {
        /// Number of samples of the clusterings.
        samples: usize,
        /// Number of truth labels.
        truth: usize,
        /// Whether there are as many clusterings as truth labels.
        transposed: bool,
    },
    /// The number of names is wrong.
    #[error("{array:?} has {found} names, but {expected} are needed")]
    Names {
        /// The array of names.
        array: &'static str,
        /// The required number.
        expected: usize,
        /// The actual number.
        found: usize,
    },
    /// The truth has no sample with this name.
    #[error("the truth has no label for the sample {id:?}")]
    UnknownId {
        /// The sample's name in the pool.
        id: String,
    },
    /// The file is not a model of a result.
    #[error("not a model: {what}; `enclust cluster POOL --k K --save-model FILE.npz` writes one")]
    NotAModel {
        /// What is wrong with it.
        what: String,
    },
    /// New rows have more or fewer columns than the pool of a model.
    #[error(
        "{found} columns found, but the pool of the model has {expected}; columns are matched by \
         position, because {} has no column names{}",
        if *.named { "the model" } else { "the file" },
        if *.named { "" } else { " (if line 1 has them: --header yes)" }
    )]
    ModelColumns {
        /// The columns of the pool.
        expected: usize,
        /// The columns of the new rows.
        found: usize,
        /// Whether the columns of the new rows have names, so that only the model has none.
        named: bool,
    },
    /// New rows do not have a column of the model, or have it more than once.
    #[error(
        "the model needs one column {name:?}, and {found} columns have this name (the columns are \
         {}; a file without a header: --header no)",
        quoted(.known)
    )]
    ModelColumn {
        /// The name.
        name: String,
        /// How many columns have it.
        found: usize,
        /// The columns of the new rows.
        known: Vec<String>,
    },
    /// There is a label −1, and its meaning is not stated.
    #[error("{at}: the label -1 usually marks noise; state its meaning: --noise singleton|missing")]
    Noise {
        /// Where.
        at: Place,
    },
    /// A label is a number but not a whole number.
    #[error("{at}: the label {value} is not a whole number")]
    Label {
        /// Where.
        at: Place,
        /// The value found.
        value: String,
    },
    /// Samples have no class, where every sample needs one.
    #[error("{missing} samples have no true class")]
    TruthGaps {
        /// Number of samples without a class.
        missing: usize,
    },
    /// The truth does not label any sample.
    #[error("{at}: the truth has no class there")]
    NoTruth {
        /// The first missing label.
        at: Place,
    },
    /// A feature is not a finite number.
    #[error("{at}: {value} is not a finite number")]
    Feature {
        /// Where.
        at: Place,
        /// What is there.
        value: String,
    },
    /// A sample of a pair does not exist.
    #[error("{at}: {text:?} is not a sample{}{}",
        if *.by_number { "; samples are numbered from 1" } else { "" },
        if matches!(.at, Place::Line { line: 1, .. }) {
            "; a header must be called from,to or sample1,sample2 or similar"
        } else { "" }
    )]
    UnknownSample {
        /// Where.
        at: Place,
        /// What is there.
        text: String,
        /// Whether samples can be given by number here.
        by_number: bool,
    },
    /// Both samples of a pair are the same.
    #[error("line {line} pairs a sample with itself")]
    SelfPair {
        /// The line, counted from 1.
        line: usize,
    },
    /// A similarity is not in [0, 1].
    #[error("{at}: {value} is not a similarity; similarities lie in [0, 1]")]
    Similarity {
        /// Where.
        at: Place,
        /// The value found.
        value: f64,
    },
    /// Mirrored entries of a similarity differ.
    #[error("{at} is {value}, but the mirrored entry is {mirrored}; the matrix is not symmetric")]
    Asymmetric {
        /// The entry that was read later.
        at: Place,
        /// Its value.
        value: f64,
        /// The value of the mirrored entry.
        mirrored: f64,
    },
    /// There are no values.
    #[error("it has no samples or no columns")]
    Empty,
    /// The values can be read, but they do not form a valid ensemble or similarity.
    #[error(transparent)]
    Core(#[from] enclust_core::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Fault::System { kind: error.kind(), message: error.to_string() }
    }
}

/// Bytes that are not a valid MATLAB file of versions 5 to 7.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatError {
    /// The header is not of these versions.
    #[error("not a MATLAB file of version 5 to 7; in MATLAB, save with '-v7'")]
    NotMat,
    /// It is an HDF5 file, the format of MATLAB version 7.3.
    #[error(
        "an HDF5 file, which is not supported; in MATLAB, save with '-v7'; for AnnData, write \
         adata.obs[columns].to_csv(file)"
    )]
    Hdf5,
    /// The file ends too early.
    #[error("truncated: {needed} bytes are needed at byte {at}, {left} are left")]
    Truncated {
        /// The position of the first missing byte.
        at: usize,
        /// The required number.
        needed: usize,
        /// The actual number.
        left: usize,
    },
    /// Something contradicts the format.
    #[error("damaged at byte {at}: {what}")]
    Damaged {
        /// Where.
        at: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// A variable exceeds the maximum size.
    #[error("the variable at byte {at} is too large; the limit is {limit} bytes")]
    TooLarge {
        /// Where.
        at: usize,
        /// The maximum size, as doubles and before compression.
        limit: usize,
    },
    /// A compressed variable is invalid; positions refer to the decompressed data.
    #[error("in the compressed variable at byte {at}: {error}")]
    Compressed {
        /// The position of the variable in the file.
        at: usize,
        /// The error in the decompressed data.
        error: Box<MatError>,
    },
}

/// Bytes that are not a valid NumPy array.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NpyError {
    /// The magic bytes are missing.
    #[error("not a NumPy file")]
    NotNpy,
    /// The version of the format is not supported.
    #[error("version {major}.{minor} of the NumPy format is not supported")]
    Version {
        /// First number of the version.
        major: u8,
        /// Second number of the version.
        minor: u8,
    },
    /// The header is not one that NumPy writes.
    #[error("the header is damaged: {what}")]
    Header {
        /// What is wrong with it.
        what: &'static str,
    },
    /// The type of the values is not supported.
    #[error("values of type {dtype} are not supported; {advice}")]
    Dtype {
        /// The type, as NumPy writes it.
        dtype: String,
        /// What to do.
        advice: &'static str,
    },
    /// There are more or fewer bytes than the shape needs.
    #[error("the shape {shape:?} needs {needed} bytes, there are {found}")]
    Size {
        /// The shape in the header.
        shape: Vec<usize>,
        /// The bytes that the shape needs; the largest number if that overflows.
        needed: u64,
        /// The bytes that were found.
        found: u64,
    },
    /// Text is not valid Unicode.
    #[error("row {row}, column {column} is not Unicode text")]
    NotText {
        /// Row, counted from 1.
        row: usize,
        /// Column, counted from 1.
        column: usize,
    },
}

/// Text of a cell as shown in errors: on one line and of limited length.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into(),
    }
}

fn quoted(names: &[String]) -> String {
    const MOST: usize = 10;
    if names.is_empty() {
        return "an empty file".into();
    }
    let listed: Vec<_> = names.iter().take(MOST).map(|name| format!("{:?}", shown(name))).collect();
    let rest = if names.len() > MOST { ", ..." } else { "" };
    listed.join(", ") + rest
}

fn alternatives(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" or ")
}

fn listed(candidates: &[Separator]) -> String {
    candidates.iter().map(Separator::to_string).collect::<Vec<_>>().join(" or ")
}

fn named(array: &Option<String>) -> String {
    array.as_ref().map_or(String::new(), |name| format!("{name:?}: "))
}

/// The names of columns, if there are any.
fn all_called(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) }
}
