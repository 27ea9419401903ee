//! Compares the labels of new rows with the mean similarity to the samples of each cluster.

use enclust_ca::{Eac, Lwca};
use enclust_core::{Assignment, Ca, ClusterWeights, Ensemble, MISSING, Microclusters, Partition};
use enclust_testkit::generate::{ensembles, ensembles_with_missing};
use proptest::prelude::*;

/// Sums over the base clusterings that label both samples: of the weights of the clusters that
/// they share, and of 1.
fn agreement(joint: &Ensemble, weights: &[f64], offsets: &[usize], x: usize, j: usize) -> [f64; 2] {
    let mut sums = [0.0, 0.0];
    for b in 0..joint.clusterings() {
        let (own, other) = (joint.column(b)[x], joint.column(b)[j]);
        if own != MISSING && other != MISSING {
            let shared = if own == other { weights[offsets[b] + other as usize] } else { 0.0 };
            sums = [sums[0] + shared, sums[1] + 1.0];
        }
    }
    sums
}

/// The training rows come first, so that their clusters keep their numbers in the joint ensemble.
fn training(joint: &Ensemble, samples: usize) -> Ensemble {
    joint.rearranged(&(0..samples).collect::<Vec<_>>()).unwrap()
}

fn row(joint: &Ensemble, x: usize) -> Vec<u32> {
    (0..joint.clusterings()).map(|b| joint.column(b)[x]).collect()
}

/// Passes each new row with its scores, and the sums of agreement with each sample of each
/// cluster, to a check.
fn compare(
    by: &dyn ClusterWeights,
    joint: &Ensemble,
    check: impl Fn(f64, &[[f64; 2]]) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let samples = joint.samples().div_ceil(2);
    let m = Microclusters::of(&training(joint, samples));
    let (weights, offsets) = (by.cluster_weights(&m), m.cluster_offsets());
    let result = Partition::from_labels((0..samples).map(|i| i % 3));
    let table = Assignment::new(&m, &weights, &result).unwrap();
    for x in samples..joint.samples() {
        let scores = table.scores(&row(joint, x)).unwrap();
        for (c, &score) in scores.iter().enumerate() {
            let of_c = (0..samples).filter(|&j| result.labels()[j] == c);
            let sums: Vec<_> = of_c.map(|j| agreement(joint, &weights, &offsets, x, j)).collect();
            check(score, &sums)?;
        }
    }
    Ok(())
}

fn mean_similarity(score: f64, sums: &[[f64; 2]]) -> Result<(), TestCaseError> {
    let similarity =
        |&[shared, common]: &[f64; 2]| if common > 0.0 { shared / common } else { 0.0 };
    let mean = sums.iter().map(similarity).sum::<f64>() / sums.len() as f64;
    prop_assert!((score - mean).abs() < 1e-12, "{score} {mean}");
    Ok(())
}

fn pooled_similarity(score: f64, sums: &[[f64; 2]]) -> Result<(), TestCaseError> {
    let total = |at: usize| sums.iter().map(|pair| pair[at]).sum::<f64>();
    let pooled = if total(1) > 0.0 { total(0) / total(1) } else { 0.0 };
    prop_assert!((score - pooled).abs() < 1e-12, "{score} {pooled}");
    Ok(())
}

/// Complete training rows with the new rows of an ensemble with gaps.
fn with_gaps_in_new_rows(joint: &Ensemble) -> Ensemble {
    let samples = joint.samples().div_ceil(2);
    let key = |i: usize, b: usize| match joint.column(b)[i] {
        MISSING if i < samples => Some(0),
        MISSING => None,
        label => Some(label),
    };
    Ensemble::from_keys(joint.samples(), joint.clusterings(), key).unwrap()
}

proptest! {
    #[test]
    fn scores_are_mean_similarities(joint in ensembles(24, 6, 4)) {
        compare(&Eac, &joint, mean_similarity)?;
        compare(&Lwca::default(), &joint, mean_similarity)?;
    }

    #[test]
    fn missing_labels_of_new_rows_leave_the_mean_exact(
        joint in ensembles_with_missing(24, 6, 4)
    ) {
        let joint = with_gaps_in_new_rows(&joint);
        compare(&Eac, &joint, mean_similarity)?;
        compare(&Lwca::default(), &joint, mean_similarity)?;
    }

    #[test]
    fn missing_labels_of_samples_give_the_mean_over_labelled_pairs(
        joint in ensembles_with_missing(24, 6, 4)
    ) {
        compare(&Eac, &joint, pooled_similarity)?;
        compare(&Lwca::default(), &joint, pooled_similarity)?;
    }
}

/// The sums above are those of the representation itself.
#[test]
fn the_weights_are_those_of_the_similarity() {
    let e = Ensemble::from_columns(&[[0, 0, 1, 1, 1], [0, 1, 1, 0, 2], [0, 0, 0, 1, 1]]).unwrap();
    let m = Microclusters::of(&e);
    let parts: [&dyn Ca<f64>; 2] = [&Eac, &Lwca::default()];
    for part in parts {
        let built = part.build(&m, &Default::default(), &Default::default()).unwrap();
        let weights = part.as_cluster_weights().unwrap().cluster_weights(&m);
        for (i, j) in [(0, 1), (2, 3), (2, 4), (1, 3)] {
            let [shared, common] = agreement(&e, &weights, &m.cluster_offsets(), i, j);
            let similarity = built.as_similarity().unwrap().between(i, j);
            assert!((similarity - shared / common).abs() < 1e-15, "{} {i} {j}", part.name());
        }
    }
}
