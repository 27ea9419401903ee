//! Reference kernels: short, portable, and the standard against which other backends are tested.

mod cholesky;
mod eigen;
mod gemm;
mod incomplete_cholesky;
mod sparse_cholesky;
mod sparse_product;
mod substitution;

pub use cholesky::Cholesky;
pub use eigen::eigh;
pub use incomplete_cholesky::IncompleteCholesky;
pub use sparse_cholesky::{ShiftedCholesky, SparseCholesky};
pub use sparse_product::SparseMatrix;

use crate::numbers::matrix::{MatMut, MatRef};
use crate::numbers::real::Real;
use crate::stages::backend::{Backend, Kernel};
use crate::stages::component::Component;

/// The panel width for which sparse kernels are fastest. Other widths also work.
pub(crate) const PANEL: usize = 64;

/// The backend that uses only the reference kernels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

impl Component for Reference {
    fn name(&self) -> &str {
        "reference"
    }
}

impl<S: Real> Backend<S> for Reference {
    fn gemm(&self, alpha: S, a: MatRef<'_, S>, b: MatRef<'_, S>, beta: S, c: MatMut<'_, S>) {
        gemm::gemm(alpha, a, b, beta, c);
    }

    fn library(&self, _: Kernel) -> &str {
        "enclust"
    }
}
