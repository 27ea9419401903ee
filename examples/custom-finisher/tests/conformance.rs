//! The consensus function keeps the laws of its seam.

use enclust_example_custom_finisher::KMedoids;

#[test]
fn keeps_the_laws() {
    enclust_testkit::consensus::conformance(&KMedoids);
}
