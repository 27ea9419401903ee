//! Spectral clustering and Tcut: the results on groups equal those on samples, and planted
//! clusters are found.

use std::sync::Arc;

use enclust_consensus::{Spectral, Tcut};
use enclust_core::{
    Backend, Bipartite, Component, Consensus, Csr, Ctx, Ensemble, Error, Evidence, Grouping, Mat,
    Microclusters, Partition, Real, Reference, Similarity, Weighting, condensed_len,
};
use enclust_testkit::generate::{ensembles, planted};
use proptest::prelude::*;

/// The share of clusterings that join two groups; two samples of a group have similarity
/// `within`.
fn agreement<S: Real>(m: &Microclusters, within: f64) -> Similarity<S> {
    let n = m.len();
    let mut between = vec![S::zero(); condensed_len(n)];
    let mut rest = between.as_mut_slice();
    for p in 0..n {
        let (row, below) = rest.split_at_mut(n - p - 1);
        m.add_agreement(p, |_| S::one(), row);
        rest = below;
    }
    let total = S::of(m.clusterings() as f64);
    between.iter_mut().for_each(|v| *v /= total);
    let grouping = Arc::clone(m.grouping());
    Similarity::new(grouping, between, vec![S::of(within); n], vec![S::one(); n]).unwrap()
}

/// The same similarity over the samples, one group per sample.
fn over_samples(similarity: &Similarity<f64>) -> Similarity<f64> {
    Similarity::from_matrix(similarity.grouping().samples(), &similarity.to_matrix()).unwrap()
}

/// Membership, with a weight that differs between clusters.
fn membership<S: Real>(m: &Microclusters) -> Bipartite<S> {
    let offsets = m.cluster_offsets();
    let entry = |p: usize, k: usize| {
        let cluster = offsets[k] + m.label(p, k) as usize;
        (cluster as u32, S::of(1.0 / (1 + cluster % 3) as f64))
    };
    let rows = (0..m.len()).map(|p| (0..m.clusterings()).map(|k| entry(p, k)).collect());
    let weights = Csr::from_rows(offsets[m.clusterings()], rows.collect());
    Bipartite::new(Arc::clone(m.grouping()), weights).unwrap()
}

/// Largest difference between the inner products of two embeddings, the first over groups and
/// the second over samples; zero if they differ by a rotation.
fn gram_distance(grouping: &Grouping, groups: &[f64], samples: &[f64], k: usize) -> f64 {
    let dot = |rows: &[f64], i: usize, j: usize| -> f64 {
        (0..k).map(|c| rows[i * k + c] * rows[j * k + c]).sum()
    };
    let map = grouping.map();
    let mut distance: f64 = 0.0;
    for i in 0..map.len() {
        for j in 0..=i {
            let lifted = dot(groups, map[i] as usize, map[j] as usize);
            distance = distance.max((lifted - dot(samples, i, j)).abs());
        }
    }
    distance
}

/// Whether the k largest eigenvalues are well separated from the others.
fn clear_gap(matrix: &Mat<f64>, k: usize) -> bool {
    let values = Reference.eigh(matrix.view()).unwrap().values;
    let n = values.len();
    k == n || values[n - k] - values[n - k - 1] > 1e-3
}

/// D^-1/2 W D^-1/2 over the samples, computed from the definition.
fn normalised(similarity: &Similarity<f64>) -> Mat<f64> {
    let w = similarity.to_matrix();
    let n = similarity.grouping().samples();
    let degree: Vec<f64> = w.chunks(n).map(|row| row.iter().sum()).collect();
    Mat::from_fn(n, n, |i, j| w[i * n + j] / (degree[i] * degree[j]).sqrt())
}

/// The eigenvectors of the k largest eigenvalues.
fn leading(matrix: &Mat<f64>, k: usize) -> Mat<f64> {
    let vectors = Reference.eigh(matrix.view()).unwrap().vectors;
    Mat::from_fn(vectors.rows(), k, |i, j| vectors[(i, vectors.cols() - k + j)])
}

