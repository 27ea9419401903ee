//! Compares the similarities of base clusters, and the representations based on them, with
//! their definition over samples.

mod oracle;

use enclust_ca::{Eca, PropagatedClusters};
use enclust_core::{
    Ca, ClusterGraph, Component, Ctx, Ensemble, Error, Evidence, MISSING, Microclusters, Question,
    Real, Similarity,
};
use enclust_testkit::generate::{ensembles, planted};
use oracle::trajectory_cosines;
use proptest::prelude::*;

fn eca(steps: usize) -> Eca {
    Eca::default().steps(steps)
}

fn similarity<S: Real>(eca: &Eca, m: &Microclusters, ctx: &Ctx<'_, S>) -> Similarity<S> {
    eca.build(m, &Question::default(), ctx).unwrap().as_similarity().unwrap().clone()
}

fn graph<S: Real>(steps: usize, m: &Microclusters, ctx: &Ctx<'_, S>) -> ClusterGraph<S> {
    match PropagatedClusters::from(Eca::default().steps(steps))
        .build(m, &Question::default(), ctx)
        .unwrap()
        .evidence
    {
        Evidence::ClusterGraph(graph) => graph,
        other => panic!("{:?}", other.kind()),
    }
}

/// The base clusters as sets of samples, one clustering after the other.
fn base_clusters(e: &Ensemble) -> Vec<Vec<usize>> {
    let clusters = (0..e.clusterings()).flat_map(|k| (0..e.clusters()[k]).map(move |c| (k, c)));
    let members = |(k, c): (usize, usize)| {
        (0..e.samples()).filter(|&i| e.column(k)[i] as usize == c).collect()
    };
    clusters.map(members).collect()
}

/// Jaccard coefficients with a zero diagonal, rows divided by their sums, powers stacked,
/// cosines; the diagonal 0 for a cluster without a neighbour.
fn slow_clusters(e: &Ensemble, steps: usize) -> Vec<Vec<f64>> {
    let clusters = base_clusters(e);
    let n = clusters.len();
    let jaccard = |a: usize, b: usize| {
        let common = clusters[a].iter().filter(|i| clusters[b].contains(i)).count();
        let union = clusters[a].len() + clusters[b].len() - common;
        if a == b { 0.0 } else { common as f64 / union as f64 }
    };
    trajectory_cosines(n, steps, jaccard)
}

/// The n × n matrix, sample by sample.
fn slow_eca(e: &Ensemble, steps: usize) -> Vec<f64> {
    let z = slow_clusters(e, steps);
    let offset = |k: usize| e.clusters()[..k].iter().sum::<usize>();
    let home = |i: usize, k: usize| offset(k) + e.column(k)[i] as usize;
    let (n, m) = (e.samples(), e.clusterings());
    let between = |a: usize, b: usize| if a == b { 1.0 } else { z[a][b] };
    (0..n * n)
        .map(|at| {
            let sum: f64 = (0..m).map(|k| between(home(at / n, k), home(at % n, k))).sum();
            sum / m as f64
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn eca_follows_its_definition(e in ensembles(12, 6, 3), steps in 1..25_usize) {
        let found = similarity::<f64>(&eca(steps), &Microclusters::of(&e), &Ctx::default());
        for (a, b) in found.to_matrix().iter().zip(&slow_eca(&e, steps)) {
            prop_assert!((a - b).abs() < 1e-12, "{} and {}", a, b);
        }
    }

    #[test]
    fn the_graph_follows_its_definition(e in ensembles(12, 6, 3), steps in 1..25_usize) {
        let m = Microclusters::of(&e);
        let graph = graph::<f64>(steps, &m, &Ctx::default());
        let slow = slow_clusters(&e, steps);
        prop_assert_eq!(graph.weights.rows(), slow.len());
        for (a, row) in slow.iter().enumerate() {
            for (b, expected) in row.iter().enumerate() {
                prop_assert!((graph.weights[(a, b)] - expected).abs() < 1e-12);
                prop_assert_eq!(graph.weights[(a, b)], graph.weights[(b, a)]);
            }
        }
        for (a, cluster) in base_clusters(&e).iter().enumerate() {
            for (i, &p) in m.grouping().map().iter().enumerate() {
                let expected = cluster.contains(&i).then_some(1.0);
                prop_assert_eq!(graph.members.get(p as usize, a), expected);
            }
        }
    }

    #[test]
    fn single_precision_agrees(e in ensembles(12, 6, 3)) {
        let m = Microclusters::of(&e);
        let single = similarity::<f32>(&Eca::default(), &m, &Ctx::default());
        let double = similarity::<f64>(&Eca::default(), &m, &Ctx::default());
        for (a, b) in single.condensed().iter().zip(double.condensed()) {
            prop_assert!((f64::from(*a) - b).abs() < 1e-6);
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let m = Microclusters::of(&planted(300, 12, 6, 0.3, 4));
    let with = |threads: usize| {
        let ctx = Ctx::<f64>::default().with_threads(threads);
        ctx.install(|ctx| (similarity(&Eca::default(), &m, ctx), graph(20, &m, ctx))).unwrap()
    };
    assert_eq!(with(1), with(2));
}

/// The clusters of a single clustering are isolated: they are similar to themselves as sets of
/// samples, but not as nodes of a graph.
#[test]
fn isolated_clusters() {
    let m = Microclusters::of(&Ensemble::from_columns(&[[0, 0, 1, 2]]).unwrap());
    let s = similarity::<f64>(&Eca::default(), &m, &Ctx::default());
    assert_eq!(s.condensed(), [0.0; 3]);
    assert_eq!((s.within(), s.own()), (&[1.0; 3][..], &[1.0; 3][..]));
    assert!(graph::<f64>(20, &m, &Ctx::default()).weights.data().iter().all(|&w| w == 0.0));
}

/// A walk alternates between a cluster and its copy.
#[test]
fn two_equal_clusterings_tell_their_clusters_apart() {
    let m = Microclusters::of(&Ensemble::from_columns(&[[0, 0, 1], [0, 0, 1]]).unwrap());
    let s = similarity::<f64>(&Eca::default(), &m, &Ctx::default());
    assert_eq!(s.condensed(), [0.0]);
}

#[test]
fn what_has_no_definition_is_refused() {
    let missing = Ensemble::from_rows(&[[Some(0), None], [Some(0), Some(1)]]).unwrap();
    assert!(missing.column(1).contains(&MISSING));
    let plain = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]]).unwrap();
    let weighted = |w: f64| plain.clone().with_weights(vec![1.0, w]).unwrap();
    let constructors: [&dyn Ca<f64>; 2] = [&Eca::default(), &PropagatedClusters::default()];
    for r in constructors {
        let build =
            |e: &Ensemble| r.build(&Microclusters::of(e), &Question::default(), &Ctx::default());
        let refused = |what: &str| Error::unsupported(r.name(), what);
        let place = "missing labels: clustering 2 has none for sample 1, counted from 1";
        assert_eq!(build(&missing).unwrap_err(), refused(place));
        assert_eq!(build(&weighted(2.0)).unwrap_err(), refused("weights of clusterings"));
        assert_eq!(build(&weighted(1.0)).unwrap(), build(&plain).unwrap());
    }
    assert!(Eca::default().steps(0).check().is_err());
    assert!(PropagatedClusters::from(Eca::default().steps(0)).check().is_err());
}
