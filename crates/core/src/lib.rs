//! The data types and the stages of enclust.
//!
//! Ensemble clustering combines many clusterings of the same samples into one better clustering.
//! This crate contains the types that all parts share and one trait per stage. A crate that adds
//! a part depends on this crate only.
//!
//! | stage | trait | reads | makes |
//! |---|---|---|---|
//! | merge equal rows | ([`Microclusters`]) | [`Ensemble`] | label rows at size n' |
//! | `reduce` | [`Reduce`] | [`Microclusters`] | [`Reduced`]: fewer label rows, for large ensembles |
//! | `ca` | [`Ca`] | [`Microclusters`] | [`Evidence`] |
//! | `confidence` | [`Confidence`] | [`Microclusters`], [`Similarity`] | [`Confident`] |
//! | `enhance` | [`Enhance`] | [`Problem`] | [`Enhanced`] |
//! | `consensus` | [`Consensus`] | [`Evidence`] | [`Fitted`], cut to a [`Partition`] |
//!
//! [`Pipeline`] composes one part per stage, [`Registry`] finds parts by name, and [`part!`]
//! declares a part. A run takes a [`Question`] and uses the services of a [`Ctx`]. All iterations
//! use the same loop ([`Iteration`]), notify an [`Observer`] and end by a [`Stop`] rule. A
//! [`Backend`] provides the linear algebra. Every stage states its [`Footprint`] for a [`Shape`],
//! and a run that needs more memory than is available returns an error before it starts.

mod compose;
mod data;
mod error;
mod evidence;
mod memory;
mod numbers;
pub mod prelude;
mod reference;
mod rules;
mod run;
mod stages;
mod warnings;

pub use compose::method::{Fit, Method, Outcome, Plain};
pub use compose::params::{
    NoParams, ParamSpec, ParamType, Parameters, Range, Value, Values, Weighting, check_range,
};
pub use compose::pipeline::{BoxedPipeline, Pipeline};
pub use compose::refinement::Refinement;
pub use compose::registry::{Listed, Preset, Registry};
pub use compose::spec::{Part, PipelineSpec};
pub use compose::stages_of_a_run::Trace;
pub use compose::table::{Entry, PartOf, Table};
pub use data::constraints::{Constraints, Violations};
pub use data::contingency::{Cell, Contingency, pairs_within};
pub use data::counts::Counts;
pub use data::dendrogram::{Dendrogram, Merge};
pub use data::ensemble::{Ensemble, Label, MISSING};
pub use data::grouping::Grouping;
pub use data::microclusters::Microclusters;
pub use data::partition::Partition;
pub use error::{Error, ParamError, Result};
pub use evidence::assignment::{Assigned, Assignment};
pub use evidence::factored::Factored;
pub use evidence::similarity::Similarity;
pub use evidence::{Bipartite, ClusterGraph, Embedding, Evidence, Kind};
pub use memory::{Bytes, Footprint, Need, Shape};
pub use numbers::condensed::{Condensed, condensed_len};
pub use numbers::csr::Csr;
pub use numbers::matrix::{Mat, MatMut, MatRef};
pub use numbers::real::Real;
pub use reference::Reference;
pub use rules::{
    AllOf, AnyOf, AuthorsRule, IterationLimit, KktResidual, ObjectiveChange, PaperRule,
    SteadyLabels, TimeLimit,
};
pub use run::context::Ctx;
pub use run::iterate::{Iteration, Labeller, NoState, State, Until};
pub use run::quantities::Quantities;
pub use run::question::Question;
pub use run::report::{Certificate, Change, PairsReport, Record, ReductionReport, Report, Status};
pub use run::watch::{Event, History, Observer, Watch};
pub use stages::backend::{
    Backend, Eigen, Kernel, ShiftedFactor, SparseProduct, SparseSolve, SpdSolve, check_panel,
    check_product,
};
pub use stages::by_samples::{BySamples, by_samples};
pub use stages::ca::{Ca, ClusterWeights, Precomputed, Represented};
pub use stages::component::{Component, Described};
pub use stages::confidence::Confidence;
pub use stages::confident::Confident;
pub use stages::consensus::{Consensus, Fitted, check_k};
pub use stages::enhance::{Claims, Enhance, Enhanced, NoEnhancement, Problem};
pub use stages::metered::{KernelUsage, Metered, Usage};
pub use stages::reduce::{NoReduction, Reduce, Reduced, RunSize};
pub use stages::stage::Stage;
pub use stages::stop::{Check, Stop, Target, by_labels};
pub use warnings::{SecondOpinion, Warning, ensemble_warnings, label_warnings, similarity_warning};
