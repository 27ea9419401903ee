//! The bipartite graph of PTGP.

use std::sync::Arc;

use enclust_core::{
    Bipartite, Bytes, Ca, Component, Csr, Ctx, Footprint, Kind, Microclusters, Question, Real,
    Represented, Result, Shape, part,
};
use rayon::prelude::*;

use crate::pts::Pts;

part! {
    /// Microclusters linked to base clusters by trajectory similarity.
    ///
    /// # Problem
    ///
    /// The weight of the link between a microcluster and a base cluster is the mean trajectory
    /// similarity of the microcluster to the members of the cluster, including itself. The
    /// members of a cluster are counted in microclusters; the links to the clusters of a
    /// weighted clustering are multiplied by its weight.
    ///
    /// # Parameters
    ///
    /// The same as for [`Pts`].
    ///
    /// # Complexity
    ///
    /// That of [`Pts`], then O(n'² m) time and a dense graph.
    ///
    /// # Errors
    ///
    /// Missing labels are [unsupported](enclust_core::Error::Unsupported).
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::TrajectoryBipartite;
    /// use enclust_core::{Ctx, Ensemble, Evidence, Microclusters, Ca, Question};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]])?;
    /// let ptb = TrajectoryBipartite::default();
    /// let Evidence::Bipartite(graph) = ptb.build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?.evidence
    /// else { unreachable!() };
    /// assert_eq!((graph.weights.rows(), graph.weights.cols()), (3, 4));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// D. Huang, J.-H. Lai, C.-D. Wang, "Robust ensemble clustering using probability
    /// trajectories", TKDE 2016. In the authors' program, an isolated microcluster has
    /// similarity 1e-20 instead of 1 to itself, which links it equally to every cluster; here
    /// it is linked to its own clusters.
    pub struct TrajectoryBipartite(
        "ptb",
        "bipartite graph of mean trajectory similarity (PTGP)"
    ) of Pts;
}

impl<S: Real> Ca<S> for TrajectoryBipartite {
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
        let all = self.params.all_pairs(microclusters, ctx)?;
        let offsets = microclusters.cluster_offsets();
        let members = members_in_microclusters(microclusters, &offsets);
        let weight = weight_of_clusters(microclusters);
        let row = |p: usize| {
            let mut sums = vec![0.0; members.len()];
            for k in 0..microclusters.clusterings() {
                let sums = &mut sums[offsets[k]..];
                for (&label, &s) in microclusters.column(k).iter().zip(all.col(p)) {
                    sums[label as usize] += s;
                }
            }
            let links = (0..members.len()).map(|a| (a as u32, weight[a] * sums[a] / members[a]));
            links.filter(|(_, v)| *v > 0.0).map(|(a, v)| (a, S::of(v))).collect()
        };
        let rows = (0..microclusters.len()).into_par_iter().map(row).collect();
        let weights = Csr::from_rows(members.len(), rows);
        Ok(Bipartite::new(Arc::clone(microclusters.grouping()), weights)?.into())
    }

    /// First the trajectories; then all similarities together with a possibly dense graph,
    /// whose links are in growing lists before they are packed.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let links = (shape.groups as u64).saturating_mul(shape.clusters as u64);
        let lists =
            Bytes(links) * 4 * shape.scalar as u64 + shape.each_group(size_of::<Vec<(u32, S)>>());
        let (graph, all) = (shape.sparse(links), shape.in_double().square());
        let sums = Bytes(shape.clusters as u64) * (32 + 8 * shape.threads as u64);
        Footprint::new(graph, (all + lists + sums).max(Pts::all_pairs_bytes(shape) - graph))
    }
}

/// Number of microclusters in each base cluster, numbered through all clusterings.
fn members_in_microclusters(microclusters: &Microclusters, offsets: &[usize]) -> Vec<f64> {
    let mut members = vec![0.0; offsets[microclusters.clusterings()]];
    for k in 0..microclusters.clusterings() {
        for &label in microclusters.column(k) {
            members[offsets[k] + label as usize] += 1.0;
        }
    }
    members
}

/// Weight of the clustering of each base cluster, numbered through all clusterings.
fn weight_of_clusters(microclusters: &Microclusters) -> Vec<f64> {
    let clusters = microclusters.clusters().iter().enumerate();
    clusters.flat_map(|(k, &c)| vec![microclusters.weight(k); c]).collect()
}
