//! The product of two dense matrices.

use crate::numbers::matrix::{MatMut, MatRef};
use crate::numbers::real::Real;
use crate::stages::backend::check_product;

/// C ← αAB + βC, one column of C at a time as a linear combination of columns of A.
pub fn gemm<S: Real>(alpha: S, a: MatRef<'_, S>, b: MatRef<'_, S>, beta: S, mut c: MatMut<'_, S>) {
    check_product(&a, &b, &c);
    // If A has contiguous columns, the inner loop reads memory sequentially.
    let packed = (a.strides().0 != 1).then(|| a.to_owned());
    let a = packed.as_ref().map_or(a, |p| p.view());
    let (rows, stride) = (a.rows(), a.strides().1);
    for j in 0..c.cols() {
        let column = c.col(j);
        if beta == S::zero() {
            column.fill(S::zero());
        } else if beta != S::one() {
            column.iter_mut().for_each(|v| *v *= beta);
        }
        for k in 0..a.cols() {
            let factor = alpha * b.at(k, j);
            let source = &a.data()[k * stride..][..rows];
            for (v, &s) in column.iter_mut().zip(source) {
                *v += factor * s;
            }
        }
    }
}
