//! Linear-algebra backend of enclust on faer.
