//! A random walk between base clusters, and how alike its walkers spread.

use enclust_core::{Bytes, Csr, Microclusters, Result, Shape};
use rayon::prelude::*;

use crate::overlaps::overlaps;
use crate::trajectory::trajectory_similarity;

/// The similarities of all base clusters, propagated along a walk between them.
pub struct ClusterSimilarity {
    /// Row after row, the diagonal 1.
    pub values: Vec<f64>,
    /// The clusters that share no sample with another one.
    pub isolated: Vec<bool>,
}

impl ClusterSimilarity {
    /// By walks of so many steps. There is no definition for missing labels, nor for
    /// weights: copies of a clustering would be neighbours of each other in the walk, so
    /// that no factor can stand for them.
    pub fn new(component: &str, microclusters: &Microclusters, steps: usize) -> Result<Self> {
        microclusters.require_complete(component)?;
        microclusters.require_unweighted(component)?;
        let walk = cluster_walk(microclusters);
        let isolated = (0..walk.rows()).map(|a| walk.row(a).0.is_empty()).collect();
        Ok(ClusterSimilarity { values: trajectory_similarity(&walk, steps), isolated })
    }

    /// What [`new`](Self::new) takes, its answer included: the walk in lists and packed,
    /// then three matrices beside it.
    pub fn bytes(shape: &Shape) -> Bytes {
        let wide = shape.in_double().with_groups(shape.clusters);
        let links = most_links(shape);
        let overlaps = wide.vector() * shape.largest as u64 * shape.threads as u64;
        let lists = Bytes(links) * 16 + wide.each_group(3 * size_of::<Vec<(u32, f64)>>());
        let making = overlaps + lists + wide.sparse(links);
        making.max(wide.square() * 3 + wide.sparse(links)) + wide.vector() * 4
    }

    /// What it takes itself.
    pub fn result_bytes(shape: &Shape) -> Bytes {
        let wide = shape.in_double().with_groups(shape.clusters);
        wide.square() + wide.each_group(1)
    }
}

/// How many links the walk may have: all pairs of clusters, or those that the groups
/// make, each of which lies in one cluster of each clustering.
fn most_links(shape: &Shape) -> u64 {
    let (clusters, m) = (shape.clusters as u64, shape.clusterings as u64);
    clusters.saturating_mul(clusters).min((shape.groups as u64).saturating_mul(m * m))
}

/// Transition probabilities from each base cluster to the others, proportional to their
/// Jaccard coefficients |A ∩ B| / |A ∪ B|. Clusters are counted through; the row of one
/// that meets no other is empty. O(n' m²) time.
fn cluster_walk(microclusters: &Microclusters) -> Csr<f64> {
    let sizes: Vec<f64> = microclusters.cluster_sizes().iter().map(|&s| s as f64).collect();
    let offsets = microclusters.cluster_offsets();
    let rows: Vec<Vec<(u32, f64)>> = (0..microclusters.clusterings())
        .into_par_iter()
        .flat_map_iter(|k| {
            let common = overlaps_with_others(microclusters, k, &offsets);
            let own = common.chunks_exact(sizes.len()).zip(&sizes[offsets[k]..]);
            own.map(|(common, &size)| transitions(size, common, &sizes)).collect::<Vec<_>>()
        })
        .collect();
    Csr::from_rows(sizes.len(), rows)
}

/// Number of samples that each cluster of one clustering shares with each cluster of the
/// other clusterings: a row a cluster.
fn overlaps_with_others(microclusters: &Microclusters, own: usize, offsets: &[usize]) -> Vec<f64> {
    let all = offsets[microclusters.clusterings()];
    let mut common = vec![0.0; microclusters.clusters()[own] * all];
    for other in (0..microclusters.clusterings()).filter(|&other| other != own) {
        let counts = overlaps(microclusters, own, other);
        for (row, counts) in common.chunks_exact_mut(all).zip(&counts) {
            row[offsets[other]..offsets[other + 1]].copy_from_slice(counts);
        }
    }
    common
}

/// One row of the walk: for a cluster of this size that shares so many samples with each
/// of the others.
fn transitions(size: f64, common: &[f64], sizes: &[f64]) -> Vec<(u32, f64)> {
    let met = || common.iter().enumerate().filter(|(_, c)| **c > 0.0);
    let jaccard = |(b, c): (usize, &f64)| (b as u32, c / (size + sizes[b] - c));
    let mut row = Vec::with_capacity(met().count());
    row.extend(met().map(jaccard));
    let total: f64 = row.iter().map(|(_, w)| w).sum();
    row.iter_mut().for_each(|(_, w)| *w /= total);
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclust_core::Ensemble;

    /// Clusters {0, 1}, {2} and {0}, {1, 2}: Jaccard 1/2 and 1/3 from the first, 0 and
    /// 1/2 from the second.
    #[test]
    fn a_walk_worked_out_by_hand() {
        let e = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]]).unwrap();
        let walk = cluster_walk(&Microclusters::of(&e));
        let expected =
            [vec![(2, 0.6), (3, 0.4)], vec![(3, 1.0)], vec![(0, 1.0)], vec![(0, 0.4), (1, 0.6)]];
        for (a, expected) in expected.iter().enumerate() {
            let row: Vec<(usize, f64)> = walk.iter_row(a).collect();
            assert_eq!(row.len(), expected.len());
            for (found, expected) in row.iter().zip(expected) {
                assert_eq!(found.0, expected.0);
                assert!((found.1 - expected.1).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn clusters_of_a_single_clustering_meet_no_other() {
        let e = Ensemble::from_columns(&[[0, 0, 1]]).unwrap();
        let z = ClusterSimilarity::new("test", &Microclusters::of(&e), 20).unwrap();
        assert_eq!(z.isolated, [true, true]);
        assert_eq!(z.values, [1.0, 0.0, 0.0, 1.0]);
    }
}
