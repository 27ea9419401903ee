//! What the user knows: pairs that belong together, and pairs that do not.

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

/// Must-link and cannot-link pairs of samples, free of contradictions.
///
/// **Meaning.** They bind the matrix, not the labels: the entry of a must-link pair
/// is fixed to 1 in the enhanced similarity, that of a cannot-link pair to 0, and the
/// enhancement carries this on to other pairs. They override what the confident pairs
/// fix, add no edge to H, and only the pairs given are fixed, not what follows from
/// them. The labels may still break some; [`Outcome`](crate::Outcome) counts how many.
///
/// **Use.** [`Pipeline::with_constraints`](crate::Pipeline::with_constraints). A
/// method of your own [splits](Constraints::split) the groups and [fixes](Constraints::fix)
/// the entries before it enhances.
///
/// **Complexity.** n' grows by the number of distinct samples in the pairs at most
/// (section 3.5 of `docs/theory.md`); the check for contradictions is linear in
/// samples and pairs.
///
/// **Errors.** [`Error::Index`] for a sample that does not exist, [`Error::SelfPair`]
/// for a sample paired with itself, [`Error::Contradiction`] for a cannot-link pair
/// that must-links join, directly or through other samples. Repeated and reversed
/// pairs are one pair.
///
/// ```
/// use enclust_core::{Constraints, Partition, Violations};
///
/// let c = Constraints::new(5, &[(0, 1), (1, 0), (1, 2)], &[(2, 4)])?;
/// let labels = Partition::from_labels([0, 0, 1, 1, 1]);
/// assert_eq!(c.violations(&labels), Violations::new(1, 1));
///
/// let error = Constraints::new(5, &[(0, 1), (1, 2)], &[(2, 0)]).unwrap_err();
/// assert_eq!(error.to_string(), "samples 2 and 0 cannot be linked, but must-links join them: 2 - 1 - 0");
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// **Reference.** K. Wagstaff, C. Cardie, "Clustering with instance-level
/// constraints", ICML 2000.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraints {
    samples: usize,
    must_link: Vec<Pair>,
    cannot_link: Vec<Pair>,
}

/// How many constraints a partition breaks, each pair counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Violations {
    /// Must-link pairs with different labels.
    pub must_link: usize,
    /// Cannot-link pairs with the same label.
    pub cannot_link: usize,
}

impl Violations {
    /// This many broken pairs of each kind.
    pub fn new(must_link: usize, cannot_link: usize) -> Self {
        Violations { must_link, cannot_link }
    }
}

impl Constraints {
    /// Checks the pairs; see [`Constraints`] for what is refused.
    pub fn new(samples: usize, must_link: &[Pair], cannot_link: &[Pair]) -> Result<Self> {
        let constraints = Constraints {
            samples,
            must_link: checked(samples, must_link)?,
            cannot_link: checked(samples, cannot_link)?,
        };
        let graph = constraints.must_link_graph();
        let component = graph.components();
        // As given, so that the message shows the pair the way the user wrote it.
        match cannot_link.iter().find(|&&(i, j)| component[i] == component[j]) {
            Some(&pair) => Err(Error::Contradiction { pair, chain: chain(&graph, pair) }),
            None => Ok(constraints),
        }
    }

    /// Number of samples the constraints are about.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Whether there is no pair at all.
    pub fn is_empty(&self) -> bool {
        self.must_link.is_empty() && self.cannot_link.is_empty()
    }

    /// The must-link pairs, ascending, smaller sample first, each once.
    pub fn must_link(&self) -> &[(usize, usize)] {
        &self.must_link
    }

    /// The cannot-link pairs, ascending, smaller sample first, each once.
    pub fn cannot_link(&self) -> &[(usize, usize)] {
        &self.cannot_link
    }

