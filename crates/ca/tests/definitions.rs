//! Compares every representation with its definition over samples.

mod oracle;

use enclust_ca::{Eac, LocallyWeightedBipartite, Lwca, Pts, TrajectoryBipartite};
use enclust_core::{
    Ca, Component, Ctx, Ensemble, Error, Evidence, MISSING, Microclusters, Question, Real,
    Similarity,
};
use enclust_testkit::generate::{ensembles, ensembles_with_missing};
use oracle::trajectory_cosines;
use proptest::prelude::*;

fn similarity<S: Real>(r: &dyn Ca<S>, e: &Ensemble) -> Similarity<S> {
    let evidence = r.build(&Microclusters::of(e), &Question::default(), &Ctx::default()).unwrap();
    evidence.as_similarity().unwrap().clone()
}

fn matrix(r: &dyn Ca<f64>, e: &Ensemble) -> Vec<f64> {
    similarity(r, e).to_matrix()
}

/// The clusterings that label both samples.
fn common(e: &Ensemble, i: usize, j: usize) -> Vec<usize> {
    let labelled = |k: &usize| e.column(*k)[i] != MISSING && e.column(*k)[j] != MISSING;
    (0..e.clusterings()).filter(labelled).collect()
}

/// exp(−U/(θm)) of sample i's cluster in clustering k, summed over samples.
fn reliability(e: &Ensemble, k: usize, i: usize, theta: f64) -> f64 {
    let n = e.samples();
    let cluster: Vec<usize> = (0..n).filter(|&j| e.column(k)[j] == e.column(k)[i]).collect();
    let (mut uncertainty, mut counted) = (0.0, 0.0);
    for other in 0..e.clusterings() {
        let labels: Vec<u32> =
            cluster.iter().map(|&j| e.column(other)[j]).filter(|&l| l != MISSING).collect();
        if labels.is_empty() {
            continue;
        }
        counted += 1.0;
        let mut distinct = labels.clone();
        distinct.sort_unstable();
        distinct.dedup();
        for label in distinct {
            let p = labels.iter().filter(|&&l| l == label).count() as f64 / labels.len() as f64;
            uncertainty -= p * p.log2();
        }
    }
    (-uncertainty / (theta * counted)).exp()
}

fn close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (at, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= tolerance, "entry {at}: {x} and {y}");
    }
}

