//! The seam of representations: from label rows to evidence.

use crate::component::{Component, forward};
use crate::context::Ctx;
use crate::error::{Error, Result};
use crate::evidence::{Evidence, Kind};
use crate::memory::{Bytes, Footprint, Shape};
use crate::microclusters::Microclusters;
use crate::real::Real;
use crate::similarity::Similarity;

/// Turns an ensemble into evidence, usually a co-association matrix.
pub trait Represent<S: Real>: Component {
    /// The kind of evidence it makes.
    fn kind(&self) -> Kind {
        Kind::Similarity
    }

    /// Whether the evidence is learned for one number of clusters,
    /// [`Ctx::clusters`]. A pipeline with such a representation is fitted for one k.
    fn reads_k(&self) -> bool {
        false
    }

    /// Builds the evidence. A constructor without a definition for missing
    /// labels returns [`Error::Unsupported`] when there are any.
    fn build(&self, microclusters: &Microclusters, ctx: &mut Ctx<'_, S>) -> Result<Evidence<S>>;

    /// What [`build`](Self::build) takes: an upper bound, for a run is refused by it.
    ///
    /// Unless stated otherwise, a similarity or a dense bipartite graph, and as much
    /// again to make it.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let result = match self.kind() {
            Kind::Similarity => shape.similarity(),
            Kind::Bipartite => {
                shape.sparse((shape.groups as u64).saturating_mul(shape.clusters as u64))
            }
            Kind::ClusterGraph => {
                let members = (shape.groups as u64).saturating_mul(shape.clusterings as u64);
                shape.sparse(members) + shape.clone().with_groups(shape.clusters).square()
            }
            Kind::Embedding => shape.vector() * shape.clusters as u64,
        };
        Footprint::new(result, result)
    }
}

forward!(Represent<S> {
    fn kind(&self) -> Kind;
    fn reads_k(&self) -> bool;
    fn build(&self, microclusters: &Microclusters, ctx: &mut Ctx<'_, S>) -> Result<Evidence<S>>;
    fn footprint(&self, shape: &Shape) -> Footprint;
});

/// A similarity computed elsewhere, as the first stage of a pipeline.
///
/// ```
/// use enclust_core::{Component, Precomputed, Similarity};
///
/// let s = Similarity::from_matrix(2, &[1.0, 0.3, 0.3, 1.0])?;
/// assert_eq!(Precomputed::new(s).name(), "precomputed");
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Precomputed<S> {
    similarity: Similarity<S>,
}

impl<S: Real> Precomputed<S> {
    /// Wraps the similarity.
    pub fn new(similarity: Similarity<S>) -> Self {
        Precomputed { similarity }
    }
}

impl<S: Real> Component for Precomputed<S> {
    fn name(&self) -> &str {
        "precomputed"
    }
}

impl<S: Real> Represent<S> for Precomputed<S> {
    fn build(&self, microclusters: &Microclusters, _: &mut Ctx<'_, S>) -> Result<Evidence<S>> {
        let (expected, found) =
            (microclusters.grouping().samples(), self.similarity.grouping().samples());
        if expected != found {
            return Err(Error::Size {
                what: "samples of the precomputed similarity",
                expected,
                found,
            });
        }
        Ok(self.similarity.clone().into())
    }

    /// A copy, over its own groups, whatever those of the labels are.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let copy = shape.clone().with_groups(self.similarity.len()).similarity();
        Footprint::new(copy, Bytes(0))
    }
}
