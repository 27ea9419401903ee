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
        if self.samples() >= 1 << 32 {
            return self.ari_of_many();
        }
        // For fewer than 2³² samples, no product exceeds 127 bits.
        let both = pairs_within(self.cells().iter().map(|c| c.count)) as i128;
        let first = pairs_within(self.row_sizes().iter().copied()) as i128;
        let second = pairs_within(self.column_sizes().iter().copied()) as i128;
        let all = pairs_within([self.samples()]) as i128;
        let by_chance = first * second;
        2.0 * (both * all - by_chance) as f64 / ((first + second) * all - 2 * by_chance) as f64
    }

    /// The same in floating-point numbers, also exactly symmetric. The differences are those of
    /// shares of all pairs, so that rounding is of the order of 10⁻¹⁶ of the larger share.
    fn ari_of_many(&self) -> f64 {
        let all = pairs_within([self.samples()]) as f64;
        let share = |sizes: &[usize]| pairs_within(sizes.iter().copied()) as f64 / all;
        let both = pairs_within(self.cells().iter().map(|c| c.count)) as f64 / all;
        let (first, second) = (share(self.row_sizes()), share(self.column_sizes()));
        let by_chance = first * second;
        2.0 * (both - by_chance) / (first + second - 2.0 * by_chance)
    }
}

#[cfg(test)]
mod tests {
    use crate::data::contingency::Contingency;
    use crate::data::partition::Partition;

    #[test]
    fn many_samples_give_the_index_of_few() {
        let (a, b) = ([0, 0, 1, 1, 2, 2, 0], [0, 1, 1, 1, 2, 0, 0]);
        let index = |factor: u64| {
            let counts = [3, 1, 4, 1, 5, 9, 2].map(|count| count * factor);
            let counted = |labels: [u8; 7]| Partition::from_labels(labels).with_counts(&counts);
            let overlaps = Contingency::of(&counted(a).unwrap(), &counted(b).unwrap()).unwrap();
            let swapped = overlaps.transposed();
            assert_eq!(overlaps.ari(), swapped.ari());
            (overlaps.ari(), overlaps.ari_of_many())
        };
        let (exact, rounded) = index(1_000);
        assert!((exact - rounded).abs() < 1e-14);
        // The index converges as all counts grow.
        let (exact, _) = index(100_000_000);
        let (many, _) = index(1_000_000_000_000);
        assert!((exact - many).abs() < 1e-8, "{exact} {many}");
    }
}
