//! Refinement of the labels of a run whose label rows were reduced.

use rayon::prelude::*;

use crate::data::microclusters::Microclusters;
use crate::data::partition::Partition;
use crate::error::{Error, Result};
use crate::evidence::assignment::Assignment;

/// Moves samples to the cluster to which their own label rows are most similar.
///
/// In a reduced run, a sample has the label of its representative row. The refinement is one pass
/// over the original rows: each moves to the cluster of the highest mean similarity to its own
/// labels, as [`Assignment`] defines it. A row stays if its cluster is among the best, a cluster
/// that would lose all samples keeps them, and samples of cannot-links stay.
///
/// ```
/// use enclust_core::{Ensemble, Microclusters, Partition, Refinement};
///
/// let e = Ensemble::from_columns(&[[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]])?;
/// let refinement = Refinement::new(Microclusters::of(&e), vec![1.0; 6], &[])?;
/// let (refined, moved) = refinement.refined(&Partition::from_labels([0, 0, 1, 1, 1, 1]))?;
/// assert_eq!(refined.labels(), [0, 0, 0, 1, 1, 1]);
/// assert_eq!(moved, 1.0 / 6.0);
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Refinement {
    microclusters: Microclusters,
    weights: Vec<f64>,
    /// Samples that keep their labels.
    fixed: Vec<usize>,
}

impl Refinement {
    /// A refinement by the original label rows and one weight per base cluster, numbered through
    /// all clusterings. The samples of these pairs stay.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there is not one weight per base cluster.
    pub fn new(
        microclusters: Microclusters,
        weights: Vec<f64>,
        cannot_link: &[(usize, usize)],
    ) -> Result<Self> {
        let clusters = microclusters.clusters().iter().sum();
        Error::check_size("weights of the base clusters", clusters, weights.len())?;
        let fixed = cannot_link.iter().flat_map(|&(i, j)| [i, j]).collect();
        Ok(Refinement { microclusters, weights, fixed })
    }

    /// The refined partition, and the share of the samples that moved.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] for a partition of another number of samples.
    pub fn refined(&self, partition: &Partition) -> Result<(Partition, f64)> {
        let old = partition.labels();
        let new = self.best_clusters(partition)?;
        let map = self.microclusters.grouping().map();
        let mut labels: Vec<usize> = map.iter().map(|&group| new[group as usize]).collect();
        self.fixed.iter().for_each(|&i| labels[i] = old[i]);
        let mut empty = vec![true; partition.clusters()];
        labels.iter().for_each(|&label| empty[label] = false);
        for (label, &before) in labels.iter_mut().zip(old) {
            if empty[before] {
                *label = before;
            }
        }
        let grouping = self.microclusters.grouping();
        let changed = labels.iter().zip(old).zip(grouping.row_counts());
        let moved: usize =
            changed.filter(|((new, old), _)| new != old).map(|(_, count)| count).sum();
        let refined = Partition::from_labels(labels).carrying(grouping.counts().cloned());
        Ok((refined, moved as f64 / grouping.total() as f64))
    }

    /// The best cluster of each row. The cluster that the first sample of the row has wins ties.
    fn best_clusters(&self, partition: &Partition) -> Result<Vec<usize>> {
        let rows = &self.microclusters;
        let table = Assignment::new(rows, &self.weights, partition)?;
        let m = rows.clusterings();
        let best = |(p, &first): (usize, &usize)| {
            let row: Vec<u32> = (0..m).map(|k| rows.label(p, k)).collect();
            table.assign_near(&row, partition.labels()[first])
        };
        rows.grouping().first_members().par_iter().enumerate().map(best).collect()
    }
}
