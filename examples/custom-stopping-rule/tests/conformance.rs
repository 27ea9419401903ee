//! The rule keeps the laws of its stage.

use enclust_core::Component;
use enclust_example_custom_stopping_rule::Patience;
use enclust_testkit::stop;

#[test]
fn keeps_the_laws() {
    for window in [1, 3, 10] {
        stop::conformance(&Patience::default().window(window).epsilon(0.1));
    }
}

#[test]
fn refuses_no_patience_at_all() {
    assert!(Patience::default().window(0).check().is_err());
}
