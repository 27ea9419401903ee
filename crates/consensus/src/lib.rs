//! Consensus functions of enclust: linkage, spectral clustering, Tcut, meta-clustering,
//! connected components.

mod components;
mod embedding;
mod kmeans;
mod linkage;
mod metaclusters;
mod ncut;
mod points_kmeans;
mod rotation;
mod spectral;
mod tcut;

pub use components::Components;
pub use kmeans::{KMeans, KMeansParams, kmeans, kmeans_bytes, kmeans_from, kmeans_on_one_thread};
pub use linkage::{Linkage, LinkageMethod, LinkageParams};
pub use metaclusters::Metaclusters;
pub use ncut::Ncut;
pub use points_kmeans::{PointsKMeans, PointsParams};
pub use spectral::{Spectral, SpectralParams};
pub use tcut::{Tcut, TcutParams};

use enclust_core::{NoParams, Real, Registry};

/// Adds every consensus function of this crate to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    let table = &mut registry.consensus;
    for (method, name, summary) in [
        (LinkageMethod::Average, "average", "average linkage"),
        (LinkageMethod::Complete, "complete", "complete linkage"),
        (LinkageMethod::Single, "single", "single linkage"),
    ] {
        table.register::<LinkageParams>(name, summary, move |p| {
            Ok(Box::new(Linkage::new(method, p)?))
        });
    }
    table.register::<SpectralParams>("spectral", "spectral clustering of a similarity", |p| {
        Ok(Box::new(Spectral::new(p)?))
    });
    table.register::<PointsParams>("kmeans", "k-means of an embedding", |p| {
        Ok(Box::new(PointsKMeans::new(p)?))
    });
    table.register::<TcutParams>("tcut", "transfer cut of a bipartite graph", |p| {
        Ok(Box::new(Tcut::new(p)?))
    });
    table.register::<NoParams>(
        "metaclusters",
        "groups of base clusters that samples vote for",
        |_| Ok(Box::new(Metaclusters)),
    );
    table.register::<NoParams>("components", "what chains of similar samples connect", |_| {
        Ok(Box::new(Components))
    });
}