/// The rows scaled to unit length, in row-major order.
fn unit_rows(rows: &Mat<f64>) -> Vec<f64> {
    let row = |i: usize| (0..rows.cols()).map(move |j| rows[(i, j)]);
    let length = |i: usize| row(i).map(|x| x * x).sum::<f64>().sqrt();
    (0..rows.rows()).flat_map(|i| row(i).map(move |x| x / length(i))).collect()
}

/// Row sums of the clusters' graph W, and D^-1/2 W D^-1/2, computed from the definition.
fn normalised_clusters(graph: &Bipartite<f64>) -> (Vec<f64>, Mat<f64>) {
    let (b, sizes) = (&graph.weights, graph.grouping.sizes());
    let sum = |p: usize| b.row(p).1.iter().sum::<f64>();
    let value = |p: usize, a: usize| b.get(p, a).unwrap_or(0.0);
    let w = Mat::from_fn(b.cols(), b.cols(), |a, c| {
        (0..b.rows()).map(|p| sizes[p] as f64 * value(p, a) * value(p, c) / sum(p)).sum::<f64>()
    });
    let degrees: Vec<f64> = (0..b.cols()).map(|a| w.col(a).iter().sum()).collect();
    let scaled = |a: usize, c: usize| w[(a, c)] / (degrees[a] * degrees[c]).sqrt();
    let matrix = Mat::from_fn(b.cols(), b.cols(), scaled);
    (degrees, matrix)
}

