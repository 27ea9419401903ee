//! Normalised mutual information.

use enclust_core::{Contingency, choice};

choice! {
    /// The mean of the two entropies by which the mutual information is divided.
    ///
    /// Published tables use different means, which changes the second decimal. State the mean
    /// whenever values are compared.
    #[derive(Default)]
    pub enum NmiMean {
        /// (H₁ + H₂) / 2, as in 2I / (H₁ + H₂).
        #[default]
        Arithmetic = "arithmetic",
        /// √(H₁ H₂).
        Geometric = "geometric",
        /// The smaller entropy.
        Min = "min",
        /// The larger entropy.
        Max = "max",
    }
}

impl NmiMean {
    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            NmiMean::Arithmetic => (a + b) / 2.0,
            NmiMean::Geometric => (a * b).sqrt(),
            NmiMean::Min => a.min(b),
            NmiMean::Max => a.max(b),
        }
    }
}

/// Mutual information over a mean of the entropies, in [0, 1].
///
/// It is exactly 1 for equal partitions, also if both are a single cluster, and 0 if only
/// one of them is a single cluster.
///
/// ```
/// use enclust_core::{Contingency, Partition};
/// use enclust_metrics::{NmiMean, nmi};
///
/// let a = Partition::from_labels([0, 0, 1, 1]);
/// let b = Partition::from_labels([0, 1, 2, 3]);
/// let overlaps = Contingency::of(&a, &b)?;
/// assert!((nmi(&overlaps, NmiMean::Arithmetic) - 2.0 / 3.0).abs() < 1e-15);
/// assert!((nmi(&overlaps, NmiMean::Max) - 0.5).abs() < 1e-15);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// Reference: A. Strehl, J. Ghosh, *Cluster ensembles*, JMLR 3 (2002), with
/// the geometric mean.
pub fn nmi(overlaps: &Contingency, mean: NmiMean) -> f64 {
    if overlaps.is_identity() {
        return 1.0;
    }
    let (first, second) = (
        entropy(overlaps.samples(), overlaps.row_sizes()),
        entropy(overlaps.samples(), overlaps.column_sizes()),
    );
    if first == 0.0 || second == 0.0 {
        return 0.0;
    }
    (mutual_information(overlaps) / mean.of(first, second)).clamp(0.0, 1.0)
}

/// Mutual information of the two partitions, in nats.
pub fn mutual_information(overlaps: &Contingency) -> f64 {
    let n = overlaps.samples() as f64;
    overlaps
        .cells()
        .iter()
        .map(|c| {
            let expected =
                overlaps.row_sizes()[c.row] as f64 * overlaps.column_sizes()[c.column] as f64 / n;
            c.count as f64 / n * (c.count as f64 / expected).ln()
        })
        .sum()
}

/// Entropy of a partition with these cluster sizes, in nats. It is exactly 0 for a single
/// cluster, because ln 1 is 0.
fn entropy(samples: usize, sizes: &[usize]) -> f64 {
    let n = samples as f64;
    sizes.iter().filter(|&&s| s > 0).map(|&s| s as f64 / n * (n / s as f64).ln()).sum()
}
