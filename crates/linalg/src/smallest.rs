//! Smallest eigenpairs of a positive semidefinite matrix, through its shifted inverse.

use enclust_core::{Backend, Bytes, Ctx, Eigen, Error, Mat, MatMut, Real, Result, SpdSolve};
use rayon::prelude::*;

use crate::leading::{leading_eigenpairs_bytes, leading_eigenpairs_within};
use crate::operator::SymmetricOperator;
use crate::panels::columns;

/// Up to this size the matrix is decomposed completely.
const SMALL: usize = 400;
/// Shifts to try, relative to the mean of the diagonal. A shift should be about as large as the
/// largest requested eigenvalue. With a smaller one, the eigenvalues of the inverse are too far
/// apart to be computed accurately together; with a larger one, they are too close to those that
/// follow.
const SHIFTS: [f64; 3] = [0.05, 1e-3, 2e-5];
/// Number of right-hand sides that a thread solves at a time. Every solve reads the whole factor.
const COLUMNS: usize = 8;
/// Maximum number of blocks of solutions per shift; about ten are usual, and fifty take less time
/// than a complete decomposition. After the last shift, all pairs are computed.
const SOLUTIONS: usize = 48;
/// Maximum residual, relative to the largest diagonal entry.
const RESIDUAL: f64 = 1e-8;

/// The k smallest eigenpairs of a symmetric positive semidefinite matrix.
///
/// # Problem
///
/// Find V with orthonormal columns and λ₁ ≤ … ≤ λₖ, the smallest eigenvalues of A counted with
/// multiplicity, such that AV = V diag(λ). They are the leading pairs of (A + σ)⁻¹, where they
/// are well separated. Each σ that is tried needs one Cholesky factorisation and a few tens of
/// solves; a complete decomposition takes twenty times as long. The eigenvalues are computed as
/// vᵀAv, so an error ε of a vector gives an error ε²‖A‖ of the value.
///
/// # Parameters
///
/// `matrix`, of which both triangles are read; `k` from 0 to its size; `seed` and `backend` as
/// for [`leading_eigenpairs`](crate::leading_eigenpairs).
///
/// # Complexity
///
/// n³/3 operations for the factor and n² per solve; n² numbers in addition to the matrix.
/// Matrices with at most 400 rows are decomposed completely.
///
/// # Determinism and ties
///
/// The same as for [`leading_eigenpairs`](crate::leading_eigenpairs).
///
/// # Errors
///
/// The same as for [`leading_eigenpairs`](crate::leading_eigenpairs). If the matrix is found not
/// to be semidefinite, or if its pairs are not accurate, it is decomposed completely.
///
/// # Example
///
/// ```
/// use enclust_core::{Ctx, Mat};
/// use enclust_linalg::smallest_eigenpairs;
///
/// // The Laplacian of two edges, 0 - 1 and 2 - 3, has as many zero eigenvalues as components.
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
        return Err(Error::Size {
            what: "number of eigenpairs (at most the size of the matrix)",
            expected: n,
            found: k,
        });
    }
    if n > SMALL {
        let mut attempts = SHIFTS.iter().map(|shift| by_inverse(matrix, *shift, k, ctx));
        if let Some(found) = attempts.find_map(|found| found) {
            return Ok(found);
        }
    }
    // A cancelled attempt also returns no pairs.
    ctx.checkpoint("the search for eigenpairs")?;
    let all = ctx.backend().eigh(matrix.view())?;
    let first: Vec<usize> = (0..k).collect();
    Ok(Eigen { values: all.values[..k].to_vec(), vectors: columns(&all.vectors, &first) })
}

/// Upper bound on the memory of [`smallest_eigenpairs`] for a matrix of size `dim`, including the
/// result but not the matrix.
pub fn smallest_eigenpairs_bytes(dim: usize, k: usize, scalar: usize, threads: usize) -> Bytes {
    let square = Bytes(scalar as u64) * dim as u64 * dim as u64;
    // The shifted matrix and its factor; a complete decomposition needs about as much.
    square * 3 + leading_eigenpairs_bytes(dim, k, scalar, threads)
}

/// The result through the inverse, if the pairs are found and are accurate.
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

/// The inverse of a factored matrix, as an operator.
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
