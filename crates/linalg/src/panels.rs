//! Dense products that run in parallel over panels of fixed size.
//!
//! The panels do not depend on the number of threads, and partial results are added in the order
//! of the panels, so the result does not depend on the number of threads either.

use enclust_core::{Backend, Mat, MatMut, MatRef, Real};
use rayon::prelude::*;

/// Number of columns per panel of a thin result.
const COLUMNS: usize = 4;
/// Number of columns per panel of a wide result.
const WIDE: usize = 64;
/// Number of rows per panel of the factors.
const ROWS: usize = 256;

/// C ← αAB + βC on all threads, with the backend's product for one panel of columns at a time.
/// The panels are fixed, so the result does not depend on the number of threads. A transposed A
/// is copied.
///
/// ```
/// use enclust_core::{Mat, Reference};
/// use enclust_linalg::multiply;
///
/// let a = Mat::from_fn(2, 2, |i, j| (2 * i + j) as f64);
/// let mut c = Mat::zeros(2, 2);
/// multiply(&Reference, 1.0, a.view(), a.view().transposed(), 0.0, &mut c);
/// assert_eq!(c.data(), &[1.0, 3.0, 3.0, 13.0]);
/// ```
///
/// # Panics
///
/// If the sizes do not match.
pub fn multiply<S: Real>(
    backend: &dyn Backend<S>,
    alpha: S,
    a: MatRef<'_, S>,
    b: MatRef<'_, S>,
    beta: S,
    c: &mut Mat<S>,
) {
    let copy = upright_copy(a);
    let a = copy.as_ref().map_or(a, Mat::view);
    by_columns(WIDE, c, |start, panel| {
        let b = columns_of(b, start, panel.cols());
        backend.gemm(alpha, a, b, beta, panel);
    });
}

/// The lower triangle of AᵀA on all threads; entries above it are unspecified. The working memory
/// is as large as A.
///
/// ```
/// use enclust_core::{Mat, Reference};
/// use enclust_linalg::lower_gram;
///
/// let a = Mat::from_fn(2, 2, |i, j| (2 * i + j) as f64);
/// let gram = lower_gram(&Reference, a.view());
/// assert_eq!((gram[(0, 0)], gram[(1, 0)], gram[(1, 1)]), (4.0, 6.0, 10.0));
/// ```
pub fn lower_gram<S: Real>(backend: &dyn Backend<S>, a: MatRef<'_, S>) -> Mat<S> {
    let mut gram = Mat::zeros(a.cols(), a.cols());
    lower_product(backend, a.transposed(), a, S::zero(), &mut gram);
    gram
}

/// The lower triangle of C ← AB + βC on all threads, for a symmetric result; entries above it are
/// unspecified. Takes half the time of [`multiply`]. A transposed A is copied.
///
/// ```
/// use enclust_core::{Mat, Reference};
/// use enclust_linalg::{complete, lower_product};
///
/// let a = Mat::from_fn(2, 2, |i, j| (1 + i + j) as f64);
/// let mut c = Mat::identity(2);
/// lower_product(&Reference, a.view(), a.view(), 1.0, &mut c);
/// complete(&mut c);
/// assert_eq!(c.data(), &[6.0, 8.0, 8.0, 14.0]);
/// ```
///
/// # Panics
///
/// If the sizes do not match.
pub fn lower_product<S: Real>(
    backend: &dyn Backend<S>,
    a: MatRef<'_, S>,
    b: MatRef<'_, S>,
    beta: S,
    c: &mut Mat<S>,
) {
    let n = c.rows();
    let copy = upright_copy(a);
    let a = copy.as_ref().map_or(a, Mat::view);
    by_columns(WIDE, c, |start, mut panel| {
        let (left, right) = (rows(a, start, n - start), columns_of(b, start, panel.cols()));
        let below = MatMut::new(&mut panel.data()[start..], n - start, right.cols(), n);
        backend.gemm(S::one(), left, right, beta, below);
    });
}

/// Copies the lower triangle of a matrix to the upper one, tile by tile.
///
/// # Panics
///
/// If the matrix is not square.
pub fn complete<S: Real>(matrix: &mut Mat<S>) {
    let n = matrix.rows();
    assert_eq!(n, matrix.cols(), "a symmetric matrix is square");
    for start in (0..n).step_by(WIDE) {
        let end = n.min(start + WIDE);
        let (before, rest) = matrix.data_mut().split_at_mut(start * n);
        for above in (0..start).step_by(WIDE) {
            for (offset, column) in rest.chunks_exact_mut(n).take(end - start).enumerate() {
                for row in above..above + WIDE {
                    column[row] = before[row * n + start + offset];
                }
            }
        }
        for column in start..end {
            for row in start..column {
                rest[(column - start) * n + row] = rest[(row - start) * n + column];
            }
        }
    }
}

/// A column-major copy of a view that is not column-major, made once for all panels; a backend
/// might make one per panel.
fn upright_copy<S: Real>(a: MatRef<'_, S>) -> Option<Mat<S>> {
    (a.strides().0 != 1).then(|| {
        let mut copy = Mat::zeros(a.rows(), a.cols());
        copy.view_mut().copy_from(a);
        copy
    })
}

/// Calls a function for each panel of this many columns, in parallel, with the index of its first
/// column.
fn by_columns<S: Real>(
    width: usize,
    result: &mut Mat<S>,
    fill: impl Fn(usize, MatMut<'_, S>) + Sync,
) {
    let n = result.rows();
    result.data_mut().par_chunks_mut((n * width).max(1)).enumerate().for_each(|(panel, data)| {
        let columns = data.len() / n;
        fill(panel * width, MatMut::new(data, n, columns, n));
    });
}

/// C ← αTB + βC for a tall, column-major T.
pub(crate) fn combine<S: Real>(
    backend: &dyn Backend<S>,
    alpha: S,
    tall: MatRef<'_, S>,
    small: &Mat<S>,
    beta: S,
    result: &mut Mat<S>,
) {
    by_columns(COLUMNS, result, |start, panel| {
        let b = columns_of(small.view(), start, panel.cols());
        backend.gemm(alpha, tall, b, beta, panel);
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
    MatRef::new(data, len, m.cols(), m.strides().1.max(len))
}

/// Some consecutive columns of a view.
fn columns_of<S: Real>(m: MatRef<'_, S>, start: usize, len: usize) -> MatRef<'_, S> {
    let (down, across) = m.strides();
    if down != 1 {
        return rows(m.transposed(), start, len).transposed();
    }
    let data = m.data().get(start * across..).unwrap_or(&[]);
    // The only column of a view may have any stride.
    MatRef::new(data, m.rows(), len, across.max(m.rows()))
}

/// The columns of a matrix that `keep` lists, in that order.
pub(crate) fn columns<S: Real>(m: &Mat<S>, keep: &[usize]) -> Mat<S> {
    let mut out = Mat::zeros(m.rows(), keep.len());
    for (to, &from) in keep.iter().enumerate() {
        out.col_mut(to).copy_from_slice(m.col(from));
    }
    out
}
