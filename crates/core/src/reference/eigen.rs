//! Eigenpairs of a symmetric matrix: Householder reduction to tridiagonal form,
//! then implicitly shifted QL rotations.

use crate::error::{Error, Result};
use crate::numbers::matrix::{Mat, MatRef};
use crate::numbers::real::Real;
use crate::stages::backend::Eigen;

/// Maximum number of rotation sweeps per eigenvalue; two or three are usual.
const SWEEPS: usize = 60;

/// All eigenpairs of a symmetric matrix, in O(n³) time and n² memory. Only the lower triangle is
/// read.
pub fn eigh<S: Real>(a: MatRef<'_, S>) -> Result<Eigen<S>> {
    let n = a.rows();
    let mut vectors = Mat::from_fn(n, n, |i, j| a.at(i.max(j), i.min(j)));
    let (mut diagonal, mut off) = tridiagonalise(&mut vectors);
    rotate_to_diagonal(&mut diagonal, &mut off, &mut vectors)?;
    Ok(sorted(diagonal, vectors))
}

/// Replaces a symmetric A by an orthogonal Q such that QᵀAQ is tridiagonal; returns the diagonal
/// and the off-diagonal.
fn tridiagonalise<S: Real>(a: &mut Mat<S>) -> (Vec<S>, Vec<S>) {
    let n = a.rows();
    let mut off = vec![S::zero(); n.saturating_sub(1)];
    let mut reflectors: Vec<Option<Vec<S>>> = Vec::with_capacity(n);
    for k in 0..n.saturating_sub(1) {
        let reflector = householder(&a.col(k)[k + 1..], &mut off[k]);
        if let Some(v) = &reflector {
            reflect_both_sides(a, k + 1, v);
        }
        reflectors.push(reflector);
    }
    let diagonal = (0..n).map(|i| a[(i, i)]).collect();
    *a = Mat::identity(n);
    for (k, reflector) in reflectors.iter().enumerate().rev() {
        if let Some(v) = reflector {
            for j in k + 1..n {
                reflect(&mut a.col_mut(j)[k + 1..], v);
            }
        }
    }
    (diagonal, off)
}

/// The unit vector v for which (I − 2vvᵀ)x is a multiple of the first unit vector, and that
/// multiple; `None` if x already is such a multiple.
fn householder<S: Real>(x: &[S], multiple: &mut S) -> Option<Vec<S>> {
    let scale = x.iter().fold(S::zero(), |m, v| m.max(v.abs()));
    *multiple = x[0];
    if x[1..].iter().all(|v| *v == S::zero()) {
        return None;
    }
    let norm = scale * x.iter().map(|&v| (v / scale) * (v / scale)).sum::<S>().sqrt();
    *multiple = if x[0] > S::zero() { -norm } else { norm };
    let mut v = x.to_vec();
    v[0] -= *multiple;
    let largest = v.iter().fold(S::zero(), |m, x| m.max(x.abs()));
    v.iter_mut().for_each(|x| *x /= largest);
    let length = v.iter().map(|&x| x * x).sum::<S>().sqrt();
    v.iter_mut().for_each(|x| *x /= length);
    Some(v)
}

/// x ← (I − 2vvᵀ)x.
fn reflect<S: Real>(x: &mut [S], v: &[S]) {
    let dot: S = x.iter().zip(v).map(|(&x, &v)| x * v).sum();
    let factor = dot + dot;
    x.iter_mut().zip(v).for_each(|(x, &v)| *x -= factor * v);
}

