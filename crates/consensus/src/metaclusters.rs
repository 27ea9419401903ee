//! Meta-clustering of base clusters.

use std::sync::Arc;

use enclust_core::{
    Bytes, ClusterGraph, Consensus, Csr, Ctx, Error, Evidence, Fitted, Footprint, Grouping, Kind,
    Partition, Real, Result, Shape, Stage, check_k, part,
};
use enclust_linalg::leading_eigenpairs_bytes;

use crate::ncut::Ncut;

const NAME: &str = "metaclusters";

part! {
    /// Meta-clustering: base clusters are partitioned into groups, and each sample is assigned
    /// to the group with the largest share of clusters that contain the sample.
    ///
    /// # Problem
    ///
    /// A [normalised cut](Ncut) partitions the base clusters into k groups. The score of a
    /// sample for a group is the share of the group's clusters that contain the sample; the
    /// sample is assigned to the group with the largest score.
    ///
    /// The computation runs on groups of samples: the samples of a group are in the same
    /// clusters, so they have the same scores.
    ///
    /// # Parameters
    ///
    /// None.
    ///
    /// # Complexity
    ///
    /// That of [`Ncut`] with N base clusters, and O(n' m) for the vote; N² numbers in addition
    /// to the graph.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the graph, k, the seed and the backend, not on the number of
    /// threads. Among equal scores, the group with the lowest number is chosen. Groups without
    /// samples are dropped, so there may be fewer than k clusters.
    ///
    /// # Errors
    ///
    /// [`Error::ClusterCount`] if k is 0 or exceeds the number of samples or base clusters;
    /// [`Error::KindMismatch`] for other evidence; [`Error::Size`] if the sizes of graph and
    /// groups do not match; [`Error::Unsupported`] for weights that are negative or not finite;
    /// [`Error::NoConvergence`] if the eigenvectors are not found.
    ///
    /// # Example
    ///
    /// ```
    /// use std::sync::Arc;
    /// use enclust_consensus::Metaclusters;
    /// use enclust_core::{ClusterGraph, Consensus, Csr, Ctx, Grouping, Mat};
    ///
    /// // Two clusterings with two clusters each; the first clusters are similar, and so are the second.
    /// let row = |a, b| vec![(a, 1.0), (b, 1.0)];
    /// let members = Csr::from_rows(4, vec![row(0, 2), row(0, 2), row(1, 3), row(1, 3)]);
    /// let weights = Mat::from_fn(4, 4, |a, b| if a % 2 == b % 2 { 1.0 } else { 0.1 });
    /// let graph = ClusterGraph::new(Arc::new(Grouping::singletons(4)), members, weights)?;
    /// let ctx = Ctx::default();
    /// let fitted = Metaclusters.fit(&graph.into(), &ctx)?;
    /// assert_eq!(fitted.cut(2, &ctx)?.labels(), &[0, 0, 1, 1]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// D. Huang, C.-D. Wang, H. Peng, J. Lai, C.-K. Kwoh, *Enhanced ensemble clustering via
    /// fast propagation of cluster-wise similarities*, IEEE Trans. Systems, Man, and
    /// Cybernetics: Systems 51 (2021), ECPCS-MC. The paper breaks ties at random; the authors'
    /// program breaks them as described above.
    pub struct Metaclusters("metaclusters", "groups of base clusters that samples vote for");
}

impl<S: Real> Consensus<S> for Metaclusters {
    fn accepts(&self) -> &[Kind] {
        &[Kind::ClusterGraph]
    }

    fn fit(&self, evidence: &Evidence<S>, _: &Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>> {
        let ClusterGraph { grouping, members, weights, .. } = evidence.cluster_graph_for(NAME)?;
        Error::check_size("rows of the graph's members", grouping.len(), members.rows())?;
        Error::check_size("base clusters with weights", members.cols(), weights.rows())?;
        Ok(Box::new(Voting {
            graph: Ncut::new(weights)?,
            members: members.clone(),
            grouping: Arc::clone(grouping),
        }))
    }

    fn gives_exactly_k(&self) -> bool {
        false
    }

    /// The normalised graph and a copy of the memberships; a cut in addition.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let links = (shape.groups as u64).saturating_mul(shape.clusterings as u64);
        let clusters = shape.clone().with_groups(shape.clusters);
        let graph = clusters.square() + clusters.in_double().vector();
        let cut = cut_bytes(shape.clusters_ahead().min(shape.clusters), shape);
        Footprint::new(graph + shape.sparse(links), cut + shape.each_sample(2 * size_of::<usize>()))
    }
}

/// The memory to cut into k clusters.
fn cut_bytes(k: usize, shape: &Shape) -> Bytes {
    let clusters = shape.clone().with_groups(shape.clusters);
    let points = clusters.each_group(shape.scalar + 32) * k as u64;
    // Axes, sums of points, vectors and their rotations.
    let rotation = Bytes(k as u64) * (5 * (8 * k as u64 + size_of::<Vec<f64>>() as u64));
    let eigenpairs = leading_eigenpairs_bytes(shape.clusters, k, shape.scalar, shape.threads);
    points + eigenpairs.max(rotation) + shape.each_group(size_of::<usize>())
}

/// A graph of base clusters and the memberships of the samples.
struct Voting<S> {
    graph: Ncut<S>,
    members: Csr<S>,
    grouping: Arc<Grouping>,
}

impl<S: Real> Voting<S> {
    fn check_room(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<()> {
        let (samples, groups) = (self.grouping.samples(), self.grouping.len());
        let shape =
            Shape::ahead::<S>(samples, 1, self.graph.len(), groups).with_threads(ctx.threads());
        let size = format!("k = {k} of {} base clusters", self.graph.len());
        let needed = cut_bytes(k, &shape);
        ctx.require(&Stage::Cut.of(NAME), needed, &size, "request fewer clusters")
    }
}

impl<S: Real> Fitted<S> for Voting<S> {
    fn cut(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Partition> {
        check_k(NAME, k, Fitted::<S>::largest_k(self))?;
        self.check_room(k, ctx)?;
        let groups = self.graph.groups(k, ctx)?;
        Ok(self.grouping.lift(&votes(&self.members, &groups, k)))
    }

    fn largest_k(&self) -> usize {
        self.graph.len().min(self.grouping.samples())
    }
}

/// The group of clusters to which each row is assigned.
fn votes<S: Real>(members: &Csr<S>, groups: &[usize], k: usize) -> Vec<usize> {
    let mut sizes = vec![0.0; k];
    groups.iter().for_each(|&g| sizes[g] += 1.0);
    let vote = |p: usize| {
        let mut scores = vec![0.0; k];
        members.iter_row(p).for_each(|(cluster, w)| scores[groups[cluster]] += w.wide());
        // A group without clusters is never chosen.
        let score = |g: usize| if sizes[g] > 0.0 { scores[g] / sizes[g] } else { -1.0 };
        (1..k).fold(0, |best, g| if score(g) > score(best) { g } else { best })
    };
    (0..members.rows()).map(vote).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clusters 0, 1, 2 in group 1 and 3 in group 2; group 0 is empty.
    #[test]
    fn the_largest_share_wins_and_empty_groups_never_do() {
        let row = |clusters: &[u32]| clusters.iter().map(|&a| (a, 1.0)).collect();
        let rows = vec![row(&[0, 1, 2, 3]), row(&[0, 1]), row(&[0, 1, 3]), row(&[])];
        let members = Csr::<f64>::from_rows(4, rows);
        assert_eq!(votes(&members, &[1, 1, 1, 2], 3), [1, 1, 2, 1]);
    }
}
