//! Random ensembles: proptest strategies, deterministic generators, equivalent forms of an
//! ensemble, and simple evidence of an ensemble.

use std::sync::Arc;

use enclust_core::{
    Bipartite, ClusterGraph, Csr, Embedding, Ensemble, Factored, MISSING, Mat, Microclusters, Real,
    Similarity,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Ensembles of 1 to `samples` samples and 1 to `clusterings` clusterings of up to `clusters`
/// clusters, without missing labels.
///
/// Half of them are noise. The other half are noisy copies of one partition, so that many rows
/// are equal and many pairs have high confidence.
pub fn ensembles(
    samples: usize,
    clusterings: usize,
    clusters: u8,
) -> impl Strategy<Value = Ensemble> {
    labels(samples, clusterings, clusters)
        .prop_map(|columns| Ensemble::from_columns(&columns).expect("rectangular and not empty"))
}

/// Like [`ensembles`], with about one sixth of the labels missing.
pub fn ensembles_with_missing(
    samples: usize,
    clusterings: usize,
    clusters: u8,
) -> impl Strategy<Value = Ensemble> {
    labels(samples, clusterings, clusters).prop_flat_map(|columns| {
        let cells = columns.len() * columns[0].len();
        (Just(columns), vec(0..6_u8, cells)).prop_map(|(columns, coins)| {
            let n = columns[0].len();
            Ensemble::from_keys(n, columns.len(), |i, k| {
                (coins[k * n + i] != 0).then_some(columns[k][i])
            })
            .expect("not empty")
        })
    })
}

fn labels(samples: usize, clusterings: usize, clusters: u8) -> impl Strategy<Value = Vec<Vec<u8>>> {
    (1..=samples, 1..=clusterings, any::<bool>()).prop_flat_map(move |(n, m, structured)| {
        let noise = vec(vec(0..clusters, n), m);
        let truth = vec(0..clusters, n);
        let coins = vec(vec(0..5_u8, n), m);
        (noise, truth, coins).prop_map(move |(mut columns, truth, coins)| {
            if structured {
                for (column, coins) in columns.iter_mut().zip(&coins) {
                    for i in 0..column.len() {
                        if coins[i] != 0 {
                            column[i] = truth[i];
                        }
                    }
                }
            }
            columns
        })
    })
}

/// A reproducible ensemble with structure: there are `clusters` true groups, and each base
/// clustering moves about the share `noise` of the samples to a random group.
///
/// ```
/// let e = enclust_testkit::generate::planted(50, 8, 3, 0.1, 1);
/// assert_eq!((e.samples(), e.clusterings()), (50, 8));
/// ```
pub fn planted(
    samples: usize,
    clusterings: usize,
    clusters: usize,
    noise: f64,
    seed: u64,
) -> Ensemble {
    let mut stream = SplitMix(seed);
    let columns: Vec<Vec<usize>> = (0..clusterings)
        .map(|_| {
            (0..samples)
                .map(|i| {
                    let moved = stream.uniform() < noise;
                    if moved { (stream.uniform() * clusters as f64) as usize } else { i % clusters }
                })
                .collect()
        })
        .collect();
    Ensemble::from_columns(&columns).expect("at least one sample and one clustering")
}

/// Like [`planted`], with about the share `missing` of the labels removed.
pub fn planted_with_missing(
    samples: usize,
    clusterings: usize,
    clusters: usize,
    noise: f64,
    missing: f64,
    seed: u64,
) -> Ensemble {
    let full = planted(samples, clusterings, clusters, noise, seed);
    let mut stream = SplitMix(!seed);
    let gone: Vec<bool> = (0..samples * clusterings).map(|_| stream.uniform() < missing).collect();
    Ensemble::from_keys(samples, clusterings, |i, k| {
        (!gone[k * samples + i]).then(|| full.column(k)[i])
    })
    .expect("at least one sample and one clustering")
}

/// The numbers from 0 to `len` − 1 in a reproducible random order.
///
/// ```
/// let mut order = enclust_testkit::generate::shuffled(5, 3);
/// order.sort();
/// assert_eq!(order, [0, 1, 2, 3, 4]);
/// ```
pub fn shuffled(len: usize, seed: u64) -> Vec<usize> {
    let mut stream = SplitMix(seed);
    let mut order: Vec<usize> = (0..len).collect();
    for i in (1..len).rev() {
        order.swap(i, (stream.uniform() * (i + 1) as f64) as usize);
    }
    order
}

/// The same microclusters with other numbers for the clusters: in another order, and with one
/// unused number per clustering.
///
/// An [`Ensemble`] numbers clusters by first occurrence, so two ensembles that differ only in the
/// names of clusters are equal. A part that reads [`Microclusters`] must not rely on that.
pub fn renumbered(microclusters: &Microclusters, seed: u64) -> Microclusters {
    let columns: Vec<Vec<u32>> = (0..microclusters.clusterings())
        .map(|k| {
            let numbers = shuffled(microclusters.clusters()[k] + 1, seed.wrapping_add(k as u64));
            let renamed = |&label: &u32| match label {
                MISSING => MISSING,
                label => numbers[label as usize] as u32,
            };
            microclusters.column(k).iter().map(renamed).collect()
        })
        .collect();
    Microclusters::from_columns(Arc::clone(microclusters.grouping()), &columns)
        .expect("as many labels as groups")
}

/// Small edge cases with their names: one sample, two samples, one clustering, and samples that
/// are all equal or all different.
pub fn degenerate() -> Vec<(&'static str, Ensemble)> {
    let of = |samples: usize, clusterings: usize, label: fn(usize, usize) -> usize| {
        Ensemble::from_keys(samples, clusterings, |i, k| Some(label(i, k))).expect("not empty")
    };
    vec![
        ("one sample", of(1, 3, |_, _| 0)),
        ("one sample, one clustering", of(1, 1, |_, _| 0)),
        ("two samples that agree", of(2, 3, |_, _| 0)),
        ("two samples that differ", of(2, 3, |i, _| i)),
        ("one clustering", of(9, 1, |i, _| i % 3)),
        ("samples all alike", of(7, 4, |_, _| 0)),
        ("samples all different", of(7, 4, |i, _| i)),
        ("clean blocks", of(12, 5, |i, _| i % 4)),
    ]
}

/// The share of clusterings that put two groups into one cluster, among those that label both:
/// the plain co-association of an ensemble without weights.
///
/// ```
/// use enclust_core::{Ensemble, Microclusters};
///
/// let e = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]])?;
/// let s = enclust_testkit::generate::co_association::<f64>(&Microclusters::of(&e));
/// assert_eq!(s.condensed(), [0.5, 0.0, 0.5]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn co_association<S: Real>(microclusters: &Microclusters) -> Similarity<S> {
    let n = microclusters.len();
    let between = (0..n)
        .flat_map(|p| (p + 1..n).map(move |q| (p, q)))
        .map(|(p, q)| S::of(agreement(microclusters, p, q)))
        .collect();
    let ones = vec![S::one(); n];
    Similarity::new(Arc::clone(microclusters.grouping()), between, ones.clone(), ones)
        .expect("shares lie in [0, 1]")
}

