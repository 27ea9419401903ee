//! The reference kernels pass the conformance suite of backends.

use enclust_core::Reference;
use enclust_testkit::backend;

#[test]
fn reference_in_double_precision() {
    backend::conformance::<f64>(&Reference);
}

#[test]
fn reference_in_single_precision() {
    backend::conformance::<f32>(&Reference);
}
