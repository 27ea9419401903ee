//! Ensembles: many clusterings of the same samples.

use std::collections::HashMap;
use std::hash::Hash;

use crate::data::counts::{self, Counts};
use crate::error::{Error, Result};

/// Marks a missing label in the columns that an [`Ensemble`] returns. In the input of an
/// [`Ensemble`], a missing label is `None`; this value is not read as missing.
pub const MISSING: u32 = u32::MAX;

/// A value that names a cluster or states that the label is missing.
///
/// Integers, strings and characters name a cluster; `None` is a missing label.
pub trait Label {
    /// The type by which labels are compared.
    type Key: Eq + Hash;

    /// The name of the cluster, or `None` for a missing label.
    fn key(&self) -> Option<Self::Key>;
}

macro_rules! plain_labels {
    ($($t:ty),*) => {$(
        impl Label for $t {
            type Key = $t;
            fn key(&self) -> Option<$t> {
                Some(self.clone())
            }
        }
    )*};
}
plain_labels!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, bool, char, String);

impl<'a> Label for &'a str {
    type Key = &'a str;
    fn key(&self) -> Option<&'a str> {
        Some(self)
    }
}

impl<L: Label> Label for Option<L> {
    type Key = L::Key;
    fn key(&self) -> Option<L::Key> {
        self.as_ref().and_then(L::key)
    }
}

/// The labels of n samples in m base clusterings.
///
/// Labels are canonical: in each clustering, clusters are numbered from 0 in the order of their
/// first occurrence, so two ensembles that differ only in the names of clusters are equal. Labels
/// may be [missing](MISSING).
///
/// A clustering may have a **weight**, which acts as its multiplicity: a clustering of weight 2
/// has the same effect as two copies of it.
///
/// A row of labels may have a **count**: it then stands for as many samples with these labels, see
/// [`with_counts`](Self::with_counts).
///
/// ```
/// use enclust_core::Ensemble;
///
/// let e = Ensemble::from_columns(&[["a", "a", "b"], ["x", "y", "y"]])?;
/// assert_eq!((e.samples(), e.clusterings()), (3, 2));
/// assert_eq!(e.column(1), &[0, 1, 1]);
///
/// let with_gaps = Ensemble::from_rows(&[[Some(1), None], [Some(1), Some(7)]])?;
/// assert!(with_gaps.has_missing());
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ensemble {
    samples: usize,
    /// Column-major, one column per clustering.
    labels: Vec<u32>,
    /// Number of clusters of each clustering.
    clusters: Vec<usize>,
    weights: Option<Vec<f64>>,
    counts: Option<Counts>,
}

impl Ensemble {
    /// From m columns of n labels, one column per base clustering.
    pub fn from_columns<L: Label, C: AsRef<[L]>>(columns: &[C]) -> Result<Self> {
        let samples = checked_length("clustering", columns)?;
        Self::from_keys(samples, columns.len(), |i, k| columns[k].as_ref()[i].key())
    }

    /// From m columns of n labels. Labels for which `missing` is true are missing. Some libraries
    /// write −1 for samples that are in no cluster, for example scikit-learn's `DBSCAN`;
    /// [`from_columns`](Self::from_columns) treats −1 as a cluster.
    ///
    /// ```
    /// use enclust_core::{Ensemble, MISSING};
    ///
    /// let e = Ensemble::from_columns_with_missing(&[[0, 0, -1], [2, 5, 5]], |&label| label == -1)?;
    /// assert_eq!(e.column(0), &[0, 0, MISSING]);
    /// assert_eq!((e.missing(), e.clusters()), (1, &[1, 2][..]));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`from_columns`](Self::from_columns).
    pub fn from_columns_with_missing<L: Label, C: AsRef<[L]>>(
        columns: &[C],
        missing: impl Fn(&L) -> bool,
    ) -> Result<Self> {
        let samples = checked_length("clustering", columns)?;
        let label = |i: usize, k: usize| &columns[k].as_ref()[i];
        Self::from_keys(samples, columns.len(), |i, k| present(label(i, k), &missing))
    }

    /// From n rows of m labels. Labels for which `missing` is true are missing; see
    /// [`from_columns_with_missing`](Self::from_columns_with_missing).
    ///
    /// ```
    /// use enclust_core::Ensemble;
    ///
    /// let e = Ensemble::from_rows_with_missing(&[["a", "?"], ["a", "x"]], |label| *label == "?")?;
    /// assert_eq!((e.missing(), e.clusters()), (1, &[1, 1][..]));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`from_rows`](Self::from_rows).
    pub fn from_rows_with_missing<L: Label, R: AsRef<[L]>>(
        rows: &[R],
        missing: impl Fn(&L) -> bool,
    ) -> Result<Self> {
        let clusterings = checked_length("sample", rows)?;
        let label = |i: usize, k: usize| &rows[i].as_ref()[k];
        Self::from_keys(rows.len(), clusterings, |i, k| present(label(i, k), &missing))
    }

