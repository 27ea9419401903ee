//! Hierarchical clustering of a similarity: average, complete, single linkage.

mod agglomerate;
mod closest;
mod crowds;
mod factored;
mod memory;
mod rules;
mod slots;
mod units;

use enclust_core::{
    Component, Condensed, Consensus, Ctx, Dendrogram, Error, Evidence, Factored, Fitted, Footprint,
    Grouping, Kind, Partition, Range, Real, Result, Shape, Similarity, Stage, Weighting, check_k,
    choice, parameters,
};

use agglomerate::{Join, Watch, agglomerate};
use crowds::{groups_as_samples, groups_at_once, samples_in_crowds};
use factored::agglomerate_factored;
use units::Units;

choice! {
    /// How similar two clusters are, given the similarities of their samples.
    pub enum LinkageMethod {
        /// The mean over all pairs.
        Average = "average",
        /// The least similar pair.
        Complete = "complete",
        /// The most similar pair.
        Single = "single",
    }
}

parameters! {
    /// Parameters of [`Linkage`].
    pub struct LinkageParams for "linkage" {
        /// What counts as one object: every sample, or every group of samples.
        pub weighting: Weighting = Weighting::Samples, in Range::Any;
    }
}

/// Agglomerative hierarchical clustering of a similarity.
///
/// Starts with every sample as a cluster and repeatedly joins the two most similar clusters
/// until one is left. The tree of these merges can be cut into any number of clusters.
///
/// # Problem
///
/// The similarity of clusters a and b is, over the pairs i ∈ a, j ∈ b,
/// - average: the mean of C_ij;
/// - complete: the minimum of C_ij;
/// - single: the maximum of C_ij.
///
/// The height of a merge is 1 − similarity. Cutting into k clusters performs
/// the first n − k merges. The diagonal of C plays no role.
///
/// # Parameters
///
/// A [`LinkageMethod`] and the [`Weighting`] in [`LinkageParams`]:
/// - `Samples`: the result is that of linkage over the samples, although the work is done on
///   their n' groups. Clusters that cannot be distinguished, such as the samples of a group at
///   the start, form a crowd that shares one row of the table. A crowd is merged into one
///   cluster, or joined pairwise with another crowd, in a single step (T6 in `docs/theory.md`).
/// - `Groups`: each group is one object of weight 1. Its samples are joined at height 0 before
///   all other merges, and k is at most n'.
///
/// # Counts
///
/// A row of [count](enclust_core::Counts) c is c samples that are joined before any of them joins
/// another row: the tree joins rows, and k is at most their number. Rows with equal labels that
/// occur differently often are also joined before any of them joins another group. The result is
/// that of the repeated rows, unless linkage of these would join some of the samples of a row to
/// others first, as the tie rule can, or a similarity that is lower within a group than to another
/// group. Sums over pairs of samples are exact below 2⁵³ units; above it, similarities that are
/// equal can differ by rounding.
///
/// # Complexity
///
/// Memory: n'²/2 numbers of 64 bits in addition to the input. Time: typically O(n'² + n);
/// O(n'³) in the worst case, in which most merges change the nearest neighbour of most
/// clusters; an additional O(n') for every sample that joins a sample outside its group first.
///
/// Average linkage over samples also reads a [factored](enclust_core::Factored) similarity, in O(n'
/// m) memory: clusters are histograms over the base clusters, and the nearest cluster is found by
/// an index of the base clusters. The time is O(n' l) for l clusters that share a base cluster with
/// a cluster, about n'² Σ 1/K over the numbers K of clusters of the base clusterings.
///
/// # Determinism and ties
///
/// Among equally similar pairs of clusters, the lexicographically smallest is joined: first by
/// the smallest sample of one cluster, then by that of the other. Complete and single linkage
/// only select values, so equal values stay equal. Average linkage stores sums over sample
/// pairs and divides once. If the similarity has a [denominator](Similarity::denominator), the
/// sums are whole numbers and equal means compare equal (different means are tied if they round
/// to the same `f64`). Without a denominator, heights may decrease by rounding errors; the
/// merges are kept in the order in which they occurred. Linkage uses one thread and no random
/// numbers.
///
/// # Errors
///
/// [`Error::KindMismatch`] for evidence that is not a similarity; [`Error::Memory`] if ties
/// create more kinds of clusters than fit into memory; [`Error::Unsupported`] if memory for the
/// table cannot be allocated; and [`Error::ClusterCount`] from `cut`.
///
/// # Example
///
/// ```
/// use enclust_consensus::Linkage;
/// use enclust_core::{Consensus, Ctx, Similarity};
///
/// let similarity = Similarity::from_matrix(4, &[
///     1.0, 0.9, 0.2, 0.1,
///     0.9, 1.0, 0.4, 0.1,
///     0.2, 0.4, 1.0, 0.7,
///     0.1, 0.1, 0.7, 1.0,
/// ])?;
/// let ctx = Ctx::default();
/// let tree = Linkage::average().fit(&similarity.into(), &ctx)?;
/// assert_eq!(tree.cut(2, &ctx)?.labels(), &[0, 0, 1, 1]);
///
/// // The last merge is at 1 − (0.2 + 0.1 + 0.4 + 0.1) / 4.
/// let last = tree.dendrogram().unwrap().merges()[2];
/// assert!((last.height - 0.8).abs() < 1e-15);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Reference
///
/// A. L. N. Fred and A. K. Jain, "Combining multiple clusterings using evidence
/// accumulation", IEEE TPAMI 27(6), 2005. The table of nearest neighbours with lazy updates
/// follows D. Müllner, "Modern hierarchical, agglomerative clustering algorithms",
/// arXiv:1109.2378, 2011.
#[derive(Clone, Debug, PartialEq)]
pub struct Linkage {
    method: LinkageMethod,
    params: LinkageParams,
}

