//! Random ensembles: proptest strategies, and one deterministic generator.

use enclust_core::Ensemble;
use proptest::collection::vec;
use proptest::prelude::*;

/// Ensembles of 1 to `samples` samples and 1 to `clusterings` clusterings of up
/// to `clusters` clusters, all labels present.
///
/// Half of them are noise; the other half are noisy copies of one partition, so
/// that many rows are equal and many pairs have high confidence.
pub fn ensembles(
    samples: usize,
    clusterings: usize,
    clusters: u8,
) -> impl Strategy<Value = Ensemble> {
    labels(samples, clusterings, clusters)
        .prop_map(|columns| Ensemble::from_columns(&columns).expect("rectangular and not empty"))
}

/// Like [`ensembles`], with about one label in six missing.
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

/// A reproducible ensemble with structure: `clusters` true groups, each base
/// clustering moving about `noise` of the samples to a random group.
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

/// Steele, Lea and Flood's SplitMix64: enough randomness for test data.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
