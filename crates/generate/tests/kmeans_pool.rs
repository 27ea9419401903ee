//! Pools of k-means: quality, determinism, subsets, errors.

use std::ops::ControlFlow;
use std::sync::Mutex;

use enclust_core::{
    Ensemble, Error, Event, MISSING, ParamError, Parameters, Partition, Values, Watch,
};
use enclust_generate::{KMeansPool, KMeansPoolParams, Rest, Scale};
use enclust_metrics::Contingency;
use proptest::prelude::*;

fn pool(params: KMeansPoolParams) -> KMeansPool {
    KMeansPool::new(params).unwrap()
}

fn small() -> KMeansPoolParams {
    KMeansPoolParams::default().size(12).seed(9)
}

/// Numbers between 0 and 1 without cluster structure.
fn noise(i: usize) -> f64 {
    (i as u64)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9) as f64
        / u64::MAX as f64
}

/// n samples with `dimension` features; sample i lies in blob i modulo `heaps`.
fn heaps(n: usize, dimension: usize, heaps: usize) -> Vec<f64> {
    let place = |i: usize, j: usize| (((i % heaps) >> (j % 3)) & 1) as f64 * 10.0;
    (0..n * dimension).map(|at| place(at / dimension, at % dimension) + noise(at)).collect()
}

fn ari(a: &Partition, b: &Partition) -> f64 {
    Contingency::of(a, b).unwrap().ari()
}

fn partition(ensemble: &Ensemble, clustering: usize) -> Partition {
    Partition::from_labels(ensemble.column(clustering).iter().copied())
}

#[test]
fn heaps_that_lie_apart_are_found() {
    let features = heaps(400, 3, 8);
    let params = small().min_clusters(8).max_clusters(Some(8));
    let found = pool(params).generate(&features, 3).unwrap();
    let truth = Partition::from_labels((0..400).map(|i| i % 8));
    for b in 0..found.clusterings() {
        assert_eq!(ari(&truth, &partition(&found, b)), 1.0);
    }
}

#[test]
fn numbers_of_clusters_are_spread_evenly_over_their_range() {
    let features = heaps(400, 2, 4);
    let params = small().size(380).iterations(1);
    let found = pool(params).generate(&features, 2).unwrap();
    let mut counts = [0_usize; 21];
    found.clusters().iter().for_each(|&k| counts[k] += 1);
    // 19 numbers, each drawn 20 times on average.
    assert!(counts[2..=20].iter().all(|c| (5..=40).contains(c)), "{counts:?}");
    assert_eq!(counts[..2], [0, 0]);
    let params = small().min_clusters(3).max_clusters(Some(5));
    let found = pool(params).generate(&features, 2).unwrap();
    assert!(found.clusters().iter().all(|k| (3..=5).contains(k)));
}

