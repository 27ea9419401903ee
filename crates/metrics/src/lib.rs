//! Scores of clusterings.
//!
//! Every score against a known truth is computed from a [`Contingency`]: the number of samples
//! in each pair of clusters of two partitions. It is sparse, so counting takes O(n) time and
//! memory for any number of clusters.
//! | score | definition | symmetric |
//! |---|---|---|
//! | [`ari`](Contingency::ari) | adjusted Rand index of Hubert and Arabie | yes |
//! | [`nmi`](nmi()) | mutual information over a [mean](NmiMean) of the entropies | yes |
//! | [`pair_scores`] | precision, recall and F1 over pairs of samples | F1 only |
//! | [`accuracy`](accuracy()) | share of samples kept by the best matching of clusters | yes |
//! | [`purity`](purity()) | share of samples in the majority class of their cluster | no |
//!
//! [`Scores`] contains all of them. Without a truth, use [`mean_agreement`] of a partition with
//! an ensemble and [`diversity`] of an ensemble.
//!
//! ```
//! use enclust_core::Partition;
//! use enclust_metrics::Scores;
//!
//! let truth = Partition::from_labels([0, 0, 0, 1, 1, 1]);
//! let found = Partition::from_labels([5, 5, 7, 7, 7, 7]);
//! let scores = Scores::of(&truth, &found)?;
//! assert_eq!(scores.accuracy, 5.0 / 6.0);
//! assert_eq!(scores.pairs.precision, 4.0 / 7.0);
//! # Ok::<(), enclust_core::Error>(())
//! ```

mod accuracy;
mod agreement;
mod nmi;
mod pairs;
mod purity;
mod scores;

pub use accuracy::accuracy;
pub use agreement::{diversity, mean_agreement, mean_agreement_ari};
pub use enclust_core::Contingency;
pub use nmi::{NmiMean, mutual_information, nmi};
pub use pairs::{PairScores, pair_scores};
pub use purity::purity;
pub use scores::Scores;
