//! Precision, recall and F1 over pairs of samples.

use enclust_core::{Contingency, pairs_within};

/// Scores of a clustering as a classifier of pairs into "same class" and "different classes".
///
/// ```
/// use enclust_core::{Contingency, Partition};
/// use enclust_metrics::pair_scores;
///
/// let truth = Partition::from_labels([0, 0, 0, 1]);
/// let found = Partition::from_labels([0, 0, 1, 1]);
/// let pairs = pair_scores(&Contingency::of(&truth, &found)?);
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

/// Precision, recall and F1 over pairs.
///
/// If a denominator is zero, the score is 1 if neither partition has a pair, and 0 if only
/// one of them has none.
pub fn pair_scores(overlaps: &Contingency) -> PairScores {
    let both = pairs_within(overlaps.cells().iter().map(|c| c.count));
    let truth = pairs_within(overlaps.row_sizes().iter().copied());
    let found = pairs_within(overlaps.column_sizes().iter().copied());
    if truth == 0 && found == 0 {
        return PairScores { precision: 1.0, recall: 1.0, f1: 1.0 };
    }
    PairScores {
        precision: share(both, found),
        recall: share(both, truth),
        f1: share(2 * both, truth + found),
    }
}

fn share(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
