//! Partitions: one clustering of the samples.

use std::collections::HashMap;
use std::hash::Hash;

use crate::data::counts::{self, Counts};
use crate::error::{Error, Result};

/// One label per sample, with clusters numbered by first occurrence.
///
/// Two partitions are equal if and only if they group the samples in the same way.
///
/// If a label stands for several samples, the partition has their [counts](Self::with_counts), and
/// sizes and scores count samples.
///
/// ```
/// use enclust_core::Partition;
///
/// let p = Partition::from_labels(["b", "a", "b"]);
/// assert_eq!(p.labels(), &[0, 1, 0]);
/// assert_eq!(p, Partition::from_labels([7, 3, 7]));
/// ```
#[derive(Clone, Debug)]
pub struct Partition {
    labels: Vec<usize>,
    clusters: usize,
    counts: Option<Counts>,
}

/// How many samples a label stands for does not matter.
impl PartialEq for Partition {
    fn eq(&self, other: &Self) -> bool {
        self.labels == other.labels
    }
}

impl Eq for Partition {}

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
        Partition { labels, clusters: numbers.len(), counts: None }
    }

    /// The same partition of rows that occur as often as these counts say.
    ///
    /// ```
    /// use enclust_core::Partition;
    ///
    /// let p = Partition::from_labels([0, 1, 0]).with_counts(&[5, 1, 2])?;
    /// assert_eq!((p.sizes(), p.total()), (vec![7, 1], 8));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there is not one count per label, and those of [`Counts::new`].
    pub fn with_counts(self, counts: &[u64]) -> Result<Self> {
        self.counted(Some(Counts::new(counts)?))
    }

    /// The same with these counts, for example those of an ensemble.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there is not one count per label.
    pub fn counted(self, counts: Option<Counts>) -> Result<Self> {
        if let Some(counts) = &counts {
            Error::check_size("counts of the labels", self.labels.len(), counts.of_rows().len())?;
        }
        Ok(self.carrying(counts))
    }

    /// The same with these counts, of which there is one per label.
    pub(crate) fn carrying(self, counts: Option<Counts>) -> Self {
        Partition { counts, ..self }
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
        let counts = self.counts.as_ref().map(|counts| counts.of_selected(order));
        Self::from_labels(order.iter().map(|&i| self.labels[i])).carrying(counts)
    }

    /// Label of each sample; with counts, of each row.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// Number of labels: the number of samples, or of rows if these have counts.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Number of samples.
    pub fn total(&self) -> usize {
        self.counts.as_ref().map_or(self.labels.len(), Counts::total)
    }

    /// How many samples each label stands for, if not one.
    pub fn counts(&self) -> Option<&Counts> {
        self.counts.as_ref()
    }

    /// The number of samples of each label, in their order: 1 without counts.
    pub(crate) fn row_counts(&self) -> impl Iterator<Item = usize> + '_ {
        counts::each(self.counts.as_ref(), self.labels.len())
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
        let counted = self.labels.iter().zip(self.row_counts());
        counted.for_each(|(&label, count)| sizes[label] += count);
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
        largest as f64 / self.total().max(1) as f64
    }
}
