//! Relabelling by constraints: compared with all possible labels.

use std::sync::Arc;

use enclust_core::{
    Bipartite, ClusterGraph, Constraints, Csr, Embedding, Error, Evidence, Grouping, Mat,
    Partition, Similarity, Violations,
};
use proptest::collection::vec;
use proptest::prelude::*;

type Pair = (usize, usize);

/// Evidence over n samples with these values.
fn evidence(n: usize, values: &[f64]) -> Evidence<f64> {
    let value = |i: usize, j: usize| values[(i.min(j) * 7 + i.max(j) * 3) % values.len()];
    let matrix: Vec<f64> = (0..n * n).map(|at| value(at / n, at % n)).collect();
    Similarity::from_matrix(n, &matrix).unwrap().into()
}

/// Whether some labels of the samples satisfy the pairs among them.
fn possible(samples: &[usize], pairs: &[Pair], k: usize) -> bool {
    (0..k.pow(samples.len() as u32)).any(|code| {
        let label =
            |i: usize| samples.iter().position(|&s| s == i).map(|at| code / k.pow(at as u32) % k);
        pairs.iter().all(|&(i, j)| match (label(i), label(j)) {
            (Some(a), Some(b)) => a != b,
            _ => true,
        })
    })
}

fn different(pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.into_iter().filter(|(i, j)| i != j).collect()
}

