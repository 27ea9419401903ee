//! File formats of enclust.
//!
//! [`read_mat`] reads the numeric arrays of a MATLAB file, [`read_pool`] a pool
//! of base clusterings with its truth. Both take a path; [`MatFile::parse`] and
//! [`Pool::from_mat`] do the same work on bytes in memory.
//!
//! ```no_run
//! use enclust_io::read_pool;
//!
//! let pool = read_pool("Ecoli.mat")?;
//! println!("{} samples, {} clusterings", pool.ensemble.samples(), pool.ensemble.clusterings());
//! # Ok::<(), enclust_io::IoError>(())
//! ```

mod error;
mod mat;
mod pool;

use std::path::Path;

pub use error::{IoError, MatError, PoolError};
pub use mat::{Array, MatFile, Variable};
pub use pool::Pool;

/// Reads the variables of a MATLAB file, versions 5 to 7.
///
/// # Errors
/// [`IoError::Read`] if the file cannot be read, [`IoError::Mat`] if it is not a
/// sound MATLAB file of these versions.
pub fn read_mat(path: impl AsRef<Path>) -> Result<MatFile, IoError> {
    let path = path.as_ref();
    let bytes = std::fs::read(path).map_err(|error| IoError::Read { path: path.into(), error })?;
    MatFile::parse(&bytes).map_err(|error| IoError::Mat { path: path.into(), error })
}

/// Reads a pool of base clusterings from a MATLAB file: `members` and, if it is
/// there, `gt`, as described at [`Pool::from_mat`].
///
/// # Errors
/// Those of [`read_mat`], and [`IoError::Pool`] if the arrays are not a pool.
pub fn read_pool(path: impl AsRef<Path>) -> Result<Pool, IoError> {
    let path = path.as_ref();
    Pool::from_mat(&read_mat(path)?).map_err(|error| IoError::Pool { path: path.into(), error })
}
