//! The stage of consensus functions: from evidence to partitions.

use crate::data::dendrogram::{Dendrogram, Merge};
use crate::data::partition::Partition;
use crate::error::{Error, Result};
use crate::evidence::{Evidence, Kind};
use crate::memory::{Bytes, Footprint, Shape};
use crate::numbers::real::Real;
use crate::run::context::Ctx;
use crate::stages::component::{Component, forward};

/// Clusters the evidence.
pub trait Consensus<S: Real>: Component {
    /// The kinds of evidence it reads.
    fn accepts(&self) -> &[Kind];

    /// Does all work that does not depend on the number of clusters.
    fn fit(&self, evidence: &Evidence<S>, ctx: &Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>>;

    /// Whether what it fits has a [tree](Fitted::dendrogram), so that a caller who needs one can
    /// refuse before anything is computed.
    fn makes_tree(&self) -> bool {
        false
    }

    /// Whether a cut into k has exactly k clusters. False for a function that finds its own
    /// number, or may leave clusters empty; callers then report the number found.
    fn gives_exactly_k(&self) -> bool {
        true
    }

    /// At most so many bytes are taken by [`fit`](Self::fit) and a cut into few clusters; a run
    /// that has less is refused.
    ///
    /// The default is a tree over the samples, and an n' × n' matrix of `f64` beside it or a copy
    /// of the evidence, whichever is more.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let tree = shape.each_sample(size_of::<Merge>());
        let reads_similarities = self.accepts().contains(&Kind::Similarity);
        let square = if reads_similarities { shape.in_double().square() } else { Bytes(0) };
        Footprint::new(tree, square.max(shape.input) + tree)
    }
}

forward!(Consensus<S> {
    fn accepts(&self) -> &[Kind];
    fn fit(&self, evidence: &Evidence<S>, ctx: &Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>>;
    fn makes_tree(&self) -> bool;
    fn gives_exactly_k(&self) -> bool;
    fn footprint(&self, shape: &Shape) -> Footprint;
});

/// A consensus that can be cut into any number of clusters it reaches.
pub trait Fitted<S: Real>: Send + Sync {
    /// The partition into k clusters (or about k, where
    /// [`gives_exactly_k`](Consensus::gives_exactly_k) says so). The answer for one k does not depend on
    /// which others were asked for.
    fn cut(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Partition>;

    /// The largest k that can be reached.
    fn largest_k(&self) -> usize;

    /// The tree behind it, if it has one.
    fn dendrogram(&self) -> Option<&Dendrogram> {
        None
    }
}

/// Refuses a number of clusters outside 1 to `largest`.
pub fn check_k(component: &str, k: usize, largest: usize) -> Result<()> {
    if (1..=largest).contains(&k) {
        Ok(())
    } else {
        Err(Error::ClusterCount { k, largest, component: component.to_string() })
    }
}
