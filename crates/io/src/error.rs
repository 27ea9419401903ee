//! What can go wrong with a file, with the place where it did.

use std::io;
use std::path::PathBuf;

/// A file that cannot be taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IoError {
    /// The system does not hand out its content.
    #[error("{}: {error}", .path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// It is not a sound MATLAB file.
    #[error("{}: {error}", .path.display())]
    Mat {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        error: MatError,
    },
    /// Its arrays are not a pool of clusterings.
    #[error("{}: {error}", .path.display())]
    Pool {
        /// Which file.
        path: PathBuf,
        /// What is wrong with them.
        error: PoolError,
    },
}

/// Bytes that are not a sound MATLAB file of versions 5 to 7.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatError {
    /// There is no header of these versions.
    #[error("not a MATLAB file of version 5 to 7; in MATLAB, save with -v7")]
    NotMat,
    /// It is an HDF5 file, as MATLAB writes them since version 7.3.
    #[error("a MATLAB file of version 7.3 (HDF5), which is not read; in MATLAB, save with -v7")]
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

/// Arrays that are not a pool of clusterings. Rows and columns are counted from
/// zero.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// A variable is not there.
    #[error("there is no array \"{name}\", only {}", quoted(.found))]
    NoArray {
        /// Its name.
        name: &'static str,
        /// The variables that are there.
        found: Vec<String>,
    },
    /// A variable is not a full real numeric array.
    #[error("\"{name}\" cannot be read: it holds {holds}")]
    Unread {
        /// Its name.
        name: &'static str,
        /// What it holds instead.
        holds: &'static str,
    },
    /// An array has the wrong shape.
    #[error("\"{name}\" has shape {shape:?}, {expected} is needed")]
    Shape {
        /// Its name.
        name: &'static str,
        /// Its shape.
        shape: Vec<usize>,
        /// The shape in words.
        expected: &'static str,
    },
    /// The truth labels another number of samples than the clusterings.
    #[error("\"gt\" has {truth} labels where \"members\" has {members} samples")]
    Samples {
        /// Samples of the clusterings.
        members: usize,
        /// Labels of the truth.
        truth: usize,
    },
    /// A label is not a whole number.
    #[error("\"{name}\" at row {row}, column {column} (from zero) is {value}, not a whole number")]
    Label {
        /// The array's name.
        name: &'static str,
        /// Row, counted from zero.
        row: usize,
        /// Column, counted from zero.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// The truth does not label every sample.
    #[error("\"gt\" has no label for sample {sample} (from zero)")]
    NoTruth {
        /// The first such sample, counted from zero.
        sample: usize,
    },
    /// The labels do not make an ensemble.
    #[error(transparent)]
    Ensemble(#[from] enclust_core::Error),
}

fn quoted(names: &[String]) -> String {
    if names.is_empty() {
        return "an empty file".into();
    }
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}
