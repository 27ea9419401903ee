//! Labels for new rows: the cluster of a result to which a row is most similar.

use crate::data::ensemble::MISSING;
use crate::data::microclusters::Microclusters;
use crate::data::partition::Partition;
use crate::error::{Error, Result};

/// Scores that differ by a smaller share than this are equal: the order of a sum changes them by
/// rounding alone, and ties must not depend on it.
const EQUAL: f64 = 1e-12;

/// A table from which new rows of base-cluster labels get the labels of a clustering.
///
/// # Problem
///
/// The similarity of a new row x and a sample j is the mean, over the base clusterings b that
/// label both, of the weight of the base cluster that they share, and of 0 if they share none.
/// The [score](Self::scores) of x for a cluster c is its mean similarity to the samples of c, and
/// x gets the cluster with the highest score. The representation gives the weights of the base
/// clusters ([`ClusterWeights`](crate::ClusterWeights)), which depend on the training samples
/// only. No enhancement takes part.
///
/// Let B be the base cluster of x in b, v(B) its weight, and w(b) the weight of the base
/// clustering. Then the score is
///
/// ```text
///  Σ_b w(b) v(B) |c ∩ B| / |c|   over   Σ_b w(b) |c ∩ labelled by b| / |c|,
/// ```
///
/// both sums over the b that label x. The terms are the table: one row per base cluster for the
/// numerator, and one per base clustering for the denominator.
///
/// # Missing labels
///
/// If no label of the training samples is missing, this is the mean similarity exactly, also for
/// a row with missing labels. If training samples have missing labels, it is an approximation: in
/// the mean over c, a sample then counts in proportion to the number of base clusterings that label
/// it and x, where the definition counts all samples of c equally. The exact mean would need all
/// training rows.
///
/// # Complexity
///
/// O(m k) time per row for m base clusterings and k clusters.
///
/// # Ties
///
/// The smallest cluster number wins, also if scores differ by rounding alone (10⁻¹² of the best).
/// A row that shares no base cluster with any sample has score 0 for all clusters, and therefore
/// gets cluster 0; [`Assigned::score`] shows it.
///
/// # Example
///
/// ```
/// use enclust_core::{Assignment, Ensemble, Microclusters, Partition};
///
/// let e = Ensemble::from_columns(&[["a", "a", "b", "b"], ["x", "x", "x", "y"]])?;
/// let result = Partition::from_labels([0, 0, 1, 1]);
/// // Every base cluster has weight 1: co-association.
/// let table = Assignment::new(&Microclusters::of(&e), &[1.0; 4], &result)?;
/// // The row (b, x) has numbers 1 and 0: clusters are numbered by first occurrence.
/// assert_eq!(table.scores(&[1, 0])?, [0.5, 0.75]);
/// assert_eq!(table.assign(&[1, 0])?.label, 1);
/// // A label that no sample has.
/// assert_eq!(table.scores(&[1, Assignment::OTHER])?, [0.0, 0.5]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// Number of clusters of the result, k.
    clusters: usize,
    /// Number of base clusters of each base clustering.
    base_clusters: Vec<usize>,
    /// The numerators, k for each base cluster, one base clustering after the other.
    shared: Vec<f64>,
    /// The denominators, k for each base clustering.
    labelled: Vec<f64>,
}

/// The label of a new row.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Assigned {
    /// The cluster, counted from 0 as in the result.
    pub label: usize,
    /// The score for this cluster; 0 if the row is similar to no sample.
    pub score: f64,
}

impl Assignment {
    /// The number of a label that no training sample has. Every number that a base clustering
    /// does not have means the same.
    pub const OTHER: u32 = MISSING - 1;

    /// The table of a result. There is one weight per base cluster, numbered through all
    /// clusterings.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if the numbers of weights or of samples do not fit; [`Error::Unsupported`]
    /// if a weight is negative or not finite.
    pub fn new(
        microclusters: &Microclusters,
        weights: &[f64],
        partition: &Partition,
    ) -> Result<Self> {
        let offsets = microclusters.cluster_offsets();
        let (m, k) = (microclusters.clusterings(), partition.clusters());
        Error::check_size("weights of the base clusters", offsets[m], weights.len())?;
        let grouping = microclusters.grouping();
        let map = grouping.map();
        Error::check_size("samples of the result", map.len(), partition.len())?;
        let mut sizes = vec![0.0; k];
        let counted = partition.labels().iter().zip(grouping.row_counts());
        counted.for_each(|(&c, count)| sizes[c] += count as f64);
        let (mut shared, mut labelled) = (vec![0.0; offsets[m] * k], vec![0.0; m * k]);
        for b in 0..m {
            let rows = map.iter().zip(partition.labels()).zip(grouping.row_counts());
            for ((&group, &c), count) in rows {
                let label = microclusters.label(group as usize, b);
                if label != MISSING {
                    shared[(offsets[b] + label as usize) * k + c] += count as f64;
                    labelled[b * k + c] += count as f64;
                }
            }
            let share = |at: usize| microclusters.weight(b) / sizes[at % k];
            for base in offsets[b]..offsets[b + 1] {
                (base * k..(base + 1) * k).for_each(|at| shared[at] *= share(at) * weights[base]);
            }
            (b * k..(b + 1) * k).for_each(|at| labelled[at] *= share(at));
        }
        Self::from_parts(k, microclusters.clusters().to_vec(), shared, labelled)
    }

