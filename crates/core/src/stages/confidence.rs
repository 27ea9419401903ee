//! The stage of confidence rules.

use crate::data::microclusters::Microclusters;
use crate::error::Result;
use crate::evidence::similarity::Similarity;
use crate::memory::{Footprint, Shape};
use crate::numbers::real::Real;
use crate::run::context::Ctx;
use crate::stages::component::{Component, forward};
use crate::stages::confident::Confident;

/// Selects the confident pairs of an ensemble.
pub trait Confidence<S: Real>: Component {
    /// The confident pairs, over the groups of the similarity.
    fn select(
        &self,
        microclusters: &Microclusters,
        similarity: &Similarity<S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<Confident<S>>;

    /// Upper bound on the memory that [`select`](Self::select) allocates. If less is available,
    /// the run returns an error.
    ///
    /// The default is every pair that any clustering joins, and the same amount as working memory.
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
