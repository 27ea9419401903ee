//! The graph of base clusters of MCLA.

use std::sync::Arc;

use enclust_core::{
    Bytes, Ca, ClusterGraph, Component, Ctx, Error, Footprint, Kind, Mat, Microclusters, Question,
    Real, Represented, Result, Shape, part,
};

use crate::cluster_graph::{graph_bytes, members};
use crate::cluster_walk::{coefficients_bytes, jaccard_coefficients};

part! {
    /// Base clusters joined by their overlaps.
    ///
    /// # Problem
    ///
    /// The nodes of the graph are the base clusters, and its weights are their Jaccard coefficients
    /// |A ∩ B| / |A ∪ B|; two clusters of the same clustering have nothing in common. This is the
    /// graph of [`PropagatedClusters`](crate::PropagatedClusters) without a random walk.
    ///
    /// The computation runs on groups: coefficients count samples, and all samples of a group are in
    /// the same clusters. A sample without label in a clustering is in none of its clusters.
    ///
    /// # Complexity
    ///
    /// O(n' m²) time; n' m + N² numbers for N base clusters, no n' × n' matrix.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the ensemble, not on the number of threads.
    ///
    /// # Errors
    ///
    /// Weights other than 1, and samples without any label, are
    /// [unsupported](enclust_core::Error::Unsupported).
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::JaccardGraph;
    /// use enclust_core::{Ca, Ctx, Ensemble, Evidence, Microclusters, Question};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]])?;
    /// let made = JaccardGraph.build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?;
    /// let Evidence::ClusterGraph(graph) = made.evidence else { unreachable!() };
    /// assert_eq!((graph.weights[(0, 0)], graph.weights[(0, 2)]), (1.0, 0.5));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// A. Strehl, J. Ghosh, *Cluster ensembles: a knowledge reuse framework for combining multiple
    /// partitions*, JMLR 3 (2002), MCLA. The paper partitions this graph by METIS.
    pub struct JaccardGraph("jaccard", "graph of overlapping base clusters (MCLA)");
}

impl<S: Real> Ca<S> for JaccardGraph {
    fn kind(&self) -> Kind {
        Kind::ClusterGraph
    }

    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        microclusters.require_unweighted(self.name())?;
        let firsts = microclusters.grouping().first_members();
        let unlabelled =
            (0..microclusters.len()).find(|&p| microclusters.labelled_weight(p) == 0.0);
        if let Some(p) = unlabelled {
            let what = format!("sample {}, counted from 1, without any label", firsts[p] + 1);
            return Err(Error::unsupported(self.name(), what));
        }
        let coefficients = jaccard_coefficients(microclusters);
        ctx.watch().checkpoint("comparing base clusters")?;
        let mut weights = Mat::zeros(coefficients.rows(), coefficients.rows());
        for (a, &size) in microclusters.cluster_sizes().iter().enumerate() {
            coefficients.iter_row(a).for_each(|(b, j)| weights[(a, b)] = S::of(j));
            weights[(a, a)] = if size > 0 { S::one() } else { S::zero() };
        }
        let grouping = Arc::clone(microclusters.grouping());
        Ok(ClusterGraph::new(grouping, members(microclusters), weights)?.into())
    }

    /// First the coefficients; then these and the graph, whose links are in lists before they are
    /// packed.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let (graph, lists) = graph_bytes(shape);
        let coefficients = coefficients_bytes(shape) + Bytes(shape.clusters as u64) * 8;
        Footprint::new(graph, coefficients.max(lists))
    }
}
