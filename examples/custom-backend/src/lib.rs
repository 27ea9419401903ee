//! A custom linear-algebra backend, in a crate that depends only on `enclust-core`.
//!
//! Only the product is required. The factorisations of the reference kernels are used unless a
//! backend has its own.

use enclust_core::prelude::*;

part! {
    /// Products with Kahan's compensated summation: the error of an entry does not grow with the
    /// number of terms.
    ///
    /// Four operations per term instead of one. The terms must be finite: an infinite term gives
    /// NaN.
    ///
    /// ```
    /// use enclust_core::{Backend, Mat, Reference};
    /// use enclust_example_custom_backend::Kahan;
    ///
    /// // 1 and a hundred thousand numbers, each too small to change it.
    /// let row = Mat::from_fn(1, 100_001, |_, j| if j == 0 { 1.0_f32 } else { 1e-8 });
    /// let ones = Mat::from_fn(100_001, 1, |_, _| 1.0);
    /// let sum = |backend: &dyn Backend<f32>| {
    ///     let mut sum = Mat::zeros(1, 1);
    ///     backend.gemm(1.0, row.view(), ones.view(), 0.0, sum.view_mut());
    ///     sum[(0, 0)]
    /// };
    /// assert_eq!(sum(&Reference), 1.0);
    /// assert_eq!(sum(&Kahan), 1.001);
    /// ```
    pub struct Kahan("kahan", "products by compensated summation");
}

/// Adds [`Kahan`] to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.backend.add::<Kahan>();
}

impl<S: Real> Backend<S> for Kahan {
    fn gemm(&self, alpha: S, a: MatRef<'_, S>, b: MatRef<'_, S>, beta: S, mut c: MatMut<'_, S>) {
        check_product(&a, &b, &c);
        // If A has contiguous columns, the inner loop reads memory sequentially.
        let packed = (a.strides().0 != 1).then(|| a.to_owned());
        let a = packed.as_ref().map_or(a, |p| p.view());
        let (rows, stride) = (a.rows(), a.strides().1);
        let (mut sums, mut lost) = (vec![S::zero(); rows], vec![S::zero(); rows]);
        for j in 0..c.cols() {
            sums.fill(S::zero());
            lost.fill(S::zero());
            for k in 0..a.cols() {
                let factor = b.at(k, j);
                let column = &a.data()[k * stride..][..rows];
                for ((sum, lost), &entry) in sums.iter_mut().zip(&mut lost).zip(column) {
                    let term = entry * factor - *lost;
                    let next = *sum + term;
                    // The rounding error of the term, with the opposite sign.
                    *lost = (next - *sum) - term;
                    *sum = next;
                }
            }
            for (out, &sum) in c.col(j).iter_mut().zip(&sums) {
                // With β = 0, C is overwritten, even if it contains NaN.
                let kept = if beta == S::zero() { S::zero() } else { beta * *out };
                *out = alpha * sum + kept;
            }
        }
    }

    /// Learned representations compute in double precision, independent of the precision of the
    /// run.
    fn in_double(&self) -> &dyn Backend<f64> {
        &Kahan
    }
}
