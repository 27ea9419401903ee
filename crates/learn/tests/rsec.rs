//! Compares robust spectral ensemble clustering with the plain iteration over samples.

use enclust_core::{
    Backend, Ca, Component, Ctx, Eigen, Ensemble, Error, Evidence, Mat, Microclusters, Question,
    Reference, Report, Status,
};
use enclust_learn::{RsecH, RsecZ};
use enclust_testkit::ca;
use enclust_testkit::generate::{co_association, ensembles, planted};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

// ---------------------------------------------------------------------------
// The plain version: n × n matrices, one line of the algorithm after the other.

fn times(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let mut c = Mat::zeros(a.rows(), b.cols());
    Reference.gemm(1.0, a.view(), b.view(), 0.0, c.view_mut());
    c
}

fn transposed(a: &Mat<f64>) -> Mat<f64> {
    a.view().transposed().to_owned()
}

/// Σ factor · matrix.
fn linear(terms: &[(f64, &Mat<f64>)]) -> Mat<f64> {
    let (rows, cols) = (terms[0].1.rows(), terms[0].1.cols());
    Mat::from_fn(rows, cols, |i, j| terms.iter().map(|(f, m)| f * m[(i, j)]).sum())
}

fn diagonal(values: &[f64]) -> Mat<f64> {
    Mat::from_fn(values.len(), values.len(), |i, j| if i == j { values[i] } else { 0.0 })
}

fn eigh(a: &Mat<f64>) -> Eigen<f64> {
    Reference.eigh(a.view()).unwrap()
}

fn largest(a: &Mat<f64>) -> f64 {
    a.data().iter().fold(0.0, |m, v| m.max(v.abs()))
}

/// U max(Σ − t, 0) Vᵀ.
fn shrink_singular(m: &Mat<f64>, t: f64) -> Mat<f64> {
    let right = eigh(&times(&transposed(m), m));
    let share = |v: &f64| if v.max(0.0).sqrt() > t { 1.0 - t / v.sqrt() } else { 0.0 };
    let factors: Vec<f64> = right.values.iter().map(share).collect();
    let projection =
        times(&times(&right.vectors, &diagonal(&factors)), &transposed(&right.vectors));
    times(m, &projection)
}

fn shrink_columns(q: &Mat<f64>, t: f64) -> Mat<f64> {
    let length = |j: usize| q.col(j).iter().map(|x| x * x).sum::<f64>().sqrt();
    let shares: Vec<f64> = (0..q.cols())
        .map(|j| if length(j) > t { (length(j) - t) / length(j) } else { 0.0 })
        .collect();
    times(q, &diagonal(&shares))
}

/// From left singular vectors and singular values.
fn affinity(vectors: &Mat<f64>, values: &[f64]) -> Mat<f64> {
    let top = values.iter().copied().fold(0.0, f64::max);
    let kept: Vec<usize> = (0..values.len()).filter(|&i| values[i] > 1e-4 * top).collect();
    let rows = Mat::from_fn(vectors.rows(), kept.len(), |p, i| {
        vectors[(p, kept[i])] * values[kept[i]].sqrt()
    });
    let gram = times(&rows, &transposed(&rows));
    Mat::from_fn(gram.rows(), gram.rows(), |p, q| {
        (gram[(p, q)] / (gram[(p, p)] * gram[(q, q)]).sqrt()).powi(4)
    })
}

fn symmetric_affinity(m: &Mat<f64>) -> Mat<f64> {
    let eigen = eigh(m);
    affinity(&eigen.vectors, &eigen.values.iter().map(|v| v.abs()).collect::<Vec<_>>())
}

fn left_affinity(m: &Mat<f64>) -> Mat<f64> {
    let eigen = eigh(&times(m, &transposed(m)));
    affinity(&eigen.vectors, &eigen.values.iter().map(|v| v.max(0.0).sqrt()).collect::<Vec<_>>())
}

struct Plain {
    z: Mat<f64>,
    h: Mat<f64>,
    iterations: usize,
    /// The smallest gap between λₖ and λₖ₊₁ over all iterations.
    gap: f64,
}

