//! Conversions from and to nalgebra's matrices.

use enclust_backend_nalgebra::{
    confident_from_matrix, ensemble_from_matrix, similarity_from_matrix,
};
use enclust_core::Error;
use nalgebra::DMatrix;

#[test]
fn matrix_that_is_not_square_is_refused() {
    let error = similarity_from_matrix(&DMatrix::<f64>::zeros(2, 3)).unwrap_err();
    let what = "columns of the similarity matrix";
    assert_eq!(error, Error::Size { what, expected: 2, found: 3 });
}

#[test]
fn asymmetric_matrix_is_refused_with_its_entries_the_right_way_round() {
    let matrix = DMatrix::from_row_slice(2, 2, &[1.0, 0.25, 0.5, 1.0]);
    let error = similarity_from_matrix(&matrix).unwrap_err();
    assert_eq!(error, Error::Asymmetric { row: 0, column: 1, upper: 0.25, lower: 0.5 });
}

#[test]
fn graph_of_another_size_or_shape_is_refused() {
    let a =
        similarity_from_matrix(&DMatrix::from_row_slice(2, 2, &[1.0, 0.25, 0.25, 1.0])).unwrap();
    let oblong = confident_from_matrix(&a, &DMatrix::zeros(2, 3)).unwrap_err();
    let what = "columns of the matrix of confident pairs";
    assert_eq!(oblong, Error::Size { what, expected: 2, found: 3 });
    assert!(confident_from_matrix(&a, &DMatrix::zeros(3, 3)).is_err());
    let torn = confident_from_matrix(&a, &DMatrix::from_row_slice(2, 2, &[0.0, 0.5, 0.75, 0.0]))
        .unwrap_err();
    assert_eq!(torn, Error::Asymmetric { row: 0, column: 1, upper: 0.5, lower: 0.75 });
}

#[test]
fn rows_of_labels_are_samples() {
    let ensemble =
        ensemble_from_matrix(&DMatrix::from_row_slice(3, 2, &[0_i64, 7, 0, 7, 1, -1])).unwrap();
    assert_eq!((ensemble.samples(), ensemble.clusterings()), (3, 2));
    assert_eq!((ensemble.column(0), ensemble.column(1)), (&[0, 0, 1][..], &[0, 0, 1][..]));
    assert!(ensemble_from_matrix(&DMatrix::<u8>::zeros(0, 4)).is_err());
}
