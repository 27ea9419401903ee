//! Enhancement of similarities: believe the pairs most clusterings agree on, and
//! propagate them.
//!
//! | component | stage | name |
//! |---|---|---|
//! | [`Threshold`] | choice of confident pairs | `threshold` |
//! | [`Exact`] | enhancer | `exact` |
//! | [`Admm`] | enhancer | `admm` |
//! | [`AuthorsRule`], [`PaperRule`] | stopping rule | `authors`, `paper` |
//! | [`KktResidual`], [`ObjectiveChange`] | stopping rule | `kkt`, `objective` |
//! | [`IterationLimit`], [`TimeLimit`] | stopping rule | `iterations`, `time` |
//! | [`AnyOf`], [`AllOf`] | of other stopping rules | |
//!
//! The problem they solve is written down in [`objective`]; `docs/theory.md` has
//! the proofs.

mod admm;
mod exact;
pub mod objective;
mod stopping;
mod threshold;

pub use admm::{Admm, AdmmParams};
pub use exact::{Exact, ExactParams};
pub use stopping::{
    AllOf, AnyOf, AuthorsRule, EpsilonParams, IterationLimit, IterationLimitParams, KktResidual,
    ObjectiveChange, PaperRule, TimeLimit, TimeLimitParams, ToleranceParams,
};
pub use threshold::{Threshold, ThresholdParams};

use enclust_core::{Real, Registry};

/// Adds every component of this crate to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.confidence.register::<ThresholdParams>(
        "threshold",
        "pairs that at least the share alpha of the clusterings join",
        |p| Ok(Box::new(Threshold::new(p)?)),
    );
    registry.enhance.register::<ExactParams>("exact", "the global optimum, certified", |p| {
        Ok(Box::new(Exact::new(p)?))
    });
    registry.enhance.register::<AdmmParams>("admm", "Algorithm 1 of the EC-CMS paper", |p| {
        Ok(Box::new(Admm::new(p)?))
    });
    stopping::register(&mut registry.stop);
}
