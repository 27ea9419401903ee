//! Overlaps between the clusters of two clusterings.

use enclust_core::{MISSING, Microclusters};

/// Number of samples each cluster of `own` shares with each cluster of `other`. Samples that
/// one of them does not label are not counted. Takes O(n') time.
pub(crate) fn overlaps(microclusters: &Microclusters, own: usize, other: usize) -> Vec<Vec<f64>> {
    let clusters = microclusters.clusters();
    let mut counts = vec![vec![0.0; clusters[other]]; clusters[own]];
    let labels = microclusters.column(own).iter().zip(microclusters.column(other));
    for ((&a, &b), &size) in labels.zip(microclusters.grouping().sizes()) {
        if a != MISSING && b != MISSING {
            counts[a as usize][b as usize] += size as f64;
        }
    }
    counts
}
