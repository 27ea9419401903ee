//! The backend passes the conformance suite.

use enclust_backend_faer::{Faer, Mixed};
use enclust_testkit::backend;

#[test]
fn double_precision() {
    backend::conformance::<f64>(&Faer);
}

#[test]
fn single_precision() {
    backend::conformance::<f32>(&Faer);
}

#[test]
fn mixed_in_double_precision() {
    backend::conformance::<f64>(&Mixed);
}

#[test]
fn mixed_in_single_precision() {
    backend::conformance::<f32>(&Mixed);
}
