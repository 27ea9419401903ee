//! Conformance suites and generators for components of enclust.
//!
//! A crate that adds a component lists this one as a dev-dependency and runs the suite of its
//! stage in a test:
//!
//! ```
//! # use enclust_core::NoEnhancement as MyEnhancer;
//! // in a function marked #[test]
//! enclust_testkit::enhance::conformance(&MyEnhancer);
//! ```
//!
//! | stage | suite |
//! |---|---|
//! | [`Backend`](enclust_core::Backend) | [`backend::conformance`] |
//! | [`Reduce`](enclust_core::Reduce) | [`reduce::conformance`] |
//! | [`Ca`](enclust_core::Ca) | [`ca::conformance`], [`ca::precisions_agree`] |
//! | [`Confidence`](enclust_core::Confidence) | [`confidence::conformance`] |
//! | [`Enhance`](enclust_core::Enhance) | [`enhance::conformance`] |
//! | [`Consensus`](enclust_core::Consensus) | [`consensus::conformance`] |
//! | [`Stop`](enclust_core::Stop) | [`stop::conformance`] |
//! | [`Method`](enclust_core::Method) | [`method::conformance`] |
//!
//! A suite panics at the first broken law and names the component, the law and the case. A suite
//! checks that a component satisfies the contract of its stage, not that its results are correct;
//! that needs separate tests.

pub mod backend;
pub mod ca;
pub mod confidence;
pub mod consensus;
pub mod enhance;
pub mod features;
pub mod generate;
pub mod method;
pub mod reduce;
pub mod stop;

mod first_look;
mod law;
mod rearrange;
