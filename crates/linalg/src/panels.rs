//! Products with tall, thin matrices, in parallel over panels of fixed size.
//!
//! The panels do not depend on the number of threads, and partial results are
//! added in the order of the panels; so neither does a bit of the result.

use enclust_core::{Backend, Mat, MatMut, MatRef, Real};
use rayon::prelude::*;

/// Columns of a panel of the result.
const COLUMNS: usize = 4;
/// Rows of a panel of the factors.
const ROWS: usize = 256;

/// C ← αTB + βC for a tall, column-major T.
pub(crate) fn combine<S: Real>(
    backend: &dyn Backend<S>,
    alpha: S,
    tall: MatRef<'_, S>,
    small: &Mat<S>,
    beta: S,
    result: &mut Mat<S>,
) {
    let (n, inner) = (tall.rows(), tall.cols());
    result.data_mut().par_chunks_mut((n * COLUMNS).max(1)).enumerate().for_each(|(panel, c)| {
        let width = c.len() / n;
        let b = &small.data()[panel * COLUMNS * inner..][..width * inner];
        let b = MatRef::new(b, inner, width, inner);
        backend.gemm(alpha, tall, b, beta, MatMut::new(c, n, width, n));
    });
}

/// TᵀB for tall, column-major T and B.
pub(crate) fn inner_products<S: Real>(
    backend: &dyn Backend<S>,
    tall: MatRef<'_, S>,
    block: &Mat<S>,
) -> Mat<S> {
    let n = tall.rows();
    let partial: Vec<Mat<S>> = (0..n.div_ceil(ROWS))
        .into_par_iter()
        .map(|panel| {
            let start = panel * ROWS;
            let len = ROWS.min(n - start);
            let t = rows(tall, start, len).transposed();
            let mut c = Mat::zeros(tall.cols(), block.cols());
            let b = rows(block.view(), start, len);
            backend.gemm(S::one(), t, b, S::zero(), c.view_mut());
            c
        })
        .collect();
    let mut sum = Mat::zeros(tall.cols(), block.cols());
    for part in &partial {
        sum.data_mut().iter_mut().zip(part.data()).for_each(|(s, &p)| *s += p);
    }
    sum
}

/// Some consecutive rows of a column-major view.
pub(crate) fn rows<S: Real>(m: MatRef<'_, S>, start: usize, len: usize) -> MatRef<'_, S> {
    // A view without columns may have no data to skip.
    let data = m.data().get(start..).unwrap_or(&[]);
    MatRef::new(data, len, m.cols(), m.strides().1)
}

/// The columns of a matrix that `keep` names, in that order.
pub(crate) fn columns<S: Real>(m: &Mat<S>, keep: &[usize]) -> Mat<S> {
    let mut out = Mat::zeros(m.rows(), keep.len());
    for (to, &from) in keep.iter().enumerate() {
        out.col_mut(to).copy_from_slice(m.col(from));
    }
    out
}
