//! Ensemble (consensus) clustering: combines many clusterings of the same samples into one.
//!
//! The central method is *co-association matrix self-enhancement* (EC-CMS, Jia et al., TNNLS
//! 2023): select the pairs of samples that most base clusterings join, propagate them through
//! the co-association matrix by solving a convex problem, and cluster the enhanced matrix.
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
//! let outcome = method.run(&ensemble, 2, &Ctx::default())?;
//! assert_eq!(outcome.partition.labels(), &[0, 0, 0, 1, 1, 1]);
//! # Ok::<(), enclust::core::Error>(())
//! ```
//!
//! # The solver alone
//!
//! A similarity A and confident pairs H, given as dense matrices, give the enhanced similarity C
//! and a certificate:
//!
//! ```
//! use enclust::prelude::*;
//!
//! let a = Similarity::from_matrix(3, &[1.0, 0.9, 0.1, 0.9, 1.0, 0.8, 0.1, 0.8, 1.0])?;
//! let h = Confident::from_matrix(&a, &[0.0, 0.9, 0.0, 0.9, 0.0, 0.8, 0.0, 0.8, 0.0])?;
//! let enhanced = Exact::default().enhance(&Problem::new(&a, &h)?, &Ctx::default())?;
//! let (c, certificate) = (enhanced.similarity.to_matrix(), enhanced.report.certificate);
//! assert!(c[2] > 0.5); // samples 0 and 2 have a confident neighbour in common
//! assert!(certificate.unwrap().relative_distance <= 1e-3);
//! # Ok::<(), Error>(())
//! ```
//!
//! The backend crates read A, H and labels from matrices of ndarray, nalgebra and faer.
//!
//! # Custom parts
//!
//! Every part of this pipeline is a trait in [`core`]. Parts can be replaced for comparison,
//! and you can write your own in a crate that depends only on `enclust-core`.

pub use enclust_ca as ca;
pub use enclust_consensus as consensus;
pub use enclust_core as core;
pub use enclust_enhance as enhance;
pub use enclust_generate as generate;
pub use enclust_io as io;
pub use enclust_kmeans as kmeans;
pub use enclust_learn as learn;
pub use enclust_metrics as metrics;
pub use enclust_reduce as reduce;
pub use enclust_stability as stability;

pub mod registry;

#[cfg(feature = "faer")]
pub use enclust_backend_faer as backend_faer;
#[cfg(feature = "nalgebra")]
pub use enclust_backend_nalgebra as backend_nalgebra;
#[cfg(feature = "ndarray")]
pub use enclust_backend_ndarray as backend_ndarray;

/// The items that most programs need: data types, stages, standard parts and their composition.
pub mod prelude {
    pub use crate::ca::{
        Eac, Eca, LocallyWeightedBipartite, Lwca, PropagatedClusters, Pts, TrajectoryBipartite,
    };
    pub use crate::consensus::{Components, Linkage, Metaclusters, PointsKMeans, Spectral, Tcut};
    pub use crate::core::prelude::*;
    pub use crate::enhance::{Admm, Exact, ExactPath, Storage, Threshold, TwoSided};
    pub use crate::io::{read_pool, write_labels, write_pool};
    pub use crate::learn::{Drec, RsecH, RsecZ, Spce, Trce};
    pub use crate::metrics::Scores;
    pub use crate::reduce::Landmarks;
    pub use crate::registry::standard;
    pub use crate::stability::{Rule, StabilityParams, Verdict, choose, membership, stability};
}

/// The Rust blocks of the pages, run as tests.
#[cfg(doctest)]
mod pages {
    macro_rules! pages {
        ($($name:ident $text:expr),* $(,)?) => { $(#[doc = $text] struct $name;)* };
    }
    pages! {
        Readme include_str!("../README.md"),
        Library include_str!("../docs/library.md"),
        Understand include_str!("../docs/understand.md"),
        Ca include_str!("../docs/parts/ca.md"),
        Confidence include_str!("../docs/parts/confidence.md"),
        Enhancer include_str!("../docs/parts/enhancer.md"),
        ConsensusFunction include_str!("../docs/parts/consensus.md"),
        StoppingRule include_str!("../docs/parts/stop.md"),
        Backend include_str!("../docs/parts/backend.md"),
    }
}
