//! What can go wrong with a file, with the place where it did.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A file that cannot be taken.
///
/// The message is one or two lines: the file, the place, what is wrong there and, where
/// there is a way out, what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[error("{}: {fault}", .path.display())]
pub struct ReadError {
    /// Which file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: Fault,
}

impl ReadError {
    /// The fault, with the file it was found in.
    pub fn new(path: impl AsRef<Path>, fault: impl Into<Fault>) -> Self {
        ReadError { path: path.as_ref().into(), fault: fault.into() }
    }
}

/// A file that cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("{}: {error}", .path.display())]
pub struct WriteError {
    /// Which file.
    pub path: PathBuf,
    /// What the system said.
    pub error: io::Error,
}

/// A position in a file, counted from 1 as people see it there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// In a text file; a header counts as a line, an id column as a column.
    Line {
        /// The line of the file.
        line: usize,
        /// The column in that line.
        column: usize,
    },
    /// In an array or a table.
    Cell {
        /// The array's name, if the file names it.
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
    /// The system does not hand out the content.
    #[error("{message}")]
    System {
        /// What kind of refusal.
        kind: io::ErrorKind,
        /// What the system said.
        message: String,
    },
    /// The path names a folder, a device or a pipe.
    #[error("not a regular file")]
    NotAFile,
    /// It is not a sound MATLAB file.
    #[error(transparent)]
    Mat(#[from] MatError),
    /// It is not a sound NumPy array.
    #[error(transparent)]
    Npy(#[from] NpyError),
    /// It is not a sound archive of NumPy arrays.
    #[error("not a sound .npz archive: {what}")]
    Npz {
        /// What is wrong with the archive.
        what: String,
    },
    /// An array in an archive is not sound.
    #[error("array {name:?}: {error}")]
    InArray {
        /// Its name.
        name: String,
        /// What is wrong with it.
        error: NpyError,
    },
    /// It is not a sound Parquet table.
    #[error("not a readable Parquet file: {what}")]
    Parquet {
        /// What is wrong with it.
        what: String,
    },
    /// It is a Parquet file, and this build cannot read them.
    #[error("a Parquet file; this build has none of that, build with the feature \"parquet\"")]
    NoParquet,
    /// Something else than a text file where only that is read.
    #[error("not a text file, which is needed here")]
    NotText,
    /// An array of something else than floats where only those are read.
    #[error("the values are not floats; convert them with astype(float)")]
    NotFloats,
    /// A text file that is not UTF-8.
    #[error("line {line} is not UTF-8 text; save the file as UTF-8")]
    NotUtf8 {
        /// The first such line, counted from 1.
        line: usize,
    },
    /// A line has another number of cells than the first.
    #[error("line {line} has {found} cells where {expected} were expected")]
    Ragged {
        /// The line, counted from 1.
        line: usize,
        /// Cells of the first line.
        expected: usize,
        /// Cells of this one.
        found: usize,
    },
    /// A line without any cell, and more lines after it.
    #[error("line {line} is blank; write NA for a missing label")]
    Blank {
        /// The line, counted from 1.
        line: usize,
    },
    /// Nothing tells whether the first line is a header.
    #[error("whether line 1 is a header or a sample cannot be told; say which (header: yes or no)")]
    HeaderUnclear,
    /// Nothing tells whether the first column names the samples.
    #[error(
        "whether column 1 names the samples or is data cannot be told; say which (id column: yes or no)"
    )]
    IdsUnclear,
    /// Two samples of one name.
    #[error("{at}: the sample id {id:?} occurs twice (if these are labels: id column: no)")]
    DuplicateId {
        /// Where it occurs again.
        at: Place,
        /// The id.
        id: String,
    },
    /// A sample without a name among samples with one.
    #[error("{at}: the sample id is missing (if these are labels: id column: no)")]
    MissingId {
        /// Where.
        at: Place,
    },
    /// A file of arrays lacks the one that is needed.
    #[error("there is no array {}, only {}", alternatives(.wanted), quoted(.found))]
    NoArray {
        /// Names it may have.
        wanted: Vec<&'static str>,
        /// The arrays that are there.
        found: Vec<String>,
    },
    /// A variable or column is of a kind that is not read.
    #[error("{name:?} cannot be read: it holds {holds}")]
    Unread {
        /// Its name.
        name: String,
        /// What it holds.
        holds: String,
    },
    /// An array has the wrong shape.
    #[error("{}the shape is {shape:?}, {expected} is needed", named(.array))]
    Shape {
        /// Its name, if the file names it.
        array: Option<String>,
        /// Its shape.
        shape: Vec<usize>,
        /// The shape in words.
        expected: &'static str,
    },
    /// A table has the wrong number of columns.
    #[error("{found} columns where {expected}")]
    Columns {
        /// What is needed, in words.
        expected: &'static str,
        /// How many there are.
        found: usize,
    },
    /// The truth labels another number of samples than the clusterings.
    #[error(
        "{truth} truth labels for {samples} samples (rows){}",
        if *.transposed { format!("; there are {truth} columns: is the pool transposed?") } else { String::new() }
    )]
    Samples {
        /// Samples of the clusterings.
        samples: usize,
        /// Labels of the truth.
        truth: usize,
        /// Whether there are as many clusterings as truth labels.
        transposed: bool,
    },
    /// Names that are not as many as what they name.
    #[error("{array:?} has {found} names where {expected} are needed")]
    Names {
        /// The array of names.
        array: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The truth has no sample of that name.
    #[error("the truth has no label for the sample {id:?}")]
    UnknownId {
        /// The sample's name in the pool.
        id: String,
    },
    /// The label −1, and no word on what it means.
    #[error("{at}: the label -1 usually marks noise; say what it is (noise: singleton or missing)")]
    Noise {
        /// Where.
        at: Place,
    },
    /// A label that is a number but not a whole one.
    #[error("{at}: {value} is not a whole number, as labels must be")]
    Label {
        /// Where.
        at: Place,
        /// The value found.
        value: String,
    },
    /// The truth does not label every sample.
    #[error("{at}: the truth has no label there")]
    NoTruth {
        /// The first such place.
        at: Place,
    },
    /// A feature that is not a finite number.
    #[error("{at}: {value} is not a finite number")]
    Feature {
        /// Where.
        at: Place,
        /// What is there.
        value: String,
    },
    /// A sample of a pair that is not known.
    #[error("{at}: {text:?} is no sample{}", if *.by_number { "; they are numbered from 1" } else { "" })]
    UnknownSample {
        /// Where.
        at: Place,
        /// What is there.
        text: String,
        /// Whether samples can be named by number here.
        by_number: bool,
    },
    /// A pair that is no pair.
    #[error("line {line} pairs a sample with itself")]
    SelfPair {
        /// The line, counted from 1.
        line: usize,
    },
    /// A similarity that is not a number from 0 to 1.
    #[error("{at}: {value} is not a similarity, which lies in [0, 1]")]
    Similarity {
        /// Where.
        at: Place,
        /// The value found.
        value: f64,
    },
    /// Mirrored entries of a similarity differ.
    #[error("{at} is {value} where its mirror image is {mirrored}; the matrix is not symmetric")]
    Asymmetric {
        /// The entry that was read later.
        at: Place,
        /// Its value.
        value: f64,
        /// The value of the other.
        mirrored: f64,
    },
    /// There are no values.
    #[error("there are no samples or no columns in it")]
    Empty,
    /// The values are sound, but make no ensemble or no similarity.
    #[error(transparent)]
    Core(#[from] enclust_core::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Fault::System { kind: error.kind(), message: error.to_string() }
    }
}

