//! Reliability of base clusters.

use enclust_core::Microclusters;
use rayon::prelude::*;

use crate::overlaps::overlaps;

/// The ensemble-driven cluster index of every base cluster, numbered through all clusterings.
///
/// The uncertainty of a cluster Cₐ is the entropy with which the other
/// clusterings split it, U(a) = −Σₖ wₖ Σ_b p_ab log₂ p_ab with
/// p_ab = |Cₐ ∩ C_b| / |Cₐ|, and ECI(a) = exp(−U(a) / (θ Σₖ wₖ)), in (0, 1].
/// For each cluster, only the members that a clustering labels are counted; a clustering that
/// labels none of them is ignored, and a cluster without members has index 1.
///
/// O(n' m²) time.
///
/// ```
/// use enclust_ca::ensemble_cluster_index;
/// use enclust_core::{Ensemble, Microclusters};
///
/// // The second clustering splits the first cluster in half: one bit over m = 2.
/// let e = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 2]])?;
/// let eci = ensemble_cluster_index(&Microclusters::of(&e), 0.5);
/// assert_eq!(eci[0], (-1.0_f64 / (0.5 * 2.0)).exp());
/// assert_eq!(eci[1..], [1.0; 4]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn ensemble_cluster_index(microclusters: &Microclusters, theta: f64) -> Vec<f64> {
    indices(microclusters, |_| theta)
}

/// The index of every base cluster, with a θ for each clustering.
pub(crate) fn indices(
    microclusters: &Microclusters,
    theta: impl Fn(usize) -> f64 + Sync,
) -> Vec<f64> {
    let of_clustering = |own: usize| index_of_clustering(microclusters, own, theta(own));
    let indices: Vec<Vec<f64>> =
        (0..microclusters.clusterings()).into_par_iter().map(of_clustering).collect();
    indices.concat()
}

/// The index of every cluster of one clustering.
fn index_of_clustering(microclusters: &Microclusters, own: usize, theta: f64) -> Vec<f64> {
    let clusters = microclusters.clusters()[own];
    let mut uncertainty = vec![0.0; clusters];
    let mut weight = vec![0.0; clusters];
    for other in 0..microclusters.clusterings() {
        let w = microclusters.weight(other);
        for (a, split) in overlaps(microclusters, own, other).iter().enumerate() {
            let labelled: f64 = split.iter().sum();
            if labelled > 0.0 {
                uncertainty[a] += w * entropy(split, labelled);
                weight[a] += w;
            }
        }
    }
    // θ may be 0: a cluster that is split then has index 0.
    let certain = |u: &f64, w: &f64| *w == 0.0 || *u == 0.0;
    let index = |(u, w): (&f64, &f64)| if certain(u, w) { 1.0 } else { (-u / (theta * w)).exp() };
    uncertainty.iter().zip(&weight).map(index).collect()
}

/// Entropy in bits of a split into parts that add up to `total`.
pub(crate) fn entropy(parts: &[f64], total: f64) -> f64 {
    -parts.iter().filter(|&&c| c > 0.0).map(|c| c / total * (c / total).log2()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclust_core::Ensemble;

    /// The first cluster of the LWEA paper's worked example: eight of 16 objects,
    /// split 2, 3, 3 in the second clustering and 4, 4 in the third, 1.56 + 1 bits.
    /// (The published index is exp(−U/5), that is, θ m = 5.)
    #[test]
    fn first_cluster_of_the_worked_example() {
        let first = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2];
        let second = [0, 0, 1, 1, 1, 2, 2, 2, 0, 0, 0, 1, 1, 1, 1, 1];
        let third = [0, 1, 0, 1, 0, 1, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2];
        let e = Ensemble::from_columns(&[first, second, third]).unwrap();
        let eci = ensemble_cluster_index(&Microclusters::of(&e), 5.0 / 3.0);
        assert!((-5.0 * eci[0].ln() - 2.56).abs() < 0.005);
        assert!((eci[0] - 0.60).abs() < 0.005);
        assert_eq!(eci[1], 1.0);
    }
}
