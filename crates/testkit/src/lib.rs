//! Conformance suites and generators for components of enclust.
//!
//! A crate that adds a component lists this one among its dev-dependencies and
//! runs the suite of its seam.

pub mod generate;