fn plain(e: &Ensemble, k: usize, p: &RsecH) -> Plain {
    let n = e.samples();
    let all = co_association::<f64>(&Microclusters::singletons(e)).to_matrix();
    let s = Mat::from_fn(n, n, |i, j| all[i * n + j]);
    let zero = || Mat::<f64>::zeros(n, n);
    let (mut z, mut error, mut y1, mut y2) = (zero(), zero(), zero(), zero());
    let (mut h, mut inverse_roots) = (Mat::zeros(n, k), vec![1.0; n]);
    let squared = times(&s, &s);
    let factor = Reference.factor_spd(linear(&[(1.0, &squared), (1.0, &Mat::identity(n))]).view());
    let factor = factor.unwrap();
    let mut mu = p.mu / eigh(&s).values[n - 1];
    let (mut iterations, mut gap) = (0, f64::INFINITY);
    loop {
        iterations += 1;
        let j = shrink_singular(&linear(&[(1.0, &z), (1.0 / mu, &y2)]), p.lambda1 / mu);
        let scaled = times(&diagonal(&inverse_roots), &h);
        let pull = times(&scaled, &transposed(&scaled));
        z = linear(&[
            (1.0, &squared),
            (1.0, &j),
            (-1.0, &times(&s, &error)),
            (1.0 / mu, &times(&s, &y1)),
            (-1.0 / mu, &y2),
            (1.0 / mu, &pull),
        ]);
        factor.solve(z.view_mut());
        let fitted = times(&s, &z);
        let q = linear(&[(1.0, &s), (-1.0, &fitted), (1.0 / mu, &y1)]);
        error = shrink_columns(&q, p.lambda2 / mu);
        let hh = times(&h, &transposed(&h));
        let a = symmetric_affinity(&linear(&[(0.5, &z), (0.5, &transposed(&z)), (1.0, &hh)]));
        inverse_roots =
            (0..n).map(|i| (0..n).map(|j| a[(i, j)]).sum::<f64>().sqrt().recip()).collect();
        let d = diagonal(&inverse_roots);
        let eigen = eigh(&times(&times(&d, &a), &d));
        if k < n {
            gap = f64::min(gap, eigen.values[n - k] - eigen.values[n - k - 1]);
        }
        h = times(&d, &Mat::from_fn(n, k, |i, j| eigen.vectors[(i, n - k + j)]));
        let fit_gap = linear(&[(1.0, &s), (-1.0, &fitted), (-1.0, &error)]);
        let split_gap = linear(&[(1.0, &z), (-1.0, &j)]);
        if largest(&fit_gap).max(largest(&split_gap)) < p.tolerance
            || iterations == p.max_iterations
        {
            return Plain { z, h, iterations, gap };
        }
        y1 = linear(&[(1.0, &y1), (mu, &fit_gap)]);
        y2 = linear(&[(1.0, &y2), (mu, &split_gap)]);
        mu = (p.rho * mu).min(p.mu_max);
    }
}

// ---------------------------------------------------------------------------
// Comparing.

/// HHᵀ and the affinity of Z over the samples, and the report.
fn learned(e: &Ensemble, k: usize, p: &RsecH) -> (Mat<f64>, Mat<f64>, Report) {
    let (n, m) = (e.samples(), Microclusters::of(e));
    let (question, ctx) = (Question::clusters(k), Ctx::<f64>::default());
    let embedding = match p.build(&m, &question, &ctx).unwrap().evidence {
        Evidence::Embedding(embedding) => embedding,
        other => panic!("{:?}", other.kind()),
    };
    let of = |i: usize| embedding.grouping.map()[i] as usize;
    let points = &embedding.points;
    let product = |i: usize, j: usize| {
        (0..points.cols()).map(|c| points[(of(i), c)] * points[(of(j), c)]).sum()
    };
    let gram = Mat::from_fn(n, n, product);
    let evidence = RsecZ::from(p.clone()).build(&m, &question, &ctx).unwrap();
    let matrix = evidence.as_similarity().unwrap().to_matrix();
    let affinity = Mat::from_fn(n, n, |i, j| matrix[i * n + j]);
    (gram, affinity, evidence.report.unwrap())
}

fn apart(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    largest(&linear(&[(1.0, a), (-1.0, b)]))
}

/// Whether the plain version gives the same result for the samples in reverse order. Near
/// unstable symmetric states it amplifies rounding errors, and its result cannot be used for
/// comparison.
fn is_stable(e: &Ensemble, k: usize, p: &RsecH, found: &Plain) -> bool {
    let n = e.samples();
    let backwards: Vec<usize> = (0..n).rev().collect();
    let other = plain(&e.rearranged(&backwards).unwrap(), k, p);
    let turned = |m: &Mat<f64>| Mat::from_fn(n, m.cols(), |i, j| m[(n - 1 - i, j)]);
    let gram = |h: &Mat<f64>| times(h, &transposed(h));
    let z = Mat::from_fn(n, n, |i, j| other.z[(n - 1 - i, n - 1 - j)]);
    apart(&gram(&turned(&other.h)), &gram(&found.h)) < 1e-9 && apart(&z, &found.z) < 1e-9
}

/// The difference between the two versions in HHᵀ and in the affinity of Z; `None` if the
/// result is not determined because of a tie or an instability.
fn compare(e: &Ensemble, k: usize, p: &RsecH) -> Option<(f64, f64)> {
    let expected = plain(e, k, p);
    if expected.gap < 1e-5 || !is_stable(e, k, p, &expected) {
        return None;
    }
    let (gram, affinity, report) = learned(e, k, p);
    assert_eq!(report.iterations, expected.iterations);
    let expected_gram = times(&expected.h, &transposed(&expected.h));
    Some((apart(&gram, &expected_gram), apart(&affinity, &left_affinity(&expected.z))))
}

