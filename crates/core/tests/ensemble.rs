//! Labels that are missing according to a predicate of the caller.

use enclust_core::{Ensemble, Error, MISSING, Microclusters};

#[test]
fn the_predicate_is_asked_about_every_label_by_columns_and_by_rows() {
    let noise = |label: &i64| *label < 0;
    let columns = [[3, -1, 3, 7], [-2, 1, 1, -1]];
    let rows = [[3, -2], [-1, 1], [3, 1], [7, -1]];
    let by_columns = Ensemble::from_columns_with_missing(&columns, noise).unwrap();
    assert_eq!(by_columns, Ensemble::from_rows_with_missing(&rows, noise).unwrap());
    assert_eq!(by_columns.column(0), &[0, MISSING, 0, 1]);
    assert_eq!(by_columns.column(1), &[MISSING, 0, 0, MISSING]);
    assert_eq!(by_columns.missing(), 3);
    assert!(Microclusters::of(&by_columns).has_missing());
}

#[test]
fn none_stays_missing_whatever_the_predicate_says() {
    let columns = [[Some(1), None, Some(-1)]];
    let e = Ensemble::from_columns_with_missing(&columns, |label| *label == Some(-1)).unwrap();
    assert_eq!(e.column(0), &[0, MISSING, MISSING]);
}

/// Without a predicate −1 is a cluster, so that no label is lost.
#[test]
fn no_predicate_takes_minus_one_for_a_cluster() {
    let e = Ensemble::from_columns(&[[0, -1, -1]]).unwrap();
    assert_eq!((e.column(0), e.has_missing()), (&[0, 1, 1][..], false));
    let all = Ensemble::from_columns_with_missing(&[[0, -1, -1]], |_| false).unwrap();
    assert_eq!(all, e);
}

#[test]
fn ragged_and_empty_input_is_refused_as_without_a_predicate() {
    let ragged = Ensemble::from_rows_with_missing(&[vec![0, 1], vec![0]], |_| false);
    let what = "sample";
    assert_eq!(ragged, Err(Error::Ragged { what, index: 1, expected: 2, found: 1 }));
    let none: [[i32; 0]; 0] = [];
    assert!(matches!(
        Ensemble::from_columns_with_missing(&none, |_| true),
        Err(Error::Empty { .. })
    ));
}
