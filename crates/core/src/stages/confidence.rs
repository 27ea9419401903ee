//! The stage of confident pairs.

use crate::data::microclusters::Microclusters;
use crate::error::Result;
use crate::evidence::similarity::Similarity;
use crate::memory::{Footprint, Shape};
use crate::numbers::real::Real;
use crate::run::context::Ctx;
use crate::stages::component::{Component, forward};
use crate::stages::confident::Confident;

/// Chooses the high-confidence pairs of an ensemble.
pub trait Confidence<S: Real>: Component {
    /// The pairs, at the size of the similarity's groups.
    fn select(
        &self,
        microclusters: &Microclusters,
        similarity: &Similarity<S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<Confident<S>>;

    /// At most so many bytes are taken by [`select`](Self::select); a run that has less is
    /// refused.
    ///
    /// The default is every pair that any clustering joins, and the same again to find them.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let result = Confident::<S>::bytes(shape, shape.pairs_joined_by(0.0));
        Footprint::new(result, result)
    }
}

forward!(Confidence<S> {
    fn select(
        &self,
        microclusters: &Microclusters,
        similarity: &Similarity<S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<Confident<S>>;
    fn footprint(&self, shape: &Shape) -> Footprint;
});
