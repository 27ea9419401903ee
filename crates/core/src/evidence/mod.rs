//! The kinds of evidence that a representation can make.

pub(crate) mod assignment;
pub(crate) mod factored;
pub(crate) mod similarity;

use std::fmt;
use std::sync::Arc;

use crate::data::grouping::Grouping;
use crate::error::{Error, Result};
use crate::evidence::factored::Factored;
use crate::evidence::similarity::Similarity;
use crate::numbers::csr::Csr;
use crate::numbers::matrix::Mat;
use crate::numbers::real::Real;

/// The kinds of [`Evidence`], used to check that stages can be combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A [`Similarity`].
    Similarity,
    /// A [`Bipartite`] graph.
    Bipartite,
    /// A [`ClusterGraph`].
    ClusterGraph,
    /// An [`Embedding`].
    Embedding,
    /// A [`Factored`] similarity.
    Factored,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 5] =
        [Kind::Similarity, Kind::Bipartite, Kind::ClusterGraph, Kind::Embedding, Kind::Factored];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Similarity => "a similarity",
            Kind::Bipartite => "a bipartite graph",
            Kind::ClusterGraph => "a graph of base clusters",
            Kind::Embedding => "an embedding",
            Kind::Factored => "a factored similarity",
        })
    }
}

/// Weights between groups of samples (rows) and base clusters (columns).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bipartite<S> {
    /// The groups that the rows stand for.
    pub grouping: Arc<Grouping>,
    /// Non-negative weights, one row per group, one column per base cluster.
    pub weights: Csr<S>,
    /// Further rows with the same columns, which stand for no sample, if the graph has any.
    pub helpers: Option<Csr<S>>,
}

impl<S: Real> Bipartite<S> {
    /// The graph of these groups. The values of the weights are checked by the parts that read
    /// them.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use enclust_core::{Bipartite, Csr, Grouping};
    ///
    /// let grouping = Arc::new(Grouping::singletons(2));
    /// assert!(Bipartite::<f64>::new(Arc::clone(&grouping), Csr::empty(2, 5)).is_ok());
    /// assert!(Bipartite::<f64>::new(grouping, Csr::empty(3, 5)).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there is not one row per group.
    pub fn new(grouping: Arc<Grouping>, weights: Csr<S>) -> Result<Self> {
        Error::check_size("rows of the bipartite graph", grouping.len(), weights.rows())?;
        Ok(Bipartite { grouping, weights, helpers: None })
    }

    /// The same graph with further rows that stand for no sample, such as the base clusters
    /// themselves. A [transfer cut](crate::Consensus) partitions them together with the groups; other
    /// parts do not read them.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if they do not have the columns of the graph.
    pub fn with_helpers(self, helpers: Csr<S>) -> Result<Self> {
        Error::check_size("columns of the helpers", self.weights.cols(), helpers.cols())?;
        Ok(Bipartite { helpers: Some(helpers), ..self })
    }
}

/// Weights between base clusters, and the groups of samples in each of them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClusterGraph<S> {
    /// The groups that the rows of `members` stand for.
    pub grouping: Arc<Grouping>,
    /// One row per group, one column per base cluster: 1 if the group is in the cluster.
    pub members: Csr<S>,
    /// Symmetric and non-negative, one row and one column per base cluster.
    pub weights: Mat<S>,
}

impl<S: Real> ClusterGraph<S> {
    /// The graph of these base clusters. The values of the weights are checked by the parts that
    /// read them.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if `members` does not have one row per group, or `weights` one row and one
    /// column per column of `members`.
    pub fn new(grouping: Arc<Grouping>, members: Csr<S>, weights: Mat<S>) -> Result<Self> {
        Error::check_size("rows of the graph's members", grouping.len(), members.rows())?;
        Error::check_size("base clusters with weights", members.cols(), weights.rows())?;
        Error::check_size("columns of the graph's weights", members.cols(), weights.cols())?;
        Ok(ClusterGraph { grouping, members, weights })
    }
}

/// Groups of samples as points.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Embedding<S> {
    /// The groups that the rows stand for.
    pub grouping: Arc<Grouping>,
    /// One row per group, one column per coordinate.
    pub points: Mat<S>,
}

impl<S: Real> Embedding<S> {
    /// The embedding of these groups. The coordinates are checked by the parts that read them.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there is not one row per group.
    pub fn new(grouping: Arc<Grouping>, points: Mat<S>) -> Result<Self> {
        Error::check_size("rows of the embedding", grouping.len(), points.rows())?;
        Ok(Embedding { grouping, points })
    }
}

/// The input of a consensus function.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Evidence<S> {
    /// Pairwise similarities.
    Similarity(Similarity<S>),
    /// A graph between samples and base clusters.
    Bipartite(Bipartite<S>),
    /// A graph of base clusters.
    ClusterGraph(ClusterGraph<S>),
    /// Points.
    Embedding(Embedding<S>),
    /// Pairwise similarities that follow from the label rows, without a matrix.
    Factored(Factored),
}

