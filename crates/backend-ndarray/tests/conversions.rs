//! Arrays in and out.

use enclust_backend_ndarray::{ensemble_from_array, similarity_from_array};
use enclust_core::Error;
use ndarray::{Array2, array, s};

#[test]
fn array_that_is_not_square_is_refused() {
    let error = similarity_from_array(Array2::<f64>::zeros((2, 3)).view()).unwrap_err();
    let what = "columns of the similarity matrix";
    assert_eq!(error, Error::Size { what, expected: 2, found: 3 });
}

#[test]
fn array_without_entries_is_refused() {
    assert!(similarity_from_array(Array2::<f64>::zeros((0, 0)).view()).is_err());
    assert!(ensemble_from_array(Array2::<u8>::zeros((0, 4)).view()).is_err());
}

#[test]
fn strided_views_mean_what_they_show() {
    let array = array![[1.0, 9.0, 0.5], [9.0, 9.0, 9.0], [0.5, 9.0, 1.0]];
    let similarity = similarity_from_array(array.slice(s![..;2, ..;2])).unwrap();
    assert_eq!(similarity.between(0, 1), 0.5);
    let labels = array![[0, 1, 1], [0, 0, 1]];
    let ensemble = ensemble_from_array(labels.t()).unwrap();
    assert_eq!((ensemble.samples(), ensemble.clusterings()), (3, 2));
    assert_eq!(ensemble.column(1), &[0, 0, 1]);
}
