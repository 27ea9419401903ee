//! A linear-algebra backend of enclust that uses [faer].
//!
//! [`Faer`] is a [`Backend`] that uses enclust's storage without a copy. Only the input of
//! factorisations, which is overwritten, and sparse matrices, for which faer uses other indices,
//! are copied. faer has no incomplete factorisation, so that of enclust is used. [`Mixed`]
//! combines faer's dense kernels with enclust's sparse ones, which are the faster ones in each
//! case. [`ensemble_from_matrix`], [`similarity_from_matrix`], [`confident_from_matrix`] and
//! [`similarity_to_matrix`] convert faer's matrices.
//!
//! ```
//! use enclust_backend_faer::Faer;
//! use enclust_core::{Backend, Mat};
//!
//! let a = Mat::from_fn(2, 2, |i, j| (2 * i + j) as f64);
//! let mut square = Mat::zeros(2, 2);
//! Faer.gemm(1.0, a.view(), a.view(), 0.0, square.view_mut());
//! assert_eq!(square.data(), &[2.0, 6.0, 3.0, 11.0]);
//! ```
//!
//! # Why the kernels are sequential
//!
//! All backends are sequential: solvers split their work into panels of fixed size, so that the
//! result does not depend on the number of threads. With faer 0.24 there are two more reasons not
//! to use its threads, both reported upstream and open at the time of writing. Parallel products
//! can be silently wrong on symmetric matrices with large blocks of exact zeros ([faer-rs
//! 273](https://github.com/sarah-quinones/faer-rs/issues/273)), and co-association matrices are
//! of this kind. The result of a parallel eigendecomposition depends on the number of threads
//! ([faer-rs 274](https://github.com/sarah-quinones/faer-rs/issues/274)). Therefore [`Par::Seq`]
//! is passed to every call. faer's global setting, which any code in the process may change, is
//! not used.

mod convert;
mod mixed;
mod sparse;

pub use convert::{
    confident_from_matrix, ensemble_from_matrix, similarity_from_matrix, similarity_to_matrix,
};
pub use mixed::Mixed;

use enclust_core::{
    Backend, Component, Csr, Eigen, Error, Kernel, Mat, MatMut, MatRef, NoParams, Real, Reference,
    Registry, Result, ShiftedFactor, SparseProduct, SparseSolve, SpdSolve, check_product,
};
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{factor as llt, solve as llt_solve};
use faer::linalg::evd;
use faer::linalg::matmul::matmul;
use faer::prelude::default;
use faer::traits::RealField;
use faer::{Accum, Par};

/// faer's sequential kernels: dense products, Cholesky factorisation, symmetric eigenpairs,
/// sparse products and sparse Cholesky factorisation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faer;

/// Adds [`Faer`] and [`Mixed`] to a registry.
///
/// ```
/// use enclust_core::{Component, Part, Registry};
///
/// let mut registry = Registry::<f64>::new();
/// enclust_backend_faer::register(&mut registry);
/// assert_eq!(registry.backend.build(&Part::named("faer"))?.name(), "faer");
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn register<S: Real>(registry: &mut Registry<S>)
where
    Faer: Backend<S>,
    Mixed: Backend<S>,
{
    let table = &mut registry.backend;
    table.register::<NoParams>("mixed", "dense kernels of faer, sparse kernels of enclust", |_| {
        Ok(Box::new(Mixed))
    });
    table.register::<NoParams>("faer", "faer's sequential kernels", |_| Ok(Box::new(Faer)));
}

impl Component for Faer {
    fn name(&self) -> &str {
        "faer"
    }
}

impl<S: Real + RealField> Backend<S> for Faer {
    fn gemm(&self, alpha: S, a: MatRef<'_, S>, b: MatRef<'_, S>, beta: S, mut c: MatMut<'_, S>) {
        check_product(&a, &b, &c);
        let accumulate = if beta == S::zero() { Accum::Replace } else { Accum::Add };
        // faer either adds to the output or replaces it; any other factor β is applied here.
        if beta != S::zero() && beta != S::one() {
            scale(&mut c, beta);
        }
        matmul(write(&mut c), accumulate, read(a), read(b), alpha, Par::Seq);
    }

    fn factor_spd(&self, a: MatRef<'_, S>) -> Result<Box<dyn SpdSolve<S>>> {
        let n = a.rows();
        let mut lower = read(a).to_owned();
        let mut memory =
            MemBuffer::new(llt::cholesky_in_place_scratch::<S>(n, Par::Seq, default()));
        let stack = MemStack::new(&mut memory);
        llt::cholesky_in_place(lower.as_mut(), default(), Par::Seq, stack, default()).map_err(
            |llt::LltError::NonPositivePivot { index }| Error::NotPositiveDefinite { pivot: index },
        )?;
        // An infinite pivot is positive, but its solutions are not finite.
        match (0..n).find(|&j| !Real::wide(lower[(j, j)]).is_finite()) {
            Some(pivot) => Err(Error::NotPositiveDefinite { pivot }),
            None => Ok(Box::new(Factor { lower })),
        }
    }

