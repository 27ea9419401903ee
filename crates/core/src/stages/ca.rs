//! The stage of representations: from label rows to evidence.

use crate::data::microclusters::Microclusters;
use std::ops::Deref;

use crate::error::{Error, Result};
use crate::evidence::similarity::Similarity;
use crate::evidence::{Evidence, Kind};
use crate::memory::{Bytes, Footprint, Shape};
use crate::numbers::real::Real;
use crate::run::context::Ctx;
use crate::run::iterate::Until;
use crate::run::quantities::Quantities;
use crate::run::question::Question;
use crate::run::report::Report;
use crate::stages::component::{Component, forward};

/// The result of a representation: the evidence and an optional report. It dereferences to the
/// evidence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Represented<S> {
    /// The evidence.
    pub evidence: Evidence<S>,
    /// Report on learning the evidence, if the representation iterates.
    pub report: Option<Report>,
}

impl<S> Deref for Represented<S> {
    type Target = Evidence<S>;

    fn deref(&self) -> &Evidence<S> {
        &self.evidence
    }
}

impl<S> Represented<S> {
    /// The same with a report on the iteration that learned the evidence.
    pub fn with_report(self, report: Report) -> Self {
        Represented { report: Some(report), ..self }
    }
}

impl<S, E: Into<Evidence<S>>> From<E> for Represented<S> {
    fn from(evidence: E) -> Self {
        Represented { evidence: evidence.into(), report: None }
    }
}

/// Weights of base clusters from which the similarity of a new row to the samples follows.
///
/// It is for representations whose similarity of two samples is the mean, over the base
/// clusterings that label both, of the weight of the base cluster that they share and of 0 if
/// they share none. [`Assignment`](crate::Assignment) labels new rows by these weights.
pub trait ClusterWeights {
    /// The weight of every base cluster, numbered through all clusterings, without the weight of
    /// its clustering. Weights are not negative.
    fn cluster_weights(&self, microclusters: &Microclusters) -> Vec<f64>;
}

/// Turns an ensemble into evidence, usually a co-association matrix.
pub trait Ca<S: Real>: Component {
    /// The kind of evidence that it makes.
    fn kind(&self) -> Kind {
        Kind::Similarity
    }

    /// Whether the evidence is computed from the label rows. If not, the rows of a run are not
    /// reduced.
    fn reads_rows(&self) -> bool {
        true
    }

    /// Whether the evidence is learned for one number of clusters, the k of the question. A
    /// pipeline with such a representation is fitted for one k.
    fn reads_k(&self) -> bool {
        false
    }

    /// Builds the evidence. A similarity, a graph or an embedding is converted to the return type
    /// by `into()`.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for missing labels or weights if they are not supported;
    /// [`Error::NeedsClusters`] if the representation reads k and the question has none.
    fn build(
        &self,
        microclusters: &Microclusters,
        question: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>>;

    /// The quantities of each iteration that a stopping rule may read; `None` for a
    /// representation that does not iterate.
    fn provides(&self) -> Option<Quantities> {
        None
    }

    /// The same as [`build`](Self::build), with a stopping rule that replaces its own. A pipeline
    /// without an enhancer calls it if it has a stopping rule. A representation that
    /// [provides](Self::provides) quantities overrides it; the default ignores the rule.
    ///
    /// # Errors
    ///
    /// The same as for [`build`](Self::build), and those of the rule.
    fn build_until(
        &self,
        microclusters: &Microclusters,
        question: &Question,
        until: Until<'_, S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        let _ = until;
        self.build(microclusters, question, ctx)
    }

    /// The names of the parameters of its own stopping rule, which have no effect if another rule
    /// is given.
    fn stop_parameters(&self) -> &[&'static str] {
        &[]
    }

    /// The weights of base clusters, if the representation is a mean of such weights and
    /// therefore also has a value for rows that it was not built from; `None` for all others.
    fn as_cluster_weights(&self) -> Option<&dyn ClusterWeights> {
        None
    }

    /// Upper bound on the memory that [`build`](Self::build) allocates. If less is available, the
    /// run returns an error.
    ///
    /// The default is a similarity, or a dense graph if the evidence is a graph, and the same
    /// amount as working memory.
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
            Kind::Factored => shape.factored(),
            Kind::Embedding => shape.vector() * shape.clusters as u64,
        };
        Footprint::new(result, result)
    }
}

forward!(Ca<S> {
    fn kind(&self) -> Kind;
    fn reads_rows(&self) -> bool;
    fn reads_k(&self) -> bool;
    fn build(
        &self,
        microclusters: &Microclusters,
        question: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>>;
    fn provides(&self) -> Option<Quantities>;
    fn build_until(
        &self,
        microclusters: &Microclusters,
        question: &Question,
        until: Until<'_, S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>>;
    fn stop_parameters(&self) -> &[&'static str];
    fn as_cluster_weights(&self) -> Option<&dyn ClusterWeights>;
    fn footprint(&self, shape: &Shape) -> Footprint;
});

/// A similarity that was computed elsewhere, as the first stage of a pipeline.
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
    /// A representation that returns this similarity.
    pub fn new(similarity: Similarity<S>) -> Self {
        Precomputed { similarity }
    }
}

impl<S: Real> Component for Precomputed<S> {
    fn name(&self) -> &str {
        "precomputed"
    }
}

impl<S: Real> Ca<S> for Precomputed<S> {
    fn reads_rows(&self) -> bool {
        false
    }

    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        _: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
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

    /// A copy of the similarity. Its groups may differ from those of the labels.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let copy = shape.clone().with_groups(self.similarity.len()).similarity();
        Footprint::new(copy, Bytes(0))
    }
}
