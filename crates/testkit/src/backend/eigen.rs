//! Symmetric eigenpairs.

use enclust_core::{Backend, Eigen, Mat, Real};

use super::matrices::{
    LAYOUTS, Stored, block_co_association, frobenius, lower_only, noise, wide_product,
};
use crate::law::Subject;

pub(super) fn laws<S: Real>(subject: &Subject, backend: &dyn Backend<S>) {
    for (name, a) in symmetric_matrices() {
        eigenpairs(subject, backend, name, &a);
    }
    refuses_nan(subject, backend);
}

fn symmetric_matrices<S: Real>() -> Vec<(&'static str, Mat<S>)> {
    let constant = |n, value: f64| Mat::from_fn(n, n, |_, _| S::of(value));
    let diagonal = |n, f: fn(usize) -> f64| {
        Mat::from_fn(n, n, |i, j| if i == j { S::of(f(i)) } else { S::zero() })
    };
    let path = Mat::from_fn(3, 3, |i, j| S::of(if i.abs_diff(j) == 1 { 1.0 } else { 0.0 }));
    vec![
        ("empty", constant(0, 0.0)),
        ("one number", constant(1, -3.0)),
        ("two rows", Mat::from_fn(2, 2, |i, j| S::of([[2.0, -1.0], [-1.0, 0.5]][i][j]))),
        ("a path of three nodes", path),
        ("zero", constant(20, 0.0)),
        ("the identity", Mat::identity(40)),
        ("all ones", constant(50, 1.0)),
        ("a falling diagonal", diagonal(33, |i| 33.0 - i as f64)),
        ("a diagonal of two values", diagonal(150, |i| (i % 2) as f64)),
        ("noise, 7 rows", symmetric_noise(7)),
        ("noise, 64 rows", symmetric_noise(64)),
        ("noise, 200 rows", symmetric_noise(200)),
        ("co-association, 30 rows", block_co_association(30, 2)),
        ("co-association, 129 rows", block_co_association(129, 3)),
        ("co-association, 260 rows", block_co_association(260, 4)),
        ("co-association, 400 rows", block_co_association(400, 7)),
        ("clean blocks, 140 rows", clean_blocks(140, 5)),
        ("large and small blocks", graded(90)),
    ]
}

fn symmetric_noise<S: Real>(n: usize) -> Mat<S> {
    let a = noise::<S>(n, n, 10);
    Mat::from_fn(n, n, |i, j| a[(i.max(j), i.min(j))])
}

/// Ones inside a block and zeros outside: every eigenvalue is repeated.
fn clean_blocks<S: Real>(n: usize, blocks: usize) -> Mat<S> {
    let block = |i: usize| i * blocks / n;
    Mat::from_fn(n, n, |i, j| if block(i) == block(j) { S::one() } else { S::zero() })
}

/// A matrix of noise whose second half is a million times smaller.
fn graded<S: Real>(n: usize) -> Mat<S> {
    let a = symmetric_noise::<S>(n);
    let scale = |i: usize| S::of(if i < n / 2 { 1.0 } else { 1e-3 });
    Mat::from_fn(n, n, |i, j| a[(i, j)] * scale(i) * scale(j))
}

fn eigenpairs<S: Real>(subject: &Subject, backend: &dyn Backend<S>, name: &str, a: &Mat<S>) {
    for layout in LAYOUTS {
        let case = format!("{name}, {layout:?}");
        let stored = Stored::new(&lower_only(a), layout, S::nan());
        let law = "eigenpairs satisfy AV = V diag(w), reading only the lower triangle of A";
        let eigen = subject.succeeds(law, backend.eigh(stored.view()), &case);
        let (n, size) = (a.rows(), (eigen.vectors.rows(), eigen.vectors.cols()));
        subject.law("there are n eigenpairs", eigen.values.len() == n && size == (n, n), &case);
        let ascending = eigen.values.is_sorted_by(|x, y| x <= y);
        subject.law("eigenvalues are in ascending order", ascending, &case);
        let unit = 8.0 * (n + 4) as f64 * S::epsilon().wide();
        let residual = residual(a, &eigen);
        subject.law(law, residual <= unit * frobenius(a), format!("{case}: residual {residual}"));
        let skew = skew(&eigen.vectors);
        let law = "eigenvectors are orthonormal";
        subject.law(law, skew <= unit, format!("{case}: off by {skew}"));
    }
}

/// The largest entry of AV − V diag(w).
fn residual<S: Real>(a: &Mat<S>, eigen: &Eigen<S>) -> f64 {
    let (values, vectors) = (&eigen.values, &eigen.vectors);
    let product = wide_product(a, vectors);
    largest(a.rows(), |i, j| product[(i, j)] - vectors[(i, j)].wide() * values[j].wide())
}

/// The largest entry of VᵀV − I.
fn skew<S: Real>(vectors: &Mat<S>) -> f64 {
    let gram = wide_product(&vectors.view().transposed().to_owned(), vectors);
    largest(vectors.cols(), |i, j| gram[(i, j)] - f64::from(i == j))
}

/// The largest magnitude of an n × n matrix; NaN counts as infinite.
fn largest(n: usize, entry: impl Fn(usize, usize) -> f64) -> f64 {
    let mut most = 0.0;
    for j in 0..n {
        for i in 0..n {
            let size = entry(i, j).abs();
            most = if size.is_nan() { f64::INFINITY } else { size.max(most) };
        }
    }
    most
}

fn refuses_nan<S: Real>(subject: &Subject, backend: &dyn Backend<S>) {
    for (row, column) in [(2, 2), (30, 4), (39, 0)] {
        let mut a = symmetric_noise::<S>(40);
        a[(row, column)] = S::nan();
        let answer = backend.eigh(a.view());
        let case = format!("NaN at ({row}, {column}) of 40 rows");
        subject.law(
            "the eigenpairs of a matrix that holds NaN are an error",
            answer.is_err(),
            case,
        );
    }
}