#[test]
fn a_few_iterations_equal_those_over_samples() {
    let mut compared = 0;
    for seed in 0..6 {
        let e = planted(24, 5, 3, 0.25, seed);
        for max_iterations in [1, 2, 3, 10] {
            let params = RsecH::default().max_iterations(max_iterations);
            if let Some((h, z)) = compare(&e, 3, &params) {
                compared += 1;
                assert!(h < 1e-8 && z < 1e-8, "seed {seed}, {max_iterations}: {h:e} {z:e}");
            }
        }
    }
    assert!(compared >= 16, "{compared} of 24 were compared");
}

#[test]
fn whole_runs_equal_those_over_samples() {
    let mut compared = 0;
    for seed in 0..6 {
        let e = planted(30, 6, 3, 0.2, seed);
        for (lambda1, lambda2) in [(0.1, 0.01), (1.0, 1.0), (0.1, 1.0)] {
            let params = RsecH::default().lambda1(lambda1).lambda2(lambda2);
            if let Some((h, z)) = compare(&e, 3, &params) {
                compared += 1;
                assert!(h < 1e-6 && z < 1e-6, "seed {seed}, {lambda1} {lambda2}: {h:e} {z:e}");
            }
        }
    }
    assert!(compared >= 12, "{compared} of 18 were compared");
}

/// For more than 400 groups, the leading eigenvectors are computed without the others.
#[test]
fn many_groups_equal_those_over_samples() {
    let e = planted(440, 12, 3, 0.4, 1);
    assert!(Microclusters::of(&e).len() > 400);
    let params = RsecH::default().max_iterations(2);
    let (h, z) = compare(&e, 3, &params).expect("neither tied nor unstable");
    assert!(h < 1e-8 && z < 1e-8, "{h:e} {z:e}");
}

#[test]
fn random_ensembles_equal_those_over_samples() {
    let compared = std::cell::Cell::new(0);
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) };
    let outcome = TestRunner::new(config).run(&(ensembles(12, 5, 3), 1..3_usize), |(e, k)| {
        let k = k.min(Microclusters::of(&e).len());
        let params = RsecH::default().max_iterations(30);
        if let Some((h, z)) = compare(&e, k, &params) {
            compared.set(compared.get() + 1);
            prop_assert!(h < 1e-6 && z < 1e-6, "{:e} {:e}", h, z);
        }
        Ok(())
    });
    outcome.unwrap();
    assert!(compared.get() >= 10, "{} of 40 were compared", compared.get());
}

// ---------------------------------------------------------------------------
// The rest.

#[test]
fn a_run_converges_and_says_so() {
    let m = Microclusters::of(&planted(40, 8, 3, 0.1, 1));
    let ctx = Ctx::<f64>::default();
    let learned = RsecH::default().build(&m, &Question::clusters(3), &ctx).unwrap();
    let report = learned.report.unwrap();
    assert_eq!((report.component.as_str(), report.status), ("rsec-h", Status::Converged));
    assert!(report.last.unwrap().residual.unwrap() < 1e-7);
}

#[test]
fn a_limit_is_kept_and_reported() {
    let m = Microclusters::of(&planted(40, 8, 3, 0.1, 1));
    let params = RsecH::default().max_iterations(4);
    let ctx = Ctx::<f64>::default();
    let learned = RsecZ::from(params).build(&m, &Question::clusters(3), &ctx).unwrap();
    let report = learned.report.unwrap();
    assert_eq!((report.iterations, report.status), (4, Status::IterationLimit));
}

#[test]
fn what_cannot_be_learned_is_an_error() {
    let e = planted(20, 4, 3, 0.3, 1);
    let m = Microclusters::of(&e);
    let build = |m: &Microclusters, k: Option<usize>| {
        RsecH::default().build(m, &Question::maybe(k), &Ctx::<f64>::default()).map(|_| ())
    };
    assert!(matches!(build(&m, None), Err(Error::NeedsClusters { .. })));
    assert!(matches!(build(&m, Some(0)), Err(Error::ClusterCount { .. })));
    assert!(matches!(build(&m, Some(m.len() + 1)), Err(Error::ClusterCount { .. })));
    let gaps = Ensemble::from_rows(&[[Some(0), None], [Some(1), Some(0)]]).unwrap();
    let answer = build(&Microclusters::of(&gaps), Some(2));
    assert!(matches!(answer, Err(Error::Unsupported { .. })));
}

#[test]
fn parameters_out_of_range_are_errors() {
    let default = RsecH::default;
    for params in [
        default().lambda1(0.0),
        default().lambda2(-1.0),
        default().mu(f64::NAN),
        default().rho(0.9),
        default().mu_max(0.0),
        default().tolerance(0.0),
        default().max_iterations(0),
    ] {
        assert!(params.check().is_err() && RsecZ::from(params).check().is_err());
    }
}

#[test]
fn keep_the_laws() {
    ca::conformance(&RsecH::default());
    ca::conformance(&RsecZ::default());
    ca::precisions_agree(&RsecH::default(), &RsecH::default());
    ca::precisions_agree(&RsecZ::default(), &RsecZ::default());
}
