//! Precision, recall and F1 over pairs of samples.

use crate::contingency::Contingency;

/// Scores of a clustering as a classifier of pairs into "same class" and "different classes".
///
/// ```
/// use enclust_core::Partition;
/// use enclust_metrics::Contingency;
///
/// let truth = Partition::from_labels([0, 0, 0, 1]);
/// let found = Partition::from_labels([0, 0, 1, 1]);
/// let pairs = Contingency::of(&truth, &found)?.pairs();
/// assert_eq!((pairs.precision, pairs.recall, pairs.f1), (1.0 / 2.0, 1.0 / 3.0, 2.0 / 5.0));
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairScores {
    /// Share of the pairs in the same cluster that are in the same class.
    pub precision: f64,
    /// Share of the pairs in the same class that are in the same cluster.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f1: f64,
}

impl Contingency {
    /// Precision, recall and F1 over pairs.
    ///
    /// If a denominator is zero, the score is 1 if neither partition has a pair, and 0 if only
    /// one of them has none.
    pub fn pairs(&self) -> PairScores {
        let both = pairs_within(self.cells().iter().map(|c| c.count));
        let truth = pairs_within(self.row_sizes().iter().copied());
        let found = pairs_within(self.column_sizes().iter().copied());
        if truth == 0 && found == 0 {
            return PairScores { precision: 1.0, recall: 1.0, f1: 1.0 };
        }
        PairScores {
            precision: share(both, found),
            recall: share(both, truth),
            f1: share(2 * both, truth + found),
        }
    }
}

/// Number of pairs within groups of these sizes.
pub(crate) fn pairs_within(sizes: impl IntoIterator<Item = usize>) -> u128 {
    sizes.into_iter().map(|s| s as u128 * (s as u128).saturating_sub(1) / 2).sum()
}

fn share(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
