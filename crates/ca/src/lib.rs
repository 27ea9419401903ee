//! Representations of an ensemble: from label rows to evidence.
//!
//! | component | name | makes | reference |
//! |---|---|---|---|
//! | [`Eac`] | `eac` | similarity | Fred & Jain, TPAMI 2005 |
//! | [`Lwca`] | `lwca` | similarity | Huang, Wang & Lai, IEEE Trans. Cybernetics 2018 |
//! | [`Pts`] | `pts` | similarity | Huang, Lai & Wang, TKDE 2016 |
//! | [`Eca`] | `eca` | similarity | Huang et al., IEEE Trans. SMC: Systems 2021 (ECPCS-HC) |
//! | [`LocallyWeightedBipartite`] | `lwb` | bipartite graph | as `Lwca` (LWGP) |
//! | [`TrajectoryBipartite`] | `ptb` | bipartite graph | as `Pts` (PTGP) |
//! | [`PropagatedClusters`] | `pcs` | graph of base clusters | as `Eca` (ECPCS-MC) |
//!
//! All work on microclusters. A weight of a base clustering acts as its
//! multiplicity in all of them but `eca` and `pcs`, which refuse weights.

mod cluster_graph;
mod cluster_walk;
mod eac;
mod eca;
mod eci;
mod elite;
mod lwb;
mod lwca;
mod memory;
mod overlaps;
mod ptb;
mod pts;
mod trajectory;

pub use cluster_graph::PropagatedClusters;
pub use cluster_walk::EcaParams;
pub use eac::Eac;
pub use eca::Eca;
pub use eci::ensemble_cluster_index;
pub use lwb::LocallyWeightedBipartite;
pub use lwca::{Lwca, LwcaParams};
pub use ptb::TrajectoryBipartite;
pub use pts::{Pts, PtsParams};

use enclust_core::{NoParams, Real, Registry};

/// Adds every representation of this crate to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    let table = &mut registry.represent;
    table.register::<NoParams>(
        "eac",
        "co-association: share of clusterings that join a pair",
        |_| Ok(Box::new(Eac)),
    );
    table.register::<LwcaParams>("lwca", "co-association weighted by cluster reliability", |p| {
        Ok(Box::new(Lwca::new(p)?))
    });
    table.register::<PtsParams>("pts", "similarity of random-walk trajectories", |p| {
        Ok(Box::new(Pts::new(p)?))
    });
    table.register::<EcaParams>("eca", "co-association of clusters that are alike (ECPCS)", |p| {
        Ok(Box::new(Eca::new(p)?))
    });
    table.register::<LwcaParams>(
        "lwb",
        "bipartite graph weighted by cluster reliability (LWGP)",
        |p| Ok(Box::new(LocallyWeightedBipartite::new(p)?)),
    );
    table.register::<PtsParams>(
        "ptb",
        "bipartite graph of mean trajectory similarity (PTGP)",
        |p| Ok(Box::new(TrajectoryBipartite::new(p)?)),
    );
    table.register::<EcaParams>("pcs", "graph of base clusters that are alike (ECPCS)", |p| {
        Ok(Box::new(PropagatedClusters::new(p)?))
    });
}
