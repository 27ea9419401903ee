//! The order of the points does not matter.

use enclust_core::{Partition, Watch};
use enclust_kmeans::{KMeansParams, kmeans_order_free, kmeans_watched};
use enclust_testkit::generate::shuffled;
use proptest::prelude::*;

/// One start, because many starts would hide that each of them depends on the order.
fn one_start() -> KMeansParams {
    KMeansParams::default().replicates(1)
}

fn clusters(points: &[Vec<f64>], weights: &[f64], k: usize, seed: u64) -> Partition {
    let (rows, d) = (points.concat(), points[0].len());
    let watch = Watch::default();
    let found = kmeans_order_free(&rows, d, Some(weights), k, &one_start(), seed, watch).unwrap();
    let partition = Partition::from_labels(found.labels.iter().copied());
    assert_eq!(partition.labels(), &found.labels[..], "clusters are numbered by first occurrence");
    for (point, &label) in points.iter().zip(&found.labels) {
        let distance = |c: usize| -> f64 {
            let centre = &found.centres[c * d..][..d];
            point.iter().zip(centre).map(|(x, m)| (x - m).powi(2)).sum()
        };
        assert!(
            (0..k).all(|c| distance(label) <= distance(c) + 1e-9),
            "a centre of another cluster"
        );
    }
    partition
}

fn rearranged<T: Clone>(values: &[T], order: &[usize]) -> Vec<T> {
    order.iter().map(|&i| values[i].clone()).collect()
}

/// The points turned by an angle in each pair of consecutive dimensions.
fn turned(points: &[Vec<f64>], angle: f64) -> Vec<Vec<f64>> {
    let turn = |point: &Vec<f64>| {
        let mut point = point.clone();
        for j in 1..point.len() {
            let (x, y) = (point[j - 1], point[j]);
            point[j - 1] = angle.cos() * x - angle.sin() * y;
            point[j] = angle.sin() * x + angle.cos() * y;
        }
        point
    };
    points.iter().map(turn).collect()
}

proptest! {
    #[test]
    fn shuffled_and_turned_points_have_the_same_clusters(
        points in proptest::collection::vec(proptest::collection::vec(-1.0..1.0_f64, 3), 5..60),
        k in 1..6_usize, seed: u64, angle in 0.0..6.0_f64,
    ) {
        let weights: Vec<f64> = (0..points.len()).map(|i| 1.0 + (i % 3) as f64).collect();
        let order = shuffled(points.len(), seed);
        let expected = clusters(&points, &weights, k, seed).rearranged(&order);
        let (points, weights) = (rearranged(&points, &order), rearranged(&weights, &order));
        prop_assert_eq!(clusters(&turned(&points, angle), &weights, k, seed), expected);
    }

    /// More orthogonal directions than clusters, as in the spectral embedding of a graph with many
    /// components: some of them are equally far from all initial centres.
    #[test]
    fn rounding_does_not_decide_about_orthogonal_points(seed: u64, angle in 0.1..6.0_f64) {
        let axis = |a: usize| (0..6).map(|j| f64::from(u8::from(a == j))).collect::<Vec<f64>>();
        let points: Vec<Vec<f64>> = (0..6).map(axis).collect();
        let weights: Vec<f64> = (0..6).map(|a| 1.0 + a as f64).collect();
        let order = shuffled(points.len(), seed);
        let expected = clusters(&points, &weights, 3, seed).rearranged(&order);
        let (points, weights) = (rearranged(&points, &order), rearranged(&weights, &order));
        prop_assert_eq!(clusters(&turned(&points, angle), &weights, 3, seed), expected);
    }
}

#[test]
fn the_plain_start_depends_on_the_order() {
    // Otherwise the tests above would show nothing.
    let points: Vec<f64> = (0..40).map(|i| ((i * i) as f64 * 0.37).sin()).collect();
    let labels = |points: &[f64]| {
        let found = kmeans_watched(points, 1, None, 6, &one_start(), 1, Watch::default());
        Partition::from_labels(found.unwrap().labels)
    };
    let differs = |seed: u64| {
        let order = shuffled(points.len(), seed);
        labels(&rearranged(&points, &order)) != labels(&points).rearranged(&order)
    };
    assert!((0..10).any(differs));
}

#[test]
fn impossible_requests_are_refused() {
    let cluster = |points: &[f64], dimension: usize, k: usize| {
        kmeans_order_free(points, dimension, None, k, &one_start(), 0, Watch::default())
    };
    assert!(cluster(&[], 0, 1).is_err(), "no coordinates");
    assert!(cluster(&[1.0, 2.0], 1, 3).is_err(), "more clusters than points");
    assert!(cluster(&[1.0, f64::NAN], 1, 1).is_err(), "not a number");
}
