//! The iteration for leading eigenpairs, compared with the complete decomposition.

use enclust_core::{Backend, Component, Ctx, Eigen, Error, Mat, Real, Reference};
use enclust_linalg::{PackedSymmetric, SymmetricOperator, leading_eigenpairs};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn random_symmetric(n: usize, seed: u64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut a = Mat::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            a[(i, j)] = rng.random::<f64>() - 0.5;
            a[(j, i)] = a[(i, j)];
        }
    }
    a
}

/// Similarity-like blocks, each normalised so that its largest eigenvalue is 1; the rows after
/// the last block are zero.
fn normalised_blocks(sizes: &[usize], zeros: usize, seed: u64) -> Mat<f64> {
    let n = sizes.iter().sum::<usize>() + zeros;
    let noise = random_symmetric(n, seed);
    let mut a = Mat::zeros(n, n);
    let mut start = 0;
    for &size in sizes {
        let block = start..start + size;
        let weight = |i: usize, j: usize| 1.0 + noise[(i, j)];
        let degree = |i: usize| block.clone().map(|j| weight(i, j)).sum::<f64>();
        for i in block.clone() {
            for j in block.clone() {
                a[(i, j)] = weight(i, j) / (degree(i) * degree(j)).sqrt();
            }
        }
        start += size;
    }
    a
}

fn packed(a: &Mat<f64>) -> PackedSymmetric<f64> {
    let n = a.rows();
    let upper = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).map(|at| a[at]).collect();
    PackedSymmetric::new(upper, (0..n).map(|i| a[(i, i)]).collect()).unwrap()
}

/// Checks residuals, orthonormality, order and signs.
fn check_pairs<S: Real>(a: &Mat<f64>, pairs: &Eigen<S>, limit: f64) {
    let (n, k) = (a.rows(), pairs.values.len());
    assert!(pairs.values.is_sorted());
    let v = |i: usize, j: usize| pairs.vectors[(i, j)].wide();
    for j in 0..k {
        for i in 0..n {
            let product: f64 = (0..n).map(|l| a[(i, l)] * v(l, j)).sum();
            assert!((product - pairs.values[j].wide() * v(i, j)).abs() <= limit);
        }
        for i in 0..=j {
            let dot: f64 = (0..n).map(|l| v(l, i) * v(l, j)).sum();
            assert!((dot - f64::from(u8::from(i == j))).abs() <= limit);
        }
        let largest =
            (0..n).map(|i| v(i, j)).fold(0.0, |m: f64, x| if x.abs() > m.abs() { x } else { m });
        assert!(largest > 0.0);
    }
}

