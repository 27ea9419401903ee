//! Ensemble clustering.
pub use enclust_core as core;