    /// From n rows of m labels, one row per sample.
    pub fn from_rows<L: Label, R: AsRef<[L]>>(rows: &[R]) -> Result<Self> {
        let clusterings = checked_length("sample", rows)?;
        Self::from_keys(rows.len(), clusterings, |i, k| rows[i].as_ref()[k].key())
    }

    /// From a function that returns the label of a sample (first argument) in a clustering
    /// (second argument), or `None` if it is missing.
    pub fn from_keys<K: Eq + Hash>(
        samples: usize,
        clusterings: usize,
        key: impl Fn(usize, usize) -> Option<K>,
    ) -> Result<Self> {
        if samples == 0 || clusterings == 0 {
            return Err(Error::Empty { what: "ensemble" });
        }
        let mut labels = room_for(samples, clusterings)?;
        let mut clusters = Vec::new();
        for k in 0..clusterings {
            let mut numbers: HashMap<K, u32> = HashMap::new();
            for i in 0..samples {
                labels.push(match key(i, k) {
                    None => MISSING,
                    Some(name) => {
                        let next = numbers.len() as u32;
                        *numbers.entry(name).or_insert(next)
                    }
                });
            }
            clusters.push(numbers.len());
        }
        Ok(Ensemble { samples, labels, clusters, weights: None, counts: None })
    }

    /// From numbers of clusters, one clustering after the other, without a copy; [`MISSING`] is a
    /// missing label. Clusters are renumbered by first occurrence.
    ///
    /// ```
    /// use enclust_core::{Ensemble, MISSING};
    ///
    /// let e = Ensemble::from_numbers(3, vec![7, 2, 7, 1, MISSING, 0])?;
    /// assert_eq!(e, Ensemble::from_columns(&[[Some(7), Some(2), Some(7)], [Some(1), None, Some(0)]])?);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without samples or labels, [`Error::Size`] if the clusterings do not have
    /// equal lengths, [`Error::Unsupported`] for 2³² − 1 samples or more.
    pub fn from_numbers(samples: usize, mut labels: Vec<u32>) -> Result<Self> {
        if samples == 0 || labels.is_empty() {
            return Err(Error::Empty { what: "ensemble" });
        }
        let clusterings = labels.len() / samples;
        Error::check_size("labels of the ensemble", clusterings * samples, labels.len())?;
        if samples >= MISSING as usize {
            let what = format!("{samples} samples, which exceed 32-bit indices");
            return Err(Error::unsupported("an ensemble", what));
        }
        let clusters = labels.chunks_exact_mut(samples).map(renumber).collect();
        Ok(Ensemble { samples, labels, clusters, weights: None, counts: None })
    }

