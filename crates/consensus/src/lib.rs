//! Consensus functions of enclust: linkage, spectral clustering, Tcut, meta-clustering,
//! connected components, k-means of label rows, non-negative factors.

mod balanced;
mod components;
mod embedding;
mod kcc;
mod label_kmeans;
mod linkage;
mod metaclusters;
mod ncut;
mod nmf;
mod points_kmeans;
mod rotation;
mod sec;
mod spectral;
mod tcut;

pub use balanced::Balanced;
pub use components::Components;
pub use kcc::{Kcc, Utility};
pub use linkage::{Linkage, LinkageMethod, LinkageParams};
pub use metaclusters::Metaclusters;
pub use ncut::Ncut;
pub use nmf::Nmf;
pub use points_kmeans::PointsKMeans;
pub use sec::Sec;
pub use spectral::Spectral;
pub use tcut::Tcut;

use enclust_core::{Real, Registry};

/// Adds every consensus function of this crate to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    let table = &mut registry.consensus;
    for (method, name, summary) in [
        (LinkageMethod::Average, "average", "average linkage"),
        (LinkageMethod::Complete, "complete", "complete linkage"),
        (LinkageMethod::Single, "single", "single linkage"),
    ] {
        table.register(name, summary, move |p| Ok(Box::new(Linkage::new(method, p))));
    }
    table.add::<Spectral>();
    table.add::<PointsKMeans>();
    table.add::<Tcut>();
    table.add::<Metaclusters>();
    table.add::<Components>();
    table.add::<Kcc>();
    table.add::<Sec>();
    table.add::<Balanced>();
    table.add::<Nmf>();
}
