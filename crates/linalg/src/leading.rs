//! Leading eigenpairs of a symmetric operator: block Lanczos with thick restarts.

use enclust_core::{Backend, Bytes, Ctx, Eigen, Error, Mat, MatRef, Real, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::operator::{SymmetricOperator, product_bytes};
use crate::panels::{columns, combine, inner_products};

/// Number of additional vectors in the block. They improve the slow convergence at the edge of
/// the block and find further copies of a multiple eigenvalue.
const GUARD: usize = 6;
/// Smallest size of a full basis.
const BASIS: usize = 64;
/// Number of expansions after which the speed of the iteration is measured.
const TRIAL: usize = 10;
/// Maximum number of expansions of the basis; ten to fifty are usual.
const EXPANSIONS: usize = 500;

/// The k algebraically largest eigenpairs of a symmetric operator.
///
/// # Problem
///
/// Find V with orthonormal columns and λ₁ ≥ … ≥ λₖ, the largest eigenvalues of A counted with
/// multiplicity, such that AV = V diag(λ). Each pair is computed to a residual ‖Av − λv‖ ≤
/// 10⁻¹⁰‖A‖ (in single precision, 100 units of rounding).
///
/// A basis starts with a random block of a few vectors more than k and is expanded by the
/// residuals of its leading Ritz pairs (block Lanczos with full orthogonalisation). A full basis
/// is reduced to its best Ritz vectors. Because the block is wider than k, eigenvalues of any
/// multiplicity are found with all copies that belong to the result. An operator that is not
/// larger than a full basis is decomposed as a dense matrix.
///
/// # Parameters
///
/// `k` from 0 to the size of the operator; `seed` of the random block; `backend` for the dense
/// kernels.
///
/// # Complexity
///
/// A few tens of products with at most k + 6 vectors if the spectrum has a gap after λₖ, more if
/// it has none; 2n max(64, 4k + 24) numbers of memory.
///
/// # Determinism and ties
///
/// The result depends only on the arguments, not on the number of threads. Eigenvalues are in
/// ascending order, as in every [`Eigen`]. The sign of a vector makes its entry of largest
/// magnitude positive; among equal magnitudes the first entry decides. In the eigenspace of a
/// multiple eigenvalue the vectors depend on the seed and the backend; if only some copies of an
/// eigenvalue are requested, the space that they span also does.
///
/// # Errors
///
/// [`Error::Size`] if k is larger than the size of the operator; [`Error::NotFinite`] if a
/// product with the operator is not finite; [`Error::NoConvergence`] if the residuals stay too
/// large.
///
/// # Example
///
/// ```
/// use enclust_core::{Ctx, Mat};
/// use enclust_linalg::leading_eigenpairs;
///
/// let a = Mat::from_fn(3, 3, |i, j| if i == j { 2.0 } else { 1.0 });
/// let top = leading_eigenpairs(&a, 1, &Ctx::default())?;
/// assert!((top.values[0] - 4.0_f64).abs() < 1e-12);
/// assert!((top.vectors[(0, 0)] - 1.0 / 3.0_f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Reference
///
/// K. Wu, H. Simon, *Thick-restart Lanczos method for large symmetric eigenvalue problems*, SIAM
/// J. Matrix Anal. Appl. 22 (2000).
pub fn leading_eigenpairs<S: Real>(
    operator: &dyn SymmetricOperator<S>,
    k: usize,
    ctx: &Ctx<'_, S>,
) -> Result<Eigen<S>> {
    pairs(Patience { expansions: EXPANSIONS, unlimited: true }, operator, k, ctx)
}

/// The same as [`leading_eigenpairs`] with a maximum number of products, for callers that have
/// an alternative: without a gap in the spectrum, the iteration soon takes longer than a complete
/// decomposition. It ends early if the residuals shrink so slowly that more than twice the
/// remaining products would be needed.
///
/// # Errors
///
/// The same as for [`leading_eigenpairs`]; [`Error::NoConvergence`] after `products` products, or
/// earlier.
pub fn leading_eigenpairs_within<S: Real>(
    products: usize,
    operator: &dyn SymmetricOperator<S>,
    k: usize,
    ctx: &Ctx<'_, S>,
) -> Result<Eigen<S>> {
    pairs(Patience { expansions: products, unlimited: false }, operator, k, ctx)
}

/// When an iteration ends without a result.
#[derive(Clone, Copy)]
struct Patience {
    /// After this number of expansions of the basis.
    expansions: usize,
    /// Whether it goes on as long as that even if it is unlikely to converge.
    unlimited: bool,
}

impl Patience {
    /// Whether an iteration is unlikely to converge: its residual was `first` after [`TRIAL`]
    /// expansions and is now `residual`.
    fn ends(self, expansions: usize, first: f64, residual: f64, tolerance: f64) -> bool {
        if self.unlimited || expansions < 2 * TRIAL {
            return false;
        }
        // Residuals shrink by about the same factor in every expansion.
        let speed = (first / residual).ln() / (expansions - TRIAL) as f64;
        let left = self.expansions.saturating_sub(expansions);
        (residual / tolerance).ln() > 2.0 * left as f64 * speed
    }
}

fn pairs<S: Real>(
    patience: Patience,
    operator: &dyn SymmetricOperator<S>,
    k: usize,
    ctx: &Ctx<'_, S>,
) -> Result<Eigen<S>> {
    let n = operator.dim();
    if k > n {
        return Err(Error::Size {
            what: "number of eigenpairs (at most the size of the matrix)",
            expected: n,
            found: k,
        });
    }
    if k == 0 {
        return Ok(Eigen { values: Vec::new(), vectors: Mat::zeros(n, 0) });
    }
    let mut eigen = if n <= capacity(k) {
        decompose(operator, k, ctx.backend())?
    } else {
        search(patience, operator, k, ctx)?
    };
    (0..k).for_each(|j| fix_sign(eigen.vectors.col_mut(j)));
    Ok(eigen)
}

/// Upper bound on the memory of [`leading_eigenpairs`] for an operator of size `dim` with
/// `scalar` bytes per number, including the result.
///
/// ```
/// use enclust_core::Bytes;
/// use enclust_linalg::leading_eigenpairs_bytes;
///
/// // A few hundred vectors; a dense matrix would have 10,000.
/// assert!(leading_eigenpairs_bytes(10_000, 5, 8, 1) < Bytes(8) * 10_000 * 600);
/// ```
pub fn leading_eigenpairs_bytes(dim: usize, k: usize, scalar: usize, threads: usize) -> Bytes {
    let (basis, block) = (capacity(k).min(dim) as u64, (k + GUARD) as u64);
    let number = Bytes(scalar as u64);
    // Basis and images, in vectors that may double while they grow; Ritz vectors and images,
    // residuals, a new block and its product. The decomposition of a small operator needs no more
    // than this.
    let vectors = number * dim as u64 * (5 * basis + 8 * block);
    // The projection, its eigenvectors, and inner products by panels of rows.
    let small = number * basis * (6 * basis + (dim as u64 / 256 + 2) * block);
    vectors + small + product_bytes(scalar, threads)
}

/// Number of vectors in a full basis.
fn capacity(k: usize) -> usize {
    BASIS.max(4 * (k + GUARD))
}

/// The result for a small operator: all eigenpairs, of which the last k are kept.
fn decompose<S: Real>(
    operator: &dyn SymmetricOperator<S>,
    k: usize,
    backend: &dyn Backend<S>,
) -> Result<Eigen<S>> {
    let n = operator.dim();
    let dense = operator.apply(backend, &Mat::identity(n));
    check_finite(&dense, 0)?;
    let all = backend.eigh(dense.view())?;
    let last: Vec<usize> = (n - k..n).collect();
    Ok(Eigen { values: all.values[n - k..].to_vec(), vectors: columns(&all.vectors, &last) })
}

/// The result for a large operator, by iteration.
fn search<S: Real>(
    patience: Patience,
    operator: &dyn SymmetricOperator<S>,
    k: usize,
    ctx: &Ctx<'_, S>,
) -> Result<Eigen<S>> {
    let (block, backend) = (k + GUARD, ctx.backend());
    let mut basis = Basis::new(operator, backend);
    let mut fresh = basis.orthonormalised(random_block(operator.dim(), block, ctx.seed()));
    let mut scale = S::zero();
    let (mut expansions, mut first) = (0, f64::INFINITY);
    while fresh.cols() > 0 && expansions < patience.expansions {
        ctx.checkpoint("the search for eigenpairs")?;
        expansions += 1;
        basis.expand(&fresh, expansions)?;
        let ritz = backend.eigh(basis.projected.view())?;
        scale = ritz.values.iter().fold(scale, |s, v| s.max(v.abs()));
        let leading = basis.leading(&ritz, block);
        let residuals = leading.residuals();
        let open = open_columns(&residuals, tolerance::<S>() * scale);
        if open.first().is_none_or(|&j| j >= k) {
            return Ok(leading.ascending(k));
        }
        let worst = (0..k.min(residuals.cols())).map(|j| length(residuals.col(j)).wide());
        let worst = worst.fold(0.0, f64::max);
        if expansions == TRIAL {
            first = worst;
        }
        if patience.ends(expansions, first, worst, (tolerance::<S>() * scale).wide()) {
            break;
        }
        if basis.len() + open.len() > capacity(k) {
            basis.restart(&ritz, 2 * block);
        }
        fresh = basis.orthonormalised(columns(&residuals, &open));
    }
    Err(Error::NoConvergence { what: "the leading eigenpairs", iterations: expansions })
}

/// Maximum residual, relative to the norm of the operator.
fn tolerance<S: Real>() -> S {
    S::of(1e-10).max(S::of(100.0) * S::epsilon())
}

/// The columns whose length exceeds `limit`.
fn open_columns<S: Real>(residuals: &Mat<S>, limit: S) -> Vec<usize> {
    (0..residuals.cols()).filter(|&j| length(residuals.col(j)) > limit).collect()
}

fn random_block<S: Real>(n: usize, columns: usize, seed: u64) -> Mat<S> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut block = Mat::zeros(n, columns);
    block.data_mut().iter_mut().for_each(|v| *v = S::of(2.0 * rng.random::<f64>() - 1.0));
    block
}

