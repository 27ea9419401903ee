//! Smallest eigenpairs of a positive semidefinite matrix: its shifted inverse.

use enclust_core::{Backend, Bytes, Ctx, Eigen, Error, Mat, MatMut, Real, Result, SpdSolve};
use rayon::prelude::*;

use crate::leading::{leading_eigenpairs_bytes, leading_eigenpairs_within};
use crate::operator::SymmetricOperator;
use crate::panels::columns;

/// Size up to which the whole matrix is decomposed.
const SMALL: usize = 400;
/// Shifts to try, in parts of the mean of the diagonal. One should be of the size of the
/// largest value wanted: beside a smaller one the values lie too far apart for all to be
/// found well, beside a larger one they lie so close that those behind are hard to tell.
const SHIFTS: [f64; 3] = [0.05, 1e-3, 2e-5];
/// Right-hand sides that a thread solves for at a time.
const COLUMNS: usize = 4;
/// Blocks of solutions after which another shift is tried, and in the end all pairs are
/// computed; about ten are usual.
const SOLUTIONS: usize = 24;
/// Residual allowed beside the largest entry of the diagonal.
const RESIDUAL: f64 = 1e-8;

/// **Summary.** The k smallest eigenpairs of a symmetric positive semidefinite matrix.
///
/// **Problem.** Find V with orthonormal columns and λ₁ ≤ … ≤ λₖ, the smallest eigenvalues
/// of A counted with multiplicity, such that AV = V diag(λ). They are the leading pairs
/// of (A + σ)⁻¹, which stand well apart there: one Cholesky factor and a few tens of
/// solutions for each σ that is tried, where the whole decomposition takes twenty times as long. The values are
/// vᵀAv, so an error ε of a vector is one of ε²‖A‖ there.
///
/// **Parameters.** Both triangles of `matrix` are read; `k` from 0 to its size; `seed`,
/// `backend` as for [`leading_eigenpairs`](crate::leading_eigenpairs).
///
/// **Complexity.** n³/3 operations and n² for each solution; n² numbers besides the
/// matrix. Matrices of at most 400 rows are decomposed whole.
///
/// **Determinism and ties.** As [`leading_eigenpairs`](crate::leading_eigenpairs).
///
/// **Errors.** Those of [`leading_eigenpairs`](crate::leading_eigenpairs). A matrix that proves not to be semidefinite, or
/// whose pairs are not found accurately, is decomposed whole.
///
/// **Example.**
/// ```
/// use enclust_core::{Ctx, Mat};
/// use enclust_linalg::smallest_eigenpairs;
///
/// // The Laplacian of two edges, 0 - 1 and 2 - 3: as many zeros as components.
/// let entry = |i: usize, j: usize| if i == j { 1.0 } else if i / 2 == j / 2 { -1.0 } else { 0.0 };
/// let pairs = smallest_eigenpairs(&Mat::from_fn(4, 4, entry), 3, &Ctx::default())?;
/// assert!(pairs.values[1] < 1e-12_f64 && (pairs.values[2] - 2.0).abs() < 1e-12);
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn smallest_eigenpairs<S: Real>(
    matrix: &Mat<S>,
    k: usize,
    ctx: &Ctx<'_, S>,
) -> Result<Eigen<S>> {
    let n = matrix.rows();
    if k > n {
        return Err(Error::Size { what: "eigenpairs asked for, at most", expected: n, found: k });
    }
    if n > SMALL {
        let mut attempts = SHIFTS.iter().map(|shift| by_inverse(matrix, *shift, k, ctx));
        if let Some(found) = attempts.find_map(|found| found) {
            return Ok(found);
        }
    }
    // An attempt that was cancelled found nothing, either.
    ctx.checkpoint("the search for eigenpairs")?;
    let all = ctx.backend().eigh(matrix.view())?;
    let first: Vec<usize> = (0..k).collect();
    Ok(Eigen { values: all.values[..k].to_vec(), vectors: columns(&all.vectors, &first) })
}

/// What [`smallest_eigenpairs`] of a matrix of size `dim` takes besides the matrix, its
/// answer included: an upper bound.
pub fn smallest_eigenpairs_bytes(dim: usize, k: usize, scalar: usize, threads: usize) -> Bytes {
    let square = Bytes(scalar as u64) * dim as u64 * dim as u64;
    // The shifted matrix and its factor; a whole decomposition holds about as much.
    square * 3 + leading_eigenpairs_bytes(dim, k, scalar, threads)
}

/// The answer by the inverse, if it is found and proves to be one.
fn by_inverse<S: Real>(
    matrix: &Mat<S>,
    shift: f64,
    k: usize,
    ctx: &Ctx<'_, S>,
) -> Option<Eigen<S>> {
    let (n, backend) = (matrix.rows(), ctx.backend());
    let diagonal = || (0..n).map(|i| matrix[(i, i)].wide());
    let shift = S::of(shift * diagonal().sum::<f64>() / n as f64);
    let mut shifted = matrix.clone();
    (0..n).for_each(|i| shifted[(i, i)] += shift);
    let factor = backend.factor_spd(shifted.view()).ok()?;
    drop(shifted);
    let inverse = Inverse { factor, dim: n };
    let leading = leading_eigenpairs_within(SOLUTIONS, &inverse, k, ctx).ok()?;
    let ascending: Vec<usize> = (0..k).rev().collect();
    let vectors = columns(&leading.vectors, &ascending);
    let images = matrix.apply(backend, &vectors);
    let limit = RESIDUAL * diagonal().fold(0.0, f64::max);
    let values: Option<Vec<S>> = (0..k)
        .map(|j| {
            let value = dot(vectors.col(j), images.col(j));
            let residual = |(v, image): (&S, &S)| (image.wide() - value * v.wide()).powi(2);
            let squares: f64 = vectors.col(j).iter().zip(images.col(j)).map(residual).sum();
            (squares.sqrt() <= limit).then_some(S::of(value))
        })
        .collect();
    Some(Eigen { values: values?, vectors })
}

fn dot<S: Real>(a: &[S], b: &[S]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x.wide() * y.wide()).sum()
}

/// The inverse of a factored matrix as something to multiply by.
struct Inverse<S> {
    factor: Box<dyn SpdSolve<S>>,
    dim: usize,
}

impl<S: Real> SymmetricOperator<S> for Inverse<S> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn apply(&self, _: &dyn Backend<S>, x: &Mat<S>) -> Mat<S> {
        let mut out = x.clone();
        out.data_mut().par_chunks_mut(self.dim * COLUMNS).for_each(|panel| {
            let width = panel.len() / self.dim;
            self.factor.solve(MatMut::new(panel, self.dim, width, self.dim));
        });
        out
    }
}