    fn eigh(&self, a: MatRef<'_, S>) -> Result<Eigen<S>> {
        let n = a.rows();
        check_finite(a)?;
        if n == 0 {
            return Ok(Eigen { values: Vec::new(), vectors: Mat::zeros(0, 0) });
        }
        let mut values = Diag::zeros(n);
        let mut vectors = Mat::zeros(n, n);
        let with_vectors = evd::ComputeEigenvectors::Yes;
        let mut memory = MemBuffer::new(evd::self_adjoint_evd_scratch::<S>(
            n,
            with_vectors,
            Par::Seq,
            default(),
        ));
        let outcome = evd::self_adjoint_evd(
            read(a),
            values.as_mut(),
            Some(write(&mut vectors.view_mut())),
            Par::Seq,
            MemStack::new(&mut memory),
            default(),
        );
        match outcome {
            Ok(()) => {
                Ok(Eigen { values: values.column_vector().iter().copied().collect(), vectors })
            }
            // The reference algorithm may still converge, and returns an error if it does not.
            Err(evd::EvdError::NoConvergence) => Reference.eigh(a),
        }
    }

    fn sparse(&self, a: Csr<S>) -> Box<dyn SparseProduct<S>> {
        Box::new(sparse::Product::new(&a))
    }

    fn factor_sparse(&self, a: &Csr<S>, most: usize) -> Result<Option<Box<dyn SparseSolve<S>>>> {
        let factor = sparse::Factor::new(a, most)?;
        Ok(factor.map(|factor| Box::new(factor) as Box<dyn SparseSolve<S>>))
    }

    fn shifted(&self, a: &Csr<f64>, most: usize) -> Result<Option<Box<dyn ShiftedFactor<S>>>> {
        let prepared = sparse::Shifted::new(a, most)?;
        Ok(prepared.map(|prepared| Box::new(prepared) as Box<dyn ShiftedFactor<S>>))
    }

    fn in_single(&self) -> &dyn Backend<f32> {
        &Faer
    }

    fn in_double(&self) -> &dyn Backend<f64> {
        &Faer
    }

    fn library(&self, kernel: Kernel) -> &str {
        if kernel == Kernel::IncompleteFactor { "enclust" } else { "faer" }
    }
}

/// A = LLᵀ. Entries above the diagonal are never read.
struct Factor<S> {
    lower: faer::Mat<S>,
}

impl<S: Real + RealField> SpdSolve<S> for Factor<S> {
    fn solve(&self, mut b: MatMut<'_, S>) {
        let (n, columns) = (b.rows(), b.cols());
        let scratch = llt_solve::solve_in_place_scratch::<S>(n, columns, Par::Seq);
        let mut memory = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut memory);
        llt_solve::solve_in_place(self.lower.as_ref(), write(&mut b), Par::Seq, stack);
    }
}

/// faer's view of the same data. One of the two strides is always 1.
fn read<S: Real>(a: MatRef<'_, S>) -> faer::MatRef<'_, S> {
    let (rows, columns) = (a.rows(), a.cols());
    match a.strides() {
        _ if rows == 0 || columns == 0 => faer::MatRef::from_column_major_slice(&[], rows, columns),
        (1, stride) => {
            faer::MatRef::from_column_major_slice_with_stride(a.data(), rows, columns, stride)
        }
        (stride, _) => {
            faer::MatRef::from_row_major_slice_with_stride(a.data(), rows, columns, stride)
        }
    }
}

fn write<'a, S: Real>(c: &'a mut MatMut<'_, S>) -> faer::MatMut<'a, S> {
    let (rows, columns, stride) = (c.rows(), c.cols(), c.stride());
    if rows == 0 || columns == 0 {
        return faer::MatMut::from_column_major_slice_mut(&mut [], rows, columns);
    }
    faer::MatMut::from_column_major_slice_with_stride_mut(c.data(), rows, columns, stride)
}

fn scale<S: Real>(c: &mut MatMut<'_, S>, factor: S) {
    for j in 0..c.cols() {
        c.col(j).iter_mut().for_each(|v| *v *= factor);
    }
}

/// Returns an error for NaN or infinity in the lower triangle, for which the iteration might not
/// end.
fn check_finite<S: Real>(a: MatRef<'_, S>) -> Result<()> {
    let finite = (0..a.cols()).all(|j| (j..a.rows()).all(|i| a.at(i, j).is_finite()));
    let what = "the matrix of the eigenproblem";
    if finite { Ok(()) } else { Err(Error::NotFinite { what, iteration: 0 }) }
}
