//! The vocabulary and the seams of enclust.
//!
//! Ensemble clustering takes many clusterings of the same samples and gives one
//! better clustering. This crate holds what every part of that speaks of, and
//! the traits the parts implement; a crate that adds a part depends on this one
//! alone.
//!
//! The data walks one way:
//!
//! | stage | trait | reads | makes |
//! |---|---|---|---|
//! | merge equal rows | ([`Microclusters`]) | [`Ensemble`] | label rows at size n' |
//! | represent | [`Represent`] | [`Microclusters`] | [`Evidence`] |
//! | choose confident pairs | [`Confidence`] | [`Microclusters`], [`Similarity`] | [`Confident`] |
//! | enhance | [`Enhancer`] | [`Problem`] | [`Enhanced`] |
//! | agree | [`Consensus`] | [`Evidence`] | [`Fitted`], cut to a [`Partition`] |
//!
//! [`Pipeline`] composes one part of each; [`Registry`] finds them by name.
//! Iterations are watched by an [`Observer`] and stopped by a [`Convergence`]
//! rule; dense linear algebra comes from a [`Backend`]. Every stage states its
//! [`Footprint`] for a [`Shape`], and a run that would not fit into memory is refused.

mod backend;
mod component;
mod confidence;
mod consensus;
mod constraints;
mod context;
mod convergence;
mod csr;
mod dendrogram;
mod enhancer;
mod ensemble;
mod error;
mod evidence;
mod grouping;
mod iterate;
mod matrix;
mod memory;
mod method;
mod microclusters;
mod observer;
mod params;
mod partition;
mod pipeline;
mod real;
mod reference;
mod registry;
mod report;
mod represent;
mod similarity;

pub use backend::{Backend, Eigen, SpdSolve, check_product};
pub use component::Component;
pub use confidence::{Confidence, Confident};
pub use consensus::{Consensus, Fitted, check_k};
pub use constraints::{Constraints, Violations};
pub use context::Ctx;
pub use convergence::{Check, Convergence, Needs};
pub use csr::Csr;
pub use dendrogram::{Dendrogram, Merge};
pub use enhancer::{Enhanced, Enhancer, NoEnhancement, Problem};
pub use ensemble::{Ensemble, Label, MISSING};
pub use error::{Error, ParamError, Result};
pub use evidence::{Bipartite, ClusterGraph, Embedding, Evidence, Kind};
pub use grouping::Grouping;
pub use iterate::iterate;
pub use matrix::{Mat, MatMut, MatRef};
pub use memory::{Bytes, Footprint, Need, Shape};
pub use method::{Fit, Method, Outcome};
pub use microclusters::Microclusters;
pub use observer::{History, Observer};
pub use params::{
    NoParams, ParamSpec, ParamType, Parameters, Range, Value, Values, Weighting, check_range,
};
pub use partition::Partition;
pub use pipeline::{BoxedPipeline, Pipeline};
pub use real::Real;
pub use reference::Reference;
pub use registry::{Entry, Listed, Part, PipelineSpec, Preset, Registry, Table};
pub use report::{Certificate, Change, Record, Report, Status};
pub use represent::{Precomputed, Represent};
pub use similarity::{
    Similarity, condensed_components, condensed_index, condensed_len, condensed_row_sums,
    fill_condensed,
};
