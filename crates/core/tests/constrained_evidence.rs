//! Must-links join objects: compared with means over samples.

use std::sync::Arc;

use enclust_core::{
    Bipartite, ClusterGraph, Constraints, Csr, Embedding, Error, Evidence, Grouping, Mat,
    Partition, Similarity, condensed_len,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn grouping(keys: &[u8]) -> Arc<Grouping> {
    let labels = Partition::from_labels(keys.iter());
    Arc::new(Grouping::from_map(labels.labels().iter().map(|&g| g as u32).collect()).unwrap())
}

fn similarity(grouping: &Arc<Grouping>, values: &[f64]) -> Similarity<f64> {
    let n = grouping.len();
    let mut all = values.iter().copied().cycle();
    let mut take = |count: usize| (&mut all).take(count).collect::<Vec<_>>();
    let (between, within, own) = (take(condensed_len(n)), take(n), take(n));
    Similarity::new(Arc::clone(grouping), between, within, own).unwrap()
}

/// The samples that must-links connect with each sample, itself included.
fn together(n: usize, must: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut label: Vec<usize> = (0..n).collect();
    for _ in 0..n {
        for &(i, j) in must {
            let least = label[i].min(label[j]);
            (label[i], label[j]) = (least, least);
        }
    }
    (0..n).map(|i| (0..n).filter(|&j| label[j] == label[i]).collect()).collect()
}

/// Pairs that agree with a truth.
fn known(n: usize, truth: &[u8], pairs: &[(usize, usize)]) -> [Vec<(usize, usize)>; 2] {
    let inside = pairs.iter().map(|(i, j)| (i % n, j % n)).filter(|(i, j)| i != j);
    let (must, cannot) = inside.partition(|&(i, j)| truth[i] == truth[j]);
    [must, cannot]
}

proptest! {
    #[test]
    fn objects_have_the_mean_similarity_of_their_samples(
        keys in vec(0..4_u8, 2..12), values in vec(0.0..=1.0, 100), truth in vec(0..3_u8, 12),
        pairs in vec((0..12_usize, 0..12_usize), 0..8),
    ) {
        let n = keys.len();
        let [must, cannot] = known(n, &truth, &pairs);
        let given = similarity(&grouping(&keys), &values);
        let (old, together) = (given.to_matrix(), together(n, &must));
        let constraints = Constraints::new(n, &must, &cannot).unwrap();
        let joined = constraints.apply(given.into()).unwrap();
        let new = joined.as_similarity().unwrap().to_matrix();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j) {
            let kept_apart = together[i].iter().any(|&a| together[j].iter().any(|&b| {
                cannot.contains(&(a, b)) || cannot.contains(&(b, a))
            }));
            let pairs = together[i].iter().flat_map(|&a| together[j].iter().map(move |&b| (a, b)));
            let mean = pairs.map(|(a, b)| old[a * n + b]).sum::<f64>()
                / (together[i].len() * together[j].len()) as f64;
            let expected = match (together[i].contains(&j), kept_apart) {
                (true, _) => 1.0,
                (false, true) => 0.0,
                _ => mean,
            };
            prop_assert!((new[i * n + j] - expected).abs() < 1e-12, "{i} {j}: {}", new[i * n + j]);
        }
        // No group holds samples that may be separated, except those that were together.
        let map = joined.grouping().map();
        for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let free = |i: usize| !must.iter().chain(&cannot).any(|&(a, b)| a == i || b == i);
            let expected = together[i].contains(&j) || (keys[i] == keys[j] && free(i) && free(j));
            prop_assert_eq!(map[i] == map[j], expected);
        }
    }
}

#[test]
fn rows_of_other_evidence_are_averaged() {
    // Samples 0 and 1 are one group; sample 1 is joined with sample 2.
    let old = grouping(&[0, 0, 1, 2]);
    let constraints = Constraints::new(4, &[(1, 2)], &[]).unwrap();
    let rows = || Csr::from_rows(3, vec![vec![(0, 1.0)], vec![(0, 0.5), (2, 1.0)], vec![(1, 1.0)]]);
    let expected =
        Csr::from_rows(3, vec![vec![(0, 1.0)], vec![(0, 0.75), (2, 0.5)], vec![(1, 1.0)]]);
    let graph = Bipartite::new(Arc::clone(&old), rows()).unwrap();
    let Evidence::Bipartite(graph) = constraints.apply(graph.into()).unwrap() else { panic!() };
    assert_eq!((graph.grouping.map(), &graph.weights), (&[0, 1, 1, 2][..], &expected));

    let graph = ClusterGraph::new(Arc::clone(&old), rows(), Mat::identity(3)).unwrap();
    let Evidence::ClusterGraph(graph) = constraints.apply(graph.into()).unwrap() else { panic!() };
    assert_eq!((&graph.members, graph.weights), (&expected, Mat::identity(3)));

    let points = Embedding::new(old, Mat::from_fn(3, 1, |p, _| [1.0, 3.0, 9.0][p])).unwrap();
    let Evidence::Embedding(points) = constraints.apply(points.into()).unwrap() else { panic!() };
    assert_eq!(points.points.data(), [1.0, 2.0, 9.0]);
}

#[test]
fn nothing_is_joined_without_need() {
    let given = similarity(&grouping(&[0, 0, 1]), &[0.5, 1.0, 1.0]).with_denominator(2.0).unwrap();
    let none = Constraints::new(3, &[], &[]).unwrap();
    assert_eq!(none.apply(given.clone().into()).unwrap(), given.into());
}

#[test]
fn another_number_of_samples_is_refused() {
    let given = similarity(&grouping(&[0, 0, 1]), &[0.5]);
    let error = Constraints::new(4, &[(0, 1)], &[]).unwrap().apply(given.into()).unwrap_err();
    assert_eq!(error, Error::Size { what: "samples of the constraints", expected: 3, found: 4 });
}
