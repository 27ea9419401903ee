//! Enhancement of similarities: select the pairs on which most clusterings agree, and propagate
//! them.
//!
//! | component | stage | name |
//! |---|---|---|
//! | [`Threshold`] | confidence rule | `threshold` |
//! | [`TwoSided`] | confidence rule | `two-sided` |
//! | [`Guided`] | confidence rule | `guided` |
//! | [`Exact`] | enhancer | `exact` |
//! | [`ExactPath`] | the same along a path of λ | |
//! | [`Admm`] | enhancer | `admm` |
//! | [`Sdgca`] | enhancer | `sdgca` |
//!
//! [`objective`] states the problem that [`Exact`] and [`Admm`] solve; `docs/theory.md` contains the proofs.
//!
//! User knowledge about single pairs is included as [constraints](enclust_core::Constraints):
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
mod guided;
mod lambda_scale;
pub mod objective;
mod path;
mod percolation;
mod sdgca;
mod threshold;
mod two_sided;

pub use admm::Admm;
pub use exact::{Exact, Storage};
pub use guided::Guided;
pub use lambda_scale::LambdaScale;
pub use path::ExactPath;
pub use sdgca::Sdgca;
pub use threshold::Threshold;
pub use two_sided::TwoSided;

use enclust_core::{Part, Real, Registry};

/// Adds all parts of this crate to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.confidence.add::<Threshold>();
    registry.confidence.add::<TwoSided>();
    registry.confidence.add::<Guided>();
    registry.enhance.add::<Exact>();
    registry.enhance.add::<Admm>();
    registry.enhance.add::<Sdgca>();
    registry.usual_confidence = Some(Part::named("threshold"));
}
