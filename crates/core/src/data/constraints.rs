//! User constraints: pairs that belong together and pairs that do not.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::data::grouping::Grouping;
use crate::data::partition::Partition;
use crate::error::{Error, Result};
use crate::evidence::similarity::Similarity;
use crate::numbers::csr::Csr;
use crate::numbers::real::Real;
use crate::stages::confident::Confident;

type Pair = (usize, usize);

/// Must-link and cannot-link pairs of samples without contradictions.
///
/// # Meaning
///
/// Must-links apply to the labels: after a cut, all samples that must-links connect get the label,
/// among theirs, of the cluster to which they are most similar on average. They do not enter the
/// enhancement. There, one pair that connects two components of the confident pairs would join all
/// their samples (section 3.5 of `docs/theory.md`).
///
/// Cannot-links apply to the similarity: the entry of the pair is fixed to 0, and an enhancement
/// propagates this to other pairs. This overrides the values that the confident pairs fix. Only
/// the given pairs are fixed, not pairs that follow from them. The labels may still violate some
/// cannot-links; [`Outcome`](crate::Outcome) counts the violations.
///
/// [Enforced](Constraints::enforced) constraints, must-links and cannot-links, are satisfied by all
/// labels.
///
/// # Use
///
/// Pass them to [`Pipeline::with_constraints`](crate::Pipeline::with_constraints). A custom
/// method [splits](Constraints::split) the groups and [fixes](Constraints::fix) the entries
/// before the enhancement. [`Fit::cut`](crate::Fit::cut) [relabels](Constraints::relabelled).
///
/// # Complexity
///
/// n' increases by at most the number of distinct samples in the pairs (section 3.5 of
/// `docs/theory.md`). The check for contradictions is linear in the number of samples and pairs.
///
/// # Errors
///
/// [`Error::Index`] for a sample that does not exist, [`Error::SelfPair`] for a sample paired
/// with itself, [`Error::Contradiction`] for a cannot-link pair that must-links join, directly or
/// through other samples. Repeated and reversed pairs count as one pair.
///
/// # Example
///
/// ```
/// use enclust_core::{Constraints, Partition, Violations};
///
/// let c = Constraints::new(5, &[(0, 1), (1, 0), (1, 2)], &[(2, 4)])?;
/// let labels = Partition::from_labels([0, 0, 1, 1, 1]);
/// assert_eq!(c.violations(&labels), Violations::new(1, 1));
///
/// let error = Constraints::new(5, &[(0, 1), (1, 2)], &[(2, 0)]).unwrap_err();
/// assert_eq!(error.to_string(), "samples 2 and 0 are a cannot-link pair, but must-links join them: 2 - 1 - 0");
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Reference
///
/// K. Wagstaff, C. Cardie, "Clustering with instance-level constraints", ICML 2000.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraints {
    samples: usize,
    must_link: Vec<Pair>,
    cannot_link: Vec<Pair>,
    enforced: bool,
}

/// The number of constraints that a partition violates. Each pair counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Violations {
    /// Must-link pairs with different labels.
    pub must_link: usize,
    /// Cannot-link pairs with the same label.
    pub cannot_link: usize,
}

impl Violations {
    /// A count with this many violated pairs of each kind.
    pub fn new(must_link: usize, cannot_link: usize) -> Self {
        Violations { must_link, cannot_link }
    }
}

impl Constraints {
    /// Checks the pairs. [`Constraints`] lists the errors.
    pub fn new(samples: usize, must_link: &[Pair], cannot_link: &[Pair]) -> Result<Self> {
        let constraints = Constraints {
            samples,
            must_link: checked(samples, must_link)?,
            cannot_link: checked(samples, cannot_link)?,
            enforced: false,
        };
        let (graph, component) = (constraints.must_link_graph(), constraints.components());
        // The pair is kept as given, so that the message shows it as the user wrote it.
        match cannot_link.iter().find(|&&(i, j)| component[i] == component[j]) {
            Some(&pair) => Err(Error::Contradiction { pair, chain: chain(&graph, pair) }),
            None => Ok(constraints),
        }
    }

