//! Conformance suites and generators for components of enclust.
//!
//! A crate that adds a component lists this one among its dev-dependencies and
//! runs the suite of its seam from a test:
//!
//! ```
//! # use enclust_core::NoEnhancement as MyEnhancer;
//! // in a function marked #[test]
//! enclust_testkit::enhance::conformance(&MyEnhancer);
//! ```
//!
//! | seam | suite |
//! |---|---|
//! | [`Backend`](enclust_core::Backend) | [`backend::conformance`] |
//! | [`Ca`](enclust_core::Ca) | [`ca::conformance`], [`ca::precisions_agree`] |
//! | [`Confidence`](enclust_core::Confidence) | [`confidence::conformance`] |
//! | [`Enhance`](enclust_core::Enhance) | [`enhance::conformance`] |
//! | [`Consensus`](enclust_core::Consensus) | [`consensus::conformance`] |
//! | [`Stop`](enclust_core::Stop) | [`stop::conformance`] |
//! | [`Method`](enclust_core::Method) | [`method::conformance`] |
//!
//! A suite panics at the first broken law and names the component, the law and
//! the case. A suite shows that a component is a good citizen, not that it
//! computes what it promises: that needs tests of its own.

pub mod backend;
pub mod ca;
pub mod confidence;
pub mod consensus;
pub mod enhance;
pub mod features;
pub mod generate;
pub mod method;
pub mod stop;

mod law;
mod rearrange;
