//! Reduction of the label rows of large ensembles.
//!
//! | component | name | keeps |
//! |---|---|---|
//! | [`Landmarks`] | `landmarks` | representative rows, to which all others are assigned |
//!
//! The part `none`, which keeps all rows, is in `enclust-core`.

mod fixed_point;
mod landmarks;
mod modes;
mod nearest;
mod start;

pub use landmarks::{Landmarks, RowWeights};
pub use nearest::{Nearest, Search};

use enclust_core::{Part, Real, Registry};

/// Adds every reduction of this crate to a registry, and makes `landmarks` the usual one.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.reduce.add::<Landmarks>();
    registry.usual_reduce = Some(Part::named("landmarks"));
}
