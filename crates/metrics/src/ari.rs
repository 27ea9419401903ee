//! The adjusted Rand index.

use crate::contingency::Contingency;
use crate::pairs::pairs_within;

impl Contingency {
    /// The adjusted Rand index of Hubert and Arabie.
    ///
    /// With S the pairs of samples together in both partitions, A and B those
    /// together in one, and T all pairs:
    ///
    /// ```text
    /// ARI = (S − AB/T) / ((A + B)/2 − AB/T)
    /// ```
    ///
    /// 1 for equal partitions, 0 on average for unrelated ones, at least −1/2.
    /// The denominator vanishes only for two equal partitions (both one cluster,
    /// or both all single samples); that is 1 as for all equal partitions. All
    /// counts are whole numbers up to the last division, so the index is exactly
    /// symmetric.
    ///
    /// ```
    /// use enclust_core::Partition;
    /// use enclust_metrics::Contingency;
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
        // Below 2³² samples no product leaves 127 bits.
        let both = pairs_within(self.cells().iter().map(|c| c.count)) as i128;
        let first = pairs_within(self.row_sizes().iter().copied()) as i128;
        let second = pairs_within(self.column_sizes().iter().copied()) as i128;
        let all = pairs_within([self.samples()]) as i128;
        let by_chance = first * second;
        2.0 * (both * all - by_chance) as f64 / ((first + second) * all - 2 * by_chance) as f64
    }
}
