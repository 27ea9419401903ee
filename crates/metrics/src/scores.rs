//! All scores at once.

use enclust_core::{Contingency, Partition, Result};

use crate::accuracy::accuracy;
use crate::nmi::{NmiMean, nmi};
use crate::pairs::{PairScores, pair_scores};
use crate::purity::purity;

/// Every score of a partition against the truth.
///
/// ```
/// use enclust_core::Partition;
/// use enclust_metrics::Scores;
///
/// let truth = Partition::from_labels(["oak", "oak", "elm", "elm"]);
/// let found = Partition::from_labels([2, 2, 9, 9]);
/// let scores = Scores::of(&truth, &found)?;
/// assert!(scores.named().iter().all(|&(_, value)| value == 1.0));
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// [Adjusted Rand index](Contingency::ari).
    pub ari: f64,
    /// [Normalised mutual information](nmi()), arithmetic mean.
    pub nmi: f64,
    /// [Precision, recall and F1](pair_scores) over pairs.
    pub pairs: PairScores,
    /// [Accuracy](accuracy()) under the best matching.
    pub accuracy: f64,
    /// [Purity](purity()).
    pub purity: f64,
}

impl Scores {
    /// Scores a partition.
    ///
    /// # Errors
    /// [`Error::Size`](enclust_core::Error::Size) if the two have different
    /// numbers of samples, [`Error::Empty`](enclust_core::Error::Empty) if they
    /// have none.
    pub fn of(truth: &Partition, predicted: &Partition) -> Result<Self> {
        let overlaps = Contingency::of(truth, predicted)?;
        Ok(Scores {
            ari: overlaps.ari(),
            nmi: nmi(&overlaps, NmiMean::Arithmetic),
            pairs: pair_scores(&overlaps),
            accuracy: accuracy(&overlaps),
            purity: purity(&overlaps),
        })
    }

    /// Each score with its name, in the order of the tables.
    pub fn named(&self) -> [(&'static str, f64); 7] {
        [
            ("ari", self.ari),
            ("nmi", self.nmi),
            ("f1", self.pairs.f1),
            ("precision", self.pairs.precision),
            ("recall", self.pairs.recall),
            ("accuracy", self.accuracy),
            ("purity", self.purity),
        ]
    }
}