/// All of 0 to k − 1 occur.
fn labels(n: usize, k: usize, given: &[usize]) -> Partition {
    Partition::from_labels((0..n).map(|i| if i < k { i } else { given[i] % k }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn labels_are_found_exactly_when_there_are_some(
        given in vec(0..4_usize, 7), k in 1..4_usize, values in vec(0.0..=1.0, 11),
        pairs in vec((0..7_usize, 0..7_usize), 0..14),
    ) {
        let (pairs, before) = (different(pairs), labels(7, k, &given));
        let constraints = Constraints::new(7, &[], &pairs).unwrap().enforced();
        let everyone: Vec<usize> = (0..7).collect();
        match constraints.relabelled(&before, &evidence(7, &values)) {
            Ok(after) => {
                prop_assert_eq!(constraints.violations(&after), Violations::default());
                prop_assert_eq!(after.clusters(), k);
            }
            Err(Error::TooFewClusters { k: named, samples }) => {
                prop_assert_eq!(named, k);
                prop_assert!(!possible(&everyone, &pairs, k));
                prop_assert!(!possible(&samples, &pairs, k));
                for left_out in &samples {
                    let rest: Vec<usize> =
                        samples.iter().copied().filter(|s| s != left_out).collect();
                    prop_assert!(possible(&rest, &pairs, k), "{} is not needed", left_out);
                }
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn true_constraints_are_satisfied_and_other_samples_stay(
        given in vec(0..3_usize, 30), truth in vec(0..3_usize, 30), values in vec(0.0..=1.0, 29),
        pairs in vec((0..24_usize, 0..24_usize), 0..20),
    ) {
        let before = labels(30, 3, &given);
        let (must, cannot): (Vec<Pair>, Vec<Pair>) =
            different(pairs).into_iter().partition(|&(i, j)| truth[i] == truth[j]);
        let constraints = Constraints::new(30, &must, &cannot).unwrap().enforced();
        // The last six samples have no constraints and all three labels.
        let before = Partition::from_labels(
            (0..30).map(|i| if i < 24 { before.labels()[i] } else { i % 3 }),
        );
        let after = constraints.relabelled(&before, &evidence(30, &values)).unwrap();
        prop_assert_eq!(constraints.violations(&after), Violations::default());
        prop_assert_eq!(after.clusters(), 3);
        // Labels are renumbered by first occurrence; samples without constraints tell how.
        let mut renamed = [None; 3];
        for i in (0..30).filter(|&i| !must.iter().chain(&cannot).any(|&(a, b)| a == i || b == i)) {
            let new = *renamed[before.labels()[i]].get_or_insert(after.labels()[i]);
            prop_assert_eq!(after.labels()[i], new, "sample {} moved", i);
        }
    }
}

#[test]
fn satisfied_constraints_change_nothing() {
    let before = Partition::from_labels([0, 1, 0, 1, 2]);
    let constraints = Constraints::new(5, &[(0, 2)], &[(0, 1), (1, 4)]).unwrap().enforced();
    assert_eq!(constraints.relabelled(&before, &evidence(5, &[0.5])).unwrap(), before);
}

#[test]
fn an_odd_circle_needs_three_clusters_and_is_named() {
    // Samples 2 and 5 must be together, which closes the circle 1 - 2 = 5 - 1 and leaves 0.
    let constraints =
        Constraints::new(6, &[(2, 5)], &[(0, 1), (1, 2), (1, 3), (3, 5)]).unwrap().enforced();
    let error = constraints.relabelled(&labels(6, 2, &[0; 6]), &evidence(6, &[0.5])).unwrap_err();
    assert_eq!(error, Error::TooFewClusters { k: 2, samples: vec![1, 2, 3] });
    assert_eq!(
        error.to_string(),
        "cannot-links keep the samples 1, 2, 3 apart in such a way that k = 2 clusters are not \
         enough; use a larger k or remove one of them"
    );
    assert!(constraints.relabelled(&labels(6, 3, &[0; 6]), &evidence(6, &[0.5])).is_ok());
}

#[test]
fn a_component_moves_to_its_most_similar_cluster() {
    // Clusters {0, 1, 2}, {3}, {4}; samples 1 and 2 leave as one, 2 being close to sample 4.
    let mut matrix = vec![0.1; 25];
    for (i, j, value) in [(0, 1, 0.9), (0, 2, 0.9), (1, 3, 0.3), (2, 4, 0.8)] {
        (matrix[i * 5 + j], matrix[j * 5 + i]) = (value, value);
    }
    let evidence = Similarity::from_matrix(5, &matrix).unwrap().into();
    let before = Partition::from_labels([0, 0, 0, 1, 2]);
    // Sample 0 is kept from leaving by the next pair, so that it chooses first.
    let constraints = Constraints::new(5, &[(1, 2)], &[(0, 1), (0, 3), (0, 4)]).unwrap().enforced();
    let after = constraints.relabelled(&before, &evidence).unwrap();
    assert_eq!(after.labels(), &[0, 1, 1, 2, 1]);
}

#[test]
fn must_links_that_join_whole_clusters_stay_violated_or_are_refused() {
    let constraints = Constraints::new(3, &[(0, 1)], &[]).unwrap();
    let (before, evidence) = (labels(3, 3, &[0; 3]), evidence(3, &[0.5]));
    assert_eq!(constraints.relabelled(&before, &evidence).unwrap(), before);
    let error = constraints.enforced().relabelled(&before, &evidence).unwrap_err();
    assert!(matches!(error, Error::ClusterCount { k: 3, largest: 2, .. }), "{error}");
}

#[test]
fn a_cluster_of_one_sample_is_not_left_empty() {
    let constraints = Constraints::new(4, &[(0, 3)], &[]).unwrap();
    let before = Partition::from_labels([0, 0, 0, 1]);
    let after = constraints.relabelled(&before, &evidence(4, &[0.5])).unwrap();
    assert_eq!(after.labels(), &[0, 1, 1, 0]);
}

#[test]
fn must_linked_samples_keep_the_label_that_they_are_most_similar_to() {
    // Clusters {0, 1, 2} and {3, 4}; sample 2 is between them, sample 3 is not.
    let mut matrix = vec![0.1; 25];
    for (i, j, value) in [(0, 1, 0.9), (0, 2, 0.5), (1, 2, 0.5), (3, 4, 0.9), (2, 4, 0.4)] {
        (matrix[i * 5 + j], matrix[j * 5 + i]) = (value, value);
    }
    let evidence = Similarity::from_matrix(5, &matrix).unwrap().into();
    let before = Partition::from_labels([0, 0, 0, 1, 1]);
    let constraints = Constraints::new(5, &[(2, 3)], &[(0, 1)]).unwrap();
    let after = constraints.relabelled(&before, &evidence).unwrap();
    // The cannot-link is not enforced.
    assert_eq!(after.labels(), &[0, 0, 1, 1, 1]);
}

#[test]
fn other_evidence_has_affinities_as_well() {
    let grouping = Arc::new(Grouping::singletons(3));
    let rows = || Csr::from_rows(2, vec![vec![(0, 1.0)], vec![(0, 0.5), (1, 0.5)], vec![(1, 2.0)]]);
    let graph = Evidence::from(Bipartite::new(Arc::clone(&grouping), rows()).unwrap());
    assert_eq!([graph.affinity(0, 1), graph.affinity(1, 2), graph.affinity(0, 2)], [0.5, 1.0, 0.0]);
    let graph = ClusterGraph::new(Arc::clone(&grouping), rows(), Mat::identity(2)).unwrap();
    assert_eq!(Evidence::from(graph).affinity(1, 2), 1.0);
    let points = Mat::from_fn(3, 2, |p, j| (p * (j + 1)) as f64);
    let points = Evidence::from(Embedding::new(grouping, points).unwrap());
    assert_eq!([points.affinity(0, 1), points.affinity(0, 2)], [-5.0, -20.0]);
}
