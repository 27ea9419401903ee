//! Ensemble (consensus) clustering: many clusterings of the same samples go in,
//! one better clustering comes out.
//!
//! At its heart is *co-association matrix self-enhancement* (EC-CMS, Jia et al.,
//! TNNLS 2023): take the pairs most base clusterings agree on, propagate them
//! through the co-association matrix by a convex problem, then cluster the
//! enhanced matrix.
//!
//! ```
//! use enclust::prelude::*;
//!
//! // Three clusterings of six samples.
//! let ensemble = Ensemble::from_columns(&[
//!     [0, 0, 0, 1, 1, 1],
//!     [0, 0, 1, 1, 2, 2],
//!     [5, 5, 5, 7, 7, 7],
//! ])?;
//!
//! let method = Pipeline::new(
//!     Lwca::default(),      // locally weighted co-association
//!     Threshold::default(), // pairs that 80 % of the clusterings join
//!     Admm::default(),      // the paper's Algorithm 1
//!     Linkage::average(),
//! )?;
//! let outcome = method.run(&ensemble, 2, &mut Ctx::default())?;
//! assert_eq!(outcome.partition.labels(), &[0, 0, 0, 1, 1, 1]);
//! # Ok::<(), enclust::core::Error>(())
//! ```
//!
//! Every part of that pipeline is a trait in [`core`]: swap one to compare, or
//! write your own in a crate that depends on `enclust-core` alone.

pub use enclust_ca as ca;
pub use enclust_consensus as consensus;
pub use enclust_core as core;
pub use enclust_enhance as enhance;
pub use enclust_generate as generate;
pub use enclust_learn as learn;
pub use enclust_metrics as metrics;
pub use enclust_registry as registry;
pub use enclust_stability as stability;

#[cfg(feature = "faer")]
pub use enclust_backend_faer as backend_faer;
#[cfg(feature = "nalgebra")]
pub use enclust_backend_nalgebra as backend_nalgebra;
#[cfg(feature = "ndarray")]
pub use enclust_backend_ndarray as backend_ndarray;

/// What most programs need.
pub mod prelude {
    pub use crate::ca::{
        Eac, LocallyWeightedBipartite, Lwca, LwcaParams, Pts, PtsParams, TrajectoryBipartite,
    };
    pub use crate::consensus::{Linkage, Spectral, Tcut};
    pub use crate::core::{
        Component, Constraints, Ctx, Ensemble, Error, History, Method, Needs, NoEnhancement,
        Observer, Outcome, Part, Partition, Pipeline, PipelineSpec, Record, Report, Similarity,
        Status, Violations, Weighting,
    };
    pub use crate::enhance::{
        Admm, AdmmParams, Exact, ExactParams, ExactPath, Threshold, ThresholdParams, TwoSided,
        TwoSidedParams,
    };
    pub use crate::metrics::Scores;
    pub use crate::registry::standard;
    pub use crate::stability::{Rule, StabilityParams, Verdict, choose, membership, stability};
}

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
