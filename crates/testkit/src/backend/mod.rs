//! The laws of [`Backend`].

mod eigen;
mod matrices;
mod product;
mod repeat;
mod sparse;
mod spd;

use enclust_core::{Backend, Real};

use crate::law::Subject;

/// Runs every law on a backend; a test calls it once for `f32` and once for
/// `f64`.
///
/// - **products** equal a plain triple loop to rounding: sizes from 0 up,
///   strided and transposed views, every pairing of α and β; β = 0 overwrites
///   NaN; nothing outside the view of C changes;
/// - **products with large blocks of exact zeros**, as co-association matrices
///   have them, up to 700 rows;
/// - **factorisations** solve for many right-hand sides, read the lower triangle
///   alone, and refuse indefinite and NaN matrices, naming the pivot;
/// - **eigenpairs** have small residuals, are orthonormal and ascending, also
///   when eigenvalues repeat; the lower triangle alone is read; NaN is an error;
/// - **sparse products** by panels equal their definition; **sparse factors** solve, refuse what is
///   not positive definite and are not made beyond the entries allowed; refinement with an
///   **incomplete factor** converges;
/// - **the same bits** come out on every call, in pools of one and two threads,
///   and wherever the slices begin.
///
/// ```no_run
/// use enclust_core::Reference;
///
/// enclust_testkit::backend::conformance::<f64>(&Reference);
/// ```
///
/// # Panics
/// At the first broken law, naming it.
pub fn conformance<S: Real>(backend: &dyn Backend<S>) {
    let subject = Subject::new(&format!("{} backend", S::NAME), backend.name());
    product::laws(&subject, backend);
    spd::laws(&subject, backend);
    eigen::laws(&subject, backend);
    sparse::laws(&subject, backend);
    repeat::laws(&subject, backend);
}
