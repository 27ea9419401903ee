//! Microclusters: samples that no base clustering separates.

use std::sync::Arc;

use crate::data::distinct::{distinct_rows, extra_bytes};
use crate::data::ensemble::{Ensemble, MISSING};
use crate::data::grouping::Grouping;
use crate::error::{Error, Result};
use crate::evidence::similarity::Similarity;
use crate::memory::{Bytes, Footprint};
use crate::numbers::condensed::Condensed;
use crate::numbers::real::Real;

/// The distinct label rows of an ensemble.
///
/// Samples with identical rows of labels form a microcluster, where a missing label counts as a
/// symbol of its own. A sample without any label is its own microcluster. Rows with
/// [counts](Ensemble::with_counts) add these to the sizes. All later stages run on
/// the n' microclusters, which gives the same result as on the samples (T2 in `docs/theory.md`).
///
/// ```
/// use enclust_core::{Ensemble, Microclusters};
///
/// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 0, 1]])?;
/// let m = Microclusters::of(&e);
/// assert_eq!(m.len(), 3);
/// assert_eq!(m.grouping().sizes(), &[2, 1, 1]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Microclusters {
    grouping: Arc<Grouping>,
    /// Column-major, one column per clustering, one entry per microcluster.
    labels: Vec<u32>,
    clusters: Vec<usize>,
    weights: Option<Vec<f64>>,
    has_missing: bool,
}

impl Microclusters {
    /// The microclusters of an ensemble.
    pub fn of(ensemble: &Ensemble) -> Self {
        let map = distinct_rows(ensemble);
        let grouping = Grouping::from_map(map).expect("numbered by first occurrence");
        Self::with_grouping(ensemble, grouping)
    }

    /// Upper bound on the memory for computing this many groups from this many samples.
    pub(crate) fn footprint(samples: usize, clusterings: usize, groups: usize) -> Footprint {
        let labels = |rows: usize| Bytes(rows as u64) * clusterings as u64 * 4;
        let each = |count: usize, bytes: usize| Bytes(count as u64) * bytes as u64;
        // Sizes and first members grow while groups are found.
        let grouping = each(samples, size_of::<u32>()) + each(groups, 4 * size_of::<usize>());
        Footprint::new(
            grouping + labels(groups) + each(clusterings, 16),
            extra_bytes(samples, groups),
        )
    }

    /// Every sample as its own group, independent of its label row: the n × n view, for reference
    /// implementations and for similarities that differ within a microcluster.
    pub fn singletons(ensemble: &Ensemble) -> Self {
        Self::with_grouping(ensemble, Grouping::singletons(ensemble.samples()))
    }

    /// From the labels of the groups, one column per clustering. The cluster numbers are kept:
    /// they need not be in the order of first occurrence, and a number may be unused. [`MISSING`]
    /// is a missing label.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use enclust_core::{Grouping, MISSING, Microclusters};
    ///
    /// let grouping = Arc::new(Grouping::from_map(vec![0, 0, 1])?);
    /// let m = Microclusters::from_columns(grouping, &[[4, 2], [0, MISSING]])?;
    /// assert_eq!((m.len(), m.clusters()), (2, &[5, 1][..]));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if there are no columns, [`Error::Ragged`] if a column does not have one
    /// label per group.
    pub fn from_columns<C: AsRef<[u32]>>(grouping: Arc<Grouping>, columns: &[C]) -> Result<Self> {
        if columns.is_empty() {
            return Err(Error::Empty { what: "ensemble" });
        }
        let expected = grouping.len();
        let mut labels = Vec::with_capacity(expected * columns.len());
        let mut clusters = Vec::with_capacity(columns.len());
        for (index, column) in columns.iter().enumerate() {
            let column = column.as_ref();
            if column.len() != expected {
                let (what, found) = ("clustering", column.len());
                return Err(Error::Ragged { what, index, expected, found });
            }
            let largest = column.iter().filter(|&&label| label != MISSING).max();
            clusters.push(largest.map_or(0, |&label| label as usize + 1));
            labels.extend_from_slice(column);
        }
        let has_missing = labels.contains(&MISSING);
        Ok(Microclusters { grouping, labels, clusters, weights: None, has_missing })
    }

