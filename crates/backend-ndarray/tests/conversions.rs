//! Conversions from and to arrays.

use enclust_backend_ndarray::{confident_from_array, ensemble_from_array, similarity_from_array};
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

#[test]
fn graph_of_another_size_or_shape_is_refused() {
    let a = similarity_from_array(array![[1.0, 0.25], [0.25, 1.0]].view()).unwrap();
    let oblong = confident_from_array(&a, Array2::zeros((2, 3)).view()).unwrap_err();
    let what = "columns of the matrix of confident pairs";
    assert_eq!(oblong, Error::Size { what, expected: 2, found: 3 });
    assert!(confident_from_array(&a, Array2::zeros((3, 3)).view()).is_err());
    // Column-major, so that its rows are not contiguous.
    let torn = array![[0.0, 0.75], [0.5, 0.0]];
    let torn = confident_from_array(&a, torn.t()).unwrap_err();
    assert_eq!(torn, Error::Asymmetric { row: 0, column: 1, upper: 0.5, lower: 0.75 });
}
