//! Evidence in which the samples that must-links connect are one object.

use std::sync::Arc;

use crate::data::constraints::Constraints;
use crate::data::grouping::Grouping;
use crate::data::partition::Partition;
use crate::error::Result;
use crate::evidence::similarity::Similarity;
use crate::evidence::{Bipartite, ClusterGraph, Embedding, Evidence};
use crate::numbers::condensed::Condensed;
use crate::numbers::csr::Csr;
use crate::numbers::matrix::Mat;
use crate::numbers::real::Real;

impl Constraints {
    /// The evidence over the objects that the consensus function may not take apart: the
    /// components of the must-links, and the groups of the other samples. The row of a component
    /// is the mean of the rows of its samples. In a similarity, samples of one component have the
    /// value 1, and two components with a cannot-link between them the value 0.
    ///
    /// ```
    /// use enclust_core::{Constraints, Evidence, Similarity};
    ///
    /// let s = Similarity::from_matrix(3, &[1.0, 0.2, 0.8, 0.2, 1.0, 0.4, 0.8, 0.4, 1.0])?;
    /// let joined = Constraints::new(3, &[(0, 1)], &[])?.apply(s.into())?;
    /// let s = joined.as_similarity().unwrap();
    /// assert_eq!(s.grouping().map(), &[0, 0, 1]);
    /// assert!((s.between(0, 1) - 0.6_f64).abs() < 1e-15);
    /// assert_eq!(s.within()[0], 1.0);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Size`](crate::Error::Size) if the evidence has another number of samples.
    pub fn apply<S: Real>(&self, evidence: Evidence<S>) -> Result<Evidence<S>> {
        self.check_samples(evidence.grouping().samples())?;
        let joined = Joined::new(self, evidence.grouping())?;
        let grouping = Arc::clone(&joined.grouping);
        let same_groups = grouping.map() == evidence.grouping().map();
        let unchanged = same_groups && self.must_link().is_empty();
        Ok(match evidence {
            Evidence::Similarity(s) => {
                let s = if unchanged { s } else { joined.similarity(&s)? };
                let zeros = joined.zeros(self);
                if zeros.is_empty() { s.into() } else { s.with_entries(zeros).into() }
            }
            unchanged_rows if unchanged => unchanged_rows,
            Evidence::Bipartite(b) => Bipartite::new(grouping, joined.rows(&b.weights))?.into(),
            Evidence::ClusterGraph(g) => {
                ClusterGraph::new(grouping, joined.rows(&g.members), g.weights)?.into()
            }
            Evidence::Embedding(e) => Embedding::new(grouping, joined.points(&e.points))?.into(),
        })
    }
}

/// Groups that consist of parts of other groups.
struct Joined {
    grouping: Arc<Grouping>,
    /// For each group, the old groups of its samples with their shares of the samples.
    parts: Vec<Vec<(usize, f64)>>,
    /// Whether must-links join the samples of each group.
    linked: Vec<bool>,
}

impl Joined {
    /// The components of the must-links leave their groups, and so do samples with cannot-links.
    fn new(constraints: &Constraints, old: &Grouping) -> Result<Self> {
        let component = constraints.components();
        let mut leaves = vec![false; component.len()];
        constraints.endpoints().for_each(|i| leaves[component[i]] = true);
        let key =
            |(&c, &group): (&usize, &u32)| (leaves[c], if leaves[c] { c as u32 } else { group });
        let labels = Partition::from_labels(component.iter().zip(old.map()).map(key));
        let map = labels.labels().iter().map(|&g| g as u32).collect();
        let grouping = Arc::new(Grouping::from_map(map)?);
        let parts = grouping.members().iter().map(|samples| shares(samples, old)).collect();
        let linked = grouping.first_members().iter().map(|&i| leaves[component[i]]).collect();
        Ok(Joined { grouping, parts, linked })
    }

    fn similarity<S: Real>(&self, old: &Similarity<S>) -> Result<Similarity<S>> {
        let value = |a: usize, b: usize| if a == b { old.within()[a] } else { old.between(a, b) };
        let mean = |p: usize, q: usize| {
            let pairs =
                self.parts[p].iter().flat_map(|a| self.parts[q].iter().map(move |b| (a, b)));
            let sum: f64 = pairs.map(|(a, b)| a.1 * b.1 * value(a.0, b.0).wide()).sum();
            at_most_one(sum)
        };
        let between = Condensed::filled(self.parts.len(), |p, row: &mut [S]| {
            row.iter_mut().zip(p + 1..).for_each(|(v, q)| *v = mean(p, q));
        });
        let within = self
            .parts
            .iter()
            .zip(&self.linked)
            .map(|(parts, &linked)| if linked { S::one() } else { old.within()[parts[0].0] });
        let own = |parts: &Vec<(usize, f64)>| {
            at_most_one(parts.iter().map(|&(a, share)| share * old.own()[a].wide()).sum())
        };
        let own = self.parts.iter().map(own).collect();
        let grouping = Arc::clone(&self.grouping);
        Similarity::new(grouping, between.into_values(), within.collect(), own)
    }

    /// The entries between groups with a cannot-link.
    fn zeros<S: Real>(&self, constraints: &Constraints) -> Vec<(usize, usize, S)> {
        let group = |i: usize| self.grouping.map()[i] as usize;
        let entry = |&(i, j): &(usize, usize)| (group(i), group(j), S::zero());
        constraints.cannot_link().iter().map(entry).collect()
    }

    fn rows<S: Real>(&self, old: &Csr<S>) -> Csr<S> {
        let row = |parts: &Vec<(usize, f64)>| {
            let mut row: Vec<(u32, f64)> = Vec::new();
            for &(group, share) in parts {
                row.extend(old.iter_row(group).map(|(j, v)| (j as u32, share * v.wide())));
            }
            row.sort_by_key(|entry| entry.0);
            row.dedup_by(|next, sum| {
                let same = next.0 == sum.0;
                if same {
                    sum.1 += next.1;
                }
                same
            });
            row.into_iter().map(|(j, v)| (j, S::of(v))).collect()
        };
        Csr::from_rows(old.cols(), self.parts.iter().map(row).collect())
    }

    fn points<S: Real>(&self, old: &Mat<S>) -> Mat<S> {
        let coordinate = |p: usize, j: usize| {
            let parts = self.parts[p].iter();
            S::of(parts.map(|&(group, share)| share * old[(group, j)].wide()).sum())
        };
        Mat::from_fn(self.parts.len(), old.cols(), coordinate)
    }
}

/// The mean of values up to 1 can exceed 1 by rounding.
fn at_most_one<S: Real>(mean: f64) -> S {
    S::of(mean.min(1.0))
}

/// The groups of these samples, with their shares of the samples.
fn shares(samples: &[usize], groups: &Grouping) -> Vec<(usize, f64)> {
    let share = 1.0 / samples.len() as f64;
    let mut groups: Vec<usize> = samples.iter().map(|&i| groups.map()[i] as usize).collect();
    groups.sort_unstable();
    let equal = groups.chunk_by(|a, b| a == b);
    equal.map(|same| (same[0], same.len() as f64 * share)).collect()
}
