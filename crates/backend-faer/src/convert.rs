//! Conversions from and to faer's matrices.

use enclust_core::{Confident, Ensemble, Error, Label, Real, Result, Similarity};

/// An ensemble from a matrix of labels, with one row per sample and one column per clustering.
///
/// ```
/// use enclust_backend_faer::ensemble_from_matrix;
///
/// let labels = faer::mat![[0, 5], [0, 5], [1, 5]]; // 3 samples, 2 clusterings
/// let ensemble = ensemble_from_matrix(labels.as_ref())?;
/// assert_eq!((ensemble.samples(), ensemble.clusterings()), (3, 2));
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Empty`] for a matrix without rows or columns.
pub fn ensemble_from_matrix<L: Label>(labels: faer::MatRef<'_, L>) -> Result<Ensemble> {
    Ensemble::from_keys(labels.nrows(), labels.ncols(), |i, k| labels[(i, k)].key())
}

/// A similarity from faer's n × n matrix of the samples, with the same rules as
/// [`Similarity::from_matrix`].
///
/// ```
/// use enclust_backend_faer::{similarity_from_matrix, similarity_to_matrix};
///
/// let matrix = faer::mat![[1.0, 0.25], [0.25, 1.0_f64]];
/// let similarity = similarity_from_matrix(matrix.as_ref())?;
/// assert_eq!(similarity.between(0, 1), 0.25);
/// assert_eq!(similarity_to_matrix(&similarity), matrix);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
///
/// The same as for [`Similarity::from_matrix`]; [`Error::Size`] for a matrix that is not square.
pub fn similarity_from_matrix<S: Real>(matrix: faer::MatRef<'_, S>) -> Result<Similarity<S>> {
    let entries = row_by_row("columns of the similarity matrix", matrix)?;
    Similarity::from_matrix(matrix.nrows(), &entries)
}

/// The confident pairs of a similarity from faer's n × n matrix H of the samples, with the same
/// rules as [`Confident::from_matrix`].
///
/// ```
/// use enclust_backend_faer::{confident_from_matrix, similarity_from_matrix};
///
/// let a = similarity_from_matrix(faer::mat![[1.0, 0.25], [0.25, 1.0_f64]].as_ref())?;
/// let confident = confident_from_matrix(&a, faer::mat![[0.0, 0.8], [0.8, 0.0_f64]].as_ref())?;
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
    matrix: faer::MatRef<'_, S>,
) -> Result<Confident<S>> {
    let entries = row_by_row("columns of the matrix of confident pairs", matrix)?;
    Confident::from_matrix(similarity, &entries)
}

/// The n × n matrix of the samples as a faer matrix.
pub fn similarity_to_matrix<S: Real>(similarity: &Similarity<S>) -> faer::Mat<S> {
    let n = similarity.grouping().samples();
    let entries = similarity.to_matrix();
    faer::Mat::from_fn(n, n, |i, j| entries[i * n + j])
}

/// The entries of a square matrix in row-major order.
fn row_by_row<S: Real>(what: &'static str, matrix: faer::MatRef<'_, S>) -> Result<Vec<S>> {
    let n = matrix.nrows();
    Error::check_size(what, n, matrix.ncols())?;
    Ok((0..n).flat_map(|i| (0..n).map(move |j| matrix[(i, j)])).collect())
}
