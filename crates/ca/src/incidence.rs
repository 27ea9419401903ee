//! The bipartite graph of HBGF, and graphs of samples and base clusters in general.

use std::sync::Arc;

use enclust_core::{
    Bipartite, Bytes, Ca, Component, Csr, Ctx, Footprint, Kind, Microclusters, Question, Real,
    Represented, Result, Shape, part,
};

part! {
    /// Samples linked to their base clusters, with unit weights.
    ///
    /// # Problem
    ///
    /// Each sample is linked to its m base clusters. The weight of a link is 1, or the weight of the
    /// base clustering.
    ///
    /// # Complexity
    ///
    /// O(n' m) time and numbers; no n' × n' matrix.
    ///
    /// # Errors
    ///
    /// Missing labels are [unsupported](enclust_core::Error::Unsupported): a sample without any
    /// label would be isolated in the graph.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::Incidence;
    /// use enclust_core::{Ctx, Ensemble, Evidence, Microclusters, Ca, Question};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]])?;
    /// let rows = Microclusters::of(&e);
    /// let made = Incidence.build(&rows, &Question::default(), &Ctx::<f64>::default())?;
    /// let Evidence::Bipartite(graph) = made.evidence else { unreachable!() };
    /// assert_eq!((graph.weights.get(0, 0), graph.weights.get(0, 1)), (Some(1.0), None));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// X. Z. Fern, C. E. Brodley, "Solving cluster ensemble problems by bipartite graph
    /// partitioning", ICML 2004.
    pub struct Incidence("incidence", "bipartite graph with unit weights (HBGF)");
}

impl<S: Real> Ca<S> for Incidence {
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
        let clusters = microclusters.clusters().iter().sum();
        Ok(weighted_incidence(microclusters, &vec![1.0; clusters])?.into())
    }

    fn footprint(&self, shape: &Shape) -> Footprint {
        Footprint::new(incidence_bytes(shape), Bytes(shape.clusters as u64) * 16)
    }
}

/// The graph in which a link to a base cluster has the weight of this cluster times that of its
/// clustering. No label may be missing.
pub(crate) fn weighted_incidence<S: Real>(
    microclusters: &Microclusters,
    weights: &[f64],
) -> Result<Bipartite<S>> {
    let offsets = microclusters.cluster_offsets();
    let m = microclusters.clusterings();
    let link = |p: usize, k: usize| {
        let cluster = offsets[k] + microclusters.label(p, k) as usize;
        (cluster as u32, S::of(microclusters.weight(k) * weights[cluster]))
    };
    let link = &link;
    let rows = (0..microclusters.len()).map(|p| (0..m).map(move |k| link(p, k)));
    let weights = Csr::from_row_iter(weights.len(), microclusters.len() * m, rows);
    Bipartite::new(Arc::clone(microclusters.grouping()), weights)
}

/// The memory of such a graph.
pub(crate) fn incidence_bytes(shape: &Shape) -> Bytes {
    shape.sparse((shape.groups as u64).saturating_mul(shape.clusterings as u64))
}
