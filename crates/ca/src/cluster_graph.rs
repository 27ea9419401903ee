//! The graph of base clusters of ECPCS-MC.

use std::sync::Arc;

use enclust_core::{
    Bytes, Ca, ClusterGraph, Component, Csr, Ctx, Footprint, Kind, MISSING, Mat, Microclusters,
    Question, Real, Represented, Result, Shape, part,
};

use crate::cluster_walk::ClusterSimilarity;
use crate::eca::Eca;

part! {
    /// Base clusters joined by their propagated similarities.
    ///
    /// # Problem
    ///
    /// The nodes of the graph are the base clusters, and its weights are their similarities Z
    /// as defined for [`Eca`](crate::Eca). A cluster has weight 1 with itself. A cluster that
    /// shares no sample with another one, which occurs only if there is a single clustering,
    /// has no weights.
    ///
    /// The computation runs on groups: Z counts samples, and all samples of a group are in the
    /// same clusters.
    ///
    /// # Parameters
    ///
    /// `steps` (t), the same as for [`Eca`].
    ///
    /// # Complexity
    ///
    /// O(n' m² + t N e) time for N base clusters and e pairs of them that share a sample, or
    /// O(n' m² + N³ log t) if that is less; memory for n' m and 4N² numbers and the pairs, no
    /// n' × n' matrix.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the ensemble, not on the number of threads.
    ///
    /// # Errors
    ///
    /// Missing labels and weights other than 1 are
    /// [unsupported](enclust_core::Error::Unsupported).
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::PropagatedClusters;
    /// use enclust_core::{Ctx, Ensemble, Evidence, Microclusters, Ca, Question};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1], [0, 1, 2]])?;
    /// let pcs = PropagatedClusters::default();
    /// let Evidence::ClusterGraph(graph) = pcs.build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?.evidence
    /// else { unreachable!() };
    /// assert_eq!((graph.members.rows(), graph.weights.rows()), (3, 7));
    /// assert_eq!(graph.weights[(0, 0)], 1.0);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// The same as for [`Eca`](crate::Eca) (ECPCS-MC).
    pub struct PropagatedClusters("pcs", "graph of similar base clusters (ECPCS)") of Eca;
}

impl<S: Real> Ca<S> for PropagatedClusters {
    fn kind(&self) -> Kind {
        Kind::ClusterGraph
    }

    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        let clusters = ClusterSimilarity::new(self.name(), microclusters, self.params.steps, ctx)?;
        let grouping = Arc::clone(microclusters.grouping());
        let (members, weights) = (members(microclusters), weights(&clusters));
        Ok(ClusterGraph::new(grouping, members, weights)?.into())
    }

    /// First the similarities of clusters; then these together with the graph, whose links are
    /// in lists before they are packed.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let (graph, lists) = graph_bytes(shape);
        let copying = ClusterSimilarity::result_bytes(shape) + lists;
        Footprint::new(graph, copying.max(ClusterSimilarity::bytes(shape) - graph))
    }
}

/// The memory of a graph of base clusters, and of its links in lists.
pub(crate) fn graph_bytes(shape: &Shape) -> (Bytes, Bytes) {
    let links = (shape.groups as u64).saturating_mul(shape.clusterings as u64);
    let lists = Bytes(links) * 2 * shape.scalar as u64 + shape.each_group(size_of::<Vec<u32>>());
    (shape.sparse(links) + shape.clone().with_groups(shape.clusters).square(), lists)
}

/// One row per group, with 1 for each of its clusters.
pub(crate) fn members<S: Real>(microclusters: &Microclusters) -> Csr<S> {
    let (m, offsets) = (microclusters.clusterings(), microclusters.cluster_offsets());
    let row = |p: usize| {
        let labelled = || (0..m).filter(|&k| microclusters.label(p, k) != MISSING);
        let home = |k: usize| (offsets[k] as u32 + microclusters.label(p, k), S::one());
        // Exact capacity: a growing list would take up to twice as much memory.
        let mut row = Vec::with_capacity(labelled().count());
        row.extend(labelled().map(home));
        row
    };
    Csr::from_rows(offsets[m], (0..microclusters.len()).map(row).collect())
}

/// The similarities as a matrix, with zero rows for isolated clusters.
fn weights<S: Real>(clusters: &ClusterSimilarity) -> Mat<S> {
    let ClusterSimilarity { values, isolated } = clusters;
    let n = isolated.len();
    Mat::from_fn(n, n, |a, b| if isolated[a] { S::zero() } else { S::of(values[(a, b)]) })
}