/// Replaces the trailing block B from `start` by (I − 2vvᵀ)B(I − 2vvᵀ), through the symmetric
/// rank-two update B − vwᵀ − wvᵀ.
fn reflect_both_sides<S: Real>(a: &mut Mat<S>, start: usize, v: &[S]) {
    let n = a.rows();
    let mut w = vec![S::zero(); v.len()];
    for (j, &vj) in v.iter().enumerate() {
        for (w, &b) in w.iter_mut().zip(&a.col(start + j)[start..]) {
            *w += vj * b;
        }
    }
    let vw: S = v.iter().zip(&w).map(|(&v, &w)| v * w).sum();
    let two = S::of(2.0);
    w.iter_mut().zip(v).for_each(|(w, &v)| *w = two * (*w - vw * v));
    for j in start..n {
        let (vj, wj) = (v[j - start], w[j - start]);
        for ((b, &v), &w) in a.col_mut(j)[start..].iter_mut().zip(v).zip(&w) {
            *b -= v * wj + w * vj;
        }
    }
}

/// Rotates a tridiagonal matrix to diagonal form and applies the rotations to the columns of
/// `vectors`.
fn rotate_to_diagonal<S: Real>(d: &mut [S], e: &mut [S], vectors: &mut Mat<S>) -> Result<()> {
    let n = d.len();
    let norm = d.iter().chain(e.iter()).fold(S::zero(), |m, v| m.max(v.abs()));
    for start in 0..n {
        for sweep in 0.. {
            let end = block_end(e, start, S::epsilon() * norm);
            if end == start {
                break;
            }
            if sweep == SWEEPS {
                return Err(Error::NoConvergence {
                    what: "the symmetric eigenproblem",
                    iterations: SWEEPS,
                });
            }
            ql_sweep(d, e, vectors, start, end);
        }
    }
    Ok(())
}

/// Last index of the unreduced block that begins at `start`.
///
/// Whether an off-diagonal entry is negligible is measured relative to the whole matrix. Next to
/// diagonal entries that are only rounding errors, as in zero blocks, it might never become small
/// relative to them.
fn block_end<S: Real>(e: &[S], start: usize, negligible: S) -> usize {
    (start..e.len()).find(|&i| e[i].abs() <= negligible).unwrap_or(e.len())
}

/// One implicit QL sweep over the block, with the shift of the leading 2 × 2.
fn ql_sweep<S: Real>(d: &mut [S], e: &mut [S], vectors: &mut Mat<S>, start: usize, end: usize) {
    // The off-diagonal entry after the block is negligible and treated as zero.
    if end < e.len() {
        e[end] = S::zero();
    }
    let two = S::of(2.0);
    let slope = (d[start + 1] - d[start]) / (two * e[start]);
    let root = slope.hypot(S::one()).copysign(slope);
    let mut g = d[end] - d[start] + e[start] / (slope + root);
    let (mut s, mut c, mut p) = (S::one(), S::one(), S::zero());
    for i in (start..end).rev() {
        let (f, b) = (s * e[i], c * e[i]);
        let r = f.hypot(g);
        if i + 1 < end {
            e[i + 1] = r;
        }
        if r == S::zero() {
            // The block has split: undo the pending shift and restart.
            d[i + 1] -= p;
            return;
        }
        (s, c) = (f / r, g / r);
        g = d[i + 1] - p;
        let t = (d[i] - g) * s + two * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        rotate_columns(vectors, i, s, c);
    }
    d[start] -= p;
    e[start] = g;
}

/// Applies the rotation (c, s) to columns i and i + 1.
fn rotate_columns<S: Real>(vectors: &mut Mat<S>, i: usize, s: S, c: S) {
    let n = vectors.rows();
    let (left, right) = vectors.data_mut()[i * n..(i + 2) * n].split_at_mut(n);
    for (x, y) in left.iter_mut().zip(right) {
        let old = *y;
        *y = s * *x + c * old;
        *x = c * *x - s * old;
    }
}

fn sorted<S: Real>(values: Vec<S>, vectors: Mat<S>) -> Eigen<S> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].partial_cmp(&values[j]).unwrap_or(std::cmp::Ordering::Equal));
    let sorted_vectors = Mat::from_fn(vectors.rows(), values.len(), |i, j| vectors[(i, order[j])]);
    Eigen { values: order.iter().map(|&i| values[i]).collect(), vectors: sorted_vectors }
}
