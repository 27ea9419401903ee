//! File formats of enclust.
