//! Conversions from and to nalgebra's matrices.

use enclust_core::{Confident, Ensemble, Error, Label, Real, Result, Similarity};
use nalgebra::{DMatrix, Scalar};

/// An ensemble from a matrix of labels, with one row per sample and one column per clustering.
///
/// ```
/// use enclust_backend_nalgebra::ensemble_from_matrix;
/// use nalgebra::DMatrix;
///
/// let labels = DMatrix::from_row_slice(3, 2, &[0, 5, 0, 5, 1, 5]); // 3 samples, 2 clusterings
/// let ensemble = ensemble_from_matrix(&labels)?;
/// assert_eq!((ensemble.samples(), ensemble.clusterings()), (3, 2));
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Empty`] for a matrix without rows or columns.
pub fn ensemble_from_matrix<L: Label + Scalar>(labels: &DMatrix<L>) -> Result<Ensemble> {
    Ensemble::from_keys(labels.nrows(), labels.ncols(), |i, k| labels[(i, k)].key())
}

/// A similarity from nalgebra's n × n matrix of the samples, with the same rules as
/// [`Similarity::from_matrix`].
///
/// ```
/// use enclust_backend_nalgebra::{similarity_from_matrix, similarity_to_matrix};
/// use nalgebra::DMatrix;
///
/// let matrix = DMatrix::from_row_slice(2, 2, &[1.0, 0.25, 0.25, 1.0]);
/// let similarity = similarity_from_matrix(&matrix)?;
/// assert_eq!(similarity.between(0, 1), 0.25);
/// assert_eq!(similarity_to_matrix(&similarity), matrix);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
///
/// The same as for [`Similarity::from_matrix`]; [`Error::Size`] for a matrix that is not square.
pub fn similarity_from_matrix<S: Real>(matrix: &DMatrix<S>) -> Result<Similarity<S>> {
    let rows = transposed("columns of the similarity matrix", matrix)?;
    Similarity::from_matrix(matrix.nrows(), rows.as_slice())
}

/// The confident pairs of a similarity from nalgebra's n × n matrix H of the samples, with the
/// same rules as [`Confident::from_matrix`].
///
/// ```
/// use enclust_backend_nalgebra::{confident_from_matrix, similarity_from_matrix};
/// use nalgebra::DMatrix;
///
/// let a = similarity_from_matrix(&DMatrix::from_row_slice(2, 2, &[1.0, 0.25, 0.25, 1.0]))?;
/// let confident = confident_from_matrix(&a, &DMatrix::from_row_slice(2, 2, &[0.0, 0.8, 0.8, 0.0]))?;
/// assert_eq!(confident.graph.get(0, 1), Some(0.8));
/// assert_eq!(confident.fixed.get(0, 1), Some(0.25));
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
///
/// The same as for [`Confident::from_matrix`]; [`Error::Size`] for a matrix that is not square.
pub fn confident_from_matrix<S: Real>(
    similarity: &Similarity<S>,
    matrix: &DMatrix<S>,
) -> Result<Confident<S>> {
    let rows = transposed("columns of the matrix of confident pairs", matrix)?;
    Confident::from_matrix(similarity, rows.as_slice())
}

/// The n × n matrix of the samples as an nalgebra matrix.
pub fn similarity_to_matrix<S: Real>(similarity: &Similarity<S>) -> DMatrix<S> {
    let n = similarity.grouping().samples();
    // The matrix is symmetric, so row-major and column-major order are the same.
    DMatrix::from_vec(n, n, similarity.to_matrix())
}

/// A square matrix whose columns are the rows of the given one.
fn transposed<S: Real>(what: &'static str, matrix: &DMatrix<S>) -> Result<DMatrix<S>> {
    Error::check_size(what, matrix.nrows(), matrix.ncols())?;
    Ok(matrix.transpose())
}
