//! The linear algebra of a run.

use crate::error::Result;
use crate::numbers::matrix::{Mat, MatMut, MatRef};
use crate::numbers::real::Real;
use crate::reference;
use crate::stages::component::{Component, forward};

/// Eigenpairs of a symmetric matrix.
#[derive(Clone, Debug)]
pub struct Eigen<S> {
    /// Eigenvalues, ascending.
    pub values: Vec<S>,
    /// Orthonormal eigenvectors, one column an eigenvalue.
    pub vectors: Mat<S>,
}

/// Dense kernels, below the level of any solver.
///
/// A backend sees slices through [`MatRef`] and [`MatMut`] and never owns the
/// storage. Kernels are **sequential**: solvers split their work into panels of
/// fixed size and run those in parallel, so the number of threads cannot change
/// a bit of the result, whichever backend is in use.
///
/// Only the product is required; the factorisations default to the reference
/// kernels.
pub trait Backend<S: Real>: Component {
    /// C ← αAB + βC. With β = 0, C is overwritten whatever it held.
    ///
    /// # Panics
    /// If the sizes do not fit.
    fn gemm(&self, alpha: S, a: MatRef<'_, S>, b: MatRef<'_, S>, beta: S, c: MatMut<'_, S>);

    /// Factors a symmetric positive definite matrix (its lower triangle is read).
    fn factor_spd(&self, a: MatRef<'_, S>) -> Result<Box<dyn SpdSolve<S>>> {
        Ok(Box::new(reference::Cholesky::factor(a)?))
    }

    /// All eigenpairs of a symmetric matrix (its lower triangle is read).
    fn eigh(&self, a: MatRef<'_, S>) -> Result<Eigen<S>> {
        reference::eigh(a)
    }

    /// Kernels in double precision, for parts whose decisions need it whatever the
    /// precision of the run: those of the same library where it has them.
    fn in_double(&self) -> &dyn Backend<f64> {
        &reference::Reference
    }
}

forward!(Backend<S> {
    fn gemm(&self, alpha: S, a: MatRef<'_, S>, b: MatRef<'_, S>, beta: S, c: MatMut<'_, S>);
    fn factor_spd(&self, a: MatRef<'_, S>) -> Result<Box<dyn SpdSolve<S>>>;
    fn eigh(&self, a: MatRef<'_, S>) -> Result<Eigen<S>>;
    fn in_double(&self) -> &dyn Backend<f64>;
});

/// A factored symmetric positive definite matrix.
pub trait SpdSolve<S: Real>: Send + Sync {
    /// Overwrites B by the solution X of AX = B.
    fn solve(&self, b: MatMut<'_, S>);
}

/// Checks the sizes of a product; for backends to call first.
///
/// # Panics
/// If they do not fit.
pub fn check_product<S: Real>(a: &MatRef<'_, S>, b: &MatRef<'_, S>, c: &MatMut<'_, S>) {
    assert!(
        a.cols() == b.rows() && a.rows() == c.rows() && b.cols() == c.cols(),
        "product of {} x {} by {} x {} into {} x {}",
        a.rows(),
        a.cols(),
        b.rows(),
        b.cols(),
        c.rows(),
        c.cols()
    );
}
