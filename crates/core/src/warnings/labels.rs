//! Warnings about the labels of a result.

use super::Warning;
use crate::data::partition::Partition;

/// The share of the samples above which a cluster is large.
pub(super) const LARGE: f64 = 0.9;

/// The warnings about a partition into k clusters that was computed from this number of distinct
/// rows.
///
/// ```
/// use enclust_core::{Partition, Warning, label_warnings};
///
/// let partition = Partition::from_labels((0..20).map(|i| i == 0));
/// let warnings = label_warnings(&partition, 2, 20);
/// assert_eq!(warnings, [
///     Warning::OneLargeCluster { share: 0.95, clusters: 2 },
///     Warning::SingleSamples { singles: 1, clusters: 2 },
/// ]);
/// ```
pub fn label_warnings(partition: &Partition, k: usize, rows: usize) -> Vec<Warning> {
    let clusters = partition.clusters();
    let mut warnings = Vec::new();
    if k > rows {
        warnings.push(Warning::MoreClustersThanRows { k, rows });
    }
    let share = partition.largest_share();
    if clusters > 1 && share > LARGE {
        warnings.push(Warning::OneLargeCluster { share, clusters });
    }
    let singles = partition.sizes().into_iter().filter(|&size| size == 1).count();
    // If every sample is a cluster of its own, this was requested.
    if singles > 0 && clusters < partition.total() {
        warnings.push(Warning::SingleSamples { singles, clusters });
    }
    warnings
}