impl Linkage {
    /// Linkage by this method with these parameters.
    pub fn new(method: LinkageMethod, params: LinkageParams) -> Self {
        Linkage { method, params }
    }

    /// Average linkage with default parameters.
    pub fn average() -> Self {
        Self::of(LinkageMethod::Average)
    }

    /// Complete linkage with default parameters.
    pub fn complete() -> Self {
        Self::of(LinkageMethod::Complete)
    }

    /// Single linkage with default parameters.
    pub fn single() -> Self {
        Self::of(LinkageMethod::Single)
    }

    fn of(method: LinkageMethod) -> Self {
        Linkage { method, params: LinkageParams::default() }
    }

    /// The same with a different weighting.
    pub fn weighting(self, weighting: Weighting) -> Self {
        Linkage { params: self.params.weighting(weighting), ..self }
    }

    /// The method.
    pub fn method(&self) -> LinkageMethod {
        self.method
    }

    /// The parameters.
    pub fn params(&self) -> &LinkageParams {
        &self.params
    }

    /// The merges of the samples if every sample counts.
    fn join_samples<S: Real>(
        &self,
        similarity: &Similarity<S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<Vec<Join>> {
        let (counts, crowds) = (self.counts(similarity)?, samples_in_crowds(similarity));
        let watch = &mut Watching { linkage: self, grouping: similarity.grouping(), ctx };
        agglomerate(self.method, counts, crowds, watch)
    }

    /// The merges of the samples if every group counts once.
    fn join_groups<S: Real>(
        &self,
        similarity: &Similarity<S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<Vec<Join>> {
        let (counts, grouping) = (self.counts(similarity)?, similarity.grouping());
        let watch = &mut Watching { linkage: self, grouping, ctx };
        let between = agglomerate(self.method, counts, groups_as_samples(grouping), watch)?;
        let mut joins = groups_at_once(grouping, Units::of(similarity).one());
        joins.extend(between);
        Ok(joins)
    }

    /// The tree of a similarity that is not stored as a matrix.
    fn fit_factored<S: Real>(
        &self,
        similarity: &Factored,
        ctx: &Ctx<'_, S>,
    ) -> Result<Box<dyn Fitted<S>>> {
        let (grouping, total) = (similarity.grouping(), similarity.total());
        let watch = &mut Watching { linkage: self, grouping, ctx };
        let joins = agglomerate_factored(similarity, watch)?;
        self.tree(grouping, &joins, |sum| 1.0 - sum / total, grouping.samples())
    }

    /// The tree of these merges.
    fn tree<S: Real>(
        &self,
        grouping: &Grouping,
        joins: &[Join],
        height: impl Fn(f64) -> f64,
        largest_k: usize,
    ) -> Result<Box<dyn Fitted<S>>> {
        let merges: Vec<(usize, usize, f64)> =
            joins.iter().map(|j| (j.left, j.right, height(j.similarity))).collect();
        let dendrogram = Dendrogram::from_members(grouping.samples(), &merges)?;
        let dendrogram = dendrogram.counted(grouping.counts().cloned())?;
        Ok(Box::new(Tree { name: self.name().to_string(), dendrogram, largest_k }))
    }

    /// The values between groups, in units.
    fn counts<S: Real>(&self, similarity: &Similarity<S>) -> Result<Condensed<Vec<f64>>> {
        let units = Units::of(similarity);
        let mut counts = reserve(self.name(), similarity.condensed().len())?;
        counts.extend(similarity.condensed().iter().map(|&s| units.count(s)));
        Condensed::new(similarity.len(), counts)
    }
}

impl Component for Linkage {
    fn name(&self) -> &str {
        match self.method {
            LinkageMethod::Average => "average",
            LinkageMethod::Complete => "complete",
            LinkageMethod::Single => "single",
        }
    }
}

impl<S: Real> Consensus<S> for Linkage {
    /// Average linkage over samples also reads a factored similarity.
    fn accepts(&self) -> &[Kind] {
        match (self.method, self.params.weighting) {
            (LinkageMethod::Average, Weighting::Samples) => &[Kind::Similarity, Kind::Factored],
            _ => &[Kind::Similarity],
        }
    }

    fn fit(&self, evidence: &Evidence<S>, ctx: &Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>> {
        let accepts = Consensus::<S>::accepts(self);
        let similarity = match evidence {
            Evidence::Similarity(similarity) => similarity,
            Evidence::Factored(similarity) if accepts.contains(&Kind::Factored) => {
                return self.fit_factored(similarity, ctx);
            }
            other => return Err(other.refused_by(self.name(), accepts)),
        };
        let samples = similarity.grouping().samples();
        let (joins, largest_k) = match self.params.weighting {
            Weighting::Samples => (self.join_samples(similarity, ctx)?, samples),
            Weighting::Groups => (self.join_groups(similarity, ctx)?, similarity.len()),
        };
        let units = Units::of(similarity);
        self.tree(similarity.grouping(), &joins, |count| units.height(count), largest_k)
    }

    fn makes_tree(&self) -> bool {
        true
    }

    fn footprint(&self, shape: &Shape) -> Footprint {
        match shape.kind {
            Kind::Factored => memory::footprint_factored(shape),
            _ => memory::footprint(shape.samples, shape.groups),
        }
    }
}

/// Connects the agglomeration to the context of a run.
struct Watching<'a, 'c, S> {
    linkage: &'a Linkage,
    grouping: &'a Grouping,
    ctx: &'a Ctx<'c, S>,
}

impl<S: Real> Watch for Watching<'_, '_, S> {
    /// The number of distinguishable clusters is not known in advance, so memory is requested
    /// here.
    fn room(&mut self, crowds: usize) -> Result<()> {
        let until_now = memory::footprint(self.grouping.samples(), self.grouping.len()).total();
        self.ctx.require(
            &Stage::Consensus.of(self.linkage.name()),
            until_now + memory::table(crowds),
            &format!("{crowds} kinds of clusters, because of ties"),
            "let every group count once (weighting = groups), or choose another consensus function",
        )
    }

    fn progress(&mut self, done: u64, all: u64) -> Result<()> {
        self.ctx.progress("linkage", done, all)
    }
}

/// A fitted linkage.
struct Tree {
    name: String,
    dendrogram: Dendrogram,
    largest_k: usize,
}

impl<S: Real> Fitted<S> for Tree {
    fn cut(&self, k: usize, _: &Ctx<'_, S>) -> Result<Partition> {
        check_k(&self.name, k, self.largest_k)?;
        self.dendrogram.cut(k)
    }

    fn largest_k(&self) -> usize {
        self.largest_k
    }

    fn dendrogram(&self) -> Option<&Dendrogram> {
        Some(&self.dendrogram)
    }
}

/// Allocates memory for this many values; returns an error if that is not possible.
fn reserve<T>(component: &str, len: usize) -> Result<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(len).map_err(|_| {
        Error::unsupported(
            component,
            format!("a table of {len} pairs, which does not fit into memory"),
        )
    })?;
    Ok(room)
}
