//! Loading of files and detection of their format.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::budget::Budget;
use crate::error::Fault;
use crate::{mat, npy};

/// The maximum size of decompressed data in bytes.
pub(crate) const MAX_INFLATED: usize = 1 << 31;
/// Deflate expands one byte to at most 1032 bytes.
pub(crate) const DEFLATE: usize = 1032;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Text separated by commas, semicolons, tabs or spaces; the first lines determine which.
    Csv,
    /// Text, separated by tabs.
    Tsv,
    /// MATLAB, versions 5 to 7.
    Mat,
    /// One NumPy array.
    Npy,
    /// A zip archive of NumPy arrays.
    Npz,
    /// A Parquet table; reading it needs the feature `parquet`.
    Parquet,
}

impl Format {
    /// The format of a file, determined by its first bytes if they are unambiguous, otherwise
    /// by its extension; text if neither applies.
    ///
    /// ```
    /// use enclust_io::Format;
    ///
    /// assert_eq!(Format::of("labels.tsv".as_ref(), b"a\tb\n"), Format::Tsv);
    /// assert_eq!(Format::of("labels".as_ref(), b"\x93NUMPY\x01\x00"), Format::Npy);
    /// ```
    pub fn of(path: &Path, bytes: &[u8]) -> Self {
        Self::by_content(bytes).or_else(|| Self::by_extension(path)).unwrap_or(Format::Csv)
    }

    fn by_content(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(npy::MAGIC) {
            Some(Format::Npy)
        } else if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            Some(Format::Npz)
        } else if bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1") {
            Some(Format::Parquet)
        } else if mat::is_mat(bytes) {
            Some(Format::Mat)
        } else {
            None
        }
    }

    /// By extension only, for a file that is to be written.
    pub(crate) fn by_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" | "txt" => Some(Format::Csv),
            "tsv" | "tab" => Some(Format::Tsv),
            "mat" => Some(Format::Mat),
            "npy" => Some(Format::Npy),
            "npz" => Some(Format::Npz),
            "parquet" => Some(Format::Parquet),
            _ => None,
        }
    }
}

/// Opens a regular file and returns its length. Devices and pipes are refused because they may
/// have no end.
pub(crate) fn open(path: &Path) -> Result<(File, u64), Fault> {
    // Checked before opening, because opening a pipe waits for its other end.
    if !std::fs::metadata(path)?.is_file() {
        return Err(Fault::NotAFile);
    }
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    Ok((file, length))
}

/// The file, if it begins with these bytes.
pub(crate) fn starts_with(path: &Path, bytes: &[u8]) -> Result<Option<File>, Fault> {
    let (file, _) = open(path)?;
    let mut found = Vec::with_capacity(bytes.len());
    (&file).take(bytes.len() as u64).read_to_end(&mut found)?;
    Ok((found == bytes).then_some(file))
}

/// The whole content of a regular file that fits into the budget.
pub(crate) fn load(path: &Path, budget: Budget) -> Result<Vec<u8>, Fault> {
    let (file, length) = open(path)?;
    budget.require(0, length)?;
    let mut bytes = Vec::new();
    let room = usize::try_from(length).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(room).map_err(|error| Fault::System {
        kind: std::io::ErrorKind::OutOfMemory,
        message: error.to_string(),
    })?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads to the end, but not more than the budget allows beside `held` bytes.
pub(crate) fn read_within(reader: impl Read, budget: Budget, held: u64) -> Result<Vec<u8>, Fault> {
    let room = budget.left(held);
    let mut bytes = Vec::new();
    let most = room.map_or(u64::MAX, |room| room.0.saturating_add(1));
    reader.take(most).read_to_end(&mut bytes)?;
    match room {
        Some(room) if bytes.len() as u64 > room.0 => Err(Fault::TooLong { available: room }),
        _ => Ok(bytes),
    }
}
