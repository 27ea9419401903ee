//! Linear-algebra backend of enclust on ndarray.
