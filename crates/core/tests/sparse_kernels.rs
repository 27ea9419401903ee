//! The sparse kernels of this crate, compared with dense ones.

use enclust_core::{Backend, Csr, Error, Mat, Reference};
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
        n in 1..40_usize, shift in 0.01..5.0,
        width in prop_oneof![Just(64_usize), 1..9_usize],
        edges in proptest::collection::vec((0..40_usize, 0..40_usize, 0.1..3.0), 0..120),
    ) {
        let a = shifted_laplacian(n, &edges, shift);
        let dense = Mat::from_fn(n, n, |i, j| a.get(i, j).unwrap_or(0.0));
        let right = Mat::from_fn(n, width, |i, j| ((i * 7 + j * 13) % 11) as f64 - 5.0);
        let mut expected = right.clone();
        let backend: &dyn Backend<f64> = &Reference;
        backend.factor_spd(dense.view()).unwrap().solve(expected.view_mut());
        let mut rows: Vec<f64> = (0..n * width).map(|at| right[(at / width, at % width)]).collect();
        backend.factor_sparse(&a, usize::MAX).unwrap().unwrap().solve_panel(&mut rows, width);
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
        let fits = |most: usize| Reference.factor_sparse(&a, most).unwrap().is_some();
        let entries = fill_by_definition(&a);
        prop_assert!(fits(entries));
        prop_assert!(entries == 0 || !fits(entries - 1));
    }

    #[test]
    fn shifted_factors_equal_those_of_the_shifted_matrix(
        n in 1..40_usize, shift in 0.01..5.0, added in 0.0..5.0,
        edges in proptest::collection::vec((0..40_usize, 0..40_usize, 0.1..3.0), 0..120),
    ) {
        let (a, b) = (shifted_laplacian(n, &edges, shift), shifted_laplacian(n, &edges, shift + added));
        let right: Vec<f64> = (0..n * 64).map(|at| ((at * 7) % 11) as f64 - 5.0).collect();
        let (mut shifted, mut anew) = (right.clone(), right);
        let backend: &dyn Backend<f64> = &Reference;
        let prepared = backend.shifted(&a, usize::MAX).unwrap().unwrap();
        prepared.factor(added).unwrap().solve_panel(&mut shifted, 64);
        backend.factor_sparse(&b, usize::MAX).unwrap().unwrap().solve_panel(&mut anew, 64);
        for (x, y) in shifted.iter().zip(&anew) {
            prop_assert!((x - y).abs() < 1e-9 * (1.0 + y.abs()), "{x} and {y}");
        }
    }

    #[test]
    fn an_incomplete_factor_without_fill_is_complete(
        n in 1..30_usize, shift in 0.01..5.0, width in prop_oneof![Just(64_usize), 1..9_usize],
    ) {
        // A path in order: eliminating a node connects no other two nodes.
        let edges: Vec<_> = (1..n).map(|i| (i - 1, i, 1.0 + i as f64)).collect();
        let a = shifted_laplacian(n, &edges, shift);
        let right: Vec<f64> = (0..n * width).map(|at| ((at * 7) % 11) as f64 - 5.0).collect();
        let (mut complete, mut incomplete) = (right.clone(), right);
        let backend: &dyn Backend<f64> = &Reference;
        backend.factor_sparse(&a, usize::MAX).unwrap().unwrap().solve_panel(&mut complete, width);
        backend.factor_incomplete(&a).unwrap().solve_panel(&mut incomplete, width);
        for (x, y) in complete.iter().zip(&incomplete) {
            prop_assert!((x - y).abs() < 1e-9 * (1.0 + y.abs()), "{x} and {y}");
        }
    }
}

/// The number of entries of L below its diagonal if the node of least degree (the lowest index
/// among equals) is eliminated each time and its neighbours are connected.
fn fill_by_definition(a: &Csr<f64>) -> usize {
    let n = a.rows();
    let mut joined: Vec<Vec<bool>> =
        (0..n).map(|i| (0..n).map(|j| i != j && a.get(i, j).is_some()).collect()).collect();
    let mut left: Vec<usize> = (0..n).collect();
    let mut entries = 0;
    while !left.is_empty() {
        let degree = |i: usize| left.iter().filter(|&&j| joined[i][j]).count();
        let pivot = *left.iter().min_by_key(|&&i| (degree(i), i)).unwrap();
        entries += degree(pivot);
        left.retain(|&i| i != pivot);
        for &i in &left {
            for &j in &left {
                joined[i][j] |= i != j && joined[i][pivot] && joined[pivot][j];
            }
        }
    }
    entries
}

#[test]
fn a_tree_has_no_fill() {
    let edges: Vec<_> = (1..50).map(|i| (i / 2, i, 1.0)).collect();
    let a = shifted_laplacian(50, &edges, 1.0);
    assert!(Reference.factor_sparse(&a, 49).unwrap().is_some());
    assert!(Reference.factor_sparse(&a, 48).unwrap().is_none());
}

#[test]
fn an_indefinite_matrix_is_refused() {
    let a = Csr::from_rows(2, vec![vec![(0, 1.0), (1, 2.0)], vec![(0, 2.0), (1, 1.0)]]);
    assert_eq!(
        Reference.factor_sparse(&a, usize::MAX).err(),
        Some(Error::NotPositiveDefinite { pivot: 1 })
    );
    let nan = Csr::from_rows(1, vec![vec![(0, f64::NAN)]]);
    assert!(Reference.factor_sparse(&nan, 9).is_err());
    assert!(Backend::<f64>::factor_incomplete(&Reference, &nan).is_err());
}
