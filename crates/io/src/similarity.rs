//! Precomputed similarities.

use std::io::{BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use enclust_core::{Bytes, Condensed, Grouping, Real, Similarity};

use crate::budget::Budget;
use crate::error::{Fault, Place, ReadError};
use crate::file;
use crate::npy::{Dtype, Header, Kind, LONGEST_HEADER};

/// Reads an n × n similarity over the samples from an `.npy` file of floats; see
/// [`similarity_from_npy`].
///
/// # Errors
/// [`ReadError`] with the file, the position and the cause.
pub fn read_similarity<S: Real>(path: impl AsRef<Path>) -> Result<Similarity<S>, ReadError> {
    read_similarity_within(path, None)
}

/// Like [`read_similarity`], with a limit of the memory instead of the available memory.
///
/// # Errors
/// The same as [`read_similarity`], and [`Fault::Memory`] if half of the matrix does not fit.
pub fn read_similarity_within<S: Real>(
    path: impl AsRef<Path>,
    memory: Option<Bytes>,
) -> Result<Similarity<S>, ReadError> {
    let path = path.as_ref();
    file::open(path)
        .and_then(|(file, length)| similarity_from_npy(BufReader::new(file), length, memory))
        .map_err(|fault| ReadError::new(path, fault))
}

/// Reads an n × n similarity from the `length` bytes of an `.npy` file.
///
/// Entries must lie in [0, 1] and mirrored entries must agree, both within rounding: 10⁻¹² for
/// doubles, 2·10⁻⁶ for singles (absolute values, since similarities are at most 1). Values
/// outside [0, 1] by at most this tolerance are clipped, and of two mirrored entries the first
/// one in the file is used.
///
/// # Memory
///
/// Rows are read one after the other and only one triangle is kept: half of the matrix, in the
/// requested precision. If this exceeds `memory`, or the available memory if that is `None`, the
/// header alone is read.
///
/// # Errors
///
/// [`Fault::Shape`] if the matrix is not square; [`Fault::Similarity`] and
/// [`Fault::Asymmetric`] with the position of the first invalid entry; other variants of
/// [`Fault`] if it is not a valid file of floats.
///
/// # Example
///
/// ```
/// use enclust_io::{read_similarity, write_matrix_npy};
///
/// let path = std::env::temp_dir().join(format!("enclust-doc-{}.npy", std::process::id()));
/// write_matrix_npy(&path, 2, 2, |i, row: &mut [f64]| {
///     row.fill(0.5);
///     row[i] = 1.0;
/// })?;
/// let similarity = read_similarity::<f32>(&path)?;
/// assert_eq!(similarity.between(0, 1), 0.5);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn similarity_from_npy<S: Real>(
    mut reader: impl Read,
    length: u64,
    memory: Option<Bytes>,
) -> Result<Similarity<S>, Fault> {
    let mut beginning = Vec::new();
    reader.by_ref().take(length.min(LONGEST_HEADER as u64)).read_to_end(&mut beginning)?;
    let header = Header::parse(&beginning)?;
    header.check_size(length.saturating_sub(header.start as u64))?;
    let size = match header.shape[..] {
        [rows, columns] if rows == columns && rows > 0 => rows,
        _ => {
            let expected = "as many rows as columns";
            return Err(Fault::Shape { array: None, shape: header.shape, expected });
        }
    };
    if header.dtype.kind != Kind::Float {
        return Err(Fault::NotFloats);
    }
    Budget::new(memory).require(0, needed::<S>(size, &header))?;
    let values = Cursor::new(beginning).chain(reader);
    Triangle::new(size, &header).read(values, header.start)
}

/// The memory for one triangle, the diagonal twice and a row of the file.
fn needed<S>(size: usize, header: &Header) -> u64 {
    let (n, value) = (size as u64, size_of::<S>() as u64);
    let between = n.saturating_mul(n.saturating_sub(1)) / 2;
    let row = n.saturating_mul(header.dtype.width as u64);
    between.saturating_add(2 * n).saturating_mul(value).saturating_add(row)
}

/// The upper triangle and the diagonal, as far as they have been read.
struct Triangle<S> {
    size: usize,
    dtype: Dtype,
    fortran: bool,
    tolerance: f64,
    between: Condensed<Vec<S>>,
    own: Vec<S>,
}

impl<S: Real> Triangle<S> {
    fn new(size: usize, header: &Header) -> Self {
        let tolerance = if header.dtype.width == 8 { 1e-12 } else { 2e-6 };
        let (between, own) = (Condensed::zeros(size), Vec::with_capacity(size));
        Triangle { size, dtype: header.dtype, fortran: header.fortran, tolerance, between, own }
    }

    /// Reads all rows; the values start after `skipped` bytes of the reader.
    fn read(mut self, mut values: impl Read, skipped: usize) -> Result<Similarity<S>, Fault> {
        std::io::copy(&mut values.by_ref().take(skipped as u64), &mut std::io::sink())?;
        let mut bytes = vec![0; self.size * self.dtype.width];
        for row in 0..self.size {
            values.read_exact(&mut bytes)?;
            self.push_row(row, &bytes)?;
        }
        let Triangle { size, between, own, .. } = self;
        let grouping = Arc::new(Grouping::singletons(size));
        Ok(Similarity::new(grouping, between.into_values(), own.clone(), own)?)
    }

    fn push_row(&mut self, row: usize, bytes: &[u8]) -> Result<(), Fault> {
        for (column, bytes) in bytes.chunks_exact(self.dtype.width).enumerate() {
            let value = self.dtype.float(bytes);
            // Written so that NaN fails the check.
            if !(value >= -self.tolerance && value <= 1.0 + self.tolerance) {
                return Err(Fault::Similarity { at: self.place(row, column), value });
            }
            let value = value.clamp(0.0, 1.0);
            if column > row {
                self.between[(row, column)] = S::of(value);
            } else if column == row {
                self.own.push(S::of(value));
            } else {
                let mirrored = self.between[(column, row)].wide();
                // The stored value may have been rounded to a narrower type.
                if (S::of(value).wide() - mirrored).abs() > self.tolerance.max(rounding::<S>()) {
                    return Err(Fault::Asymmetric { at: self.place(row, column), value, mirrored });
                }
            }
        }
        Ok(())
    }

    fn place(&self, row: usize, column: usize) -> Place {
        let (row, column) = if self.fortran { (column, row) } else { (row, column) };
        Place::Cell { array: None, row: row + 1, column: column + 1 }
    }
}

/// The largest difference that rounding can cause between two close numbers.
fn rounding<S: Real>() -> f64 {
    S::epsilon().wide()
}
