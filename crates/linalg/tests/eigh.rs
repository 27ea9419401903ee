//! The reference decomposition of symmetric matrices: AV = VD, V orthonormal, eigenvalues
//! ascending.

use enclust_core::{Backend, Eigen, Mat, Real, Reference};
use proptest::prelude::*;

/// Checks a decomposition; errors are relative to the largest entry.
fn check<S: Real>(a: &Mat<S>) -> Eigen<S> {
    let n = a.rows();
    let eigen = Reference.eigh(a.view()).expect("finite and symmetric");
    assert_eq!((eigen.vectors.rows(), eigen.vectors.cols(), eigen.values.len()), (n, n, n));
    assert!(eigen.values.is_sorted(), "values ascend");
    let scale = a.data().iter().fold(0.0, |m: f64, v| m.max(v.abs().wide()));
    let limit = 20.0 * n as f64 * S::epsilon().wide();
    let v = |i: usize, j: usize| eigen.vectors[(i, j)].wide();
    for j in 0..n {
        for i in 0..n {
            let product: f64 = (0..n).map(|l| a[(i, l)].wide() * v(l, j)).sum();
            let error = (product - eigen.values[j].wide() * v(i, j)).abs();
            assert!(error <= limit * scale, "AV - VD at ({i}, {j}) is {error}");
            let dot: f64 = (0..n).map(|l| v(l, i) * v(l, j)).sum();
            let error = (dot - f64::from(u8::from(i == j))).abs();
            assert!(error <= limit, "VᵀV - I at ({i}, {j}) is {error}");
        }
    }
    eigen
}

/// The same matrix in both precisions.
fn check_both(n: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    check(&Mat::from_fn(n, n, |i, j| entry(i, j) as f32));
    check(&Mat::from_fn(n, n, entry)).values
}

/// A symmetric matrix from the entries of its lower triangle.
fn from_lower(n: usize, lower: &[f64]) -> impl Fn(usize, usize) -> f64 + '_ {
    assert_eq!(lower.len(), n * (n + 1) / 2);
    |i, j| {
        let (i, j) = (i.max(j), i.min(j));
        lower[i * (i + 1) / 2 + j]
    }
}

fn matrices(largest: usize) -> impl Strategy<Value = (usize, Vec<f64>)> {
    (1..=largest)
        .prop_flat_map(|n| (Just(n), proptest::collection::vec(-1.0..1.0_f64, n * (n + 1) / 2)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random((n, lower) in matrices(40)) {
        check_both(n, from_lower(n, &lower));
    }

    /// Many entries are exactly zero, including whole rows.
    #[test]
    fn sparse((n, lower) in matrices(40)) {
        let entry = from_lower(n, &lower);
        check_both(n, |i, j| if (i + j) % 3 == 0 && i % 4 != 1 && j % 4 != 1 { entry(i, j) } else { 0.0 });
    }

    /// Few distinct entries: eigenvalues of high multiplicity.
    #[test]
    fn few_values((n, lower) in matrices(40)) {
        let entry = from_lower(n, &lower);
        check_both(n, |i, j| if i == j { 1.0 } else { (entry(i, j) * 2.0).round() / 2.0 });
    }

    /// Rows and columns of very different size.
    #[test]
    fn graded((n, lower) in matrices(24), step in 0.0..2.0_f64) {
        let entry = from_lower(n, &lower);
        check_both(n, |i, j| entry(i, j) * (10.0_f64).powf(-step * (i + j) as f64 / 2.0));
        check_both(n, |i, j| entry(i, j) * (10.0_f64).powf(-step * (2 * n - i - j) as f64 / 2.0));
    }

    /// Gram matrices of few vectors: most eigenvalues are zero up to rounding.
    #[test]
    fn low_rank((n, lower) in matrices(30)) {
        let x = |i: usize, r: usize| lower[(i + r * 7) % lower.len()];
        check_both(n, |i, j| (0..3).map(|r| x(i, r) * x(j, r)).sum());
    }
}

#[test]
fn one_by_one_and_empty() {
    assert_eq!(check_both(1, |_, _| -3.0), [-3.0]);
    assert_eq!(check_both(1, |_, _| 0.0), [0.0]);
    assert!(check_both(0, |_, _| 0.0).is_empty());
}

#[test]
fn zero() {
    assert_eq!(check_both(17, |_, _| 0.0), [0.0; 17]);
}

#[test]
fn diagonal_values_come_out_exactly() {
    let values =
        check_both(6, |i, j| if i == j { [3.0, -1.0, 0.0, 3.0, 7.5, 2.0][i] } else { 0.0 });
    assert_eq!(values, [-1.0, 0.0, 2.0, 3.0, 3.0, 7.5]);
}

#[test]
fn rank_one() {
    let values = check_both(50, |_, _| 1.0);
    assert!((values[49] - 50.0).abs() < 1e-12);
    assert!(values[48].abs() < 1e-12);
}

#[test]
fn blocks_between_zeros() {
    let values = check_both(90, |i, j| f64::from(u8::from(i / 20 == j / 20 && i < 60)));
    assert!(values[86].abs() < 1e-12);
    assert!(values[87..].iter().all(|v| (v - 20.0).abs() < 1e-12));
}

#[test]
fn near_the_ends_of_the_range() {
    for scale in [1e-290, 1e-150, 1e150, 1e290] {
        check(&Mat::from_fn(12, 12, |i, j| scale * ((i * j) as f64 + f64::from(u8::from(i == j)))));
    }
    for scale in [1e-30_f32, 1e30] {
        check(&Mat::from_fn(12, 12, |i, j| scale * ((i * j) as f32 + 0.5)));
    }
}

#[test]
fn wilkinsons_nearly_equal_pairs() {
    let values = check_both(21, |i, j| match i.abs_diff(j) {
        0 => (i as f64 - 10.0).abs(),
        1 => 1.0,
        _ => 0.0,
    });
    assert!((values[20] - 10.746_194_182_903_39).abs() < 1e-12);
    assert!((values[20] - values[19]).abs() < 1e-12);
}

#[test]
fn the_upper_triangle_is_not_read() {
    let a = Mat::from_fn(9, 9, |i, j| 1.0 / (1 + i + j) as f64);
    let lower = Mat::from_fn(9, 9, |i, j| if i >= j { a[(i, j)] } else { f64::NAN });
    let (full, half) = (Reference.eigh(a.view()).unwrap(), Reference.eigh(lower.view()).unwrap());
    assert_eq!(full.values, half.values);
}

#[test]
fn nan_is_a_typed_error() {
    let a = Mat::from_fn(5, 5, |_, _| f64::NAN);
    assert!(Reference.eigh(a.view()).is_err());
}
