//! A linear-algebra backend of enclust that uses [nalgebra].
//!
//! [`Nalgebra`] is a [`Backend`] that uses enclust's storage without a copy, except for the input
//! of a factorisation, which is overwritten, for a transposed left factor of a product, and for
//! sparse matrices. Sparse factors are those of enclust. [`ensemble_from_matrix`],
//! [`similarity_from_matrix`], [`confident_from_matrix`] and [`similarity_to_matrix`] convert
//! nalgebra's matrices.
//!
//! ```
//! use enclust_backend_nalgebra::Nalgebra;
//! use enclust_core::{Backend, Mat};
//!
//! let a = Mat::from_fn(2, 2, |i, j| (2 * i + j) as f64);
//! let mut square = Mat::zeros(2, 2);
//! Nalgebra.gemm(1.0, a.view(), a.view(), 0.0, square.view_mut());
//! assert_eq!(square.data(), &[2.0, 6.0, 3.0, 11.0]);
//! ```

mod convert;
mod sparse;

pub use convert::{
    confident_from_matrix, ensemble_from_matrix, similarity_from_matrix, similarity_to_matrix,
};

use enclust_core::{
    Backend, Component, Csr, Eigen, Error, Kernel, Mat, MatMut, MatRef, NoParams, Real, Reference,
    Registry, Result, SparseProduct, SpdSolve, check_product,
};
use nalgebra::{Cholesky, DMatrix, DMatrixView, DMatrixViewMut, Dyn, RealField, SymmetricEigen};

/// Maximum number of rotation sweeps per row of an eigenproblem; two or three are usual.
const SWEEPS: usize = 60;

/// nalgebra's kernels: dense products, Cholesky factorisation, symmetric eigenpairs and sparse
/// products.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nalgebra;

/// Adds [`Nalgebra`] to a registry.
///
/// ```
/// use enclust_core::{Component, Part, Registry};
///
/// let mut registry = Registry::<f64>::new();
/// enclust_backend_nalgebra::register(&mut registry);
/// assert_eq!(registry.backend.build(&Part::named("nalgebra"))?.name(), "nalgebra");
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn register<S: Real>(registry: &mut Registry<S>)
where
    Nalgebra: Backend<S>,
{
    registry
        .backend
        .register::<NoParams>("nalgebra", "nalgebra's kernels", |_| Ok(Box::new(Nalgebra)));
}

impl Component for Nalgebra {
    fn name(&self) -> &str {
        "nalgebra"
    }
}

impl<S: Real + RealField> Backend<S> for Nalgebra {
    fn gemm(&self, alpha: S, a: MatRef<'_, S>, b: MatRef<'_, S>, beta: S, mut c: MatMut<'_, S>) {
        check_product(&a, &b, &c);
        // For small products, nalgebra 0.35 reads past the end of a left factor whose rows are
        // not contiguous, so a transposed left factor is copied.
        let packed = (a.strides().0 != 1).then(|| a.to_owned());
        let a = packed.as_ref().map_or(a, |p| p.view());
        write(&mut c).gemm(alpha, &read(a), &read(b), beta);
    }

    fn factor_spd(&self, a: MatRef<'_, S>) -> Result<Box<dyn SpdSolve<S>>> {
        match Cholesky::new(read(a).into_owned()).filter(has_finite_pivots) {
            Some(cholesky) => Ok(Box::new(Factor { cholesky })),
            // nalgebra does not report which pivot failed; the reference kernel does.
            None => Reference.factor_spd(a),
        }
    }

