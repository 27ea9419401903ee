//! The bipartite graph of LWGP.

use enclust_core::{
    Ca, Component, Ctx, Footprint, Kind, Microclusters, Question, Real, Represented, Result, Shape,
    part,
};

use crate::eci::ensemble_cluster_index;
use crate::incidence::{incidence_bytes, weighted_incidence};
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
        Ok(weighted_incidence(microclusters, &eci)?.into())
    }

    fn footprint(&self, shape: &Shape) -> Footprint {
        Footprint::new(incidence_bytes(shape), cluster_index(shape))
    }
}