    /// How many constraints the partition breaks.
    ///
    /// # Panics
    /// If the partition has fewer samples than the constraints name.
    pub fn violations(&self, partition: &Partition) -> Violations {
        let labels = partition.labels();
        let broken = |pairs: &[Pair], together: bool| {
            pairs.iter().filter(|&&(i, j)| (labels[i] == labels[j]) != together).count()
        };
        Violations {
            must_link: broken(&self.must_link, true),
            cannot_link: broken(&self.cannot_link, false),
        }
    }

    /// The groups with every constrained sample on its own; the others of a group
    /// stay together. The same `Arc` if all of them are alone already.
    pub fn split(&self, grouping: &Arc<Grouping>) -> Result<Arc<Grouping>> {
        self.check_samples(grouping.samples())?;
        if self.endpoints().all(|i| is_alone(grouping, i)) {
            return Ok(Arc::clone(grouping));
        }
        let mut alone = vec![false; self.samples];
        self.endpoints().for_each(|i| alone[i] = true);
        // Group of those who stay, for each old group that has shown one of them.
        let mut stay = vec![None; grouping.len()];
        let mut groups = 0;
        let map = grouping.map().iter().zip(alone).map(|(&old, alone)| {
            let fresh = groups;
            let group = if alone { fresh } else { *stay[old as usize].get_or_insert(fresh) };
            groups += u32::from(group == fresh);
            group
        });
        Ok(Arc::new(Grouping::from_map(map.collect())?))
    }

    /// Lays the constraints over the fixed entries, whatever these say; H stays.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if a constrained sample shares its group; see
    /// [`Constraints::split`].
    pub fn fix<S: Real>(&self, grouping: &Grouping, confident: &mut Confident<S>) -> Result<()> {
        confident.fix(self.entries(grouping)?)
    }

    /// The similarity with the constrained entries at 1 and 0 exactly: an iterate
    /// that was stopped early meets them to some percent only.
    pub(crate) fn imposed_on<S: Real>(&self, similarity: Similarity<S>) -> Result<Similarity<S>> {
        let entries = self.entries(similarity.grouping())?;
        Ok(similarity.with_entries(entries))
    }

    /// [`Error::Size`] unless they are about that many samples.
    pub(crate) fn check_samples(&self, samples: usize) -> Result<()> {
        Error::check_size("samples of the constraints", samples, self.samples)
    }

    /// (group, group, value) of every constraint.
    fn entries<S: Real>(&self, grouping: &Grouping) -> Result<Vec<(usize, usize, S)>> {
        self.check_samples(grouping.samples())?;
        if let Some(i) = self.endpoints().find(|&i| !is_alone(grouping, i)) {
            let what = format!("a constraint on sample {i}, which is not split off its group");
            return Err(Error::unsupported("the grouping", what));
        }
        let group = |i: usize| grouping.map()[i] as usize;
        let valued = |value: S| move |&(i, j): &Pair| (group(i), group(j), value);
        let must = self.must_link.iter().map(valued(S::one()));
        Ok(must.chain(self.cannot_link.iter().map(valued(S::zero()))).collect())
    }

    /// Every sample of every pair, some more than once.
    fn endpoints(&self) -> impl Iterator<Item = usize> + '_ {
        self.must_link.iter().chain(&self.cannot_link).flat_map(|&(i, j)| [i, j])
    }

    fn must_link_graph(&self) -> Csr<f64> {
        let mut upper = vec![Vec::new(); self.samples];
        for &(i, j) in &self.must_link {
            upper[i].push((j as u32, 1.0));
        }
        Csr::symmetric_from_upper(upper)
    }
}

fn is_alone(grouping: &Grouping, sample: usize) -> bool {
    grouping.sizes()[grouping.map()[sample] as usize] == 1
}

/// The pairs ascending, smaller sample first, each once.
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

/// The shortest way between two samples of one component, both ends included.
fn chain(graph: &Csr<f64>, (from, to): Pair) -> Vec<usize> {
    let mut next = vec![None; graph.rows()];
    // Searched from the end, so that the steps lead forwards.
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
