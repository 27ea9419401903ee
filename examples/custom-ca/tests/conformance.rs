//! The matrix keeps the laws of its seam.

use enclust_core::Component;
use enclust_example_custom_ca::ConnectedTriples;
use enclust_testkit::ca;

#[test]
fn keeps_the_laws() {
    ca::conformance(&ConnectedTriples::default());
    ca::precisions_agree(&ConnectedTriples::default(), &ConnectedTriples::default());
}

#[test]
fn refuses_a_decay_above_one() {
    let error = ConnectedTriples::default().decay(1.5).check().unwrap_err();
    assert_eq!(error.to_string(), "wct: decay = 1.5 is out of range, must lie in [0, 1]");
}
