//! The matrix keeps the laws of its seam.

use enclust_example_custom_ca::{ConnectedTriples, ConnectedTriplesParams};
use enclust_testkit::represent;

#[test]
fn keeps_the_laws() {
    represent::conformance(&ConnectedTriples::default());
    represent::precisions_agree(&ConnectedTriples::default(), &ConnectedTriples::default());
}

#[test]
fn refuses_a_decay_above_one() {
    let error = ConnectedTriples::new(ConnectedTriplesParams { decay: 1.5 }).unwrap_err();
    assert_eq!(error.to_string(), "wct: decay = 1.5 is out of range, must lie in [0, 1]");
}