/// X^-1 B D^-1/2 V over the objects of a graph, computed from the definition.
fn transferred(graph: &Bipartite<f64>, k: usize) -> Mat<f64> {
    let (b, (degrees, matrix)) = (&graph.weights, normalised_clusters(graph));
    let v = leading(&matrix, k);
    Mat::from_fn(b.rows(), k, |p, j| {
        let sum: f64 = b.row(p).1.iter().sum();
        let part = |a: usize| b.get(p, a).unwrap_or(0.0) / degrees[a].sqrt() * v[(a, j)];
        (0..b.cols()).map(part).sum::<f64>() / sum
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn spectral_at_group_size_is_spectral_over_samples(
        e in ensembles(40, 6, 4),
        k in 1..6_usize,
        within in 0.7..1.0_f64,
    ) {
        let similarity = agreement(&Microclusters::of(&e), within);
        let k = k.min(similarity.len());
        let samples = over_samples(&similarity);
        // Vectors supported on one group have the eigenvalues (own - within) / degree.
        let matrix = normalised(&samples);
        let values = Reference.eigh(matrix.view()).unwrap().values;
        let inside = 1.0 - within;
        prop_assume!(clear_gap(&matrix, k) && values[values.len() - k] > inside + 1e-3);
        let here = Spectral::default().embedding(&similarity, k, &Ctx::default()).unwrap();
        let there = unit_rows(&leading(&matrix, k));
        prop_assert!(gram_distance(similarity.grouping(), &here, &there, k) < 1e-5);
    }

    #[test]
    fn tcut_at_group_size_is_tcut_over_samples(e in ensembles(40, 6, 4), k in 1..6_usize) {
        let graph = membership(&Microclusters::of(&e));
        let k = k.min(graph.weights.rows()).min(graph.weights.cols());
        prop_assume!(clear_gap(&normalised_clusters(&graph).1, k));
        let here = Tcut::default().embedding(&graph, k, &Ctx::default()).unwrap();
        let there = unit_rows(&transferred(&membership(&Microclusters::singletons(&e)), k));
        prop_assert!(gram_distance(&graph.grouping, &here, &there, k) < 1e-5);
    }

    /// Every reachable k gives k clusters, and samples of a group stay together.
    #[test]
    fn cuts_are_partitions(e in ensembles(24, 5, 4), seed: u64) {
        let m = Microclusters::of(&e);
        for weighting in [Weighting::Samples, Weighting::Groups] {
            for (consensus, evidence) in components(weighting, &m) {
                let ctx = Ctx::default().with_seed(seed);
                let fitted = consensus.fit(&evidence, &ctx).unwrap();
                for k in 1..=fitted.largest_k() {
                    let cut = fitted.cut(k, &ctx).unwrap();
                    prop_assert_eq!(cut.clusters(), k);
                    for (i, &g) in m.grouping().map().iter().enumerate() {
                        let first = m.grouping().first_members()[g as usize];
                        prop_assert_eq!(cut.labels()[i], cut.labels()[first]);
                    }
                }
            }
        }
    }
}

type Run = (Box<dyn Consensus<f64>>, Evidence<f64>);

/// Both components, each with suitable evidence.
fn components(weighting: Weighting, m: &Microclusters) -> [Run; 2] {
    let spectral = Spectral::default().weighting(weighting);
    let tcut = Tcut::default().weighting(weighting);
    [(Box::new(spectral), agreement(m, 1.0).into()), (Box::new(tcut), membership(m).into())]
}

#[test]
fn planted_clusters_are_found() {
    let e = planted(400, 12, 5, 0.2, 3);
    let m = Microclusters::of(&e);
    let truth = Partition::from_labels((0..400).map(|i| i % 5));
    for weighting in [Weighting::Samples, Weighting::Groups] {
        for (consensus, evidence) in components(weighting, &m) {
            let ctx = Ctx::default();
            let fitted = consensus.fit(&evidence, &ctx).unwrap();
            let cut = fitted.cut(5, &ctx).unwrap();
            assert!(rand_index(&cut, &truth) > 0.99, "{}", consensus.name());
        }
    }
}

/// Share of the sample pairs on which two partitions agree.
fn rand_index(a: &Partition, b: &Partition) -> f64 {
    let (x, y) = (a.labels(), b.labels());
    let agree = |i: usize, j: usize| (x[i] == x[j]) == (y[i] == y[j]);
    let pairs = (0..x.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.filter(|&(i, j)| agree(i, j)).count() as f64 / condensed_len(x.len()) as f64
}

#[test]
fn single_precision_finds_them_too() {
    let e = planted(400, 12, 5, 0.2, 3);
    let m = Microclusters::of(&e);
    let truth = Partition::from_labels((0..400).map(|i| i % 5));
    let runs: [(Box<dyn Consensus<f32>>, Evidence<f32>); 2] = [
        (Box::new(Spectral::default()), agreement(&m, 1.0).into()),
        (Box::new(Tcut::default()), membership(&m).into()),
    ];
    for (consensus, evidence) in runs {
        let ctx = Ctx::default();
        let cut = consensus.fit(&evidence, &ctx).unwrap().cut(5, &ctx).unwrap();
        assert!(rand_index(&cut, &truth) > 0.99, "{}", consensus.name());
    }
}

#[test]
fn threads_and_other_cuts_change_nothing() {
    let m = Microclusters::of(&planted(500, 10, 4, 0.3, 1));
    for (consensus, evidence) in components(Weighting::Samples, &m) {
        let cut = |threads: usize, before: &[usize]| {
            let ctx = Ctx::default().with_threads(threads).with_seed(9);
            let fitted = consensus.fit(&evidence, &ctx).unwrap();
            before.iter().for_each(|&k| {
                fitted.cut(k, &ctx).unwrap();
            });
            fitted.cut(7, &ctx).unwrap()
        };
        let alone = cut(1, &[]);
        assert_eq!(alone, cut(3, &[]));
        assert_eq!(alone, cut(2, &[3, 12]));
    }
}

#[test]
fn cluster_names_change_nothing() {
    let e = planted(200, 8, 4, 0.3, 2);
    let renamed: Vec<Vec<u32>> =
        (0..8).map(|k| e.column(k).iter().map(|l| (l * 7 + 3) % 101).collect()).collect();
    let renamed = Ensemble::from_columns(&renamed).unwrap();
    let cuts = |e: &Ensemble| {
        components(Weighting::Samples, &Microclusters::of(e)).map(|(consensus, evidence)| {
            let ctx = Ctx::default();
            consensus.fit(&evidence, &ctx).unwrap().cut(4, &ctx).unwrap()
        })
    };
    assert_eq!(cuts(&e), cuts(&renamed));
}

#[test]
fn samples_and_clusters_without_weight_are_guarded() {
    // Two pairs and two samples with similarity 0 to all samples, including themselves.
    let mut w = [0.0; 36];
    for (i, j) in [(0, 0), (0, 1), (1, 1), (2, 2), (2, 3), (3, 3)] {
        (w[i * 6 + j], w[j * 6 + i]) = (1.0, 1.0);
    }
    let similarity = Similarity::from_matrix(6, &w).unwrap();
    let ctx = Ctx::default();
    let rows = Spectral::default().embedding(&similarity, 2, &ctx).unwrap();
    assert!(rows.iter().all(|x| x.is_finite()));
    assert!(rows[8..].iter().all(|&x| x == 0.0));
    let fitted = Spectral::default().fit(&similarity.into(), &ctx).unwrap();
    assert_eq!(fitted.cut(3, &ctx).unwrap().labels(), &[0, 0, 1, 1, 2, 2]);

    // Sample 4 is in no cluster, cluster 2 holds no sample.
    let row = |a: u32| vec![(a, 1.0)];
    let rows = vec![row(0), row(0), row(1), row(1), Vec::new(), vec![(2, 0.0)]];
    let grouping = Arc::new(Grouping::singletons(6));
    let graph = Bipartite::new(grouping, Csr::from_rows(3, rows)).unwrap();
    let fitted = Tcut::default().fit(&graph.into(), &ctx).unwrap();
    assert_eq!(fitted.cut(3, &ctx).unwrap().labels(), &[0, 0, 1, 1, 2, 2]);
}

#[test]
fn everything_zero_still_gives_k_clusters() {
    let nothing = Similarity::from_matrix(5, &[0.0; 25]).unwrap();
    let ctx = Ctx::default();
    let fitted = Spectral::default().fit(&nothing.into(), &ctx).unwrap();
    for k in 1..=5 {
        assert_eq!(fitted.cut(k, &ctx).unwrap().clusters(), k);
    }
}

#[test]
fn typed_errors() {
    let m = Microclusters::of(&planted(60, 5, 3, 0.2, 1));
    let ctx = Ctx::default();
    for (consensus, evidence) in components(Weighting::Samples, &m) {
        let fitted = consensus.fit(&evidence, &ctx).unwrap();
        for k in [0, fitted.largest_k() + 1] {
            assert!(matches!(fitted.cut(k, &ctx), Err(Error::ClusterCount { .. })));
        }
        assert!(fitted.dendrogram().is_none());
    }
    let [(spectral, similarity), (tcut, graph)] = components(Weighting::Samples, &m);
    assert!(matches!(spectral.fit(&graph, &ctx), Err(Error::KindMismatch { .. })));
    assert!(matches!(tcut.fit(&similarity, &ctx), Err(Error::KindMismatch { .. })));

    let mut ragged = membership::<f64>(&m);
    ragged.weights = Csr::empty(1, 3);
    assert!(matches!(tcut.fit(&ragged.into(), &ctx), Err(Error::Size { .. })));
    let grouping = Arc::new(Grouping::singletons(2));
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        let weights = Csr::from_rows(2, vec![vec![(0, bad)], vec![(1, 1.0)]]);
        let graph = Bipartite::new(Arc::clone(&grouping), weights).unwrap();
        assert!(matches!(tcut.fit(&graph.into(), &ctx), Err(Error::Unsupported { .. })));
    }

    assert!(Component::check(&Spectral::default().replicates(0)).is_err());
    assert!(Component::check(&Tcut::default().max_iterations(0)).is_err());
}