/// Repeats each clustering according to its weight.
fn repeated(e: &Ensemble, weights: &[usize]) -> Ensemble {
    let columns: Vec<usize> = weights.iter().enumerate().flat_map(|(k, &w)| vec![k; w]).collect();
    e.select(&columns).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn eac_is_the_share_of_common_clusterings(e in ensembles_with_missing(10, 6, 3)) {
        let n = e.samples();
        let expected: Vec<f64> = (0..n * n).map(|at| {
            let (i, j) = (at / n, at % n);
            let both = common(&e, i, j);
            let together = both.iter().filter(|&&k| e.column(k)[i] == e.column(k)[j]).count();
            if i == j { 1.0 } else if both.is_empty() { 0.0 } else { together as f64 / both.len() as f64 }
        }).collect();
        prop_assert_eq!(matrix(&Eac, &e), expected);
    }

    #[test]
    fn lwca_is_the_mean_reliability(e in ensembles_with_missing(10, 6, 3), theta in 0.1..4.0) {
        let n = e.samples();
        let expected: Vec<f64> = (0..n * n).map(|at| {
            let (i, j) = (at / n, at % n);
            let both = common(&e, i, j);
            let together = both.iter().filter(|&&k| e.column(k)[i] == e.column(k)[j]);
            let sum: f64 = together.map(|&k| reliability(&e, k, i, theta)).sum();
            if i == j { 1.0 } else if both.is_empty() { 0.0 } else { sum / both.len() as f64 }
        }).collect();
        close(&matrix(&Lwca::default().theta(theta), &e), &expected, 1e-12);
    }

    #[test]
    fn a_large_theta_turns_lwca_into_eac(e in ensembles(10, 6, 3)) {
        let lwca = Lwca::default().theta(1e12);
        close(&matrix(&lwca, &e), &matrix(&Eac, &e), 1e-10);
    }

    #[test]
    fn a_weight_is_a_multiplicity(
        e in ensembles(9, 4, 3), weights in proptest::collection::vec(1..4_usize, 4),
    ) {
        let weights = &weights[..e.clusterings()];
        let weighted = e.clone().with_weights(weights.iter().map(|&w| w as f64).collect()).unwrap();
        let copies = repeated(&e, weights);
        prop_assert_eq!(matrix(&Eac, &weighted), matrix(&Eac, &copies));
        close(&matrix(&Lwca::default(), &weighted), &matrix(&Lwca::default(), &copies), 1e-12);
        close(&matrix(&Pts::default(), &weighted), &matrix(&Pts::default(), &copies), 1e-12);
    }

    #[test]
    fn pts_follows_its_definition(e in ensembles(12, 6, 3), neighbours in 1..6_usize, steps in 1..6_usize) {
        let pts = Pts::default().neighbours(Some(neighbours)).steps(Some(steps));
        let (fast, slow) = (similarity::<f64>(&pts, &e), slow_pts(&e, neighbours, steps));
        let n = fast.len();
        for p in 0..n {
            for q in p + 1..n {
                prop_assert!((fast.between(p, q) - slow[p][q]).abs() < 1e-12);
            }
        }
        prop_assert!(fast.within().iter().chain(fast.own()).all(|&v| v == 1.0));
    }

    #[test]
    fn bipartite_graphs_follow_their_definition(
        e in ensembles(10, 5, 3), worth in proptest::collection::vec(1..4_usize, 5),
    ) {
        let worth = &worth[..e.clusterings()];
        let copies = repeated(&e, worth);
        let weighted = e.clone().with_weights(worth.iter().map(|&w| w as f64).collect()).unwrap();
        let m = Microclusters::of(&weighted);
        let offsets = m.cluster_offsets();
        let weights = |r: &dyn Ca<f64>| match r.build(&m, &Question::default(), &Ctx::default()).unwrap().evidence {
            Evidence::Bipartite(b) => b.weights,
            other => panic!("{:?}", other.kind()),
        };
        let (lwb, ptb) = (weights(&LocallyWeightedBipartite::default()), weights(&TrajectoryBipartite::default()));
        let pts = similarity::<f64>(&Pts::default(), &copies);
        for p in 0..m.len() {
            let sample = m.grouping().first_members()[p];
            for k in 0..m.clusterings() {
                let weight = worth[k] as f64;
                let copy = worth[..k].iter().sum();
                for cluster in 0..m.clusters()[k] {
                    let own = m.label(p, k) as usize == cluster;
                    let expected = if own { weight * reliability(&copies, copy, sample, 0.4) } else { 0.0 };
                    let found = lwb.get(p, offsets[k] + cluster).unwrap_or(0.0);
                    prop_assert!((found - expected).abs() < 1e-12);
                    let members: Vec<usize> = (0..m.len()).filter(|&q| m.label(q, k) as usize == cluster).collect();
                    let total: f64 = members.iter().map(|&q| if q == p { 1.0 } else { pts.between(p, q) }).sum();
                    let found = ptb.get(p, offsets[k] + cluster).unwrap_or(0.0);
                    prop_assert!((found - weight * total / members.len() as f64).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn single_precision_agrees(e in ensembles(12, 6, 3)) {
        fn both<R: Ca<f32> + Ca<f64>>(r: &R, e: &Ensemble) {
            let (single, double) = (similarity::<f32>(r, e), similarity::<f64>(r, e));
            for (a, b) in single.condensed().iter().zip(double.condensed()) {
                assert!((f64::from(*a) - b).abs() < 1e-6);
            }
        }
        both(&Eac, &e);
        both(&Lwca::default(), &e);
        both(&Pts::default(), &e);
    }
}

/// Dense reference implementation: elite neighbours, size-aware walk and cosines of stacked
/// powers.
fn slow_pts(e: &Ensemble, neighbours: usize, steps: usize) -> Vec<Vec<f64>> {
    let m = Microclusters::of(e);
    let n = m.len();
    let share = |p: usize, q: usize| {
        let same = (0..m.clusterings()).filter(|&k| m.label(p, k) == m.label(q, k)).count();
        if p == q { 0.0 } else { same as f64 / m.clusterings() as f64 }
    };
    let w: Vec<Vec<f64>> = (0..n).map(|p| (0..n).map(|q| share(p, q)).collect()).collect();
    let threshold: Vec<f64> = w
        .iter()
        .map(|row| {
            let mut sorted = row.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            sorted[neighbours.min(n) - 1]
        })
        .collect();
    let kept = |p: usize, q: usize| {
        let (mine, other) = (w[p][q] >= threshold[p], w[p][q] >= threshold[q]);
        if mine || other { w[p][q] * m.grouping().sizes()[q] as f64 } else { 0.0 }
    };
    trajectory_cosines(n, steps, kept)
}

#[test]
fn bipartite_graphs_refuse_missing_labels() {
    let e = Ensemble::from_rows(&[[Some(0), None], [Some(0), Some(1)]]).unwrap();
    let constructors: [&dyn Ca<f64>; 2] =
        [&LocallyWeightedBipartite::default(), &TrajectoryBipartite::default()];
    for r in constructors {
        let error =
            r.build(&Microclusters::of(&e), &Question::default(), &Ctx::default()).unwrap_err();
        let what = "missing labels: clustering 2 has none for sample 1, counted from 1";
        assert_eq!(error, Error::unsupported(r.name(), what));
    }
}

/// The weights of a pair are summed in single precision, the total weight in double precision.
#[test]
fn small_weights_beside_large_ones_make_no_share_above_one() {
    let columns: Vec<[u32; 2]> = (0..100).map(|_| [0, 0]).chain([[0, 1]]).collect();
    let weights = [vec![0.1; 100], vec![1e-6]].concat();
    let e = Ensemble::from_columns(&columns).unwrap().with_weights(weights).unwrap();
    let share = similarity::<f32>(&Eac, &e).between(0, 1);
    assert!((0.999_999..=1.0).contains(&share), "{share}");
}

#[test]
fn samples_without_any_label_stay_alone() {
    let e = Ensemble::from_rows(&[[None, None], [Some(0), Some(1)], [None, None]]).unwrap();
    let m = Microclusters::of(&e);
    assert_eq!(m.len(), 3);
    assert_eq!(similarity::<f64>(&Eac, &e).condensed(), [0.0; 3]);
    assert_eq!(similarity::<f64>(&Lwca::default(), &e).condensed(), [0.0; 3]);
}

#[test]
fn parameters_out_of_range_are_refused() {
    assert!(Lwca::default().theta(0.0).check().is_err());
    assert!(Lwca::default().theta(f64::INFINITY).check().is_err());
    assert!(Pts::default().neighbours(Some(0)).steps(None).check().is_err());
    assert!(
        TrajectoryBipartite::from(Pts::default().neighbours(None).steps(Some(0))).check().is_err()
    );
}
