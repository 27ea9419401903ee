//! The backend passes the conformance suite.

use enclust_backend_nalgebra::Nalgebra;
use enclust_testkit::backend;

#[test]
fn double_precision() {
    backend::conformance::<f64>(&Nalgebra);
}

#[test]
fn single_precision() {
    backend::conformance::<f32>(&Nalgebra);
}
