//! Every component of enclust by name.
