//! Plain kernels: short, portable, and the yardstick for every other backend.

mod cholesky;
mod eigen;
mod gemm;

pub use cholesky::Cholesky;
pub use eigen::eigh;

use crate::numbers::matrix::{MatMut, MatRef};
use crate::numbers::real::Real;
use crate::stages::backend::Backend;
use crate::stages::component::Component;

/// The backend made of the reference kernels alone.
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
}
