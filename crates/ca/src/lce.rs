//! The bipartite graph of the link-based cluster ensemble.

use std::sync::Arc;

use enclust_core::{
    Bipartite, Bytes, Ca, Component, Csr, Ctx, Footprint, Kind, Microclusters, Question, Range,
    Real, Represented, Result, Shape, part,
};

use crate::links::{LinkScale, SharedNeighbours};

part! {
    /// Samples linked to their base clusters and, more weakly, to similar ones.
    ///
    /// # Problem
    ///
    /// The link of a sample to a base cluster has weight 1 if it is in the cluster, and otherwise
    /// d · T[cluster, the sample's own cluster in this clustering] with the similarity T of
    /// [`Cts`](crate::Cts). Links to the clusters of a clustering of weight w weigh w times as much.
    ///
    /// # Parameters
    ///
    /// `decay` (d), the trust in links, and `scale`: T is divided by its largest value within a
    /// clustering, as in the authors' toolbox, or over all pairs of clusters, as in a survey's port.
    ///
    /// # Complexity
    ///
    /// O(n' m²) time for the Jaccard coefficients, O(Σₖ Kₖ e) for T, O(n' N) time and numbers for
    /// the graph with N base clusters: it is dense, but there is no n' × n' matrix.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the ensemble, not on the number of threads.
    ///
    /// # Errors
    ///
    /// Missing labels are [unsupported](enclust_core::Error::Unsupported), and weights other than 1 if
    /// `scale` is `all`: copies of a clustering would be the most similar clusters.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::Lce;
    /// use enclust_core::{Ca, Ctx, Ensemble, Evidence, Microclusters, Question};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 2], [0, 0, 0, 1]])?;
    /// let made = Lce::default().build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?;
    /// let Evidence::Bipartite(graph) = made.evidence else { unreachable!() };
    /// // The first two clusters have a neighbour in common, the third has none with them.
    /// assert_eq!((graph.weights.get(0, 1), graph.weights.get(0, 2)), (Some(0.9), None));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// N. Iam-On, T. Boongoen, S. Garrett, C. Price, *A link-based approach to the cluster ensemble
    /// problem*, TPAMI 33 (2011).
    pub struct Lce("lce", "bipartite graph with links to similar clusters (LCE)") {
        /// d: weight of a link to the most similar cluster; 0 gives the graph of HBGF.
        pub decay: f64 = 0.9, in Range::Within(0.0, 1.0), tried [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
        /// The pairs whose most similar one has similarity 1.
        pub scale: LinkScale = LinkScale::Clustering, in Range::Any;
    }
}

impl<S: Real> Ca<S> for Lce {
    fn kind(&self) -> Kind {
        Kind::Bipartite
    }

    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        microclusters.require_complete(self.name())?;
        if self.scale == LinkScale::All {
            microclusters.require_unweighted(self.name())?;
        }
        let links = SharedNeighbours::new(microclusters, self.decay, self.scale, ctx.watch())?;
        let (m, offsets) = (microclusters.clusterings(), microclusters.cluster_offsets());
        let block = |p: usize, k: usize| {
            let (first, weight) = (offsets[k] as u32, microclusters.weight(k));
            let near = links.of(k, microclusters.label(p, k) as usize).iter().zip(first..);
            let near = near.map(move |(t, cluster)| (cluster, S::of(t * weight)));
            near.filter(|(_, weight)| *weight > S::zero())
        };
        let block = &block;
        let rows = (0..microclusters.len()).map(|p| (0..m).flat_map(move |k| block(p, k)));
        let entries = rows.clone().map(Iterator::count).sum();
        let weights = Csr::from_row_iter(offsets[m], entries, rows);
        Ok(Bipartite::new(Arc::clone(microclusters.grouping()), weights)?.into())
    }

    /// First the similarities of clusters; then these and the graph, in which every sample may be
    /// linked to every cluster.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let graph = shape.sparse((shape.groups as u64).saturating_mul(shape.clusters as u64));
        let reading = SharedNeighbours::result_bytes(shape);
        let all = match self.scale {
            LinkScale::Clustering => Bytes(0),
            LinkScale::All => shape.in_double().with_groups(shape.clusters).square(),
        };
        Footprint::new(graph, reading.max(SharedNeighbours::bytes(shape) + all - graph))
    }
}
