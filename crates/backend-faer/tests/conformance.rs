//! The backend keeps the laws.

use enclust_backend_faer::Faer;
use enclust_testkit::backend;

#[test]
fn double_precision() {
    backend::conformance::<f64>(&Faer);
}

#[test]
fn single_precision() {
    backend::conformance::<f32>(&Faer);
}
