//! The laws of [`Backend`].

mod eigen;
mod matrices;
mod product;
mod repeat;
mod sparse;
mod spd;

use enclust_core::{Backend, Real};

use crate::law::Subject;

/// Checks all laws for a backend. A test calls it once for `f32` and once for `f64`.
///
/// - **Products** equal a plain triple loop up to rounding, for sizes from 0 up, strided and
///   transposed views, and all combinations of α and β. β = 0 overwrites NaN, and nothing outside
///   the view of C changes.
/// - **Products with large blocks of exact zeros**, as in co-association matrices, are correct up
///   to 700 rows.
/// - **Factorisations** solve for many right-hand sides, read only the lower triangle, and return
///   an error with the pivot for indefinite and NaN matrices.
/// - **Eigenpairs** have small residuals and are orthonormal and ascending, also for repeated
///   eigenvalues. Only the lower triangle is read; NaN is an error.
/// - **Sparse products** with panels equal their definition. **Sparse factors**, also of shifted
///   matrices, solve, are an error for matrices that are not positive definite, and are not made if
///   they would have more entries than allowed. Refinement with an **incomplete factor** converges.
/// - **The result is bitwise equal** in repeated calls, in pools of one and two threads, and for
///   any position of the slices in memory.
///
/// ```no_run
/// use enclust_core::Reference;
///
/// enclust_testkit::backend::conformance::<f64>(&Reference);
/// ```
///
/// # Panics
///
/// If a law is broken. The message names the law.
pub fn conformance<S: Real>(backend: &dyn Backend<S>) {
    let subject = Subject::new(&format!("{} backend", S::NAME), backend.name());
    product::laws(&subject, backend);
    spd::laws(&subject, backend);
    eigen::laws(&subject, backend);
    sparse::laws(&subject, backend);
    repeat::laws(&subject, backend);
}
