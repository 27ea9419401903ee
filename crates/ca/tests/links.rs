//! Compares the link-based representations with their definition over samples.

use std::collections::BTreeSet;

use enclust_ca::{Asrs, Cts, Eac, JaccardGraph, Lce, LinkScale, Mgla, Nwca, crowd_agreement};
use enclust_core::{Ca, Ctx, Ensemble, Error, Evidence, Microclusters, Question};
use enclust_testkit::generate::ensembles;
use proptest::prelude::*;

fn evidence(ca: &dyn Ca<f64>, e: &Ensemble) -> Evidence<f64> {
    ca.build(&Microclusters::of(e), &Question::default(), &Ctx::default()).unwrap().evidence
}

fn matrix(ca: &dyn Ca<f64>, e: &Ensemble) -> Vec<f64> {
    evidence(ca, e).as_similarity().unwrap().to_matrix()
}

/// The base clusters as sets of samples, with the number of their clustering.
fn clusters(e: &Ensemble) -> Vec<(usize, BTreeSet<usize>)> {
    let of = |k: usize, label: usize| {
        (0..e.samples()).filter(|&i| e.column(k)[i] as usize == label).collect::<BTreeSet<_>>()
    };
    let all = (0..e.clusterings()).flat_map(|k| (0..e.clusters()[k]).map(move |c| (k, c)));
    all.map(|(k, c)| (k, of(k, c))).collect()
}

/// Jaccard coefficients of all clusters, with a zero diagonal.
fn jaccard(clusters: &[(usize, BTreeSet<usize>)]) -> Vec<Vec<f64>> {
    let value = |a: usize, b: usize| {
        let (one, other) = (&clusters[a].1, &clusters[b].1);
        let share = one.intersection(other).count() as f64 / one.union(other).count() as f64;
        if a == b { 0.0 } else { share }
    };
    let n = clusters.len();
    (0..n).map(|a| (0..n).map(|b| value(a, b)).collect()).collect()
}

/// T of CTS, with 0 for clusters of different clusterings, times the decay.
fn triples(e: &Ensemble, decay: f64) -> Vec<Vec<f64>> {
    let clusters = clusters(e);
    let (n, w) = (clusters.len(), jaccard(&clusters));
    let raw = |a: usize, b: usize| {
        let same = clusters[a].0 == clusters[b].0 && a != b;
        if same { (0..n).map(|c| w[a][c].min(w[b][c])).sum() } else { 0.0 }
    };
    scaled((0..n).map(|a| (0..n).map(|b| raw(a, b)).collect()).collect(), decay)
}

/// The same, scaled by the largest value of all pairs of clusters.
fn triples_scaled_by_all(e: &Ensemble, decay: f64) -> Vec<Vec<f64>> {
    let clusters = clusters(e);
    let (n, w) = (clusters.len(), jaccard(&clusters));
    let raw = |a: usize, b: usize| -> f64 {
        if a == b { 0.0 } else { (0..n).map(|c| w[a][c].min(w[b][c])).sum() }
    };
    scaled((0..n).map(|a| (0..n).map(|b| raw(a, b)).collect()).collect(), decay)
}

/// C of ASRS, times the decay.
fn squares(e: &Ensemble, decay: f64) -> Vec<Vec<f64>> {
    let clusters = clusters(e);
    let (n, w) = (clusters.len(), jaccard(&clusters));
    let degree = |a: usize| w[a].iter().filter(|v| **v > 0.0).count() as f64;
    let raw = |a: usize, b: usize| {
        let sum: f64 = (0..n).map(|c| w[a][c] * w[b][c]).sum();
        if a == b || sum == 0.0 { 0.0 } else { sum / (degree(a) * degree(b)) }
    };
    scaled((0..n).map(|a| (0..n).map(|b| raw(a, b)).collect()).collect(), decay)
}

/// Divided by the largest entry, times the decay, with a unit diagonal.
fn scaled(mut raw: Vec<Vec<f64>>, decay: f64) -> Vec<Vec<f64>> {
    let largest = raw.iter().flatten().copied().fold(0.0, f64::max);
    for (a, row) in raw.iter_mut().enumerate() {
        for (b, v) in row.iter_mut().enumerate() {
            *v = if a == b {
                1.0
            } else if largest > 0.0 {
                decay * *v / largest
            } else {
                0.0
            };
        }
    }
    raw
}

