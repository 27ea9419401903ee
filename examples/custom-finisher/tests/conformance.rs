//! The consensus function passes the conformance suite of its stage.

use enclust_example_custom_finisher::KMedoids;

#[test]
fn keeps_the_laws() {
    enclust_testkit::consensus::conformance(&KMedoids);
}
