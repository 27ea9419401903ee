//! Cholesky factorisation.

use crate::error::{Error, Result};
use crate::numbers::matrix::{Mat, MatMut, MatRef};
use crate::numbers::real::Real;
use crate::stages::backend::SpdSolve;

/// A = LLᵀ with L lower triangular.
#[derive(Clone, Debug)]
pub struct Cholesky<S> {
    lower: Mat<S>,
}

impl<S: Real> Cholesky<S> {
    /// Factors the matrix, one column at a time. Only its lower triangle is read.
    pub fn factor(a: MatRef<'_, S>) -> Result<Self> {
        let n = a.rows();
        let mut lower = Mat::from_fn(n, n, |i, j| if i >= j { a.at(i, j) } else { S::zero() });
        for j in 0..n {
            let (done, rest) = lower.data_mut().split_at_mut(j * n);
            let column = &mut rest[..n];
            for previous in done.chunks_exact(n) {
                let factor = previous[j];
                if factor != S::zero() {
                    for (v, &l) in column[j..].iter_mut().zip(&previous[j..]) {
                        *v -= factor * l;
                    }
                }
            }
            let pivot = column[j];
            if !(pivot > S::zero() && pivot.is_finite()) {
                return Err(Error::NotPositiveDefinite { pivot: j });
            }
            let root = pivot.sqrt();
            column[j..].iter_mut().for_each(|v| *v /= root);
        }
        Ok(Cholesky { lower })
    }
}

impl<S: Real> SpdSolve<S> for Cholesky<S> {
    fn solve(&self, mut b: MatMut<'_, S>) {
        let n = self.lower.rows();
        for c in 0..b.cols() {
            let x = b.col(c);
            for j in 0..n {
                let l = self.lower.col(j);
                x[j] /= l[j];
                let (head, tail) = x.split_at_mut(j + 1);
                let factor = head[j];
                for (v, &l) in tail.iter_mut().zip(&l[j + 1..]) {
                    *v -= factor * l;
                }
            }
            for j in (0..n).rev() {
                let l = self.lower.col(j);
                let dot: S = l[j + 1..].iter().zip(&x[j + 1..]).map(|(&l, &v)| l * v).sum();
                x[j] = (x[j] - dot) / l[j];
            }
        }
    }
}
