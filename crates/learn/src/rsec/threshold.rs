//! Singular value thresholding.

use enclust_core::{Backend, Eigen, Mat, Result};
use enclust_linalg::{lower_gram, multiply};

/// U max(Σ − t, 0) Vᵀ for M = U Σ Vᵀ: a matrix close to M with a small sum of singular values.
///
/// Computed as M V diag(max(0, 1 − t/σ)) Vᵀ, with V and σ² from MᵀM. Squaring loses singular
/// values below 10⁻⁸ of the largest, which changes no entry of the result by more than that.
pub(crate) fn shrink_singular_values(
    m: &Mat<f64>,
    threshold: f64,
    backend: &dyn Backend<f64>,
) -> Result<Mat<f64>> {
    let gram = lower_gram(backend, m.view());
    let eigen = backend.eigh(gram.view())?;
    let (vectors, factors) = kept(&eigen, threshold);
    drop((gram, eigen));
    let mut turned = Mat::zeros(m.rows(), factors.len());
    multiply(backend, 1.0, m.view(), vectors.view(), 0.0, &mut turned);
    for (i, factor) in factors.iter().enumerate() {
        turned.col_mut(i).iter_mut().for_each(|v| *v *= factor);
    }
    let mut shrunk = Mat::zeros(m.rows(), m.cols());
    multiply(backend, 1.0, turned.view(), vectors.view().transposed(), 0.0, &mut shrunk);
    Ok(shrunk)
}

/// The right singular vectors whose singular values exceed the threshold, and the share of each
/// value that remains.
fn kept(eigen: &Eigen<f64>, threshold: f64) -> (Mat<f64>, Vec<f64>) {
    let sigma = |i: usize| eigen.values[i].max(0.0).sqrt();
    let n = eigen.values.len();
    let first = (0..n).find(|&i| sigma(i) > threshold).unwrap_or(n);
    let vectors =
        Mat::from_fn(eigen.vectors.rows(), n - first, |p, i| eigen.vectors[(p, first + i)]);
    (vectors, (first..n).map(|i| 1.0 - threshold / sigma(i)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclust_core::Reference;

    #[test]
    fn a_diagonal_loses_the_threshold() {
        let m = Mat::from_fn(3, 3, |i, j| if i == j { [3.0, -2.0, 0.5][i] } else { 0.0 });
        let found = shrink_singular_values(&m, 1.0, &Reference).unwrap();
        let expected = Mat::from_fn(3, 3, |i, j| if i == j { [2.0, -1.0, 0.0][i] } else { 0.0 });
        let apart = found.data().iter().zip(expected.data()).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-14, "{found:?}");
    }

    #[test]
    fn nothing_remains_below_the_threshold() {
        let m = Mat::from_fn(4, 4, |i, j| (i * j) as f64);
        let found = shrink_singular_values(&m, 100.0, &Reference).unwrap();
        assert_eq!(found, Mat::zeros(4, 4));
    }
}