/// Bytes that are not a sound MATLAB file of versions 5 to 7.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatError {
    /// There is no header of these versions.
    #[error("not a MATLAB file of version 5 to 7; in MATLAB, save with '-v7'")]
    NotMat,
    /// It is an HDF5 file, as MATLAB writes them since version 7.3.
    #[error("a MATLAB file of version 7.3 (HDF5), which is not read; in MATLAB, save with '-v7'")]
    Hdf5,
    /// It ends too early.
    #[error("truncated: {needed} bytes are needed at byte {at}, {left} are left")]
    Truncated {
        /// Where the missing bytes should begin.
        at: usize,
        /// How many there should be.
        needed: usize,
        /// How many there are.
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
    /// A variable is larger than this reader takes.
    #[error("the variable at byte {at} is too large, {limit} bytes are the limit")]
    TooLarge {
        /// Where.
        at: usize,
        /// The largest size taken, as doubles and before compression.
        limit: usize,
    },
    /// Something is wrong within a compressed variable; positions are counted
    /// in what it holds.
    #[error("in the compressed variable at byte {at}: {error}")]
    Compressed {
        /// Where the variable begins in the file.
        at: usize,
        /// What is wrong within.
        error: Box<MatError>,
    },
}

/// Bytes that are not a sound NumPy array.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NpyError {
    /// The magic bytes are not there.
    #[error("not a NumPy file")]
    NotNpy,
    /// A version of the format that is not known.
    #[error("version {major}.{minor} of the NumPy format is not known")]
    Version {
        /// First number of the version.
        major: u8,
        /// Second number of the version.
        minor: u8,
    },
    /// The header is not what NumPy writes.
    #[error("the header is damaged: {what}")]
    Header {
        /// What is wrong with it.
        what: &'static str,
    },
    /// The values are of a type that is not read.
    #[error("values of type {dtype} are not read; {advice}")]
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
        /// What it needs; the largest number if it cannot be counted.
        needed: u64,
        /// What there is.
        found: u64,
    },
    /// Text that is not Unicode.
    #[error("row {row}, column {column} is not Unicode text")]
    NotText {
        /// Row, counted from 1.
        row: usize,
        /// Column, counted from 1.
        column: usize,
    },
}

/// Text of a cell as errors show it: on one line, and not too long.
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

fn named(array: &Option<String>) -> String {
    array.as_ref().map_or(String::new(), |name| format!("{name:?}: "))
}
