//! Conversions from and to arrays.

use std::borrow::Cow;

use enclust_core::{Confident, Dendrogram, Ensemble, Error, Label, Real, Result, Similarity};
use ndarray::{Array2, ArrayView2};

/// An ensemble from an array of labels, with one row per sample and one column per clustering.
///
/// ```
/// use enclust_backend_ndarray::ensemble_from_array;
/// use ndarray::array;
///
/// let with_gaps = ensemble_from_array(array![[Some("a"), None], [Some("b"), Some("x")]].view())?;
/// assert!(with_gaps.has_missing());
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn ensemble_from_array<L: Label>(labels: ArrayView2<'_, L>) -> Result<Ensemble> {
    Ensemble::from_keys(labels.nrows(), labels.ncols(), |i, k| labels[(i, k)].key())
}

/// A similarity from an n × n array of the samples, with the same rules as
/// [`Similarity::from_matrix`].
///
/// # Errors
///
/// The same as for [`Similarity::from_matrix`]; [`Error::Size`] for an array that is not square.
pub fn similarity_from_array<S: Real>(array: ArrayView2<'_, S>) -> Result<Similarity<S>> {
    let entries = row_by_row("columns of the similarity matrix", &array)?;
    Similarity::from_matrix(array.nrows(), &entries)
}

/// The confident pairs of a similarity from an n × n array H of the samples, with the same rules
/// as [`Confident::from_matrix`].
///
/// ```
/// use enclust_backend_ndarray::{confident_from_array, similarity_from_array};
/// use ndarray::array;
///
/// let a = similarity_from_array(array![[1.0, 0.25], [0.25, 1.0]].view())?;
/// let confident = confident_from_array(&a, array![[0.0, 0.8], [0.8, 0.0]].view())?;
/// assert_eq!(confident.graph.get(0, 1), Some(0.8));
/// assert_eq!(confident.fixed.get(0, 1), Some(0.25));
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
///
/// The same as for [`Confident::from_matrix`]; [`Error::Size`] for an array that is not square.
pub fn confident_from_array<S: Real>(
    similarity: &Similarity<S>,
    array: ArrayView2<'_, S>,
) -> Result<Confident<S>> {
    let entries = row_by_row("columns of the matrix of confident pairs", &array)?;
    Confident::from_matrix(similarity, &entries)
}

/// The n × n array of the samples.
///
/// ```
/// use enclust_backend_ndarray::{similarity_from_array, similarity_to_array};
/// use ndarray::array;
///
/// let array = array![[1.0, 0.3], [0.3, 1.0]];
/// assert_eq!(similarity_to_array(&similarity_from_array(array.view())?), array);
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn similarity_to_array<S: Real>(similarity: &Similarity<S>) -> Array2<S> {
    let n = similarity.grouping().samples();
    Array2::from_shape_vec((n, n), similarity.to_matrix()).expect("n rows of n entries")
}

/// SciPy's linkage matrix Z, with one row per merge: the two clusters, the height and the size.
///
/// ```
/// use enclust_backend_ndarray::linkage_matrix;
/// use enclust_core::Dendrogram;
/// use ndarray::array;
///
/// let tree = Dendrogram::from_members(3, &[(1, 2, 0.25), (0, 1, 0.5)])?;
/// assert_eq!(linkage_matrix(&tree), array![[1.0, 2.0, 0.25, 2.0], [0.0, 3.0, 0.5, 3.0]]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn linkage_matrix(dendrogram: &Dendrogram) -> Array2<f64> {
    Array2::from(dendrogram.to_scipy())
}

/// The entries of a square array in row-major order.
fn row_by_row<'a, S: Real>(
    what: &'static str,
    array: &'a ArrayView2<'_, S>,
) -> Result<Cow<'a, [S]>> {
    Error::check_size(what, array.nrows(), array.ncols())?;
    Ok(match array.as_slice() {
        Some(entries) => Cow::Borrowed(entries),
        None => Cow::Owned(array.iter().copied().collect()),
    })
}
