//! Sparse Cholesky against the dense one.

use enclust_core::{Backend, Csr, Error, Mat, Reference};
use enclust_linalg::SparseCholesky;
use proptest::prelude::*;

/// A graph Laplacian plus a positive diagonal, from edges over n nodes.
fn shifted_laplacian(n: usize, edges: &[(usize, usize, f64)], shift: f64) -> Csr<f64> {
    let mut dense = vec![vec![0.0; n]; n];
    for &(i, j, w) in edges.iter().filter(|(i, j, _)| i % n != j % n) {
        let (i, j) = (i % n, j % n);
        dense[i][j] -= w;
        dense[j][i] -= w;
        dense[i][i] += w;
        dense[j][j] += w;
    }
    let row = |(i, row): (usize, Vec<f64>)| {
        let shifted =
            row.into_iter().enumerate().map(move |(j, v)| (j, if i == j { v + shift } else { v }));
        shifted.filter(|(_, v)| *v != 0.0).map(|(j, v)| (j as u32, v)).collect()
    };
    Csr::from_rows(n, dense.into_iter().enumerate().map(row).collect())
}

proptest! {
    #[test]
    fn solves_like_the_dense_factorisation(
        n in 1..40_usize, shift in 0.01..5.0, width in 1..9_usize,
        edges in proptest::collection::vec((0..40_usize, 0..40_usize, 0.1..3.0), 0..120),
    ) {
        let a = shifted_laplacian(n, &edges, shift);
        let dense = Mat::from_fn(n, n, |i, j| a.get(i, j).unwrap_or(0.0));
        let right = Mat::from_fn(n, width, |i, j| ((i * 7 + j * 13) % 11) as f64 - 5.0);
        let mut expected = right.clone();
        let backend: &dyn Backend<f64> = &Reference;
        backend.factor_spd(dense.view()).unwrap().solve(expected.view_mut());
        let mut rows: Vec<f64> = (0..n * width).map(|at| right[(at / width, at % width)]).collect();
        SparseCholesky::factor(&a, usize::MAX).unwrap().unwrap().solve_rows(&mut rows, width);
        for (at, x) in rows.iter().enumerate() {
            let y = expected[(at / width, at % width)];
            prop_assert!((x - y).abs() < 1e-9 * (1.0 + y.abs()), "{x} and {y}");
        }
    }

    #[test]
    fn gives_up_exactly_when_the_factor_is_too_large(
        n in 2..30_usize, edges in proptest::collection::vec((0..30_usize, 0..30_usize, 0.1..3.0), 1..90),
    ) {
        let a = shifted_laplacian(n, &edges, 1.0);
        let entries = SparseCholesky::factor(&a, usize::MAX).unwrap().unwrap().entries();
        prop_assert!(SparseCholesky::factor(&a, entries).unwrap().is_some());
        prop_assert!(entries == 0 || SparseCholesky::factor(&a, entries - 1).unwrap().is_none());
    }
}

#[test]
fn a_tree_has_no_fill() {
    let edges: Vec<_> = (1..50).map(|i| (i / 2, i, 1.0)).collect();
    let a = shifted_laplacian(50, &edges, 1.0);
    assert_eq!(SparseCholesky::factor(&a, usize::MAX).unwrap().unwrap().entries(), 49);
}

#[test]
fn an_indefinite_matrix_is_refused() {
    let a = Csr::from_rows(2, vec![vec![(0, 1.0), (1, 2.0)], vec![(0, 2.0), (1, 1.0)]]);
    assert_eq!(
        SparseCholesky::factor(&a, usize::MAX).unwrap_err(),
        Error::NotPositiveDefinite { pivot: 1 }
    );
    let nan = Csr::from_rows(1, vec![vec![(0, f64::NAN)]]);
    assert!(SparseCholesky::factor(&nan, 9).is_err());
}
