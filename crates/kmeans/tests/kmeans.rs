//! Tests of k-means: the optimum on small inputs, non-empty clusters, determinism.

use enclust_core::{Error, Partition, Watch};
use enclust_kmeans::{
    KMeans, KMeansParams, kmeans, kmeans_from, kmeans_on_one_thread, kmeans_watched,
};
use enclust_testkit::generate::shuffled;
use proptest::prelude::*;

fn inertia(points: &[f64], d: usize, weights: &[f64], labels: &[usize], k: usize) -> f64 {
    (0..k)
        .map(|c| {
            let members: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] == c).collect();
            let total: f64 = members.iter().map(|&i| weights[i]).sum();
            (0..d)
                .map(|j| {
                    let x = |i: usize| points[i * d + j];
                    let mean = members.iter().map(|&i| weights[i] * x(i)).sum::<f64>() / total;
                    members.iter().map(|&i| weights[i] * (x(i) - mean).powi(2)).sum::<f64>()
                })
                .sum::<f64>()
        })
        .sum()
}

/// The smallest inertia of all partitions into k clusters.
fn optimum(points: &[f64], d: usize, weights: &[f64], k: usize) -> f64 {
    let n = weights.len();
    let mut best = f64::INFINITY;
    for code in 0..k.pow(n as u32) {
        let labels: Vec<usize> = (0..n).map(|i| code / k.pow(i as u32) % k).collect();
        if (0..k).all(|c| labels.contains(&c)) {
            best = best.min(inertia(points, d, weights, &labels, k));
        }
    }
    best
}

/// Points on a coarse grid, so that many coincide; weights; k.
fn inputs(n: usize) -> impl Strategy<Value = (Vec<f64>, Vec<f64>, usize)> {
    (1..=n).prop_flat_map(|n| {
        let grid = (0..4_u8).prop_map(f64::from);
        let weight = (1..4_u8).prop_map(f64::from);
        (proptest::collection::vec(grid, 2 * n), proptest::collection::vec(weight, n), 1..=n)
    })
}

proptest! {
    #[test]
    fn exactly_k_clusters_with_their_inertia((points, weights, k) in inputs(30), seed: u64) {
        let found = kmeans(&points, 2, Some(&weights), k, &KMeansParams::default(), seed).unwrap();
        let partition = Partition::from_labels(found.labels.iter().copied());
        prop_assert_eq!(partition.clusters(), k);
        prop_assert_eq!(partition.labels(), &found.labels[..]);
        let expected = inertia(&points, 2, &weights, &found.labels, k);
        prop_assert!((found.inertia - expected).abs() <= 1e-9 * (1.0 + expected));
    }

    #[test]
    fn between_the_optimum_and_a_standstill((points, weights, k) in inputs(7), seed: u64) {
        let k = k.min(3);
        let found = kmeans(&points, 2, Some(&weights), k, &KMeansParams::default(), seed).unwrap();
        prop_assert!(found.inertia >= optimum(&points, 2, &weights, k) - 1e-9);
        // No point is nearer to another centre than to its own centre.
        let centres = centres(&points, &weights, &found.labels, k);
        let distance = |i: usize, c: usize| {
            (points[2 * i] - centres[c][0]).powi(2) + (points[2 * i + 1] - centres[c][1]).powi(2)
        };
        for (i, &own) in found.labels.iter().enumerate() {
            prop_assert!((0..k).all(|c| distance(i, own) <= distance(i, c) + 1e-9));
        }
    }
}

/// Weighted means of the clusters of points in the plane.
fn centres(points: &[f64], weights: &[f64], labels: &[usize], k: usize) -> Vec<[f64; 2]> {
    let mean = |c: usize, j: usize| {
        let members = (0..labels.len()).filter(|&i| labels[i] == c);
        let (sum, total) = members.fold((0.0, 0.0), |(sum, total), i| {
            (sum + weights[i] * points[2 * i + j], total + weights[i])
        });
        sum / total
    };
    (0..k).map(|c| [mean(c, 0), mean(c, 1)]).collect()
}

#[test]
fn separated_clusters_are_found() {
    let points: Vec<f64> = (0..60).map(|i| (100 * (i % 4)) as f64 + lattice(60)[i]).collect();
    let found = kmeans(&points, 1, None, 4, &KMeansParams::default(), 0).unwrap();
    assert_eq!(found.labels, (0..60).map(|i| i % 4).collect::<Vec<_>>());
}

#[test]
fn weights_decide() {
    let run = |weights| kmeans(&[0.0, 1.0, 3.0], 1, weights, 2, &KMeansParams::default(), 0);
    assert_eq!(run(None).unwrap().labels, [0, 0, 1]);
    assert_eq!(run(Some(&[10.0, 10.0, 1.0])).unwrap().labels, [0, 1, 1]);
}

/// A lattice in the cube, shuffled by a multiplier.
fn lattice(n: usize) -> Vec<f64> {
    (0..3 * n).map(|i| ((i * 7919 + i / 3 * 104_729) % 1009) as f64 / 1009.0).collect()
}

