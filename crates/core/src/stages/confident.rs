//! The confident pairs of a similarity.

use std::sync::Arc;

use crate::data::grouping::Grouping;
use crate::error::{Error, Result};
use crate::evidence::similarity::{Similarity, same_to_rounding};
use crate::memory::{Bytes, Shape};
use crate::numbers::csr::Csr;
use crate::numbers::real::Real;
use crate::run::report::PairsReport;
use crate::warnings::Warning;

/// Confident pairs: a graph H whose edges carry information, and a set Ω of entries that are
/// fixed to a value. Graph and set are separate because they may differ: a constraint fixes an
/// entry without adding an edge.
///
/// [`from_matrix`](Self::from_matrix) and [`from_pairs`](Self::from_pairs) fix every edge at the
/// value of the similarity, as the enhancers of this library expect.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Confident<S> {
    /// H between groups: non-negative, symmetric, zero diagonal.
    pub graph: Csr<S>,
    /// Value of H between two different samples of one group, for each group.
    pub within: Vec<S>,
    /// Ω between groups: symmetric, no diagonal. The values are those to which the entries are
    /// fixed.
    pub fixed: Csr<S>,
    /// Whether the pairs within a group are in Ω (fixed at the similarity's own value), for each
    /// group.
    pub fixed_within: Vec<bool>,
    /// Pairs of groups that are known to be dissimilar, with the degree of their dissimilarity, for
    /// enhancers that read them: symmetric, no diagonal. A pair is not also in Ω.
    pub dissimilar: Option<Csr<S>>,
    /// The threshold α by which the pairs were selected, if there is one.
    pub alpha: Option<f64>,
    /// Why no pairs were selected, if the rule refused to select any.
    pub refusal: Option<Warning>,
}

impl<S: Real> Confident<S> {
    /// No pairs.
    pub fn none(groups: usize) -> Self {
        Confident {
            graph: Csr::empty(groups, groups),
            within: vec![S::zero(); groups],
            fixed: Csr::empty(groups, groups),
            fixed_within: vec![false; groups],
            dissimilar: None,
            alpha: None,
            refusal: None,
        }
    }

    /// The same pairs, with pairs of groups that are dissimilar.
    ///
    /// # Errors
    ///
    /// The same as for [`check`](Self::check).
    pub fn with_dissimilar(self, dissimilar: Csr<S>) -> Result<Self> {
        let confident = Confident { dissimilar: Some(dissimilar), ..self };
        confident.check(confident.within.len())?;
        Ok(confident)
    }

    /// The same pairs, selected by this threshold.
    pub fn with_alpha(self, alpha: f64) -> Self {
        Confident { alpha: Some(alpha), ..self }
    }

    /// The same pairs, with the reason why the rule selected none.
    pub fn with_refusal(self, refusal: Warning) -> Self {
        Confident { refusal: Some(refusal), ..self }
    }

