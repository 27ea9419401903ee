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
//! | [`Weac`] | `weac` | similarity | Huang, Lai & Wang, Neurocomputing 2015 |
//! | [`Cts`] | `cts` | similarity | Iam-On, Boongoen & Garrett, Discovery Science 2008 |
//! | [`Asrs`] | `asrs` | similarity | as `Cts` |
//! | [`Lce`] | `lce` | bipartite graph | Iam-On, Boongoen, Garrett & Price, TPAMI 2011 |
//! | [`Mgla`] | `mgla` | bipartite graph | as `Weac` (GP-MGLA) |
//! | [`JaccardGraph`] | `jaccard` | graph of base clusters | Strehl & Ghosh, JMLR 2002 (MCLA) |
//! | [`Nwca`] | `nwca` | similarity | Zhang, Jia, Song & Wang, TKDE 2025 |
//!
//! All of them work on microclusters. The weight of a base clustering acts as its multiplicity
//! in all representations except `eca`, `pcs`, `asrs`, `mgla` and `jaccard`, which
//! refuse weights.

mod asrs;
mod cluster_graph;
mod cluster_walk;
mod cts;
mod eac;
mod eca;
mod eci;
mod elite;
mod incidence;
mod jaccard;
mod lce;
mod links;
mod lwb;
mod lwca;
mod mean_similarity;
mod memory;
mod mgla;
mod ncai;
mod nwca;
mod overlaps;
mod ptb;
mod pts;
mod trajectory;
mod walk;
mod weac;

pub use asrs::Asrs;
pub use cluster_graph::PropagatedClusters;
pub use cts::Cts;
pub use eac::Eac;
pub use eca::Eca;
pub use eci::ensemble_cluster_index;
pub use incidence::Incidence;
pub use jaccard::JaccardGraph;
pub use lce::Lce;
pub use links::LinkScale;
pub use lwb::LocallyWeightedBipartite;
pub use lwca::Lwca;
pub use mgla::Mgla;
pub use ncai::crowd_agreement;
pub use nwca::Nwca;
pub use ptb::TrajectoryBipartite;
pub use pts::Pts;
pub use weac::Weac;

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
    registry.ca.add::<Weac>();
    registry.ca.add::<Cts>();
    registry.ca.add::<Asrs>();
    registry.ca.add::<Lce>();
    registry.ca.add::<Mgla>();
    registry.ca.add::<JaccardGraph>();
    registry.ca.add::<Nwca>();
}
