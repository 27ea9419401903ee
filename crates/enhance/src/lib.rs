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
//! | [`AuthorsRule`], [`PaperRule`] | stopping rule | `authors`, `paper` |
//! | [`KktResidual`], [`ObjectiveChange`] | stopping rule | `kkt`, `objective` |
//! | [`IterationLimit`], [`TimeLimit`] | stopping rule | `iterations`, `time` |
//! | [`AnyOf`], [`AllOf`] | of other stopping rules | |
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
//! let free = method.run(&e, 2, &mut Ctx::default())?;
//! assert_eq!(free.partition.labels(), &[0, 0, 0, 1, 1, 1]);
//!
//! let known = Constraints::new(6, &[(2, 3)], &[(3, 4)])?;
//! let bound = method.with_constraints(known).run(&e, 2, &mut Ctx::default())?;
//! assert_eq!(bound.partition.labels(), &[0, 0, 0, 0, 1, 1]);
//! assert_eq!(bound.violations, Some(Violations { must_link: 0, cannot_link: 0 }));
//! # Ok::<(), enclust_core::Error>(())
//! ```

mod admm;
mod exact;
pub mod objective;
mod path;
mod stopping;
mod threshold;
mod two_sided;

pub use admm::{Admm, AdmmParams};
pub use exact::{Exact, ExactParams, Storage};
pub use path::ExactPath;
pub use stopping::{
    AllOf, AnyOf, AuthorsRule, EpsilonParams, IterationLimit, IterationLimitParams, KktResidual,
    ObjectiveChange, PaperRule, TimeLimit, TimeLimitParams, ToleranceParams,
};
pub use threshold::{Threshold, ThresholdParams};
pub use two_sided::{TwoSided, TwoSidedParams};

use enclust_core::{Real, Registry};

/// Adds every component of this crate to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.confidence.register::<ThresholdParams>(
        "threshold",
        "pairs that at least the share alpha of the clusterings join",
        |p| Ok(Box::new(Threshold::new(p)?)),
    );
    registry.confidence.register::<TwoSidedParams>(
        "two-sided",
        "the pairs of threshold, and 0 for pairs that at most the share beta joins",
        |p| Ok(Box::new(TwoSided::new(p)?)),
    );
    registry.enhance.register::<ExactParams>("exact", "the global optimum, certified", |p| {
        Ok(Box::new(Exact::new(p)?))
    });
    registry.enhance.register::<AdmmParams>("admm", "Algorithm 1 of the EC-CMS paper", |p| {
        Ok(Box::new(Admm::new(p)?))
    });
    stopping::register(&mut registry.stop);
}
