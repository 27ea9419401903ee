//! Consensus functions of enclust: linkage, spectral clustering, Tcut.
