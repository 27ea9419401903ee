//! Matrices in and out.

use enclust_backend_faer::similarity_from_matrix;
use enclust_core::Error;
use faer::{Mat, mat};

#[test]
fn matrix_that_is_not_square_is_refused() {
    let error = similarity_from_matrix(Mat::<f64>::zeros(2, 3).as_ref()).unwrap_err();
    let what = "columns of the similarity matrix";
    assert_eq!(error, Error::Size { what, expected: 2, found: 3 });
}

#[test]
fn asymmetric_matrix_is_refused_with_its_entries_the_right_way_round() {
    let error = similarity_from_matrix(mat![[1.0, 0.25], [0.5, 1.0_f64]].as_ref()).unwrap_err();
    assert_eq!(error, Error::Asymmetric { row: 0, column: 1, upper: 0.25, lower: 0.5 });
}
