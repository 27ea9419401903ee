//! A co-association matrix as a function on the samples, in a crate that needs `enclust-core` alone.
//!
//! [`by_samples`] makes a part of a function that returns the n × n matrix. It states the memory,
//! refuses what the function has no definition for, checks the matrix, and merges samples with
//! equal label rows.

use enclust_core::prelude::*;

/// Adds [`second_order`] under its name.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.ca.add_by_samples("second-order", "cosine of rows of co-association", second_order);
}

/// Two samples are alike if they are co-associated with the same samples: the cosine of their rows
/// in the co-association matrix. O(n² (n + m)) time.
///
/// ```
/// use enclust_core::prelude::*;
/// use enclust_example_custom_ca_by_samples::second_order;
///
/// // Samples 0 and 2 are never together, but both are with sample 1.
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
