//! Labels, groups and partitions of samples.

pub(crate) mod constraints;
pub(crate) mod dendrogram;
pub(crate) mod ensemble;
pub(crate) mod grouping;
pub(crate) mod microclusters;
pub(crate) mod partition;