    /// The number of pairs and the size of their largest connected component, for groups of the
    /// samples of this grouping.
    ///
    /// ```
    /// use enclust_core::{Confident, Similarity};
    ///
    /// let a = Similarity::from_matrix(3, &[1.0, 0.9, 0.0, 0.9, 1.0, 0.6, 0.0, 0.6, 1.0])?;
    /// let report = Confident::from_pairs(&a, [(0, 1, 1.0)])?.report(a.grouping());
    /// assert_eq!((report.pairs, report.largest_component), (1, 2.0 / 3.0));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn report(&self, grouping: &Grouping) -> PairsReport {
        let mut held = vec![0; grouping.len()];
        for (&component, &size) in self.graph.components().iter().zip(grouping.sizes()) {
            held[component] += size;
        }
        let largest = held.into_iter().max().unwrap_or(0);
        PairsReport {
            alpha: self.alpha,
            pairs: self.graph.entries() / 2,
            largest_component: largest as f64 / grouping.total().max(1) as f64,
            mean_degree: self.mean_degree(grouping),
        }
    }

    /// The mean over the samples of the total weight of their confident pairs with samples of other
    /// groups: (1/n) Σ_p r_p Σ_{q≠p} r_q h_pq for groups of sizes r.
    ///
    /// It grows with the number of samples: if every sample is listed twice, it is twice as large.
    ///
    /// ```
    /// use enclust_core::{Confident, Similarity};
    ///
    /// let a = Similarity::from_matrix(3, &[1.0, 0.9, 0.0, 0.9, 1.0, 0.6, 0.0, 0.6, 1.0])?;
    /// let confident = Confident::from_pairs(&a, [(0, 1, 0.75)])?;
    /// assert_eq!(confident.mean_degree(a.grouping()), 0.5);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn mean_degree(&self, grouping: &Grouping) -> f64 {
        let sizes = grouping.sizes();
        let weight = |p: usize| -> f64 {
            let pairs = self.graph.iter_row(p).map(|(q, h)| sizes[q] as f64 * h.wide());
            sizes[p] as f64 * pairs.sum::<f64>()
        };
        (0..sizes.len()).map(weight).sum::<f64>() / grouping.total().max(1) as f64
    }

    /// Confident pairs from their components, for rules that fix other entries than the edges.
    ///
    /// # Errors
    ///
    /// The same as for [`check`](Self::check), with the number of groups that `within` has values
    /// for.
    pub fn new(
        graph: Csr<S>,
        within: Vec<S>,
        fixed: Csr<S>,
        fixed_within: Vec<bool>,
    ) -> Result<Self> {
        let groups = within.len();
        let confident = Confident { graph, within, fixed, fixed_within, ..Confident::none(0) };
        confident.check(groups)?;
        Ok(confident)
    }

    /// Confident pairs from weighted pairs of groups, (group, group, weight), each in either
    /// order or in both. Every edge is fixed at the similarity's value. A group paired with
    /// itself stands for the pairs of different samples in that group. A weight of 0 means no
    /// edge.
    ///
    /// ```
    /// use enclust_core::{Confident, Similarity};
    ///
    /// let a = Similarity::from_matrix(3, &[1.0, 0.9, 0.0, 0.9, 1.0, 0.6, 0.0, 0.6, 1.0])?;
    /// let confident = Confident::from_pairs(&a, [(1, 0, 0.8), (0, 1, 0.8)])?;
    /// assert_eq!(confident.graph.get(0, 1), Some(0.8));
    /// assert_eq!(confident.fixed.get(0, 1), Some(0.9));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Index`] for a group that does not exist, [`Error::SelfPair`] for a group of one
    /// sample that is paired with itself, [`Error::Entry`] for a weight outside [0, 1],
    /// [`Error::Asymmetric`] for two different weights of one pair.
    pub fn from_pairs(
        similarity: &Similarity<S>,
        pairs: impl IntoIterator<Item = (usize, usize, S)>,
    ) -> Result<Self> {
        let (groups, sizes) = (similarity.len(), similarity.grouping().sizes());
        let mut inside: Vec<Option<S>> = vec![None; groups];
        let mut between = Vec::new();
        for (p, q, weight) in pairs {
            check_weight("weight of a confident pair", p, q, weight)?;
            if let Some(index) = [p, q].into_iter().find(|&g| g >= groups) {
                return Err(Error::Index { what: "group", index, len: groups });
            }
            if p != q {
                between.push((p, q, weight));
                continue;
            }
            if sizes[p] == 1 {
                return Err(Error::SelfPair { what: "group", index: p });
            }
            let known = *inside[p].get_or_insert(weight);
            if known != weight {
                let (upper, lower) = (known.wide(), weight.wide());
                return Err(Error::Asymmetric { row: p, column: p, upper, lower });
            }
        }
        let graph = without_zeros(&Csr::symmetric(groups, between)?);
        Ok(Self::fixed_at(similarity, graph, inside))
    }

    /// Confident pairs from the dense symmetric n × n matrix H of the samples, in row-major
    /// order. Every edge (an entry above 0) is fixed at the similarity's value. The diagonal is
    /// not read.
    ///
    /// Mirrored entries may differ by rounding; the upper triangle is used. If the similarity is
    /// over groups, H must have the same value for all pairs of samples from the same two groups.
    /// This holds if H was computed from the label rows.
    ///
    /// ```
    /// use enclust_core::{Confident, Similarity};
    ///
    /// let a = Similarity::from_matrix(3, &[1.0, 0.9, 0.0, 0.9, 1.0, 0.6, 0.0, 0.6, 1.0])?;
    /// let h = [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    /// assert_eq!(Confident::from_matrix(&a, &h)?, Confident::from_pairs(&a, [(0, 1, 1.0)])?);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Size`] for a wrong number of entries, [`Error::Entry`] for an entry outside [0,
    /// 1], [`Error::Asymmetric`] for mirrored entries that differ, [`Error::Unsupported`] if H
    /// has different values for samples of one group. The last error cannot occur with the
    /// [similarity over the samples](Similarity::by_samples).
    pub fn from_matrix(similarity: &Similarity<S>, matrix: &[S]) -> Result<Self> {
        let grouping = similarity.grouping();
        let n = grouping.samples();
        let entries = n.saturating_mul(n);
        Error::check_size("entries of the matrix of confident pairs", entries, matrix.len())?;
        check_graph(n, matrix)?;
        let value = |i: usize, j: usize| matrix[i * n + j];
        if let Some((i, j)) = grouping.torn(value, same_to_rounding) {
            let what = format!(
                "confident pairs that differ inside its groups, as at samples {i} and {j}; use \
                 the similarity by samples"
            );
            return Err(Error::unsupported("a similarity of groups", what));
        }
        let (first, second) = (grouping.first_members(), grouping.second_members());
        let groups = grouping.len();
        let edges = |p: usize| {
            let weighted = (p + 1..groups).map(move |q| (q as u32, value(first[p], first[q])));
            weighted.filter(|(_, weight)| *weight > S::zero()).collect()
        };
        let graph = Csr::symmetric_from_upper((0..groups).map(edges).collect());
        let pair = |p: usize| (second[p] != first[p]).then(|| value(first[p], second[p]));
        Ok(Self::fixed_at(similarity, graph, (0..groups).map(pair).collect()))
    }

    /// Fixes every edge at the similarity's value.
    fn fixed_at(similarity: &Similarity<S>, graph: Csr<S>, within: Vec<Option<S>>) -> Self {
        let fixed = graph.mapped(|p, q, _| similarity.between(p, q));
        let within: Vec<S> = within.into_iter().map(|w| w.unwrap_or(S::zero())).collect();
        let fixed_within = within.iter().map(|w| *w > S::zero()).collect();
        Confident { graph, within, fixed, fixed_within, ..Confident::none(0) }
    }

    /// The same pairs over a finer grouping. Each group of the finer grouping must be contained
    /// in one group of the similarity that the pairs belong to. Two parts of one group get the
    /// value within that group. [`Similarity::refined`] gives the matching similarity.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use enclust_core::{Confident, Grouping, Similarity};
    ///
    /// let pair = Arc::new(Grouping::from_map(vec![0, 0, 1])?);
    /// let a = Similarity::new(pair, vec![0.3], vec![0.8, 1.0], vec![1.0, 1.0])?;
    /// let confident = Confident::from_pairs(&a, [(0, 0, 1.0)])?;
    /// let fine = confident.refined(&a, &Arc::new(Grouping::singletons(3)))?;
    /// assert_eq!((fine.graph.get(0, 1), fine.fixed.get(0, 1)), (Some(1.0), Some(0.8)));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Size`] for pairs or a grouping of another size; [`Error::Unsupported`] for a
    /// group that overlaps two groups of the similarity.
    pub fn refined(&self, similarity: &Similarity<S>, finer: &Arc<Grouping>) -> Result<Self> {
        self.check(similarity.len())?;
        let parents = similarity.parents(finer)?;
        let parts = parts_of(similarity.len(), &parents);
        let inside = |p: usize| Some(self.within[p]).filter(|weight| *weight > S::zero());
        let fixed_inside = |p: usize| self.fixed_within[p].then(|| similarity.within()[p]);
        let inherited = |p: &u32| *p as usize;
        Ok(Confident {
            graph: split(&self.graph, &parents, &parts, inside),
            within: parents.iter().map(|p| self.within[inherited(p)]).collect(),
            fixed: split(&self.fixed, &parents, &parts, fixed_inside),
            fixed_within: parents.iter().map(|p| self.fixed_within[inherited(p)]).collect(),
            // Samples of one group are never dissimilar.
            dissimilar: self.dissimilar.as_ref().map(|d| split(d, &parents, &parts, |_| None)),
            alpha: self.alpha,
            refusal: self.refusal.clone(),
        })
    }

    /// The memory of this many pairs, as graph and as fixed entries.
    pub fn bytes(shape: &Shape, pairs: u64) -> Bytes {
        // Symmetric: each pair is stored twice.
        let both = pairs.saturating_mul(2);
        shape.sparse(both) * 2 + shape.each_group(shape.scalar + size_of::<bool>())
    }

    /// Checks that the pairs are symmetric, have no diagonal and are in [0, 1], and that the
    /// number of groups is as given.
    ///
    /// # Errors
    ///
    /// [`Error::Size`], [`Error::Entry`] or [`Error::Asymmetric`] for the first violation.
    pub fn check(&self, groups: usize) -> Result<()> {
        let pairs = [("graph of confident pairs", &self.graph), ("fixed entries", &self.fixed)];
        let dissimilar = self.dissimilar.iter().map(|d| ("dissimilar pairs", d));
        for (what, matrix) in pairs.into_iter().chain(dissimilar) {
            Error::check_size(what, groups, matrix.rows())?;
            Error::check_size(what, groups, matrix.cols())?;
            check_symmetric(what, matrix)?;
        }
        Error::check_size("confidences within groups", groups, self.within.len())?;
        for (p, &weight) in self.within.iter().enumerate() {
            check_weight("confidence within a group", p, p, weight)?;
        }
        Error::check_size("marks of fixed groups", groups, self.fixed_within.len())
    }

    /// Fixes more entries, given as (group, group, value) in either order. A pair that is already
    /// fixed gets the new value. The graph does not change.
    ///
    /// # Errors
    ///
    /// [`Error::Index`] for a group that does not exist, [`Error::SelfPair`] for a
    /// group paired with itself.
    ///
    /// ```
    /// let mut confident = enclust_core::Confident::none(3);
    /// confident.fix([(0, 1, 0.5), (2, 0, 1.0), (1, 0, 0.0)])?;
    /// assert_eq!(confident.fixed.row(0), (&[1_u32, 2][..], &[0.0, 1.0][..]));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn fix(&mut self, entries: impl IntoIterator<Item = (usize, usize, S)>) -> Result<()> {
        let groups = self.fixed.rows();
        let above = |p: usize| self.fixed.iter_row(p).filter(move |&(q, _)| q > p);
        let mut upper: Vec<Vec<(u32, S)>> =
            (0..groups).map(|p| above(p).map(|(q, v)| (q as u32, v)).collect()).collect();
        for (p, q, value) in entries {
            let (p, q) = (p.min(q), p.max(q));
            if q >= groups {
                return Err(Error::Index { what: "group", index: q, len: groups });
            }
            if p == q {
                return Err(Error::SelfPair { what: "group", index: p });
            }
            upper[p].push((q as u32, value));
        }
        upper.iter_mut().for_each(keep_last);
        self.fixed = Csr::symmetric_from_upper(upper);
        Ok(())
    }
}