    fn with_grouping(ensemble: &Ensemble, grouping: Grouping) -> Self {
        let counted = grouping.with_counts(ensemble.counts().cloned());
        let grouping = Arc::new(counted.expect("the ensemble has one count per row"));
        let mut labels = Vec::with_capacity(grouping.len() * ensemble.clusterings());
        for k in 0..ensemble.clusterings() {
            let column = ensemble.column(k);
            labels.extend(grouping.first_members().iter().map(|&i| column[i]));
        }
        Microclusters {
            grouping,
            has_missing: labels.contains(&MISSING),
            labels,
            clusters: ensemble.clusters().to_vec(),
            weights: ensemble.weights().map(<[f64]>::to_vec),
        }
    }

    /// Coarser groups with representative rows: row p becomes part of group `parents[p]`, which has
    /// the labels `rows[parents[p]]`. Clusters keep their numbers, and some may be left without a
    /// row. The groups must be numbered in the order of their first rows.
    pub(crate) fn merged(&self, parents: &[u32], rows: &[&[u32]]) -> Result<Self> {
        let grouping = Arc::new(self.grouping.merged(parents)?);
        Error::check_size("representative rows", grouping.len(), rows.len())?;
        let column = |k: usize| rows.iter().map(move |row| row[k]);
        let labels: Vec<u32> = (0..self.clusterings()).flat_map(column).collect();
        let has_missing = labels.contains(&MISSING);
        let (clusters, weights) = (self.clusters.clone(), self.weights.clone());
        Ok(Microclusters { grouping, labels, clusters, weights, has_missing })
    }

    /// The same rows over a finer grouping. Each group of the finer grouping must be contained in
    /// one microcluster.
    pub fn refined(&self, finer: &Arc<Grouping>) -> Result<Self> {
        let parent = self.grouping.parents(finer, |sample| {
            let what = format!(
                "a similarity that groups sample {sample} with a sample of another label row"
            );
            Error::unsupported("the ensemble", what)
        })?;
        let mut labels = Vec::with_capacity(finer.len() * self.clusterings());
        for k in 0..self.clusterings() {
            let column = self.column(k);
            labels.extend(parent.iter().map(|&p| column[p as usize]));
        }
        Ok(Microclusters { grouping: Arc::clone(finer), labels, ..self.clone() })
    }

    /// Number of microclusters, n'.
    pub fn len(&self) -> usize {
        self.grouping.len()
    }

    /// Whether there are none (never true).
    pub fn is_empty(&self) -> bool {
        self.grouping.is_empty()
    }

    /// The groups of samples, with their sizes.
    pub fn grouping(&self) -> &Arc<Grouping> {
        &self.grouping
    }

    /// Number of base clusterings, m.
    pub fn clusterings(&self) -> usize {
        self.clusters.len()
    }

    /// Number of clusters of each base clustering.
    pub fn clusters(&self) -> &[usize] {
        &self.clusters
    }

