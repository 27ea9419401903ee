//! The scalar type of the numerical stages.

use std::fmt::{Debug, Display};
use std::iter::Sum;

use num_traits::{Float, NumAssign};

/// A floating-point scalar: `f32` or `f64`.
///
/// Stages are generic over `Real` in what they *store*; sums on which decisions depend (norms,
/// stopping rules) are accumulated in `f64` through [`Real::wide`].
///
/// ```
/// use enclust_core::Real;
///
/// fn mean<S: Real>(values: &[S]) -> S {
///     S::of(values.iter().map(|v| v.wide()).sum::<f64>() / values.len() as f64)
/// }
/// assert_eq!(mean(&[0.25_f32, 0.75]), 0.5);
/// ```
pub trait Real:
    Float + NumAssign + Sum + Debug + Display + Default + Send + Sync + 'static
{
    /// Name of the precision, as written on a command line.
    const NAME: &'static str;

    /// The scalar nearest to `value`.
    fn of(value: f64) -> Self;

    /// The same value as `f64`, exactly.
    fn wide(self) -> f64;
}

impl Real for f32 {
    const NAME: &'static str = "f32";

    fn of(value: f64) -> Self {
        value as f32
    }

    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    const NAME: &'static str = "f64";

    fn of(value: f64) -> Self {
        value
    }

    fn wide(self) -> f64 {
        self
    }
}