/// An orthonormal basis V with its products: AV, and the projection VᵀAV.
struct Basis<'a, S: Real> {
    operator: &'a dyn SymmetricOperator<S>,
    backend: &'a dyn Backend<S>,
    /// V in column-major order.
    vectors: Vec<S>,
    /// AV in column-major order.
    images: Vec<S>,
    /// VᵀAV.
    projected: Mat<S>,
}

impl<'a, S: Real> Basis<'a, S> {
    fn new(operator: &'a dyn SymmetricOperator<S>, backend: &'a dyn Backend<S>) -> Self {
        let (vectors, images, projected) = (Vec::new(), Vec::new(), Mat::zeros(0, 0));
        Basis { operator, backend, vectors, images, projected }
    }

    fn len(&self) -> usize {
        self.projected.cols()
    }

    /// V or AV as a matrix.
    fn tall<'b>(&self, data: &'b [S]) -> MatRef<'b, S> {
        let n = self.operator.dim();
        MatRef::new(data, n, data.len() / n, n)
    }

    /// Adds vectors that are orthonormal to each other and to the basis.
    fn expand(&mut self, fresh: &Mat<S>, expansion: usize) -> Result<()> {
        let images = self.operator.apply(self.backend, fresh);
        check_finite(&images, expansion)?;
        self.vectors.extend_from_slice(fresh.data());
        self.images.extend_from_slice(images.data());
        let new = inner_products(self.backend, self.tall(&self.vectors), &images);
        let old = self.len();
        let entry = |i: usize, j: usize| {
            if i.max(j) < old { self.projected[(i, j)] } else { new[(i.min(j), i.max(j) - old)] }
        };
        self.projected = Mat::from_fn(new.rows(), new.rows(), entry);
        Ok(())
    }

    /// The `count` leading Ritz pairs, or all if there are fewer.
    fn leading(&self, ritz: &Eigen<S>, count: usize) -> RitzPairs<S> {
        let order: Vec<usize> = (0..self.len()).rev().take(count).collect();
        let coefficients = columns(&ritz.vectors, &order);
        let turned = |data: &[S]| {
            let mut out = Mat::zeros(self.operator.dim(), order.len());
            combine(self.backend, S::one(), self.tall(data), &coefficients, S::zero(), &mut out);
            out
        };
        RitzPairs {
            values: order.iter().map(|&j| ritz.values[j]).collect(),
            vectors: turned(&self.vectors),
            images: turned(&self.images),
        }
    }

    /// Reduces the basis to its `count` leading Ritz vectors.
    fn restart(&mut self, ritz: &Eigen<S>, count: usize) {
        let kept = self.leading(ritz, count);
        self.vectors = kept.vectors.data().to_vec();
        self.images = kept.images.data().to_vec();
        self.projected = Mat::from_fn(kept.values.len(), kept.values.len(), |i, j| {
            if i == j { kept.values[i] } else { S::zero() }
        });
    }

    /// An orthonormal basis of the part of `block` outside the span of the basis. Every step is
    /// done twice, which gives orthogonality to working precision.
    fn orthonormalised(&self, mut block: Mat<S>) -> Mat<S> {
        for column in 0..block.cols() {
            normalise(block.col_mut(column));
        }
        for _ in 0..2 {
            let vectors = self.tall(&self.vectors);
            let overlap = inner_products(self.backend, vectors, &block);
            combine(self.backend, -S::one(), vectors, &overlap, S::one(), &mut block);
            block = orthonormal_columns(block);
        }
        block
    }
}

