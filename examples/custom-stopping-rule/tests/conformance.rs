//! The rule keeps the laws of its seam.

use enclust_example_custom_stopping_rule::{Patience, PatienceParams};
use enclust_testkit::stopping;

#[test]
fn keeps_the_laws() {
    for window in [1, 3, 10] {
        stopping::conformance(&Patience::new(PatienceParams { window, epsilon: 0.1 }).unwrap());
    }
}

#[test]
fn refuses_no_patience_at_all() {
    assert!(Patience::new(PatienceParams { window: 0, ..PatienceParams::default() }).is_err());
}
