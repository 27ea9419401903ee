//! Reliability of whole base clusterings.

use enclust_core::Microclusters;
use rayon::prelude::*;

use crate::eci::entropy;
use crate::overlaps::overlaps;

/// The normalised crowd agreement index of every base clustering, raised to a power.
///
/// A clustering that agrees with the others is more reliable than one that does not. Let N(k, l) be
/// the mutual information of two clusterings, divided by the larger of their entropies. The
/// agreement of clustering k is the mean of N(k, l) over the other clusterings l, and its index is
/// its agreement divided by the largest one. The result is NCAI(k)^β, in [0, 1].
///
/// These are weights of clusterings, which every representation takes that honours the weights of
/// an ensemble: see [`Ensemble::with_weights`](enclust_core::Ensemble::with_weights) and
/// [`Microclusters::reweighted`]. The representation [`Weac`](crate::Weac) applies them to plain
/// co-association.
///
/// - Weights that the ensemble already has act as multiplicities: a clustering of weight 3 agrees
///   with its two other copies, and counts three times for the others. A weight below 1 stands for
///   no other copy.
/// - N is computed over the samples that both clusterings label. N of two clusterings with one
///   cluster each is 1; with exactly one of them constant it is 0.
/// - If no clustering agrees with another one, all weights are 1.
///
/// O(n' m²) time.
///
/// ```
/// use enclust_ca::crowd_agreement;
/// use enclust_core::{Ensemble, Microclusters};
///
/// // The third clustering is unrelated to the others.
/// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]])?;
/// assert_eq!(crowd_agreement(&Microclusters::of(&e), 2.0), [1.0, 1.0, 0.0]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// Reference: D. Huang, J.-H. Lai, C.-D. Wang, *Combining multiple clusterings via crowd agreement
/// estimation and multi-granularity link analysis*, Neurocomputing 170 (2015).
pub fn crowd_agreement(microclusters: &Microclusters, beta: f64) -> Vec<f64> {
    let clusterings = 0..microclusters.clusterings();
    let agreement: Vec<f64> =
        clusterings.into_par_iter().map(|own| agreement_of(microclusters, own)).collect();
    let largest = agreement.iter().copied().fold(0.0, f64::max);
    let index = |cai: f64| if largest > 0.0 { cai / largest } else { 1.0 };
    agreement.into_iter().map(|cai| index(cai).powf(beta)).collect()
}

/// The mean agreement of one clustering with all others and with its own further copies.
fn agreement_of(microclusters: &Microclusters, own: usize) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for other in 0..microclusters.clusterings() {
        let (copies, value) = match other == own {
            true => ((microclusters.weight(own) - 1.0).max(0.0), 1.0),
            false => (microclusters.weight(other), agreement(microclusters, own, other)),
        };
        sum += copies * value;
        total += copies;
    }
    if total > 0.0 { sum / total } else { 0.0 }
}

/// Mutual information divided by the larger entropy, over the samples that both clusterings label; 0
/// if there are none.
fn agreement(microclusters: &Microclusters, own: usize, other: usize) -> f64 {
    let common = overlaps(microclusters, own, other);
    let rows: Vec<f64> = common.iter().map(|row| row.iter().sum()).collect();
    let mut columns = vec![0.0; microclusters.clusters()[other]];
    for row in &common {
        columns.iter_mut().zip(row).for_each(|(sum, c)| *sum += c);
    }
    let total: f64 = rows.iter().sum();
    if total == 0.0 {
        return 0.0;
    }
    let joint: f64 = common.iter().map(|row| entropy(row, total)).sum();
    let (own, other) = (entropy(&rows, total), entropy(&columns, total));
    match own.max(other) {
        larger if larger > 0.0 => ((own + other - joint) / larger).clamp(0.0, 1.0),
        _ => 1.0,
    }
}