fn every_kind() -> impl Strategy<Value = KMeansPoolParams> {
    let shares = prop_oneof![Just(1.0), Just(0.7)];
    let (rest, scale) = (
        prop_oneof![Just(Rest::Missing), Just(Rest::Nearest)],
        prop_oneof![Just(Scale::None), Just(Scale::UnitVariance)],
    );
    let seed = 0..1_000_000_u64;
    (shares.clone(), shares, rest, scale, seed).prop_map(
        |(features, samples, assign, scale, seed)| {
            small()
                .size(7)
                .features(features)
                .samples(samples)
                .assign(assign)
                .scale(scale)
                .seed(seed)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn neither_threads_nor_the_size_of_the_pool_change_a_clustering(params in every_kind()) {
        let features = heaps(150, 4, 5);
        let with = |threads, size| {
            let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let pool = pool(params.clone().size(size));
            threads.install(|| pool.generate(&features, 4)).unwrap()
        };
        let whole = with(1, 7);
        prop_assert_eq!(&with(3, 7), &whole);
        prop_assert_eq!(with(3, 2), whole.select(&[0, 1]).unwrap());
    }

    #[test]
    fn exactly_the_stated_share_of_the_samples_is_labelled(share in 0.3..1.0_f64, n in 60..200_usize) {
        let params = small().samples(share);
        let found = pool(params.clone()).generate(&heaps(n, 2, 3), 2).unwrap();
        let fitted = (share * n as f64).round() as usize;
        for b in 0..found.clusterings() {
            let labelled = found.column(b).iter().filter(|&&label| label != MISSING).count();
            prop_assert_eq!(labelled, fitted);
            prop_assert!(found.clusters()[b] <= fitted.isqrt());
        }
        // With the nearest centre for the other samples, the fitted samples keep their
        // clusters.
        let params = params.assign(Rest::Nearest);
        let full = pool(params).generate(&heaps(n, 2, 3), 2).unwrap();
        prop_assert!(!full.has_missing());
        for b in 0..found.clusterings() {
            let labelled = (0..n).filter(|&i| found.column(b)[i] != MISSING);
            let (some, all): (Vec<u32>, Vec<u32>) =
                labelled.map(|i| (found.column(b)[i], full.column(b)[i])).unzip();
            let agreement = ari(&Partition::from_labels(some), &Partition::from_labels(all));
            prop_assert_eq!(agreement, 1.0);
        }
    }
}

#[test]
fn samples_left_out_join_the_heap_they_lie_in() {
    let features = heaps(400, 3, 8);
    let params = small().samples(0.5).assign(Rest::Nearest).min_clusters(8).max_clusters(Some(8));
    let found = pool(params).generate(&features, 3).unwrap();
    let truth = Partition::from_labels((0..400).map(|i| i % 8));
    for b in 0..found.clusterings() {
        assert_eq!(ari(&truth, &partition(&found, b)), 1.0);
    }
}

/// Each feature divides the samples differently, so a clustering shows which features it used.
#[test]
fn each_clustering_sees_its_own_part_of_the_features() {
    let (n, dimension) = (256, 4);
    let value = |i: usize, j: usize| ((i >> j) & 1) as f64 * 100.0 + noise(i * 7 + j);
    let features: Vec<f64> =
        (0..n).flat_map(|i| (0..dimension).map(move |j| value(i, j))).collect();
    let params = small().size(40).features(0.25).min_clusters(2).max_clusters(Some(2));
    let found = pool(params).generate(&features, dimension).unwrap();
    let mut seen = [0; 4];
    for b in 0..found.clusterings() {
        let by = |j: usize| Partition::from_labels((0..n).map(move |i| (i >> j) & 1));
        let matching = (0..dimension).filter(|&j| by(j) == partition(&found, b));
        let matching: Vec<usize> = matching.collect();
        assert_eq!(matching.len(), 1);
        seen[matching[0]] += 1;
    }
    assert!(seen.iter().all(|&times| times > 0), "{seen:?}");
}

#[test]
fn scaling_lets_small_features_speak() {
    // The first feature is large noise, the second separates two blobs, the third is constant.
    let rows = (0..200).map(|i| [1e6 * noise(i), (i % 2) as f64 + 0.01 * noise(i + 999), 5.0]);
    let features: Vec<f64> = rows.flatten().collect();
    let truth = Partition::from_labels((0..200).map(|i| i % 2));
    let score = |scale| {
        let params = small().scale(scale).size(1).min_clusters(2).max_clusters(Some(2));
        ari(&truth, &partition(&pool(params).generate(&features, 3).unwrap(), 0))
    };
    assert!(score(Scale::None) < 0.1);
    assert_eq!(score(Scale::UnitVariance), 1.0);
}

#[test]
fn progress_counts_up_and_stops() {
    let features = heaps(100, 2, 3);
    let heard = Mutex::new(Vec::new());
    let hear = |event: &Event<'_>| {
        if let Event::Progress { done, total } = event {
            heard.lock().unwrap().push((*done, *total));
        }
        ControlFlow::Continue(())
    };
    let watch = Watch::default().with_observer(&hear);
    let watched = pool(small()).generate_watched(&features, 2, watch).unwrap();
    assert_eq!(watched, pool(small()).generate(&features, 2).unwrap());
    assert_eq!(heard.into_inner().unwrap(), (1..=12).map(|done| (done, 12)).collect::<Vec<_>>());

    let stop = |_: &Event<'_>| ControlFlow::Break(());
    let watch = Watch::default().with_observer(&stop);
    let stopped = pool(small()).generate_watched(&features, 2, watch);
    assert!(matches!(stopped, Err(Error::Cancelled { done: 1..12, total: 12, .. })), "{stopped:?}");
}

#[test]
fn typed_errors() {
    let run = |params: KMeansPoolParams, features: &[f64], d| pool(params).generate(features, d);
    let twenty: Vec<f64> = (0..20).map(f64::from).collect();
    assert!(matches!(run(small(), &[], 1), Err(Error::Empty { .. })));
    assert!(matches!(run(small(), &twenty, 0), Err(Error::Empty { .. })));
    assert!(matches!(run(small(), &twenty, 3), Err(Error::Size { expected: 18, found: 20, .. })));
    let few = run(small(), &twenty[..3], 1).unwrap_err();
    assert_eq!(
        few.to_string(),
        "kmeans-pool: min_clusters = 2 is out of range: it must be at most 1, \
         the square root of the number of samples a clustering is fitted on, 3"
    );
    let crossed = small().min_clusters(4).max_clusters(Some(3));
    assert!(matches!(run(crossed, &twenty, 1), Err(Error::Param(ParamError::OutOfRange { .. }))));
    let many = small().max_clusters(Some(11)).samples(0.5);
    let many = run(many, &twenty, 1);
    assert!(matches!(many, Err(Error::ClusterCount { k: 11, largest: 10, .. })));
    let mut hole = twenty.clone();
    hole[7] = f64::NAN;
    let hole = run(small(), &hole, 2);
    assert!(matches!(hole, Err(Error::Feature { sample: 3, feature: 1, .. })));
    for scale in [Scale::None, Scale::UnitVariance] {
        let huge: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { 1e300 } else { -1e300 }).collect();
        let huge = run(small().min_clusters(1).scale(scale).max_clusters(Some(1)), &huge, 1);
        assert!(matches!(huge, Err(Error::NotFinite { .. })), "{huge:?}");
    }
}

#[test]
fn parameters_out_of_range_are_refused_by_name() {
    for (name, value) in [
        ("size", 0.into()),
        ("features", 0.0.into()),
        ("features", 1.5.into()),
        ("samples", f64::NAN.into()),
        ("samples", (-0.5).into()),
        ("min_clusters", 0.into()),
        ("max_clusters", 0.into()),
        ("iterations", 0.into()),
        ("assign", "farthest".into()),
        ("scale", true.into()),
        ("seed", (-1).into()),
    ] {
        let given = KMeansPoolParams::from_values(&Values::from([(name.into(), value)]));
        assert!(given.unwrap_err().to_string().contains(name));
    }
    assert!(KMeansPool::new(small().seed(u64::MAX)).is_err());
}

#[test]
fn a_pool_for_few_samples_has_few_clusters() {
    let params = KMeansPoolParams::default().min_clusters(30).max_clusters(Some(500));
    let fitting = params.size(1000).for_part(100);
    assert_eq!((fitting.min_clusters, fitting.max_clusters, fitting.size), (10, Some(50), 100));
}
