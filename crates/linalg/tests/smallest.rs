//! Smallest eigenpairs of Laplacians, compared with the complete decomposition.

use enclust_core::{Backend, Ctx, Mat, Reference};
use enclust_linalg::smallest_eigenpairs;
use enclust_testkit::generate::shuffled;

/// The Laplacian of groups of nodes; weights inside a group are near 1, those between
/// neighbouring groups are `bridge`.
fn heaps(nodes: usize, heaps: usize, bridge: f64) -> Mat<f64> {
    let noise = shuffled(nodes * nodes, 7);
    let weight = |i: usize, j: usize| {
        let (i, j) = (i.min(j), i.max(j));
        let jitter = 0.5 + 0.5 * noise[i * nodes + j] as f64 / (nodes * nodes) as f64;
        match j % heaps - (i % heaps).min(j % heaps) {
            _ if i == j => 0.0,
            0 if i % heaps == j % heaps => jitter,
            1 => bridge * jitter,
            _ => 0.0,
        }
    };
    Mat::from_fn(nodes, nodes, |i, j| {
        if i == j { (0..nodes).map(|l| weight(i, l)).sum() } else { -weight(i, j) }
    })
}

/// Checks that the eigenvalues agree and that the vectors span the same space: each is in the
/// span of the others.
fn check(matrix: &Mat<f64>, k: usize) {
    let n = matrix.rows();
    let found = smallest_eigenpairs(matrix, k, &Ctx::default().with_seed(3)).unwrap();
    let all = Reference.eigh(matrix.view()).unwrap();
    let scale = all.values[n - 1];
    for j in 0..k {
        assert!((found.values[j] - all.values[j]).abs() < 1e-13 * scale, "value {j}");
        let inside: f64 = (0..k)
            .map(|l| {
                let product = (0..n).map(|i| found.vectors[(i, j)] * all.vectors[(i, l)]);
                product.sum::<f64>().powi(2)
            })
            .sum();
        assert!((inside - 1.0).abs() < 1e-8, "vector {j}: {inside}");
    }
}

#[test]
fn large_matrices_by_their_inverse() {
    for bridge in [0.0, 1e-9, 1e-4, 0.05] {
        check(&heaps(450, 5, bridge), 5);
    }
}

#[test]
fn small_matrices_and_no_pairs() {
    check(&heaps(40, 3, 0.01), 3);
    assert!(smallest_eigenpairs(&heaps(10, 2, 0.1), 0, &Ctx::default()).unwrap().values.is_empty());
    assert!(smallest_eigenpairs(&heaps(10, 2, 0.1), 11, &Ctx::default()).is_err());
}

/// A matrix that is not semidefinite has no Cholesky factor; it is decomposed completely.
#[test]
fn indefinite_matrices_are_decomposed() {
    let entry = |i: usize, j: usize| if i == j { i as f64 - 200.0 } else { 0.0 };
    let found = smallest_eigenpairs(&Mat::from_fn(450, 450, entry), 3, &Ctx::default()).unwrap();
    assert_eq!(found.values, [-200.0, -199.0, -198.0]);
}
