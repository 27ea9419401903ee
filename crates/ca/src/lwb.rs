//! The bipartite graph of LWGP.

use std::sync::Arc;

use enclust_core::{
    Bipartite, Bytes, Component, Csr, Ctx, Evidence, Footprint, Kind, Microclusters, ParamError,
    Parameters, Real, Represent, Result, Shape,
};

use crate::eci::ensemble_cluster_index;
use crate::lwca::LwcaParams;
use crate::memory::cluster_index;

/// Samples linked to their base clusters, each link weighted by the cluster's
/// [reliability](ensemble_cluster_index).
///
/// **Parameters.** θ, see [`LwcaParams`].
///
/// **Complexity.** O(n' m²) time, n' m numbers; no n' × n' matrix.
///
/// **Errors.** Missing labels are [unsupported](enclust_core::Error::Unsupported):
/// a sample without any label would have no link to cut.
///
/// ```
/// use enclust_ca::LocallyWeightedBipartite;
/// use enclust_core::{Ctx, Ensemble, Evidence, Microclusters, Represent};
///
/// let e = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]])?;
/// let lwb = LocallyWeightedBipartite::default();
/// let Evidence::Bipartite(graph) = lwb.build(&Microclusters::of(&e), &mut Ctx::<f64>::default())?
/// else { unreachable!() };
/// assert_eq!((graph.weights.rows(), graph.weights.cols()), (3, 4));
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// **Reference.** D. Huang, C.-D. Wang, J.-H. Lai, "Locally weighted ensemble
/// clustering", IEEE Transactions on Cybernetics 2018.
#[derive(Clone, Debug, Default)]
pub struct LocallyWeightedBipartite {
    params: LwcaParams,
}

impl LocallyWeightedBipartite {
    /// Checks the parameters.
    pub fn new(params: LwcaParams) -> Result<Self, ParamError> {
        params.validate()?;
        Ok(LocallyWeightedBipartite { params })
    }
}

impl Component for LocallyWeightedBipartite {
    fn name(&self) -> &str {
        "lwb"
    }
}

impl<S: Real> Represent<S> for LocallyWeightedBipartite {
    fn kind(&self) -> Kind {
        Kind::Bipartite
    }

    fn build(&self, microclusters: &Microclusters, _: &mut Ctx<'_, S>) -> Result<Evidence<S>> {
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
        Ok(Bipartite { grouping: Arc::clone(microclusters.grouping()), weights }.into())
    }

    /// A link for each label, in lists a row first and then packed.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let links = (shape.groups as u64).saturating_mul(shape.clusterings as u64);
        let lists =
            Bytes(links) * 2 * shape.scalar as u64 + shape.each_group(size_of::<Vec<(u32, S)>>());
        Footprint::new(shape.sparse(links), lists + cluster_index(shape))
    }
}
