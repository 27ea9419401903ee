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
    /// The kinds of evidence that it accepts.
    fn accepts(&self) -> &[Kind];

    /// Does all work that does not depend on the number of clusters.
    fn fit(&self, evidence: &Evidence<S>, ctx: &Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>>;

    /// Whether the fit has a [tree](Fitted::dendrogram), so that a caller that needs one can
    /// return an error before anything is computed.
    fn makes_tree(&self) -> bool {
        false
    }

    /// Whether a cut into k has exactly k clusters. False for a function that finds its own
    /// number of clusters or may leave clusters empty; callers then report the number found.
    fn gives_exactly_k(&self) -> bool {
        true
    }

    /// Upper bound on the memory that [`fit`](Self::fit) and a cut into few clusters allocate. If
    /// less is available, the run returns an error.
    ///
    /// The default is a tree over the samples, plus an n' × n' matrix of `f64` or a copy of the
    /// evidence, whichever is larger.
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

/// A consensus that can be cut into any number of clusters up to [`largest_k`](Self::largest_k).
pub trait Fitted<S: Real>: Send + Sync {
    /// The partition into k clusters, or into about k if
    /// [`gives_exactly_k`](Consensus::gives_exactly_k) is false. The result for one k does not
    /// depend on earlier calls with other k.
    fn cut(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Partition>;

    /// The largest k that is possible.
    fn largest_k(&self) -> usize;

    /// The tree of the consensus, if it has one.
    fn dendrogram(&self) -> Option<&Dendrogram> {
        None
    }
}

/// Returns an error if k is not between 1 and `largest`.
pub fn check_k(component: &str, k: usize, largest: usize) -> Result<()> {
    if (1..=largest).contains(&k) {
        Ok(())
    } else {
        Err(Error::ClusterCount { k, largest, component: component.to_string() })
    }
}
