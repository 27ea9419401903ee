//! The seam of consensus functions: from evidence to partitions.

use crate::component::{Component, forward};
use crate::context::Ctx;
use crate::dendrogram::{Dendrogram, Merge};
use crate::error::{Error, Result};
use crate::evidence::{Evidence, Kind};
use crate::memory::{Bytes, Footprint, Shape};
use crate::partition::Partition;
use crate::real::Real;

/// Clusters the evidence.
pub trait Consensus<S: Real>: Component {
    /// The kinds of evidence it reads.
    fn accepts(&self) -> &[Kind];

    /// Does all work that does not depend on the number of clusters.
    fn fit(&self, evidence: &Evidence<S>, ctx: &mut Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>>;

    /// Whether what it fits has a [tree](Fitted::dendrogram), so that whoever needs one
    /// can say no before anything is computed.
    fn makes_tree(&self) -> bool {
        false
    }

    /// Whether a cut into k has exactly k clusters. A function that finds its own number,
    /// or may leave clusters empty, says no, and whoever asked is told.
    fn gives_exactly_k(&self) -> bool {
        true
    }

    /// What [`fit`](Self::fit) and a cut into few clusters take: an upper bound, for a
    /// run is refused by it.
    ///
    /// Unless stated otherwise, a tree over the samples, and an n' × n' matrix of
    /// `f64` beside it or a copy of the evidence, whichever is more.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let tree = shape.each_sample(size_of::<Merge>());
        let square = match self.accepts().contains(&Kind::Similarity) {
            true => shape.in_double().square(),
            false => Bytes(0),
        };
        Footprint::new(tree, square.max(shape.input) + tree)
    }
}

forward!(Consensus<S> {
    fn accepts(&self) -> &[Kind];
    fn fit(&self, evidence: &Evidence<S>, ctx: &mut Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>>;
    fn makes_tree(&self) -> bool;
    fn gives_exactly_k(&self) -> bool;
    fn footprint(&self, shape: &Shape) -> Footprint;
});

/// A consensus that can be cut into any number of clusters it reaches.
pub trait Fitted<S: Real>: Send + Sync {
    /// The partition into k clusters (or about k, where
    /// [`gives_exactly_k`](Consensus::gives_exactly_k) says so). The answer for one k does not depend on
    /// which others were asked for.
    fn cut(&self, k: usize, ctx: &mut Ctx<'_, S>) -> Result<Partition>;

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
