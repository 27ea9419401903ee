//! Weights of base clusters as whole numbers.

use enclust_core::Microclusters;

/// One whole number per base cluster, in proportion to its weight times that of its clustering.
///
/// Sums of whole numbers do not depend on the order of the terms, so rows that share equal weight
/// with two landmarks are exact ties. The sum over one row fits into 32 bits.
pub(crate) fn whole_weights(microclusters: &Microclusters, weights: &[f64]) -> Vec<u32> {
    let (m, offsets) = (microclusters.clusterings(), microclusters.cluster_offsets());
    let mut scaled = Vec::with_capacity(weights.len());
    for k in 0..m {
        let own = &weights[offsets[k]..offsets[k + 1]];
        scaled.extend(own.iter().map(|weight| weight * microclusters.weight(k)));
    }
    let largest = scaled.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let unit = f64::from(u32::MAX / 2) / (m as f64 * largest);
    // A shared cluster always counts for something.
    scaled.into_iter().map(|weight| ((weight * unit).round() as u32).max(1)).collect()
}
