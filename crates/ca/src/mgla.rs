//! The bipartite graph of GP-MGLA.

use std::sync::Arc;

use enclust_core::{
    Bipartite, Bytes, Ca, Component, Csr, Ctx, Footprint, Kind, Microclusters, Question, Range,
    Real, Represented, Result, Shape, part,
};

use crate::incidence::{incidence_bytes, weighted_incidence};
use crate::links::{common_neighbours, common_neighbours_bytes};
use crate::memory::cluster_index;
use crate::ncai::crowd_agreement;

part! {
    /// Samples and base clusters linked to base clusters, weighted by the agreement of clusterings.
    ///
    /// # Problem
    ///
    /// The graph has two kinds of rows. A sample is linked to its base clusters with weight α u,
    /// where u is the [crowd agreement](crowd_agreement) of the clustering. A base cluster is linked
    /// to the base clusters that have neighbours in common with it: with W the Jaccard coefficients
    /// of clusters of different clusterings and W[c, c] = 1, the weight between a and b is the sum of
    /// u(c) min(W[c, a], W[c, b]) over all c, divided by the largest such value; it is 1 for a = b.
    /// The rows of base clusters are [helpers](Bipartite::with_helpers): a transfer cut partitions
    /// them together with the samples.
    ///
    /// The computation runs on groups, whose links are those of each of their samples.
    ///
    /// # Parameters
    ///
    /// `beta` (β), the exponent of the agreement, and `alpha` (α), the weight of samples against base
    /// clusters. The paper, its program and a later benchmark use 2 and 0.5; no other values were
    /// published.
    ///
    /// # Complexity
    ///
    /// O(n' m² + N e) time for N base clusters and e pairs of them that share a sample; n' m + N²
    /// numbers, no n' × n' matrix.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the ensemble, not on the number of threads. The authors' program
    /// obtains W[c, c] = 1 by an identity matrix that it adds and corrects.
    ///
    /// # Errors
    ///
    /// Missing labels and weights other than 1 are [unsupported](enclust_core::Error::Unsupported):
    /// copies of a clustering would be neighbours of each other.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::Mgla;
    /// use enclust_core::{Ca, Ctx, Ensemble, Evidence, Microclusters, Question};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]])?;
    /// let made = Mgla::default().build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?;
    /// let Evidence::Bipartite(graph) = made.evidence else { unreachable!() };
    /// assert_eq!(graph.weights.get(0, 0), Some(0.5));
    /// let clusters = graph.helpers.unwrap();
    /// assert_eq!((clusters.rows(), clusters.get(0, 0)), (4, Some(1.0)));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// D. Huang, J.-H. Lai, C.-D. Wang, *Combining multiple clusterings via crowd agreement
    /// estimation and multi-granularity link analysis*, Neurocomputing 170 (2015), GP-MGLA.
    pub struct Mgla("mgla", "bipartite graph of samples and clusters with clusters (GP-MGLA)") {
        /// β: exponent of the agreement; 0 weighs all clusterings alike.
        pub beta: f64 = 2.0, in Range::AtLeast(0.0);
        /// α: weight of the links of samples against those of base clusters.
        pub alpha: f64 = 0.5, in Range::Positive;
    }
}

impl<S: Real> Ca<S> for Mgla {
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
        microclusters.require_unweighted(self.name())?;
        let agreement = crowd_agreement(microclusters, self.beta);
        let clusters = microclusters.clusters().iter().zip(&agreement);
        let worth: Vec<f64> = clusters.flat_map(|(&count, &u)| vec![u; count]).collect();
        let relations = common_neighbours(microclusters, &worth, ctx.watch())?;
        let row = |a: usize| {
            let column = relations.col(a).iter().zip(0..).filter(|(r, _)| **r > 0.0);
            column.map(|(&r, b)| (b, S::of(r)))
        };
        let entries = relations.data().iter().filter(|r| **r > 0.0).count();
        let clusters = Csr::from_row_iter(worth.len(), entries, (0..worth.len()).map(row));
        let weights: Vec<f64> = worth.iter().map(|u| self.alpha * u).collect();
        let Bipartite { grouping, weights, .. } = weighted_incidence(microclusters, &weights)?;
        Ok(Bipartite::new(Arc::clone(&grouping), weights)?.with_helpers(clusters)?.into())
    }

    /// First the relations of clusters; then these and the graph.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let clusters = shape.clone().with_groups(shape.clusters);
        let among = clusters.sparse((shape.clusters as u64).saturating_mul(shape.clusters as u64));
        let graph = incidence_bytes(shape) + among;
        let relations = clusters.in_double().square();
        let making = common_neighbours_bytes(shape) + cluster_index(shape);
        Footprint::new(graph, (relations + Bytes(shape.clusters as u64) * 32).max(making - graph))
    }
}
