//! Partitions: one clustering of the samples.

use std::collections::HashMap;
use std::hash::Hash;

/// One label per sample, with clusters numbered by first occurrence.
///
/// Two partitions are equal if and only if they group the samples in the same way.
///
/// ```
/// use enclust_core::Partition;
///
/// let p = Partition::from_labels(["b", "a", "b"]);
/// assert_eq!(p.labels(), &[0, 1, 0]);
/// assert_eq!(p, Partition::from_labels([7, 3, 7]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    labels: Vec<usize>,
    clusters: usize,
}

impl Partition {
    /// From any labels that can be compared for equality.
    pub fn from_labels<L: Eq + Hash>(labels: impl IntoIterator<Item = L>) -> Self {
        let mut numbers = HashMap::new();
        let labels = labels
            .into_iter()
            .map(|label| {
                let next = numbers.len();
                *numbers.entry(label).or_insert(next)
            })
            .collect();
        Partition { labels, clusters: numbers.len() }
    }

    /// The partition whose sample i is sample `order[i]` of this one.
    ///
    /// ```
    /// use enclust_core::Partition;
    ///
    /// let p = Partition::from_labels([0, 0, 1]);
    /// assert_eq!(p.rearranged(&[2, 0, 1]), Partition::from_labels([0, 1, 1]));
    /// ```
    ///
    /// # Panics
    ///
    /// If `order` names a sample that does not exist.
    pub fn rearranged(&self, order: &[usize]) -> Self {
        Self::from_labels(order.iter().map(|&i| self.labels[i]))
    }

    /// Label of each sample.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Number of clusters.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// Number of samples in each cluster.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.clusters];
        self.labels.iter().for_each(|&label| sizes[label] += 1);
        sizes
    }

    /// The share of the samples in the largest cluster; 0 if there are no samples.
    ///
    /// ```
    /// use enclust_core::Partition;
    ///
    /// assert_eq!(Partition::from_labels([0, 0, 1, 0]).largest_share(), 0.75);
    /// ```
    pub fn largest_share(&self) -> f64 {
        let largest = self.sizes().into_iter().max().unwrap_or(0);
        largest as f64 / self.len().max(1) as f64
    }
}