/// Checks that the eigenvalues are equal, and also the projector if the next eigenvalue is well
/// separated from the k-th.
fn check_against_eigh(a: &Mat<f64>, k: usize, seed: u64) {
    let n = a.rows();
    let all = Reference.eigh(a.view()).unwrap();
    let scale = all.values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    for top in [
        leading_eigenpairs(a, k, &Ctx::default().with_seed(seed)).unwrap(),
        leading_eigenpairs(&packed(a), k, &Ctx::default().with_seed(seed)).unwrap(),
    ] {
        check_pairs(a, &top, 1e-9 * scale.max(1.0));
        for j in 0..k {
            assert!((top.values[j] - all.values[n - k + j]).abs() <= 1e-10 * scale);
        }
        let gap = if k < n { all.values[n - k] - all.values[n - k - 1] } else { scale };
        if gap > 1e-3 * scale {
            let projector = |e: &Eigen<f64>, i: usize, l: usize| -> f64 {
                let first = e.values.len() - k;
                (first..first + k).map(|j| e.vectors[(i, j)] * e.vectors[(l, j)]).sum()
            };
            for i in 0..n {
                for l in 0..=i {
                    let error = (projector(&top, i, l) - projector(&all, i, l)).abs();
                    assert!(error <= 1e-6, "projector at ({i}, {l}) is off by {error}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random(n in 1..220_usize, k in 1..12_usize, seed: u64) {
        check_against_eigh(&random_symmetric(n, seed), k.min(n), seed);
    }

    /// The largest eigenvalue is 1, once per block.
    #[test]
    fn repeated_blocks(
        sizes in proptest::collection::vec(1..60_usize, 1..7),
        zeros in 0..120_usize,
        k in 1..9_usize,
        seed: u64,
    ) {
        let a = normalised_blocks(&sizes, zeros, seed);
        check_against_eigh(&a, k.min(a.rows()), seed);
    }
}

#[test]
fn equal_blocks_make_every_eigenvalue_multiple() {
    let one = normalised_blocks(&[30], 0, 3);
    let a =
        Mat::from_fn(240, 240, |i, j| if i / 30 == j / 30 { one[(i % 30, j % 30)] } else { 0.0 });
    for k in [1, 4, 8, 11, 16] {
        check_against_eigh(&a, k, 5);
    }
}

#[test]
fn zero_identity_and_rank_one() {
    check_against_eigh(&Mat::zeros(150, 150), 5, 1);
    check_against_eigh(&Mat::identity(150), 5, 1);
    check_against_eigh(&Mat::from_fn(150, 150, |_, _| 1.0), 5, 1);
    check_against_eigh(&Mat::from_fn(150, 150, |i, j| -f64::from(u8::from(i == j))), 5, 1);
}

#[test]
fn clustered_eigenvalues() {
    // Twelve eigenvalues within 1e-6 of 1, then a bulk up to 0.9.
    let n = 300;
    let a = Mat::from_fn(n, n, |i, j| match (i == j, i < 12) {
        (false, _) => 0.0,
        (true, true) => 1.0 - 1e-7 * i as f64,
        (true, false) => 0.9 * (n - i) as f64 / n as f64,
    });
    check_against_eigh(&a, 12, 2);
    check_against_eigh(&a, 6, 2);
}

#[test]
fn slow_decay_without_a_gap() {
    let n = 400;
    let laplacian = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => 2.0,
        1 => 1.0,
        _ => 0.0,
    });
    check_against_eigh(&laplacian, 4, 9);
}

#[test]
fn single_precision() {
    for (sizes, zeros) in [(vec![80, 70, 60], 40), (vec![300], 0)] {
        let a = normalised_blocks(&sizes, zeros, 11);
        let narrow = Mat::from_fn(a.rows(), a.rows(), |i, j| a[(i, j)] as f32);
        let top = leading_eigenpairs(&narrow, 3, &Ctx::default()).unwrap();
        check_pairs(&a, &top, 1e-4);
        let expected = Reference.eigh(a.view()).unwrap();
        for j in 0..3 {
            assert!((top.values[j].wide() - expected.values[a.rows() - 3 + j]).abs() < 1e-5);
        }
    }
}

#[test]
fn thread_count_changes_no_bit() {
    let a = packed(&random_symmetric(700, 4));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| leading_eigenpairs(&a, 5, &Ctx::default().with_seed(8)).unwrap())
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(one.values, three.values);
    assert_eq!(one.vectors, three.vectors);
}

#[test]
fn sizes_that_do_not_fit() {
    let a = Mat::<f64>::identity(3);
    assert!(matches!(leading_eigenpairs(&a, 4, &Ctx::default()), Err(Error::Size { .. })));
    assert!(matches!(PackedSymmetric::new(vec![0.0; 2], vec![0.0; 3]), Err(Error::Size { .. })));
    let a = PackedSymmetric::new(vec![0.0; 3], vec![0.0; 3]).unwrap();
    assert!(matches!(a.scaled(&[1.0]), Err(Error::Size { .. })));
    assert!(
        leading_eigenpairs(&Mat::<f64>::zeros(0, 0), 0, &Ctx::default()).unwrap().values.is_empty()
    );
}

#[test]
fn nan_is_a_typed_error() {
    for n in [5, 300] {
        let mut a = random_symmetric(n, 1);
        a[(2, 2)] = f64::NAN;
        assert!(matches!(leading_eigenpairs(&a, 2, &Ctx::default()), Err(Error::NotFinite { .. })));
    }
}

/// An operator whose products are noise has no eigenpairs to converge to.
struct Noise(usize);

impl SymmetricOperator<f64> for Noise {
    fn dim(&self) -> usize {
        self.0
    }

    fn apply(&self, _: &dyn Backend<f64>, x: &Mat<f64>) -> Mat<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(x.data()[0].to_bits());
        let mut y = Mat::zeros(x.rows(), x.cols());
        y.data_mut().iter_mut().for_each(|v| *v = rng.random::<f64>() - 0.5);
        y
    }
}

#[test]
fn no_convergence_is_a_typed_error() {
    let result = leading_eigenpairs(&Noise(200), 2, &Ctx::default());
    assert!(matches!(result, Err(Error::NoConvergence { .. })), "{}", Reference.name());
}
