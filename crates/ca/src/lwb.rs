//! The bipartite graph of LWGP.

use std::sync::Arc;

use enclust_core::{
    Bipartite, Bytes, Ca, Component, Csr, Ctx, Footprint, Kind, Microclusters, Question, Real,
    Represented, Result, Shape, part,
};

use crate::eci::ensemble_cluster_index;
use crate::lwca::Lwca;
use crate::memory::cluster_index;

part! {
    /// Samples linked to their base clusters, weighted by the reliability of the clusters.
    ///
    /// # Problem
    ///
    /// Each sample is linked to its m base clusters. The weight of a link is the
    /// [reliability](ensemble_cluster_index) of the cluster.
    ///
    /// # Parameters
    ///
    /// `theta` (θ), the same as for [`Lwca`].
    ///
    /// # Complexity
    ///
    /// O(n' m²) time, n' m numbers; no n' × n' matrix.
    ///
    /// # Errors
    ///
    /// Missing labels are [unsupported](enclust_core::Error::Unsupported): a sample without any
    /// label would be isolated in the graph.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::LocallyWeightedBipartite;
    /// use enclust_core::{Ctx, Ensemble, Evidence, Microclusters, Ca, Question};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]])?;
    /// let lwb = LocallyWeightedBipartite::default();
    /// let Evidence::Bipartite(graph) = lwb.build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?.evidence
    /// else { unreachable!() };
    /// assert_eq!((graph.weights.rows(), graph.weights.cols()), (3, 4));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// D. Huang, C.-D. Wang, J.-H. Lai, "Locally weighted ensemble clustering", IEEE
    /// Transactions on Cybernetics 2018.
    pub struct LocallyWeightedBipartite(
        "lwb",
        "bipartite graph weighted by cluster reliability (LWGP)"
    ) of Lwca;
}

impl<S: Real> Ca<S> for LocallyWeightedBipartite {
    fn kind(&self) -> Kind {
        Kind::Bipartite
    }

    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        _: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        microclusters.require_complete(self.name())?;
        let eci = ensemble_cluster_index(microclusters, self.params.theta);
        let offsets = microclusters.cluster_offsets();
        let row = |p: usize| {
            let link = |k: usize| {
                let cluster = offsets[k] + microclusters.label(p, k) as usize;
                (cluster as u32, S::of(microclusters.weight(k) * eci[cluster]))
            };
            (0..microclusters.clusterings()).map(link).collect()
        };
        let weights = Csr::from_rows(eci.len(), (0..microclusters.len()).map(row).collect());
        Ok(Bipartite::new(Arc::clone(microclusters.grouping()), weights)?.into())
    }

    /// One link per label, first in one list per row and then packed.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let links = (shape.groups as u64).saturating_mul(shape.clusterings as u64);
        let lists =
            Bytes(links) * 2 * shape.scalar as u64 + shape.each_group(size_of::<Vec<(u32, S)>>());
        Footprint::new(shape.sparse(links), lists + cluster_index(shape))
    }
}