    /// From a table that was made before: the number of clusters, the number of base clusters of
    /// each base clustering, and the values of [`shared`](Self::shared) and
    /// [`labelled`](Self::labelled).
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without clusters or base clusterings, [`Error::Size`] if the number of
    /// values is wrong, [`Error::Unsupported`] if a value is negative or not finite.
    pub fn from_parts(
        clusters: usize,
        base_clusters: Vec<usize>,
        shared: Vec<f64>,
        labelled: Vec<f64>,
    ) -> Result<Self> {
        if clusters == 0 || base_clusters.is_empty() {
            return Err(Error::Empty { what: "table of a result" });
        }
        let rows = base_clusters.iter().fold(0, |sum: usize, &c| sum.saturating_add(c));
        let values = rows.saturating_mul(clusters);
        Error::check_size("values of base clusters", values, shared.len())?;
        let values = base_clusters.len().saturating_mul(clusters);
        Error::check_size("values of base clusterings", values, labelled.len())?;
        match shared.iter().chain(&labelled).find(|v| !v.is_finite() || **v < 0.0) {
            Some(value) => Err(Error::unsupported("a table of a result", format!("{value}"))),
            None => Ok(Assignment { clusters, base_clusters, shared, labelled }),
        }
    }

    /// Number of clusters of the result, k.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// Number of base clusters of each base clustering.
    pub fn base_clusters(&self) -> &[usize] {
        &self.base_clusters
    }

    /// The numerators: k for each base cluster, one base clustering after the other.
    pub fn shared(&self) -> &[f64] {
        &self.shared
    }

    /// The denominators: k for each base clustering.
    pub fn labelled(&self) -> &[f64] {
        &self.labelled
    }

    /// The mean similarity of a row to each cluster. The row has one number per base clustering,
    /// those of [`Ensemble::column`](crate::Ensemble::column); [`MISSING`] is a missing label and
    /// [`OTHER`](Self::OTHER) one that no training sample has.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if the row does not have one label per base clustering.
    pub fn scores(&self, row: &[u32]) -> Result<Vec<f64>> {
        Error::check_size("labels of a new row", self.base_clusters.len(), row.len())?;
        let k = self.clusters;
        let (mut above, mut below) = (vec![0.0; k], vec![0.0; k]);
        let mut first = 0;
        for (b, (&label, &base_clusters)) in row.iter().zip(&self.base_clusters).enumerate() {
            if label != MISSING {
                add(&mut below, &self.labelled[b * k..][..k]);
            }
            if (label as usize) < base_clusters {
                add(&mut above, &self.shared[(first + label as usize) * k..][..k]);
            }
            first += base_clusters;
        }
        let mean = |(a, b): (f64, f64)| if b > 0.0 { a / b } else { 0.0 };
        Ok(above.into_iter().zip(below).map(mean).collect())
    }

    /// The cluster with the highest score; `current` if its score is among the highest.
    pub(crate) fn assign_near(&self, row: &[u32], current: usize) -> Result<usize> {
        let scores = self.scores(row)?;
        let is_best = best_of(&scores);
        Ok(if scores.get(current).is_some_and(&is_best) {
            current
        } else {
            scores.iter().position(is_best).unwrap_or(current)
        })
    }

    /// The cluster with the highest score.
    ///
    /// # Errors
    ///
    /// The same as for [`scores`](Self::scores).
    pub fn assign(&self, row: &[u32]) -> Result<Assigned> {
        let scores = self.scores(row)?;
        let label = scores.iter().position(best_of(&scores)).unwrap_or(0);
        Ok(Assigned { label, score: scores[label] })
    }
}

/// Whether a score is the highest, up to rounding.
fn best_of(scores: &[f64]) -> impl Fn(&f64) -> bool + use<> {
    let best = scores.iter().copied().fold(0.0, f64::max);
    move |score| *score >= best * (1.0 - EQUAL)
}

fn add(sums: &mut [f64], terms: &[f64]) {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ensemble::Ensemble;

    fn table() -> Assignment {
        let e = Ensemble::from_columns(&[[0, 0, 1, 1, 2, 2]; 3]).unwrap();
        let result = Partition::from_labels([0, 0, 1, 1, 2, 2]);
        Assignment::new(&Microclusters::of(&e), &[1.0; 9], &result).unwrap()
    }

    #[test]
    fn ties_get_the_smallest_number() {
        assert_eq!(table().assign(&[2, 1, MISSING]).unwrap().label, 1);
        let other = table().assign(&[Assignment::OTHER; 3]).unwrap();
        assert_eq!((other.label, other.score), (0, 0.0));
        assert_eq!(table().assign(&[MISSING; 3]).unwrap().score, 0.0);
    }

    #[test]
    fn scores_that_differ_by_rounding_are_ties() {
        let (thirds, sum) = (0.1 + 0.2, 0.3);
        assert!(thirds > sum);
        let table = Assignment::from_parts(2, vec![1], vec![sum, thirds], vec![1.0; 2]).unwrap();
        assert_eq!(table.assign(&[0]).unwrap().label, 0);
    }

    #[test]
    fn tables_that_do_not_fit_are_refused() {
        let parts = Assignment::from_parts;
        assert!(matches!(parts(0, vec![1], vec![], vec![]), Err(Error::Empty { .. })));
        assert!(matches!(parts(1, vec![2], vec![0.5], vec![1.0]), Err(Error::Size { .. })));
        assert!(matches!(parts(1, vec![1], vec![0.5], vec![]), Err(Error::Size { .. })));
        let huge = parts(usize::MAX, vec![usize::MAX; 2], vec![], vec![]);
        assert!(matches!(huge, Err(Error::Size { .. })));
        let refused = parts(1, vec![1], vec![f64::NAN], vec![1.0]);
        assert!(matches!(refused, Err(Error::Unsupported { .. })));
        assert!(matches!(table().scores(&[0, 1]), Err(Error::Size { .. })));
    }
}
