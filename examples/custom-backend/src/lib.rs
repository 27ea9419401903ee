//! A linear-algebra backend of one's own, in a crate that needs `enclust-core`
//! alone.
//!
//! Only the product is required; the factorisations are those of the reference
//! kernels until a backend brings its own.

use enclust_core::prelude::*;

part! {
    /// Products by Kahan's compensated summation: the error of an entry does not
    /// grow with the number of terms.
    ///
    /// Four operations a term instead of one. For finite numbers: an infinite term
    /// gives NaN.
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

/// Adds [`Kahan`] under its name.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.backend.add::<Kahan>();
}

impl<S: Real> Backend<S> for Kahan {
    fn gemm(&self, alpha: S, a: MatRef<'_, S>, b: MatRef<'_, S>, beta: S, mut c: MatMut<'_, S>) {
        check_product(&a, &b, &c);
        // A with contiguous columns makes the inner loop a run over memory.
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
                    // What rounding took from the term, with the opposite sign.
                    *lost = (next - *sum) - term;
                    *sum = next;
                }
            }
            for (out, &sum) in c.col(j).iter_mut().zip(&sums) {
                // With β = 0 whatever C held is gone, NaN too.
                let kept = if beta == S::zero() { S::zero() } else { beta * *out };
                *out = alpha * sum + kept;
            }
        }
    }

    /// Learned representations compute in double precision whatever that of the run.
    fn in_double(&self) -> &dyn Backend<f64> {
        &Kahan
    }
}