    /// Weight of a base clustering; 1 if no weights were given.
    pub fn weight(&self, clustering: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[clustering])
    }

    /// Weights of the clusterings, if any were given.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The same rows with other weights of the clusterings, for a representation that weighs them
    /// by itself. A weight may be 0.
    ///
    /// ```
    /// use enclust_core::{Ensemble, Microclusters};
    ///
    /// let m = Microclusters::of(&Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]])?);
    /// assert_eq!(m.reweighted(vec![1.0, 0.5])?.total_weight(), 1.5);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there is not one weight per clustering, [`Error::Unsupported`] for a
    /// weight that is negative or not finite.
    pub fn reweighted(&self, weights: Vec<f64>) -> Result<Self> {
        Error::check_size("weights of the clusterings", self.clusterings(), weights.len())?;
        if let Some(w) = weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
            return Err(Error::unsupported("the ensemble", format!("the weight {w}")));
        }
        Ok(Microclusters { weights: Some(weights), ..self.clone() })
    }

    /// Sum of the weights; m if no weights were given.
    pub fn total_weight(&self) -> f64 {
        (0..self.clusterings()).map(|k| self.weight(k)).sum()
    }

    /// Whether any label is missing.
    pub fn has_missing(&self) -> bool {
        self.has_missing
    }

    /// Returns an error if labels are missing, for a component that does not support missing
    /// labels.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if a label is missing.
    pub fn require_complete(&self, component: &str) -> Result<()> {
        if !self.has_missing {
            return Ok(());
        }
        let missing = |p: usize| (0..self.clusterings()).find(|&k| self.label(p, k) == MISSING);
        let firsts = self.grouping.first_members().iter().enumerate();
        match firsts.filter_map(|(p, sample)| Some((missing(p)?, sample))).next() {
            Some((k, sample)) => {
                let (k, sample) = (k + 1, sample + 1);
                let place = format!("clustering {k} has none for sample {sample}, counted from 1");
                Err(Error::unsupported(component, format!("missing labels: {place}")))
            }
            None => Ok(()),
        }
    }

    /// Returns an error if a weight is not 1, for a component that does not support weights.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if a base clustering has a weight other than 1.
    pub fn require_unweighted(&self, component: &str) -> Result<()> {
        if self.weights().is_some_and(|weights| weights.iter().any(|&w| w != 1.0)) {
            return Err(Error::unsupported(component, "weights of clusterings"));
        }
        Ok(())
    }

    /// Returns an error if rows stand for several samples, for a component that reads one row per
    /// sample.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the rows have [counts](Ensemble::with_counts).
    pub fn require_uncounted(&self, component: &str) -> Result<()> {
        match self.grouping.counts() {
            None => Ok(()),
            Some(_) => Err(Error::unsupported(component, "rows with counts; repeat the rows")),
        }
    }

    /// The labels of all samples as an ensemble, with clusters numbered by first occurrence.
    ///
    /// ```
    /// use enclust_core::{Ensemble, Microclusters};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 0, 1]])?;
    /// assert_eq!(Microclusters::of(&e).to_ensemble(), e);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn to_ensemble(&self) -> Ensemble {
        let map = self.grouping.map();
        let label = |i: usize, k: usize| self.label(map[i] as usize, k);
        let key = |i, k| Some(label(i, k)).filter(|&label| label != MISSING);
        let made = Ensemble::from_keys(map.len(), self.clusterings(), key);
        let ensemble = made.expect("there are samples and clusterings");
        let counted = ensemble.counted(self.grouping.counts().cloned());
        let ensemble = counted.expect("one count per row");
        match &self.weights {
            Some(weights) => ensemble.with_weights(weights.clone()).expect("checked before"),
            None => ensemble,
        }
    }

    /// Labels of the microclusters in one clustering.
    pub fn column(&self, clustering: usize) -> &[u32] {
        &self.labels[clustering * self.len()..][..self.len()]
    }

    /// Label of one microcluster in one clustering.
    pub fn label(&self, p: usize, clustering: usize) -> u32 {
        self.labels[clustering * self.len() + p]
    }

    /// The index of the first cluster of each clustering if the clusters of all clusterings are
    /// numbered consecutively; the last entry is the total number of clusters.
    pub fn cluster_offsets(&self) -> Vec<usize> {
        let mut offsets = vec![0];
        for &c in &self.clusters {
            offsets.push(offsets[offsets.len() - 1] + c);
        }
        offsets
    }

    /// Number of samples in each base cluster, with clusters numbered consecutively over all
    /// clusterings.
    pub fn cluster_sizes(&self) -> Vec<usize> {
        let offsets = self.cluster_offsets();
        let mut sizes = vec![0; offsets[self.clusterings()]];
        for (k, &offset) in offsets[..self.clusterings()].iter().enumerate() {
            for (&label, &r) in self.column(k).iter().zip(self.grouping.sizes()) {
                if label != MISSING {
                    sizes[offset + label as usize] += r;
                }
            }
        }
        sizes
    }

    /// For every q > p, adds to `out` the sum of `value(k)` over the clusterings k that put p and
    /// q into one cluster (`out[0]` is for q = p + 1).
    ///
    /// This is the inner loop of every co-association matrix.
    pub fn add_agreement<S: Real>(&self, p: usize, value: impl Fn(usize) -> S, out: &mut [S]) {
        self.add_agreement_from(p + 1, p, value, out);
    }

    /// The same for every group q, including p itself.
    pub fn add_agreement_with_all<S: Real>(
        &self,
        p: usize,
        value: impl Fn(usize) -> S,
        out: &mut [S],
    ) {
        self.add_agreement_from(0, p, value, out);
    }

    fn add_agreement_from<S: Real>(
        &self,
        first: usize,
        p: usize,
        value: impl Fn(usize) -> S,
        out: &mut [S],
    ) {
        for k in 0..self.clusterings() {
            let column = self.column(k);
            let label = column[p];
            if label == MISSING {
                continue;
            }
            let v = value(k);
            for (o, &other) in out.iter_mut().zip(&column[first..]) {
                *o += if other == label { v } else { S::zero() };
            }
        }
    }

    /// For every q > p, divides `out` by the total weight of the clusterings that label both p
    /// and q. A pair without such a clustering gets 0. The dividend is a weighted sum of numbers
    /// up to 1; the quotient is limited to 1, which rounding could exceed, and is rounded once.
    pub fn divide_by_common<S: Real>(&self, p: usize, out: &mut [S]) {
        self.divide_by_common_from(p + 1, p, out);
    }

    fn divide_by_common_from<S: Real>(&self, first: usize, p: usize, out: &mut [S]) {
        if !self.has_missing {
            let total = S::of(self.total_weight());
            out.iter_mut().for_each(|o| *o = (*o / total).min(S::one()));
            return;
        }
        let mut common = vec![S::zero(); out.len()];
        for k in (0..self.clusterings()).filter(|&k| self.label(p, k) != MISSING) {
            let v = S::of(self.weight(k));
            for (c, &other) in common.iter_mut().zip(&self.column(k)[first..]) {
                *c += if other != MISSING { v } else { S::zero() };
            }
        }
        for (o, &c) in out.iter_mut().zip(&common) {
            *o = if c > S::zero() { (*o / c).min(S::one()) } else { S::zero() };
        }
    }

    /// The co-occurrence Ã of p with every q > p: the share of the clusterings that put both into
    /// one cluster, among those that label both.
    pub fn co_occurrence<S: Real>(&self, p: usize, out: &mut [S]) {
        out.fill(S::zero());
        self.add_agreement(p, |k| S::of(self.weight(k)), out);
        self.divide_by_common(p, out);
    }

    /// The same for every group q, including p itself. The values are those of
    /// [`co_occurrence`](Self::co_occurrence) in every bit.
    ///
    /// ```
    /// use enclust_core::{Ensemble, Microclusters};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 0, 1]])?;
    /// let mut row = [0.0; 3];
    /// Microclusters::of(&e).co_occurrence_with_all(1, &mut row);
    /// assert_eq!(row, [0.5, 1.0, 0.5]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn co_occurrence_with_all<S: Real>(&self, p: usize, out: &mut [S]) {
        out.fill(S::zero());
        self.add_agreement_with_all(p, |k| S::of(self.weight(k)), out);
        self.divide_by_common_from(0, p, out);
    }

    /// A co-association matrix in which a base cluster adds `value(clustering, label)`, a number
    /// in [0, 1], for every pair of samples in it. The entry is the weighted mean over the
    /// clusterings that label both samples. Self-similarities are 1.
    ///
    /// If the value is 1 for every cluster, the result is plain co-association.
    ///
    /// ```
    /// use enclust_core::{Ensemble, Microclusters, Similarity};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 0, 1]])?;
    /// let s: Similarity<f64> = Microclusters::of(&e).co_association(|k, _| [1.0, 0.5][k])?;
    /// assert_eq!(s.condensed(), [0.25, 0.0, 0.5]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Entry`] if values outside [0, 1] give an entry outside [0, 1].
    pub fn co_association<S: Real>(
        &self,
        value: impl Fn(usize, u32) -> f64 + Sync,
    ) -> Result<Similarity<S>> {
        let worth = |p: usize, k: usize| self.weight(k) * value(k, self.label(p, k));
        let between = Condensed::filled(self.len(), |p, row| {
            self.add_agreement(p, |k| S::of(worth(p, k)), row);
            self.divide_by_common(p, row);
        });
        let within = |p: usize| {
            let labelled = (0..self.clusterings()).filter(|&k| self.label(p, k) != MISSING);
            let (sum, weight) =
                (labelled.map(|k| worth(p, k)).sum::<f64>(), self.labelled_weight(p));
            S::of(if weight > 0.0 { (sum / weight).min(1.0) } else { 0.0 })
        };
        let own = vec![S::one(); self.len()];
        let within = (0..self.len()).map(within).collect();
        Similarity::new(Arc::clone(&self.grouping), between.into_values(), within, own)
    }

    /// Total weight of the clusterings that label p.
    pub fn labelled_weight(&self, p: usize) -> f64 {
        (0..self.clusterings())
            .filter(|&k| self.label(p, k) != MISSING)
            .map(|k| self.weight(k))
            .sum()
    }
}
