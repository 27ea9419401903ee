//! The adjusted Rand index.

use crate::data::contingency::{Contingency, pairs_within};

impl Contingency {
    /// The adjusted Rand index of Hubert and Arabie.
    ///
    /// Let S be the number of pairs of samples that are together in both partitions, A and B
    /// the numbers of pairs that are together in the first and the second partition, and T the
    /// number of all pairs. Then the index is
    ///
    /// ```text
    /// ARI = (S − AB/T) / ((A + B)/2 − AB/T)
    /// ```
    ///
    /// It is 1 for equal partitions, 0 on average for unrelated ones, and at least −1/2. The
    /// denominator is zero only if both partitions are a single cluster or both consist of
    /// singletons; the index is then 1, as for all equal partitions. All counts are whole
    /// numbers until the final division, so the index is exactly symmetric.
    ///
    /// ```
    /// use enclust_core::{Contingency, Partition};
    ///
    /// let a = Partition::from_labels([0, 0, 1, 1]);
    /// let b = Partition::from_labels([0, 0, 1, 2]);
    /// assert_eq!(Contingency::of(&a, &b)?.ari(), 4.0 / 7.0);
    /// assert_eq!(Contingency::of(&a, &a)?.ari(), 1.0);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// Reference: L. Hubert, P. Arabie, *Comparing partitions*, Journal of
    /// Classification 2 (1985).
    pub fn ari(&self) -> f64 {
        if self.is_identity() {
            return 1.0;
        }
        // For fewer than 2³² samples, no product exceeds 127 bits.
        let both = pairs_within(self.cells().iter().map(|c| c.count)) as i128;
        let first = pairs_within(self.row_sizes().iter().copied()) as i128;
        let second = pairs_within(self.column_sizes().iter().copied()) as i128;
        let all = pairs_within([self.samples()]) as i128;
        let by_chance = first * second;
        2.0 * (both * all - by_chance) as f64 / ((first + second) * all - 2 * by_chance) as f64
    }
}