    fn eigh(&self, a: MatRef<'_, S>) -> Result<Eigen<S>> {
        let n = a.rows();
        check_finite(a)?;
        if n == 0 {
            return Ok(Eigen { values: Vec::new(), vectors: Mat::zeros(0, 0) });
        }
        // nalgebra scales by the largest entry of both triangles, so both are filled.
        let full = DMatrix::from_fn(n, n, |i, j| a.at(i.max(j), i.min(j)));
        match SymmetricEigen::try_new(full, S::epsilon(), SWEEPS * n).filter(is_finite) {
            Some(eigen) => Ok(ascending(&eigen)),
            // The rotations may not converge, or may underflow to NaN (for example for a matrix
            // of ones in single precision). The reference algorithm handles these cases.
            None => Reference.eigh(a),
        }
    }

    fn sparse(&self, a: Csr<S>) -> Box<dyn SparseProduct<S>> {
        match sparse::Product::new(&a) {
            Some(product) => Box::new(product),
            None => Reference.sparse(a),
        }
    }

    fn in_single(&self) -> &dyn Backend<f32> {
        &Nalgebra
    }

    fn in_double(&self) -> &dyn Backend<f64> {
        &Nalgebra
    }

    fn library(&self, kernel: Kernel) -> &str {
        match kernel {
            Kernel::SparseFactor | Kernel::IncompleteFactor => "enclust",
            _ => "nalgebra",
        }
    }
}

struct Factor<S: RealField> {
    cholesky: Cholesky<S, Dyn>,
}

impl<S: Real + RealField> SpdSolve<S> for Factor<S> {
    fn solve(&self, mut b: MatMut<'_, S>) {
        self.cholesky.solve_mut(&mut write(&mut b));
    }
}

fn read<S: Real>(a: MatRef<'_, S>) -> DMatrixView<'_, S, Dyn, Dyn> {
    let (rows, columns) = (a.rows(), a.cols());
    if rows == 0 || columns == 0 {
        return DMatrixView::from_slice_with_strides(&[], rows, columns, 1, rows);
    }
    let (down, across) = a.strides();
    DMatrixView::from_slice_with_strides(a.data(), rows, columns, down, across)
}

fn write<'a, S: Real>(c: &'a mut MatMut<'_, S>) -> DMatrixViewMut<'a, S, Dyn, Dyn> {
    let (rows, columns, stride) = (c.rows(), c.cols(), c.stride());
    if rows == 0 || columns == 0 {
        return DMatrixViewMut::from_slice_with_strides_mut(&mut [], rows, columns, 1, rows);
    }
    DMatrixViewMut::from_slice_with_strides_mut(c.data(), rows, columns, 1, stride)
}

/// An infinite pivot has a square root, but its solutions are not finite.
fn has_finite_pivots<S: Real + RealField>(cholesky: &Cholesky<S, Dyn>) -> bool {
    let lower = cholesky.l_dirty();
    (0..lower.nrows()).all(|j| lower[(j, j)].wide().is_finite())
}

fn is_finite<S: Real + RealField>(eigen: &SymmetricEigen<S, Dyn>) -> bool {
    eigen.eigenvalues.iter().chain(&eigen.eigenvectors).all(|v| v.wide().is_finite())
}

/// The eigenpairs in ascending order of eigenvalues; those of nalgebra are not ordered.
fn ascending<S: Real + RealField>(eigen: &SymmetricEigen<S, Dyn>) -> Eigen<S> {
    let (values, vectors) = (&eigen.eigenvalues, &eigen.eigenvectors);
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].wide().total_cmp(&values[j].wide()));
    Eigen {
        values: order.iter().map(|&i| values[i]).collect(),
        vectors: Mat::from_fn(values.len(), values.len(), |i, j| vectors[(i, order[j])]),
    }
}

/// Returns an error for NaN or infinity in the lower triangle, for which the iteration fails.
fn check_finite<S: Real>(a: MatRef<'_, S>) -> Result<()> {
    let finite = (0..a.cols()).all(|j| (j..a.rows()).all(|i| a.at(i, j).is_finite()));
    let what = "the matrix of the eigenproblem";
    if finite { Ok(()) } else { Err(Error::NotFinite { what, iteration: 0 }) }
}
