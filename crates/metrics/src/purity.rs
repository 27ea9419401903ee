//! Purity.

use enclust_core::Contingency;

/// Share of the samples that belong to the majority class of their cluster.
///
/// Purity is not symmetric, and it is 1 for singleton clusters and any truth. Always report
/// the number of clusters together with it.
///
/// ```
/// use enclust_core::{Contingency, Partition};
/// use enclust_metrics::purity;
///
/// let truth = Partition::from_labels([0, 0, 1, 1]);
/// let found = Partition::from_labels([0, 0, 0, 1]);
/// assert_eq!(purity(&Contingency::of(&truth, &found)?), 3.0 / 4.0);
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn purity(overlaps: &Contingency) -> f64 {
    let mut majority = vec![0; overlaps.column_sizes().len()];
    for cell in overlaps.cells() {
        majority[cell.column] = cell.count.max(majority[cell.column]);
    }
    majority.iter().sum::<usize>() as f64 / overlaps.samples() as f64
}