/// Approximate eigenpairs, largest value first.
struct RitzPairs<S> {
    values: Vec<S>,
    vectors: Mat<S>,
    /// The products of the operator with the vectors.
    images: Mat<S>,
}

impl<S: Real> RitzPairs<S> {
    /// Av − λv for each pair.
    fn residuals(&self) -> Mat<S> {
        let mut out = self.images.clone();
        for (j, &value) in self.values.iter().enumerate() {
            let vector = self.vectors.col(j);
            out.col_mut(j).iter_mut().zip(vector).for_each(|(r, &v)| *r -= value * v);
        }
        out
    }

    /// The first k pairs, smallest value first.
    fn ascending(&self, k: usize) -> Eigen<S> {
        let order: Vec<usize> = (0..k).rev().collect();
        Eigen {
            values: order.iter().map(|&j| self.values[j]).collect(),
            vectors: columns(&self.vectors, &order),
        }
    }
}

/// Gram–Schmidt orthogonalisation of columns of length about one. A column that is almost in the
/// span of the previous ones is omitted.
fn orthonormal_columns<S: Real>(mut block: Mat<S>) -> Mat<S> {
    let n = block.rows();
    let mut kept = Vec::with_capacity(block.cols());
    for j in 0..block.cols() {
        let (before, rest) = block.data_mut().split_at_mut(j * n);
        let column = &mut rest[..n];
        for &i in &kept {
            let other: &[S] = &before[i * n..][..n];
            let overlap = dot(other, column);
            column.iter_mut().zip(other).for_each(|(c, &o)| *c -= overlap * o);
        }
        if length(column) > S::epsilon().sqrt() {
            normalise(column);
            kept.push(j);
        }
    }
    columns(&block, &kept)
}

