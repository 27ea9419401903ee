//! Linear-algebra backend of enclust on nalgebra.
