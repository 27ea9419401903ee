//! Enhancement of similarities: believe the pairs most clusterings agree on, and
//! propagate them.
//!
//! | component | stage | name |
//! |---|---|---|
//! | [`Threshold`] | choice of confident pairs | `threshold` |
//! | [`TwoSided`] | choice of confident pairs | `two-sided` |
//! | [`Exact`] | enhancer | `exact` |
//! | [`ExactPath`] | the same along a path of λ | |
//! | [`Admm`] | enhancer | `admm` |
//!
//! The problem they solve is written down in [`objective`]; `docs/theory.md` has
//! the proofs.
//!
//! What a user knows about single pairs takes part as
//! [constraints](enclust_core::Constraints):
//!
//! ```
//! use enclust_core::{Constraints, Ctx, Ensemble, Method, Pipeline, Violations};
//! use enclust_ca::Lwca;
//! use enclust_consensus::Linkage;
//! use enclust_enhance::{Exact, Threshold};
//!
//! let e = Ensemble::from_columns(&[[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1]])?;
//! let method = Pipeline::new(Lwca::default(), Threshold::default(), Exact::default(), Linkage::complete())?;
//! let free = method.run(&e, 2, &Ctx::default())?;
//! assert_eq!(free.partition.labels(), &[0, 0, 0, 1, 1, 1]);
//!
//! let known = Constraints::new(6, &[(2, 3)], &[(3, 4)])?;
//! let bound = method.with_constraints(known).run(&e, 2, &Ctx::default())?;
//! assert_eq!(bound.partition.labels(), &[0, 0, 0, 0, 1, 1]);
//! assert_eq!(bound.violations, Some(Violations { must_link: 0, cannot_link: 0 }));
//! # Ok::<(), enclust_core::Error>(())
//! ```

mod admm;
mod exact;
pub mod objective;
mod path;
mod threshold;
mod two_sided;

pub use admm::Admm;
pub use exact::{Exact, Storage};
pub use path::ExactPath;
pub use threshold::Threshold;
pub use two_sided::TwoSided;

use enclust_core::{Part, Real, Registry};

/// Adds every part of this crate to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.confidence.add::<Threshold>();
    registry.confidence.add::<TwoSided>();
    registry.enhance.add::<Exact>();
    registry.enhance.add::<Admm>();
    registry.usual_confidence = Some(Part::named("threshold"));
}
