//! The confidence rule passes the conformance suite of its stage, and further tests.

use enclust_core::prelude::*;
use enclust_example_custom_confidence::MutualNeighbours;
use enclust_testkit::generate::{co_association, planted};

#[test]
fn keeps_the_laws() {
    for count in [1, 5, 10, 1000] {
        enclust_testkit::confidence::conformance(&MutualNeighbours::default().count(count));
    }
}

#[test]
fn refuses_no_neighbours_at_all() {
    assert!(MutualNeighbours::default().count(0).check().is_err());
}

/// The definition, for each pair of samples.
#[test]
fn the_pairs_are_those_of_the_definition() {
    let ensemble = planted(40, 5, 3, 0.2, 2);
    let rows = Microclusters::of(&ensemble);
    assert!(rows.len() < 40, "some rows are equal");
    let similarity = co_association::<f64>(&rows);
    let a = similarity.to_matrix();
    let nearer =
        |i: usize, value: f64| (0..40).filter(|&s| s != i && a[i * 40 + s] > value).count();
    for count in [1, 3, 8] {
        let rule = MutualNeighbours::default().count(count);
        let found = rule.select(&rows, &similarity, &Ctx::default()).unwrap();
        let expected = |i: usize, j: usize| {
            let value = a[i * 40 + j];
            let mutual = nearer(i, value) < count && nearer(j, value) < count;
            if mutual && i != j { value } else { 0.0 }
        };
        let h: Vec<f64> = (0..1600).map(|at| expected(at / 40, at % 40)).collect();
        assert_eq!(found, Confident::from_matrix(&similarity, &h).unwrap());
    }
}