/// The clusters of each sample, numbered through all clusterings.
fn homes(e: &Ensemble) -> Vec<Vec<usize>> {
    let offset = |k: usize| e.clusters()[..k].iter().sum::<usize>();
    let home = |i: usize, k: usize| offset(k) + e.column(k)[i] as usize;
    (0..e.samples()).map(|i| (0..e.clusterings()).map(|k| home(i, k)).collect()).collect()
}

fn over_samples(e: &Ensemble, value: impl Fn(&[usize], &[usize]) -> f64) -> Vec<f64> {
    let (n, homes) = (e.samples(), homes(e));
    let entry = |i: usize, j: usize| if i == j { 1.0 } else { value(&homes[i], &homes[j]) };
    (0..n * n).map(|at| entry(at / n, at % n)).collect()
}

fn slow_cts(e: &Ensemble, decay: f64) -> Vec<f64> {
    let t = triples(e, decay);
    let m = e.clusterings() as f64;
    over_samples(e, |i, j| i.iter().zip(j).map(|(&a, &b)| t[a][b]).sum::<f64>() / m)
}

fn slow_asrs(e: &Ensemble, decay: f64) -> Vec<f64> {
    let c = squares(e, decay);
    let pairs = (e.clusterings() * e.clusterings()) as f64;
    over_samples(e, |i, j| {
        i.iter().flat_map(|&a| j.iter().map(move |&b| (a, b))).map(|(a, b)| c[a][b]).sum::<f64>()
            / pairs
    })
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (at, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= 1e-12, "entry {at}: {x} and {y}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn similarities_follow_their_definition(e in ensembles(14, 6, 4), decay in 0.0..=1.0) {
        close(&matrix(&Cts::default().decay(decay), &e), &slow_cts(&e, decay));
        close(&matrix(&Asrs::default().decay(decay), &e), &slow_asrs(&e, decay));
    }

    #[test]
    fn the_graph_follows_its_definition(
        e in ensembles(14, 6, 4), decay in 0.0..=1.0, all in any::<bool>(),
    ) {
        let scale = if all { LinkScale::All } else { LinkScale::Clustering };
        let lce = Lce::default().decay(decay).scale(scale);
        let Evidence::Bipartite(graph) = evidence(&lce, &e) else { panic!("a bipartite graph") };
        let t = if all { triples_scaled_by_all(&e, decay) } else { triples(&e, decay) };
        let homes = homes(&e);
        let of = clusters(&e);
        for (p, &i) in graph.grouping.first_members().iter().enumerate() {
            for (a, &(k, _)) in of.iter().enumerate() {
                let found = graph.weights.get(p, a).unwrap_or(0.0);
                prop_assert!((found - t[a][homes[i][k]]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn no_decay_is_plain_co_association(e in ensembles(14, 6, 4)) {
        close(&matrix(&Cts::default().decay(0.0), &e), &matrix(&Eac, &e));
    }
}

#[test]
fn missing_labels_are_refused() {
    let e = Ensemble::from_rows(&[[Some(0), None], [Some(0), Some(1)]]).unwrap();
    let parts: [&dyn Ca<f64>; 3] = [&Cts::default(), &Asrs::default(), &Lce::default()];
    for ca in parts {
        let built = ca.build(&Microclusters::of(&e), &Question::default(), &Ctx::default());
        assert!(matches!(built, Err(Error::Unsupported { .. })), "{built:?}");
    }
}

/// The relations of GP-MGLA, with W[a, a] = 1.
fn slow_relations(e: &Ensemble, worth: &[f64]) -> Vec<Vec<f64>> {
    let clusters = clusters(e);
    let n = clusters.len();
    let mut w = jaccard(&clusters);
    (0..n).for_each(|a| w[a][a] = 1.0);
    let raw = |a: usize, b: usize| {
        let both = (0..n).filter(|&c| w[c][a] > 0.0 && w[c][b] > 0.0);
        let sum: f64 = both.map(|c| worth[clusters[c].0] * w[c][a].min(w[c][b])).sum();
        if a == b { 0.0 } else { sum }
    };
    scaled((0..n).map(|a| (0..n).map(|b| raw(a, b)).collect()).collect(), 1.0)
}

/// NWCA by its definition over samples.
fn slow_nwca(e: &Ensemble, lambda: f64) -> Vec<f64> {
    let (m, all) = (e.clusterings(), clusters(e));
    let weight = |(k, cluster): &(usize, BTreeSet<usize>)| {
        let shares = all.iter().map(|(_, b)| b.intersection(cluster).count() as f64);
        let shares = shares.map(|c| c / cluster.len() as f64).filter(|p| *p > 0.0);
        let uncertainty: f64 = -shares.map(|p| p * p.log2()).sum::<f64>();
        let bits = (e.clusters()[*k] as f64).log2();
        if uncertainty == 0.0 { 1.0 } else { (-uncertainty / bits / (lambda * m as f64)).exp() }
    };
    let weights: Vec<f64> = all.iter().map(weight).collect();
    let homes = homes(e);
    let value = |i: &[usize], j: &[usize]| {
        i.iter().zip(j).filter(|(a, b)| a == b).map(|(&a, _)| weights[a]).sum::<f64>()
    };
    let largest = homes.iter().map(|i| value(i, i)).fold(0.0, f64::max);
    over_samples(e, |i, j| if largest > 0.0 { value(i, j) / largest } else { 0.0 })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_graph_with_rows_of_clusters_follows_its_definition(e in ensembles(14, 6, 4), beta in 0.5..3.0) {
        let mgla = Mgla::default().beta(beta).alpha(0.7);
        let Evidence::Bipartite(graph) = evidence(&mgla, &e) else { panic!("a bipartite graph") };
        let worth = crowd_agreement(&Microclusters::of(&e), beta);
        let (relations, homes, of) = (slow_relations(&e, &worth), homes(&e), clusters(&e));
        let helpers = graph.helpers.unwrap();
        for (a, &(k, _)) in of.iter().enumerate() {
            for (b, expected) in relations[a].iter().enumerate() {
                prop_assert!((helpers.get(a, b).unwrap_or(0.0) - expected).abs() < 1e-12);
            }
            for (p, &i) in graph.grouping.first_members().iter().enumerate() {
                let expected = if homes[i][k] == a { 0.7 * worth[k] } else { 0.0 };
                prop_assert!((graph.weights.get(p, a).unwrap_or(0.0) - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn overlaps_of_clusters_follow_their_definition(e in ensembles(14, 6, 4)) {
        let Evidence::ClusterGraph(graph) = evidence(&JaccardGraph, &e) else { panic!("a graph of clusters") };
        let expected = jaccard(&clusters(&e));
        for (a, row) in expected.iter().enumerate() {
            for (b, &j) in row.iter().enumerate() {
                prop_assert_eq!(graph.weights[(a, b)], if a == b { 1.0 } else { j });
            }
        }
    }

    #[test]
    fn normalised_weights_follow_their_definition(e in ensembles(14, 6, 4), lambda in 0.02..2.0) {
        close(&matrix(&Nwca::default().lambda(lambda), &e), &slow_nwca(&e, lambda));
    }
}

/// A sample without label is in no cluster of the clustering, and counts for no overlap.
#[test]
fn graphs_of_overlaps_accept_missing_labels() {
    let e =
        Ensemble::from_rows(&[[Some(0), Some(0)], [Some(0), None], [Some(1), Some(0)]]).unwrap();
    let Evidence::ClusterGraph(graph) = evidence(&JaccardGraph, &e) else { panic!("a graph") };
    assert_eq!(graph.weights[(0, 2)], 1.0 / 3.0);
    assert_eq!(graph.members.row(1).0, &[0]);
    let nothing = Ensemble::from_rows(&[[Some(0), Some(0)], [None, None]]).unwrap();
    let built = JaccardGraph.build(
        &Microclusters::of(&nothing),
        &Question::default(),
        &Ctx::<f64>::default(),
    );
    let message = built.unwrap_err().to_string();
    assert!(message.contains("sample 2, counted from 1, without any label"), "{message}");
}
