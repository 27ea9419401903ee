//! The backend passes the conformance suite.

use enclust_example_custom_backend::Kahan;
use enclust_testkit::backend;

#[test]
fn double_precision() {
    backend::conformance::<f64>(&Kahan);
}

#[test]
fn single_precision() {
    backend::conformance::<f32>(&Kahan);
}
