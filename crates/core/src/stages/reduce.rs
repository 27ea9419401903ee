//! The stage that reduces the label rows of large ensembles.

use std::collections::HashMap;

use crate::data::ensemble::MISSING;
use crate::data::microclusters::Microclusters;
use crate::error::{Error, Result};
use crate::memory::{Bytes, Footprint, Shape};
use crate::numbers::real::Real;
use crate::run::context::Ctx;
use crate::run::report::ReductionReport;
use crate::stages::component::{Component, forward};

/// The size of a run, from which a [`Reduce`] part decides how many label rows are left.
///
/// It depends on the data and on the parts of the run alone, never on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunSize {
    /// Number of distinct label rows, n'.
    pub groups: usize,
    /// Whether the later stages hold a value for every pair of rows.
    pub all_pairs: bool,
}

impl RunSize {
    /// A run of this many distinct label rows.
    pub fn new(groups: usize, all_pairs: bool) -> Self {
        RunSize { groups, all_pairs }
    }
}

/// Replaces the distinct label rows of an ensemble by fewer representative rows.
///
/// The samples of a row follow the row, so sizes add up. All later stages run on the representative
/// rows, unchanged and exact. A reduction that leaves all rows is the identity.
pub trait Reduce<S: Real>: Component {
    /// The largest number of rows that may be left in a run of this size; `None` if all rows stay.
    /// The answer is `None` for the number that it returns, so that a reduced run is not reduced
    /// again.
    fn rows(&self, size: RunSize) -> Option<usize>;

    /// Replaces the rows by at most `rows` representative rows. [`Reduced::new`] makes the result.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] if the run is to end, and errors of the part itself.
    fn reduce(
        &self,
        microclusters: &Microclusters,
        rows: usize,
        ctx: &Ctx<'_, S>,
    ) -> Result<Reduced>;

    /// Upper bound on the memory that [`reduce`](Self::reduce) allocates. If less is available, the
    /// run returns an error.
    ///
    /// The default is the representative rows, a new group for each sample and each row, and the
    /// same amount as working memory.
    fn footprint(&self, shape: &Shape, rows: usize) -> Footprint {
        let result = Reduced::bytes(shape, rows);
        Footprint::new(result, result)
    }
}

forward!(Reduce<S> {
    fn rows(&self, size: RunSize) -> Option<usize>;
    fn reduce(
        &self,
        microclusters: &Microclusters,
        rows: usize,
        ctx: &Ctx<'_, S>,
    ) -> Result<Reduced>;
    fn footprint(&self, shape: &Shape, rows: usize) -> Footprint;
});

/// The identity: all rows stay.
///
/// ```
/// use enclust_core::{NoReduction, Reduce, RunSize};
///
/// assert_eq!(Reduce::<f64>::rows(&NoReduction, RunSize::new(1_000_000, true)), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoReduction;

impl Component for NoReduction {
    fn name(&self) -> &str {
        "none"
    }
}

impl<S: Real> Reduce<S> for NoReduction {
    fn rows(&self, _: RunSize) -> Option<usize> {
        None
    }

    fn reduce(&self, microclusters: &Microclusters, _: usize, _: &Ctx<'_, S>) -> Result<Reduced> {
        let report = ReductionReport::unchanged(microclusters.len());
        Ok(Reduced { microclusters: microclusters.clone(), report, refine_by: None })
    }

    fn footprint(&self, _: &Shape, _: usize) -> Footprint {
        Footprint::new(Bytes(0), Bytes(0))
    }
}

/// The result of a reduction.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reduced {
    /// The representative rows. Each has the samples of the rows that it stands for.
    pub microclusters: Microclusters,
    /// Report on the reduction.
    pub report: ReductionReport,
    /// One weight per base cluster, numbered through all clusterings, if the samples are to be
    /// refined after a cut: each sample then moves to the cluster to which its own label row has
    /// the highest mean similarity by these weights.
    pub refine_by: Option<Vec<f64>>,
}