    /// Number of samples to which the constraints refer.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.must_link.is_empty() && self.cannot_link.is_empty()
    }

    /// The must-link pairs in ascending order without repetitions, smaller sample first.
    pub fn must_link(&self) -> &[(usize, usize)] {
        &self.must_link
    }

    /// The cannot-link pairs in ascending order without repetitions, smaller sample first.
    pub fn cannot_link(&self) -> &[(usize, usize)] {
        &self.cannot_link
    }

    /// The same constraints, which every partition of a [`Fit`](crate::Fit) must satisfy: a cut is
    /// [relabelled](Self::relabelled) until it satisfies the cannot-links, too.
    pub fn enforced(self) -> Self {
        Constraints { enforced: true, ..self }
    }

    /// Whether every partition must satisfy the constraints.
    pub fn is_enforced(&self) -> bool {
        self.enforced
    }

    /// For each sample, the number of the component of the must-links that it belongs to. A sample
    /// without must-links is a component of its own.
    pub(crate) fn components(&self) -> Vec<usize> {
        self.must_link_graph().components()
    }

    /// Counts the constraints that the partition violates.
    ///
    /// # Panics
    ///
    /// If the partition has fewer samples than the constraints.
    pub fn violations(&self, partition: &Partition) -> Violations {
        let [must_link, cannot_link] = self.broken(partition).map(|pairs| pairs.len());
        Violations { must_link, cannot_link }
    }

    /// The must-link pairs and the cannot-link pairs that the partition violates.
    ///
    /// ```
    /// use enclust_core::{Constraints, Partition};
    ///
    /// let c = Constraints::new(4, &[(0, 1)], &[(2, 3)])?;
    /// let [must_link, cannot_link] = c.broken(&Partition::from_labels([0, 1, 2, 2]));
    /// assert_eq!((must_link, cannot_link), (vec![(0, 1)], vec![(2, 3)]));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the partition has fewer samples than the constraints.
    pub fn broken(&self, partition: &Partition) -> [Vec<(usize, usize)>; 2] {
        let labels = partition.labels();
        let broken = |pairs: &[Pair], together: bool| {
            let is_broken = |&(i, j): &Pair| (labels[i] == labels[j]) != together;
            pairs.iter().copied().filter(is_broken).collect()
        };
        [broken(&self.must_link, true), broken(&self.cannot_link, false)]
    }

    /// The grouping with every sample of a cannot-link in its own group; the other samples of a
    /// group stay together. Returns the same `Arc` if all these samples are already alone.
    pub fn split(&self, grouping: &Arc<Grouping>) -> Result<Arc<Grouping>> {
        self.check_samples(grouping.samples())?;
        if self.kept_apart().all(|i| grouping.is_alone(i)) {
            return Ok(Arc::clone(grouping));
        }
        let mut alone = vec![false; self.samples];
        self.kept_apart().for_each(|i| alone[i] = true);
        // The group of the remaining samples, for each old group of which one has been seen.
        let mut stay = vec![None; grouping.len()];
        let mut groups = 0;
        let map = grouping.map().iter().zip(alone).map(|(&old, alone)| {
            let fresh = groups;
            let group = if alone { fresh } else { *stay[old as usize].get_or_insert(fresh) };
            groups += u32::from(group == fresh);
            group
        });
        let split = Grouping::from_map(map.collect())?;
        Ok(Arc::new(split.with_counts(grouping.counts().cloned())?))
    }

    /// Adds the cannot-links to the fixed entries, with value 0, and overrides existing values. H
    /// does not change.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if a sample of a cannot-link is not alone in its group; see
    /// [`Constraints::split`].
    pub fn fix<S: Real>(&self, grouping: &Grouping, confident: &mut Confident<S>) -> Result<()> {
        confident.fix(self.zeros(grouping)?)
    }

    /// The similarity with the entries of cannot-links set to exactly 0. An iterate that was
    /// stopped early has this value only to within some percent.
    pub(crate) fn imposed_on<S: Real>(&self, similarity: Similarity<S>) -> Result<Similarity<S>> {
        let entries = self.zeros(similarity.grouping())?;
        Ok(if entries.is_empty() { similarity } else { similarity.with_entries(entries) })
    }

    /// [`Error::Size`] if the constraints are for another number of samples.
    pub(crate) fn check_samples(&self, samples: usize) -> Result<()> {
        Error::check_size("samples of the constraints", samples, self.samples)
    }

    /// (group, group, 0) of every cannot-link.
    fn zeros<S: Real>(&self, grouping: &Grouping) -> Result<Vec<(usize, usize, S)>> {
        self.check_samples(grouping.samples())?;
        if let Some(i) = self.kept_apart().find(|&i| !grouping.is_alone(i)) {
            let what = format!(
                "a cannot-link of sample {i}, which is not alone in its group; split the groups"
            );
            return Err(Error::unsupported("the grouping", what));
        }
        let group = |i: usize| grouping.map()[i] as usize;
        Ok(self.cannot_link.iter().map(|&(i, j)| (group(i), group(j), S::zero())).collect())
    }

    /// The samples of the cannot-links, possibly with repetitions.
    pub(crate) fn kept_apart(&self) -> impl Iterator<Item = usize> + '_ {
        self.cannot_link.iter().flat_map(|&(i, j)| [i, j])
    }

    fn must_link_graph(&self) -> Csr<f64> {
        let mut upper = vec![Vec::new(); self.samples];
        for &(i, j) in &self.must_link {
            upper[i].push((j as u32, 1.0));
        }
        Csr::symmetric_from_upper(upper)
    }
}

/// The pairs in ascending order without repetitions, smaller sample first.
fn checked(samples: usize, pairs: &[Pair]) -> Result<Vec<Pair>> {
    let mut out = Vec::with_capacity(pairs.len());
    for &(i, j) in pairs {
        if let Some(index) = [i, j].into_iter().find(|&s| s >= samples) {
            return Err(Error::Index { what: "sample", index, len: samples });
        }
        if i == j {
            return Err(Error::SelfPair { what: "sample", index: i });
        }
        out.push((i.min(j), i.max(j)));
    }
    out.sort_unstable();
    out.dedup();
    Ok(out)
}

/// The shortest path between two samples of one component, including both ends.
fn chain(graph: &Csr<f64>, (from, to): Pair) -> Vec<usize> {
    let mut next = vec![None; graph.rows()];
    // The search starts at the end, so that the path is in forward order.
    next[to] = Some(to);
    let mut queue = VecDeque::from([to]);
    while let Some(i) = queue.pop_front().filter(|_| next[from].is_none()) {
        for (j, _) in graph.iter_row(i) {
            if next[j].is_none() {
                next[j] = Some(i);
                queue.push_back(j);
            }
        }
    }
    let step = |&i: &usize| if i == to { None } else { next[i] };
    std::iter::successors(Some(from), step).collect()
}