/// Sorts by column; of equal columns the last entry is kept.
fn keep_last<S: Copy>(row: &mut Vec<(u32, S)>) {
    row.sort_by_key(|e| e.0); // stable
    row.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 = later.1;
        }
        same
    });
}

/// For each of the groups, the groups of a finer grouping that it consists of, in ascending order.
fn parts_of(groups: usize, parents: &[u32]) -> Vec<Vec<u32>> {
    let mut parts = vec![Vec::new(); groups];
    parents.iter().zip(0..).for_each(|(&p, part)| parts[p as usize].push(part));
    parts
}

/// Expands symmetric pairs of groups to pairs of their parts; `inside` is the value for two parts
/// of one group.
fn split<S: Real>(
    pairs: &Csr<S>,
    parents: &[u32],
    parts: &[Vec<u32>],
    inside: impl Fn(usize) -> Option<S>,
) -> Csr<S> {
    let row = |(part, &p): (usize, &u32)| {
        let p = p as usize;
        let near = inside(p).into_iter().flat_map(|v| parts[p].iter().map(move |&q| (q, v)));
        let far = pairs.iter_row(p).flat_map(|(q, v)| parts[q].iter().map(move |&q| (q, v)));
        let mut row: Vec<(u32, S)> = near.filter(|(q, _)| *q as usize != part).chain(far).collect();
        row.sort_by_key(|entry| entry.0);
        row
    };
    Csr::from_rows(parents.len(), parents.iter().enumerate().map(row).collect())
}

