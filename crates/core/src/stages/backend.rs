//! Linear-algebra backends.

use std::fmt;

use crate::error::Result;
use crate::numbers::csr::Csr;
use crate::numbers::matrix::{Mat, MatMut, MatRef};
use crate::numbers::real::Real;
use crate::reference::{
    self, IncompleteCholesky, Reference, ShiftedCholesky, SparseCholesky, SparseMatrix,
};
use crate::stages::component::{Component, forward};

/// Eigenpairs of a symmetric matrix.
#[derive(Clone, Debug)]
pub struct Eigen<S> {
    /// Eigenvalues in ascending order.
    pub values: Vec<S>,
    /// Orthonormal eigenvectors, one column per eigenvalue.
    pub vectors: Mat<S>,
}

/// The kernels of a [`Backend`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Kernel {
    /// [`Backend::gemm`].
    #[cfg_attr(feature = "serde", serde(rename = "product"))]
    Product,
    /// [`Backend::factor_spd`] and the solves with it.
    #[cfg_attr(feature = "serde", serde(rename = "factor"))]
    Factor,
    /// [`Backend::eigh`].
    #[cfg_attr(feature = "serde", serde(rename = "eigenpairs"))]
    Eigen,
    /// [`Backend::sparse`] and the products with it.
    #[cfg_attr(feature = "serde", serde(rename = "sparse product"))]
    SparseProduct,
    /// [`Backend::factor_sparse`], [`Backend::shifted`] and the solves with them.
    #[cfg_attr(feature = "serde", serde(rename = "sparse factor"))]
    SparseFactor,
    /// [`Backend::factor_incomplete`] and the solves with it.
    #[cfg_attr(feature = "serde", serde(rename = "incomplete factor"))]
    IncompleteFactor,
}

impl Kernel {
    /// Every kernel.
    pub const ALL: [Kernel; 6] = [
        Kernel::Product,
        Kernel::Factor,
        Kernel::Eigen,
        Kernel::SparseProduct,
        Kernel::SparseFactor,
        Kernel::IncompleteFactor,
    ];
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kernel::Product => "product",
            Kernel::Factor => "factor",
            Kernel::Eigen => "eigenpairs",
            Kernel::SparseProduct => "sparse product",
            Kernel::SparseFactor => "sparse factor",
            Kernel::IncompleteFactor => "incomplete factor",
        })
    }
}