fn dot<S: Real>(a: &[S], b: &[S]) -> S {
    S::of(a.iter().zip(b).map(|(x, y)| x.wide() * y.wide()).sum())
}

/// The length, scaled so that squares neither overflow nor underflow.
fn length<S: Real>(x: &[S]) -> S {
    let largest = x.iter().fold(0.0, |m: f64, v| m.max(v.abs().wide()));
    if largest == 0.0 {
        return S::zero();
    }
    let squares: f64 = x.iter().map(|v| (v.wide() / largest) * (v.wide() / largest)).sum();
    S::of(largest * squares.sqrt())
}

fn normalise<S: Real>(x: &mut [S]) {
    let length = length(x);
    if length > S::zero() {
        x.iter_mut().for_each(|v| *v /= length);
    }
}

/// Makes the entry of largest magnitude positive; among equal magnitudes the first entry decides.
fn fix_sign<S: Real>(x: &mut [S]) {
    let largest = x.iter().fold(S::zero(), |m, &v| if v.abs() > m.abs() { v } else { m });
    if largest < S::zero() {
        x.iter_mut().for_each(|v| *v = -*v);
    }
}

fn check_finite<S: Real>(product: &Mat<S>, iteration: usize) -> Result<()> {
    if product.data().iter().all(|v| v.is_finite()) {
        Ok(())
    } else {
        Err(Error::NotFinite { what: "the product with a symmetric operator", iteration })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iteration_ends_if_it_needs_more_than_twice_the_products_that_are_left() {
        let patience = Patience { expansions: 100, unlimited: false };
        // From 1 to 0.1 in twenty expansions: two hundred more are needed for 10⁻¹¹.
        assert!(patience.ends(30, 1.0, 0.1, 1e-11));
        assert!(!patience.ends(30, 1.0, 0.1, 1e-7));
        assert!(patience.ends(30, 1.0, 1.5, 1e-7));
        assert!(!patience.ends(15, 1.0, 1.5, 1e-7));
        assert!(!Patience { unlimited: true, ..patience }.ends(30, 1.0, 1.5, 1e-7));
    }
}