    /// The same clusterings with one weight per clustering, from 10⁻⁶ to 10⁶. Multiplicities in
    /// this range can be summed in single precision.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        if weights.len() != self.clusterings() {
            return Err(Error::Size {
                what: "weights of the base clusterings",
                expected: self.clusterings(),
                found: weights.len(),
            });
        }
        if let Some((clustering, &value)) =
            weights.iter().enumerate().find(|(_, w)| !(1e-6..=1e6).contains(*w))
        {
            return Err(Error::Weight { clustering, value });
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// The same rows, each of which occurs as often as its count says. Each row is then as many
    /// samples as its count, in the same cluster of every result: [`samples`](Self::samples) is the
    /// number of rows, which have one label each, and [`total`](Self::total) the number of samples.
    /// Counts of 1 are the same as no counts.
    ///
    /// ```
    /// use enclust_core::Ensemble;
    ///
    /// let rows = Ensemble::from_columns(&[["a", "b"], ["x", "x"]])?.with_counts(&[70, 30])?;
    /// assert_eq!((rows.samples(), rows.total()), (2, 100));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there is not one count per row, [`Error::Count`] for a count of 0,
    /// [`Error::Unsupported`] if the sum exceeds 2⁵³.
    pub fn with_counts(self, counts: &[u64]) -> Result<Self> {
        self.counted(Some(Counts::new(counts)?))
    }

    /// The same with these counts, for example those of another ensemble of the same rows.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there is not one count per row.
    pub fn counted(self, counts: Option<Counts>) -> Result<Self> {
        if let Some(counts) = &counts {
            Error::check_size("counts of the rows", self.samples, counts.of_rows().len())?;
        }
        Ok(Ensemble { counts: counts.filter(|counts| !counts.all_one()), ..self })
    }

    /// The ensemble of the selected clusterings, in the given order. A clustering that is named
    /// twice counts twice.
    pub fn select(&self, clusterings: &[usize]) -> Result<Self> {
        if clusterings.is_empty() {
            return Err(Error::Empty { what: "selection of clusterings" });
        }
        let len = self.clusterings();
        if let Some(&index) = clusterings.iter().find(|&&k| k >= len) {
            return Err(Error::Index { what: "clustering", index, len });
        }
        let mut labels = Vec::with_capacity(self.samples * clusterings.len());
        for &k in clusterings {
            labels.extend_from_slice(self.column(k));
        }
        Ok(Ensemble {
            samples: self.samples,
            labels,
            clusters: clusterings.iter().map(|&k| self.clusters[k]).collect(),
            weights: self.weights.as_ref().map(|w| clusterings.iter().map(|&k| w[k]).collect()),
            counts: self.counts.clone(),
        })
    }

    /// The ensemble whose sample i is sample `order[i]` of this one, with the same weights
    /// and its counts. `order` may omit or repeat samples.
    ///
    /// ```
    /// use enclust_core::Ensemble;
    ///
    /// let e = Ensemble::from_columns(&[["a", "a", "b"]])?;
    /// assert_eq!(e.rearranged(&[2, 0, 1])?, Ensemble::from_columns(&[["b", "a", "a"]])?);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if `order` is empty, [`Error::Index`] for a sample that does not exist.
    pub fn rearranged(&self, order: &[usize]) -> Result<Self> {
        let len = self.samples;
        if let Some(&index) = order.iter().find(|&&i| i >= len) {
            return Err(Error::Index { what: "sample", index, len });
        }
        let moved = Self::from_keys(order.len(), self.clusterings(), |i, k| {
            Some(self.column(k)[order[i]]).filter(|&label| label != MISSING)
        })?;
        let counts = self.counts.as_ref().map(|counts| counts.of_selected(order));
        Ensemble { weights: self.weights.clone(), ..moved }.counted(counts)
    }

    /// Number of samples that have a label of their own, n; with [counts](Self::with_counts), the
    /// number of rows.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Number of samples: the sum of the [counts](Self::with_counts), or one per row without counts.
    pub fn total(&self) -> usize {
        self.counts.as_ref().map_or(self.samples, Counts::total)
    }

    /// The number of samples of each row, in their order: 1 without counts.
    pub fn row_counts(&self) -> impl Iterator<Item = usize> + '_ {
        counts::each(self.counts.as_ref(), self.samples)
    }

    /// How often each row occurs, if rows stand for several samples.
    pub fn counts(&self) -> Option<&Counts> {
        self.counts.as_ref()
    }

    /// Number of base clusterings, m.
    pub fn clusterings(&self) -> usize {
        self.clusters.len()
    }

    /// Canonical labels of one clustering; a missing label is [`MISSING`].
    pub fn column(&self, clustering: usize) -> &[u32] {
        &self.labels[clustering * self.samples..][..self.samples]
    }

    /// Number of clusters of each clustering.
    pub fn clusters(&self) -> &[usize] {
        &self.clusters
    }

    /// Weights of the clusterings, if any were given.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// Whether any label is missing.
    pub fn has_missing(&self) -> bool {
        self.labels.contains(&MISSING)
    }

    /// Number of labels that are missing.
    pub fn missing(&self) -> usize {
        self.labels.iter().filter(|&&label| label == MISSING).count()
    }
}

/// Numbers the clusters of a column by first occurrence and returns how many there are.
fn renumber(column: &mut [u32]) -> usize {
    // Nothing changes in a column whose new numbers are always the next one.
    let mut next = 0;
    let rest = column.iter().position(|&label| {
        let ordered = label == MISSING || label <= next;
        next += u32::from(label == next);
        !ordered
    });
    let Some(rest) = rest else { return next as usize };
    let mut numbers: HashMap<u32, u32> = (0..next).map(|label| (label, label)).collect();
    for label in column[rest..].iter_mut().filter(|label| **label != MISSING) {
        let fresh = numbers.len() as u32;
        *label = *numbers.entry(*label).or_insert(fresh);
    }
    numbers.len()
}

/// The name of the cluster, or `None` if the label is missing.
fn present<L: Label>(label: &L, missing: impl Fn(&L) -> bool) -> Option<L::Key> {
    if missing(label) { None } else { label.key() }
}

/// Allocates memory for all labels. The number of samples must fit in 32 bits.
fn room_for(samples: usize, clusterings: usize) -> Result<Vec<u32>> {
    let mut labels = Vec::new();
    let total = samples.checked_mul(clusterings).filter(|_| samples < MISSING as usize);
    match total.map(|total| labels.try_reserve_exact(total)) {
        Some(Ok(())) => Ok(labels),
        _ => {
            let what = format!(
                "{samples} x {clusterings} labels, which exceed the memory or 32-bit indices"
            );
            Err(Error::unsupported("an ensemble", what))
        }
    }
}

/// The length of the first line; an error if another line has a different length.
fn checked_length<L, C: AsRef<[L]>>(what: &'static str, lines: &[C]) -> Result<usize> {
    let expected = lines.first().map_or(0, |line| line.as_ref().len());
    if expected == 0 {
        return Err(Error::Empty { what: "ensemble" });
    }
    match lines.iter().position(|line| line.as_ref().len() != expected) {
        Some(index) => {
            Err(Error::Ragged { what, index, expected, found: lines[index].as_ref().len() })
        }
        None => Ok(expected),
    }
}