/// Dense and sparse kernels, below the level of any solver.
///
/// A backend reads and writes slices and never owns the storage of a solver. Kernels are
/// **sequential**: solvers split their work into panels of fixed size and process the panels in
/// parallel, so the result does not depend on the number of threads, with any backend.
///
/// Dense kernels use column-major matrices through [`MatRef`] and [`MatMut`]. Sparse kernels work
/// on *panels*: a few columns (usually 64) of a tall matrix, stored in row-major order, so that a
/// sparse kernel reads and writes whole rows of the panel.
///
/// Only the dense product is required. Every other kernel has a default implementation in this
/// crate. [`library`](Self::library) returns the library that each kernel comes from.
pub trait Backend<S: Real>: Component {
    /// C ← αAB + βC. If β = 0, C is overwritten whatever it contains.
    ///
    /// # Panics
    ///
    /// If the sizes do not match.
    fn gemm(&self, alpha: S, a: MatRef<'_, S>, b: MatRef<'_, S>, beta: S, c: MatMut<'_, S>);

    /// Factors a symmetric positive definite matrix. Only its lower triangle is read.
    fn factor_spd(&self, a: MatRef<'_, S>) -> Result<Box<dyn SpdSolve<S>>> {
        Ok(Box::new(reference::Cholesky::factor(a)?))
    }

    /// All eigenpairs of a symmetric matrix. Only its lower triangle is read.
    fn eigh(&self, a: MatRef<'_, S>) -> Result<Eigen<S>> {
        reference::eigh(a)
    }

    /// Prepares a sparse matrix for products with panels.
    fn sparse(&self, a: Csr<S>) -> Box<dyn SparseProduct<S>> {
        Box::new(SparseMatrix::new(a))
    }

    /// Factors a sparse symmetric positive definite matrix that stores both triangles. Returns
    /// `None` if the factor would have more than `most` entries below its diagonal.
    ///
    /// # Errors
    ///
    /// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite).
    fn factor_sparse(&self, a: &Csr<S>, most: usize) -> Result<Option<Box<dyn SparseSolve<S>>>> {
        let factor = SparseCholesky::factor(a, most)?;
        Ok(factor.map(|factor| Box::new(factor) as Box<dyn SparseSolve<S>>))
    }

    /// Prepares a sparse symmetric positive definite matrix A for factors of A + s with shifts s ≥
    /// 0. The matrix is in double precision and stores both triangles. Returns `None` if a factor
    /// would have more than `most` entries below its diagonal.
    ///
    /// # Errors
    ///
    /// Those of the library.
    fn shifted(&self, a: &Csr<f64>, most: usize) -> Result<Option<Box<dyn ShiftedFactor<S>>>> {
        let prepared = ShiftedCholesky::new(a, most);
        Ok(prepared.map(|prepared| Box::new(prepared) as Box<dyn ShiftedFactor<S>>))
    }

    /// Computes an incomplete factor of a sparse symmetric positive definite matrix: LLᵀ ≈ A,
    /// where L has nonzeros only where A has. The matrix is in double precision and stores both
    /// triangles.
    ///
    /// # Errors
    ///
    /// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite).
    fn factor_incomplete(&self, a: &Csr<f64>) -> Result<Box<dyn SparseSolve<S>>> {
        Ok(Box::new(IncompleteCholesky::factor(a)?))
    }

    /// The kernels of the same library in single precision, for solvers that iterate in single
    /// precision independent of the precision of the run.
    fn in_single(&self) -> &dyn Backend<f32> {
        &Reference
    }

    /// The kernels of the same library in double precision, for parts that need double precision
    /// independent of the precision of the run.
    fn in_double(&self) -> &dyn Backend<f64> {
        &Reference
    }

    /// The library that a kernel comes from: the name of the backend for its own kernels,
    /// `enclust` for default implementations. Override this method together with the kernels.
    fn library(&self, kernel: Kernel) -> &str {
        if kernel == Kernel::Product { self.name() } else { "enclust" }
    }
}

forward!(Backend<S> {
    fn gemm(&self, alpha: S, a: MatRef<'_, S>, b: MatRef<'_, S>, beta: S, c: MatMut<'_, S>);
    fn factor_spd(&self, a: MatRef<'_, S>) -> Result<Box<dyn SpdSolve<S>>>;
    fn eigh(&self, a: MatRef<'_, S>) -> Result<Eigen<S>>;
    fn sparse(&self, a: Csr<S>) -> Box<dyn SparseProduct<S>>;
    fn factor_sparse(&self, a: &Csr<S>, most: usize) -> Result<Option<Box<dyn SparseSolve<S>>>>;
    fn shifted(&self, a: &Csr<f64>, most: usize) -> Result<Option<Box<dyn ShiftedFactor<S>>>>;
    fn factor_incomplete(&self, a: &Csr<f64>) -> Result<Box<dyn SparseSolve<S>>>;
    fn in_single(&self) -> &dyn Backend<f32>;
    fn in_double(&self) -> &dyn Backend<f64>;
    fn library(&self, kernel: Kernel) -> &str;
});

/// A factored symmetric positive definite matrix.
pub trait SpdSolve<S: Real>: Send + Sync {
    /// Overwrites B with the solution X of AX = B.
    fn solve(&self, b: MatMut<'_, S>);
}

/// A sparse matrix that is prepared for products with panels.
pub trait SparseProduct<S: Real>: Send + Sync {
    /// Overwrites Y with AX. Both panels are stored in row-major order with `width` numbers per
    /// row.
    ///
    /// # Panics
    ///
    /// If X does not have `width` numbers per column of A, or Y `width` numbers per row of A.
    fn multiply(&self, x: &[S], y: &mut [S], width: usize);

    /// Like [`multiply`](Self::multiply), and calls `visit` for all rows of Y in ascending order,
    /// with the index of the first row and a block of rows as soon as they are computed. A kernel
    /// that calls `visit` while the rows are in cache saves the caller one pass over memory.
    ///
    /// # Panics
    ///
    /// The same as for [`multiply`](Self::multiply).
    fn multiply_and_visit(
        &self,
        x: &[S],
        y: &mut [S],
        width: usize,
        visit: &mut dyn FnMut(usize, &[S]),
    ) {
        self.multiply(x, y, width);
        visit(0, y);
    }
}

/// A factored sparse symmetric positive definite matrix.
pub trait SparseSolve<S: Real>: Send + Sync {
    /// Overwrites the panel B with the solution X of AX = B. The panel is stored in row-major
    /// order with `width` numbers per row.
    ///
    /// # Panics
    ///
    /// If the panel does not have `width` numbers per row of A.
    fn solve_panel(&self, b: &mut [S], width: usize);
}

/// A sparse matrix A that is prepared for factors of A + s.
pub trait ShiftedFactor<S: Real>: Send + Sync {
    /// The factor of A + s.
    ///
    /// # Errors
    ///
    /// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite).
    fn factor(&self, shift: f64) -> Result<Box<dyn SparseSolve<S>>>;
}

/// Checks the sizes of a product. Backends call it first.
///
/// # Panics
///
/// If the sizes do not match.
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

/// Checks that a panel of this width has this many rows. Backends call it first.
///
/// # Panics
///
/// If it does not.
pub fn check_panel<S: Real>(panel: &[S], rows: usize, width: usize) {
    assert!(
        panel.len() == rows * width,
        "a panel of {rows} rows by {width} has {} numbers",
        panel.len()
    );
}
