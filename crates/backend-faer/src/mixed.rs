//! The fastest available kernel of each kind.

use enclust_core::{Backend, Component, Eigen, Kernel, MatMut, MatRef, Real, Result, SpdSolve};

use crate::Faer;

/// faer's dense kernels and enclust's sparse kernels. They are the faster ones in each case (see
/// `docs/performance.md`), and the default of the command-line program.
///
/// ```
/// use enclust_backend_faer::Mixed;
/// use enclust_core::{Backend, Kernel};
///
/// let backend: &dyn Backend<f64> = &Mixed;
/// assert_eq!(backend.library(Kernel::Product), "faer");
/// assert_eq!(backend.library(Kernel::SparseProduct), "enclust");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixed;

impl Component for Mixed {
    fn name(&self) -> &str {
        "mixed"
    }
}

/// All kernels that are not listed here are the defaults of enclust.
impl<S: Real> Backend<S> for Mixed
where
    Faer: Backend<S>,
{
    fn gemm(&self, alpha: S, a: MatRef<'_, S>, b: MatRef<'_, S>, beta: S, c: MatMut<'_, S>) {
        Faer.gemm(alpha, a, b, beta, c);
    }

    fn factor_spd(&self, a: MatRef<'_, S>) -> Result<Box<dyn SpdSolve<S>>> {
        Faer.factor_spd(a)
    }

    fn eigh(&self, a: MatRef<'_, S>) -> Result<Eigen<S>> {
        Faer.eigh(a)
    }

    fn in_single(&self) -> &dyn Backend<f32> {
        &Mixed
    }

    fn in_double(&self) -> &dyn Backend<f64> {
        &Mixed
    }

    fn library(&self, kernel: Kernel) -> &str {
        match kernel {
            Kernel::Product | Kernel::Factor | Kernel::Eigen => "faer",
            _ => "enclust",
        }
    }
}