fn agreement(microclusters: &Microclusters, p: usize, q: usize) -> f64 {
    let (mut common, mut equal) = (0, 0);
    for k in 0..microclusters.clusterings() {
        let (left, right) = (microclusters.label(p, k), microclusters.label(q, k));
        if left != MISSING && right != MISSING {
            common += 1;
            equal += usize::from(left == right);
        }
    }
    if common == 0 { 0.0 } else { equal as f64 / common as f64 }
}

/// The graph between groups and base clusters, with weight 1 if a group is in a cluster.
pub fn bipartite<S: Real>(microclusters: &Microclusters) -> Bipartite<S> {
    let offsets = microclusters.cluster_offsets();
    let clusterings = microclusters.clusterings();
    let rows = (0..microclusters.len())
        .map(|p| {
            (0..clusterings)
                .map(|k| (offsets[k], microclusters.label(p, k)))
                .filter(|&(_, label)| label != MISSING)
                .map(|(offset, label)| (offset as u32 + label, S::one()))
                .collect()
        })
        .collect();
    let weights = Csr::from_rows(offsets[clusterings], rows);
    Bipartite::new(Arc::clone(microclusters.grouping()), weights).expect("one row for each group")
}

/// Base clusters, connected by the share of samples that they have in common.
pub fn cluster_graph<S: Real>(microclusters: &Microclusters) -> ClusterGraph<S> {
    let Bipartite { grouping, weights: members, .. } = bipartite::<S>(microclusters);
    let clusters = members.cols();
    let mut common = vec![0.0; clusters * clusters];
    for p in 0..members.rows() {
        for (a, _) in members.iter_row(p) {
            for (b, _) in members.iter_row(p) {
                common[a * clusters + b] += grouping.sizes()[p] as f64;
            }
        }
    }
    let at = |a: usize, b: usize| common[a * clusters + b];
    let share = |a, b| S::of(at(a, b) / (at(a, a) + at(b, b) - at(a, b)));
    let weights = Mat::from_fn(clusters, clusters, share);
    ClusterGraph::new(grouping, members, weights).expect("one row for each group")
}

/// Groups as corners of a cube: one coordinate per base cluster, which is 1 if the group is in
/// the cluster.
pub fn embedding<S: Real>(microclusters: &Microclusters) -> Embedding<S> {
    let Bipartite { grouping, weights, .. } = bipartite::<S>(microclusters);
    let points =
        Mat::from_fn(weights.rows(), weights.cols(), |p, a| weights.get(p, a).unwrap_or(S::zero()));
    Embedding::new(grouping, points).expect("one row for each group")
}

/// SplitMix64 by Steele, Lea and Flood. Its randomness is sufficient for test data.
pub struct SplitMix(pub u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A uniformly distributed number in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A normally distributed number with mean 0 and variance 1, by the Box–Muller method.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// A similarity by weights of the base clusters, all of which differ, so that there are few ties.
///
/// # Panics
///
/// If a label is missing.
pub fn factored(microclusters: &Microclusters) -> Factored {
    let clusters: usize = microclusters.clusters().iter().sum();
    // A golden-ratio sequence: evenly spread and without repeated values.
    let spread = |c: usize| 0.9 + 0.1 * (c as f64 * 0.618_033_988_749_894_9).fract();
    let weights: Vec<f64> = (0..clusters).map(spread).collect();
    Factored::new(microclusters, &weights).expect("complete labels")
}
