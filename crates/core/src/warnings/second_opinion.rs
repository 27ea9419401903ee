//! The result of a run compared with the result without enhancement.

use super::labels::LARGE;
use crate::data::contingency::Contingency;
use crate::data::partition::Partition;
use crate::error::Result;

/// How far the enhanced result agrees with the one of the plain similarity, cut by the same
/// consensus function into the same number of clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SecondOpinion {
    /// The adjusted Rand index between the two.
    pub agreement: f64,
    /// The share of the samples in the largest cluster of the enhanced result.
    pub largest: f64,
    /// The share of the samples in the largest cluster of the plain result.
    pub plain_largest: f64,
}

impl SecondOpinion {
    /// Compares two results.
    ///
    /// ```
    /// use enclust_core::{Partition, SecondOpinion};
    ///
    /// let enhanced = Partition::from_labels((0..20).map(|i| i == 0));
    /// let plain = Partition::from_labels((0..20).map(|i| i < 10));
    /// let opinion = SecondOpinion::between(&enhanced, &plain)?;
    /// assert_eq!((opinion.largest, opinion.plain_largest), (0.95, 0.5));
    /// assert!(opinion.has_collapsed());
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Size`](crate::Error::Size) if the partitions have different numbers of samples,
    /// [`Error::Empty`](crate::Error::Empty) if they have none.
    pub fn between(enhanced: &Partition, plain: &Partition) -> Result<Self> {
        Ok(SecondOpinion {
            agreement: Contingency::of(enhanced, plain)?.ari(),
            largest: enhanced.largest_share(),
            plain_largest: plain.largest_share(),
        })
    }

    /// Whether the enhancement has made one large cluster of a result that had none.
    pub fn has_collapsed(&self) -> bool {
        self.largest > LARGE && self.plain_largest <= LARGE
    }
}
