//! The backend passes the conformance suite.

use enclust_backend_ndarray::Ndarray;
use enclust_testkit::backend;

#[test]
fn double_precision() {
    backend::conformance::<f64>(&Ndarray);
}

#[test]
fn single_precision() {
    backend::conformance::<f32>(&Ndarray);
}