#[test]
fn threads_change_nothing() {
    let points = lattice(3000);
    let run = |threads: usize| -> KMeans {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| kmeans(&points, 3, None, 9, &KMeansParams::default(), 5).unwrap())
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn more_starts_never_hurt() {
    let points = lattice(500);
    let with = |replicates| {
        let params = KMeansParams::default().replicates(replicates);
        kmeans(&points, 3, None, 7, &params, 1).unwrap().inertia
    };
    assert!(with(1) >= with(5) && with(5) >= with(20));
}

#[test]
fn coinciding_points_are_put_apart() {
    let found = kmeans(&[2.0; 12], 2, None, 4, &KMeansParams::default(), 0).unwrap();
    assert_eq!(Partition::from_labels(found.labels).clusters(), 4);
    assert_eq!(found.inertia, 0.0);
}

#[test]
fn the_iteration_limit_holds() {
    let params = KMeansParams::default().max_iterations(1);
    assert_eq!(kmeans(&lattice(400), 3, None, 5, &params, 0).unwrap().iterations, 1);
}

#[test]
fn coordinates_too_far_apart_to_measure_are_an_error() {
    let found = kmeans(&[1e300, -1e300, 1e300, 0.0], 1, None, 2, &KMeansParams::default(), 0);
    assert!(matches!(found, Err(Error::NotFinite { .. })));
}

#[test]
fn typed_errors() {
    let run = |points: &[f64], d, weights: Option<&[f64]>, k| {
        kmeans(points, d, weights, k, &KMeansParams::default(), 0)
    };
    let two = [0.0, 1.0];
    assert!(matches!(run(&two, 1, None, 0), Err(Error::ClusterCount { .. })));
    assert!(matches!(run(&two, 1, None, 3), Err(Error::ClusterCount { largest: 2, .. })));
    assert!(matches!(run(&[], 1, None, 1), Err(Error::ClusterCount { largest: 0, .. })));
    assert!(matches!(run(&two, 0, None, 1), Err(Error::Empty { .. })));
    assert!(matches!(run(&[0.0; 3], 2, None, 1), Err(Error::Size { .. })));
    assert!(matches!(run(&two, 1, Some(&[1.0]), 1), Err(Error::Size { .. })));
    assert!(matches!(run(&two, 1, Some(&[1.0, 0.0]), 1), Err(Error::Param(_))));
    assert!(matches!(run(&two, 1, Some(&[1.0, f64::NAN]), 1), Err(Error::Param(_))));
    assert!(matches!(run(&[0.0, f64::NAN], 1, None, 1), Err(Error::NotFinite { .. })));
    let params = KMeansParams::default().replicates(0);
    assert!(matches!(kmeans(&two, 1, None, 1, &params, 0), Err(Error::Param(_))));
}

#[test]
fn one_thread_finds_the_same() {
    let points = lattice(700);
    let params = KMeansParams::default().candidates(None);
    let alone = kmeans_on_one_thread(&points, 3, None, 12, &params, 5, Watch::default()).unwrap();
    assert_eq!(kmeans(&points, 3, None, 12, &params, 5).unwrap(), alone);
}

#[test]
fn centres_are_numbered_as_the_labels() {
    let points = lattice(700);
    let found = kmeans(&points, 3, None, 12, &KMeansParams::default(), 5).unwrap();
    assert_eq!(found.centres.len(), 12 * 3);
    // k-means has converged, so every point is nearest to the centre of its own cluster.
    assert_eq!(found.assign(&points, 3).unwrap(), found.labels);
    assert!(matches!(found.assign(&points[..4], 3), Err(Error::Size { .. })));
    assert!(matches!(found.assign(&[f64::NAN; 3], 3), Err(Error::NotFinite { .. })));
    assert!(matches!(found.assign(&[0.0; 10], 5), Err(Error::Size { .. })));
}

#[test]
fn more_candidates_start_better() {
    // There are as many blobs as centres; an initialisation that misses a blob cannot recover
    // it.
    let points: Vec<f64> = (0..900).map(|i| (4 * (i % 30)) as f64 + lattice(300)[i]).collect();
    let mean = |candidates| {
        let params = KMeansParams::default().replicates(1).candidates(candidates);
        let run = |seed| kmeans(&points, 1, None, 30, &params, seed).unwrap().inertia;
        (0..20).map(run).sum::<f64>() / 20.0
    };
    assert!(mean(None) < 0.8 * mean(Some(1)), "{} {}", mean(None), mean(Some(1)));
}

/// An initialisation draws points by their index; after that the order of the points does not
/// matter.
#[test]
fn given_the_same_centres_permuting_the_points_permutes_the_labels() {
    for seed in 0..20 {
        let (n, d, k) = (200, 3, 7);
        let number = |at: usize| (at as f64 * 0.618_033_988_749_894_9 + seed as f64).fract();
        let points: Vec<f64> = (0..n * d).map(|at| number(at * at + 1)).collect();
        let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
        let centres = &points[..k * d];
        let order = shuffled(n, seed);
        let moved: Vec<f64> = order.iter().flat_map(|&i| points[i * d..][..d].to_vec()).collect();
        let moved_weights: Vec<f64> = order.iter().map(|&i| weights[i]).collect();
        let before = kmeans_from(&points, d, Some(&weights), centres, 100).unwrap();
        let after = kmeans_from(&moved, d, Some(&moved_weights), centres, 100).unwrap();
        let expected = Partition::from_labels(order.iter().map(|&i| before.labels[i]));
        assert_eq!(after.labels, expected.labels(), "seed {seed}");
        assert!((after.inertia - before.inertia).abs() <= 1e-9 * before.inertia);
        assert_eq!(after.iterations, before.iterations);
    }
}

#[test]
fn a_raised_flag_ends_it() {
    let flag = std::sync::atomic::AtomicBool::new(true);
    let watch = Watch::default().with_cancel(&flag);
    let found =
        kmeans_watched(&lattice(400), 3, None, 5, &KMeansParams::default(), 0, watch).unwrap_err();
    assert!(matches!(found, Error::Cancelled { .. }));
}