fn without_zeros<S: Real>(graph: &Csr<S>) -> Csr<S> {
    let row = |p: usize| {
        let edges = graph.iter_row(p).filter(|(_, weight)| *weight > S::zero());
        edges.map(|(q, weight)| (q as u32, weight)).collect()
    };
    Csr::from_rows(graph.cols(), (0..graph.rows()).map(row).collect())
}

fn check_weight<S: Real>(what: &'static str, row: usize, column: usize, value: S) -> Result<()> {
    // This form also rejects NaN.
    if value >= S::zero() && value <= S::one() {
        return Ok(());
    }
    Err(Error::Entry { what, row, column, value: value.wide() })
}

/// Checks a dense graph over n samples: symmetric up to rounding and in [0, 1], except on the
/// diagonal.
fn check_graph<S: Real>(n: usize, matrix: &[S]) -> Result<()> {
    for row in 0..n {
        for column in row + 1..n {
            let (upper, lower) = (matrix[row * n + column], matrix[column * n + row]);
            check_weight("matrix of confident pairs", row, column, upper)?;
            check_weight("matrix of confident pairs", column, row, lower)?;
            if !same_to_rounding(upper, lower) {
                let (upper, lower) = (upper.wide(), lower.wide());
                return Err(Error::Asymmetric { row, column, upper, lower });
            }
        }
    }
    Ok(())
}

fn check_symmetric<S: Real>(what: &'static str, matrix: &Csr<S>) -> Result<()> {
    for row in 0..matrix.rows() {
        for (column, value) in matrix.iter_row(row) {
            let mirrored = matrix.get(column, row).unwrap_or(S::zero());
            if row == column || !(value >= S::zero() && value <= S::one()) {
                return Err(Error::Entry { what, row, column, value: value.wide() });
            }
            if value != mirrored {
                let (upper, lower) = (value.wide(), mirrored.wide());
                return Err(Error::Asymmetric { row, column, upper, lower });
            }
        }
    }
    Ok(())
}