impl Reduced {
    /// From the representative of each row of `microclusters` and the labels of the
    /// representatives, one after the other with one label per clustering.
    ///
    /// Representatives with equal labels are merged, and those without rows are left out.
    ///
    /// ```
    /// use enclust_core::{Ensemble, Microclusters, Reduced};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 1, 2, 2]])?;
    /// let rows = Microclusters::of(&e);
    /// assert_eq!(rows.len(), 3);
    /// // The first two rows, (0, 0) and (0, 1), are both represented by (0, 0).
    /// let reduced = Reduced::new("mine", &rows, &[0, 0, 1], &[0, 0, 1, 2])?;
    /// assert_eq!(reduced.microclusters.grouping().sizes(), [2, 2]);
    /// // One of eight labels has changed.
    /// assert_eq!(reduced.report.labels_changed, 0.125);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there is not one representative per row or not one label per clustering;
    /// [`Error::Index`] for a representative or a cluster that does not exist.
    pub fn new(
        component: &str,
        microclusters: &Microclusters,
        representative: &[u32],
        labels: &[u32],
    ) -> Result<Self> {
        let m = microclusters.clusterings();
        Error::check_size("representatives of rows", microclusters.len(), representative.len())?;
        Error::check_size(
            "labels of representatives",
            labels.len().next_multiple_of(m),
            labels.len(),
        )?;
        let rows: Vec<&[u32]> = labels.chunks_exact(m).collect();
        check_labels(microclusters, &rows)?;
        let len = rows.len();
        if let Some(&index) = representative.iter().find(|&&r| r as usize >= len) {
            return Err(Error::Index { what: "representative", index: index as usize, len });
        }
        let (groups, kept) = numbered(representative, &rows);
        let labels_changed = share_changed(microclusters, representative, &rows);
        let kept: Vec<&[u32]> = kept.into_iter().map(|r| rows[r as usize]).collect();
        let reduced = microclusters.merged(&groups, &kept)?;
        let report = ReductionReport {
            component: component.to_string(),
            from: microclusters.len(),
            to: reduced.len(),
            labels_changed,
            unmatched: 0,
            change: None,
        };
        Ok(Reduced { microclusters: reduced, report, refine_by: None })
    }

    /// The same, with samples that were matched with no representative.
    pub fn with_unmatched(mut self, samples: usize) -> Self {
        self.report.unmatched = samples;
        self
    }

    /// The same, with weights of the base clusters by which samples are refined.
    pub fn refined_by(self, weights: Option<Vec<f64>>) -> Self {
        Reduced { refine_by: weights, ..self }
    }

    /// The memory of the result in a run of this shape with this many representative rows.
    pub fn bytes(shape: &Shape, rows: usize) -> Bytes {
        let labels = Bytes(rows as u64) * shape.clusterings as u64 * size_of::<u32>() as u64;
        shape.each_sample(size_of::<u32>())
            + shape.each_group(2 * size_of::<u32>())
            + labels * 2
            + Bytes(rows as u64) * 64
    }
}

/// Returns an error if a representative has a cluster that does not exist.
fn check_labels(microclusters: &Microclusters, rows: &[&[u32]]) -> Result<()> {
    for row in rows {
        for (&label, &len) in row.iter().zip(microclusters.clusters()) {
            if label != MISSING && label as usize >= len {
                return Err(Error::Index { what: "cluster", index: label as usize, len });
            }
        }
    }
    Ok(())
}

/// The group of each row, numbered by first occurrence, and the representative of each group.
/// Representatives with equal labels are one group.
fn numbered(representative: &[u32], rows: &[&[u32]]) -> (Vec<u32>, Vec<u32>) {
    let mut by_labels: HashMap<&[u32], u32> = HashMap::new();
    let mut number = vec![u32::MAX; rows.len()];
    let mut kept = Vec::new();
    let mut group_of = |r: u32| {
        let at = &mut number[r as usize];
        if *at == u32::MAX {
            *at = *by_labels.entry(rows[r as usize]).or_insert_with(|| {
                kept.push(r);
                kept.len() as u32 - 1
            });
        }
        *at
    };
    let groups = representative.iter().map(|&r| group_of(r)).collect();
    (groups, kept)
}

/// The share of the labels of all samples that differ from those of their representatives.
fn share_changed(microclusters: &Microclusters, representative: &[u32], rows: &[&[u32]]) -> f64 {
    let sizes = microclusters.grouping().sizes();
    let mut changed = 0.0;
    for k in 0..microclusters.clusterings() {
        let column = microclusters.column(k).iter().zip(representative).zip(sizes);
        let differs = column.filter(|((label, r), _)| rows[**r as usize][k] != **label);
        changed += differs.map(|(_, &size)| size as f64).sum::<f64>();
    }
    let samples: f64 = sizes.iter().map(|&size| size as f64).sum();
    changed / (samples * microclusters.clusterings() as f64)
}