impl<S: Real> Evidence<S> {
    /// The kind of this evidence.
    pub fn kind(&self) -> Kind {
        match self {
            Evidence::Similarity(_) => Kind::Similarity,
            Evidence::Bipartite(_) => Kind::Bipartite,
            Evidence::ClusterGraph(_) => Kind::ClusterGraph,
            Evidence::Embedding(_) => Kind::Embedding,
            Evidence::Factored(_) => Kind::Factored,
        }
    }

    /// The groups of samples.
    pub fn grouping(&self) -> &Arc<Grouping> {
        match self {
            Evidence::Similarity(s) => s.grouping(),
            Evidence::Bipartite(b) => &b.grouping,
            Evidence::ClusterGraph(g) => &g.grouping,
            Evidence::Embedding(e) => &e.grouping,
            Evidence::Factored(f) => f.grouping(),
        }
    }

    /// How alike two samples of the groups p and q are, larger being more alike. The values of one
    /// evidence can be compared with each other: the similarity, the inner product of the rows of
    /// a graph, or the negative squared distance of points.
    ///
    /// ```
    /// use enclust_core::{Evidence, Similarity};
    ///
    /// let evidence = Evidence::from(Similarity::from_matrix(2, &[1.0, 0.3, 0.3, 1.0])?);
    /// assert_eq!(evidence.affinity(0, 1), 0.3);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If a group does not exist.
    pub fn affinity(&self, p: usize, q: usize) -> f64 {
        match self {
            Evidence::Similarity(s) if p == q => s.within()[p].wide(),
            Evidence::Similarity(s) => s.between(p, q).wide(),
            Evidence::Factored(f) => f.between(p, q),
            Evidence::Bipartite(b) => inner_product(&b.weights, p, q),
            Evidence::ClusterGraph(g) => inner_product(&g.members, p, q),
            Evidence::Embedding(e) => {
                let difference = |j: usize| e.points[(p, j)].wide() - e.points[(q, j)].wide();
                -(0..e.points.cols()).map(|j| difference(j).powi(2)).sum::<f64>()
            }
        }
    }

    /// The similarity, if this is one.
    pub fn as_similarity(&self) -> Option<&Similarity<S>> {
        match self {
            Evidence::Similarity(s) => Some(s),
            _ => None,
        }
    }

    /// The similarity; an error if this is other evidence and `consumer` accepts only a similarity.
    pub fn similarity_for(&self, consumer: &str) -> Result<&Similarity<S>> {
        self.as_similarity().ok_or_else(|| self.refused_by(consumer, &[Kind::Similarity]))
    }

    /// The bipartite graph; an error if this is other evidence and `consumer` accepts only a
    /// bipartite graph.
    pub fn bipartite_for(&self, consumer: &str) -> Result<&Bipartite<S>> {
        match self {
            Evidence::Bipartite(b) => Ok(b),
            _ => Err(self.refused_by(consumer, &[Kind::Bipartite])),
        }
    }

    /// The graph of base clusters; an error if this is other evidence and `consumer` accepts only
    /// such a graph.
    pub fn cluster_graph_for(&self, consumer: &str) -> Result<&ClusterGraph<S>> {
        match self {
            Evidence::ClusterGraph(g) => Ok(g),
            _ => Err(self.refused_by(consumer, &[Kind::ClusterGraph])),
        }
    }

    /// The embedding; an error if this is other evidence and `consumer` accepts only an embedding.
    pub fn embedding_for(&self, consumer: &str) -> Result<&Embedding<S>> {
        match self {
            Evidence::Embedding(e) => Ok(e),
            _ => Err(self.refused_by(consumer, &[Kind::Embedding])),
        }
    }

    /// The error of a consumer that accepts only other kinds of evidence.
    pub fn refused_by(&self, consumer: &str, accepts: &[Kind]) -> Error {
        Error::KindMismatch {
            consumer: consumer.to_string(),
            accepts: accepts.to_vec(),
            producer: "the previous stage".to_string(),
            made: self.kind(),
        }
    }
}

/// Of two rows of a sparse matrix.
fn inner_product<S: Real>(rows: &Csr<S>, p: usize, q: usize) -> f64 {
    let shared = rows.iter_row(p).filter_map(|(j, v)| Some(v.wide() * rows.get(q, j)?.wide()));
    shared.sum()
}

impl<S> From<Similarity<S>> for Evidence<S> {
    fn from(similarity: Similarity<S>) -> Self {
        Evidence::Similarity(similarity)
    }
}

impl<S> From<Bipartite<S>> for Evidence<S> {
    fn from(bipartite: Bipartite<S>) -> Self {
        Evidence::Bipartite(bipartite)
    }
}

impl<S> From<ClusterGraph<S>> for Evidence<S> {
    fn from(graph: ClusterGraph<S>) -> Self {
        Evidence::ClusterGraph(graph)
    }
}

impl<S> From<Factored> for Evidence<S> {
    fn from(factored: Factored) -> Self {
        Evidence::Factored(factored)
    }
}

impl<S> From<Embedding<S>> for Evidence<S> {
    fn from(embedding: Embedding<S>) -> Self {
        Evidence::Embedding(embedding)
    }
}
