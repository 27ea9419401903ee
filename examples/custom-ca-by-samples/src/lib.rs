//! A custom co-association matrix as a function of the samples, in a crate that depends only on
//! `enclust-core`.
//!
//! [`by_samples`] makes a part from a function that returns the n × n matrix. The part states its
//! memory, returns an error for input that the function does not support, checks the matrix, and
//! merges samples with equal label rows.

use enclust_core::prelude::*;

/// Adds [`second_order`] to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.ca.add_by_samples("second-order", "cosine of rows of co-association", second_order);
}

/// The cosine of two rows of the co-association matrix: two samples are similar if they are
/// co-associated with the same samples. O(n² (n + m)) time.
///
/// ```
/// use enclust_core::prelude::*;
/// use enclust_example_custom_ca_by_samples::second_order;
///
/// // Samples 0 and 2 are never in one cluster, but both are in a cluster with sample 1.
/// let a = second_order(&Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]])?);
/// assert!((a[(0, 2)] - 0.2).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
pub fn second_order(e: &Ensemble) -> Mat<f64> {
    let (n, m) = (e.samples(), e.clusterings());
    let joined = |i: usize, j: usize| (0..m).filter(|&k| e.column(k)[i] == e.column(k)[j]).count();
    let a = Mat::from_fn(n, n, |i, j| joined(i, j) as f64 / m as f64);
    let dot = |i: usize, j: usize| a.col(i).iter().zip(a.col(j)).map(|(x, y)| x * y).sum::<f64>();
    let squares: Vec<f64> = (0..n).map(|i| dot(i, i)).collect();
    Mat::from_fn(n, n, |i, j| (dot(i, j) / (squares[i] * squares[j]).sqrt()).min(1.0))
}
