//! Representations of an ensemble, computed from the label rows.
//!
//! | component | name | makes | reference |
//! |---|---|---|---|
//! | [`Eac`] | `eac` | similarity | Fred & Jain, TPAMI 2005 |
//! | [`Lwca`] | `lwca` | similarity | Huang, Wang & Lai, IEEE Trans. Cybernetics 2018 |
//! | [`Pts`] | `pts` | similarity | Huang, Lai & Wang, TKDE 2016 |
//! | [`Eca`] | `eca` | similarity | Huang et al., IEEE Trans. SMC: Systems 2021 (ECPCS-HC) |
//! | [`Incidence`] | `incidence` | bipartite graph | Fern & Brodley, ICML 2004 (HBGF) |
//! | [`LocallyWeightedBipartite`] | `lwb` | bipartite graph | as `Lwca` (LWGP) |
//! | [`TrajectoryBipartite`] | `ptb` | bipartite graph | as `Pts` (PTGP) |
//! | [`PropagatedClusters`] | `pcs` | graph of base clusters | as `Eca` (ECPCS-MC) |
//!
//! All of them work on microclusters. The weight of a base clustering acts as its multiplicity
//! in all representations except `eca` and `pcs`, which refuse weights.

mod cluster_graph;
mod cluster_walk;
mod eac;
mod eca;
mod eci;
mod elite;
mod incidence;
mod lwb;
mod lwca;
mod memory;
mod overlaps;
mod ptb;
mod pts;
mod trajectory;
mod walk;

pub use cluster_graph::PropagatedClusters;
pub use eac::Eac;
pub use eca::Eca;
pub use eci::ensemble_cluster_index;
pub use incidence::Incidence;
pub use lwb::LocallyWeightedBipartite;
pub use lwca::Lwca;
pub use ptb::TrajectoryBipartite;
pub use pts::Pts;

use enclust_core::{Real, Registry};

/// Adds every representation of this crate to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.ca.add::<Eac>();
    registry.ca.add::<Lwca>();
    registry.ca.add::<Pts>();
    registry.ca.add::<Eca>();
    registry.ca.add::<Incidence>();
    registry.ca.add::<LocallyWeightedBipartite>();
    registry.ca.add::<TrajectoryBipartite>();
    registry.ca.add::<PropagatedClusters>();
}
