//! The matrix passes the conformance suite of its stage.

use enclust_core::Component;
use enclust_example_custom_ca::Rarity;
use enclust_testkit::ca;

#[test]
fn keeps_the_laws() {
    ca::conformance(&Rarity::default());
    ca::precisions_agree(&Rarity::default(), &Rarity::default());
}

#[test]
fn refuses_a_power_of_zero() {
    let error = Rarity::default().power(0.0).check().unwrap_err();
    assert_eq!(error.to_string(), "rarity: power = 0 is out of range: it must be finite and > 0");
}
