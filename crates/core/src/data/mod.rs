//! Labels, groups and partitions of samples.

mod ari;
pub(crate) mod constraints;
pub(crate) mod contingency;
pub(crate) mod counts;
pub(crate) mod dendrogram;
mod distinct;
pub(crate) mod ensemble;
pub(crate) mod grouping;
pub(crate) mod microclusters;
pub(crate) mod partition;
mod relabelled;
