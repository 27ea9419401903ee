//! The items that a crate with new parts needs. Import them with `use enclust_core::prelude::*`.
//!
//! The prelude contains the traits of the stages, the data that they read and make, the services
//! of a run, and the macros and types to declare, register and compose parts.

pub use crate::{
    AllOf, AnyOf, AuthorsRule, Backend, Bipartite, Bytes, Ca, Certificate, Change, Check, Claims,
    ClusterGraph, ClusterWeights, Component, Confidence, Confident, Consensus, Constraints, Csr,
    Ctx, Dendrogram, Embedding, Enhance, Enhanced, Ensemble, Error, Event, Evidence, Factored, Fit,
    Fitted, Footprint, Grouping, History, IterationLimit, Kind, KktResidual, Mat, MatMut, MatRef,
    Method, Microclusters, NoEnhancement, NoReduction, ObjectiveChange, Observer, Outcome,
    PaperRule, Part, Partition, Pipeline, PipelineSpec, Precomputed, Preset, Problem, Quantities,
    Question, Range, Real, Record, Reduce, Reduced, Reference, Registry, Report, Represented,
    Result, RunSize, Shape, Similarity, Stage, State, Status, SteadyLabels, Stop, TimeLimit, Trace,
    Violations, Watch, Weighting, by_labels, by_samples, check_k, check_product, choice, part,
};
