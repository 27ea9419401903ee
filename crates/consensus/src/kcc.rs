//! k-means-based consensus clustering.

use std::sync::Arc;

use enclust_core::{
    Consensus, Ctx, Evidence, Fitted, Footprint, Kind, Range, Real, Result, Shape, Weighting,
    choice, part,
};

use crate::embedding::multiplicities;
use crate::label_kmeans::{Distance, FittedRows, LabelRows, Limits};

const NAME: &str = "kcc";

choice! {
    /// The agreement of the result with the base clusterings that k-means of label rows maximises.
    pub enum Utility {
        /// Category utility: squared Euclidean distance. It is linearly related to the number of
        /// pairs on which two clusterings differ (Mirkin).
        Category = "uc",
        /// Mutual information: Kullback-Leibler divergence.
        Harmonic = "uh",
        /// Cosine similarity of rows and centres, for each clustering.
        Cosine = "ucos",
    }
}

impl Utility {
    fn distance(self) -> Distance {
        match self {
            Utility::Category => Distance::Category,
            Utility::Harmonic => Distance::Harmonic,
            Utility::Cosine => Distance::Cosine,
        }
    }
}

part! {
    /// k-means of the label rows.
    ///
    /// # Problem
    ///
    /// A sample is a point with one coordinate per base cluster, 1 for each of its own clusters and
    /// 0 for all others. Partition the points into k clusters such that the sum of the distances to
    /// the centres is small. The centre c of a cluster is the mean of its points: the share of its
    /// samples in each base cluster. The distance of a sample in the base clusters a₁, …, a_m is
    ///
    /// - `uc`: Σₖ ‖eₐₖ − c^(k)‖², where eₐ is the unit vector of base cluster a and c^(k) the part of
    ///   c for clustering k;
    /// - `uh`: −Σₖ ln c(aₖ);
    /// - `ucos`: Σₖ (1 − c(aₖ) / ‖c^(k)‖).
    ///
    /// Each of them maximises a utility, summed over the base clusterings. The weight of a link
    /// multiplies its term, so the weight of a clustering acts as its multiplicity; with the graph of
    /// LWGP, the terms are weighted by the reliability of the clusters. (For `uc` the coordinate is
    /// the root of the weight.)
    ///
    /// The computation runs on groups, weighted by their sizes.
    ///
    /// # Parameters
    ///
    /// `utility`, `weighting`, `replicates` and `max_iterations`. All utilities start from the same
    /// centres, drawn by k-means++ with squared Euclidean distances.
    ///
    /// # Complexity
    ///
    /// O(n' m k) time per round; n' m + N k numbers for N base clusters. There is neither an n' × n'
    /// nor an N × N matrix, so that this is the method for ensembles of any size.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the graph, k and the seed, not on the number of threads. Points
    /// are sorted by their distance from the mean, their sizes and the sizes of their clusters before
    /// centres are drawn, so that the order of the samples does not matter. Equal distances are
    /// resolved by the lowest number of the centre. A cluster that loses all points gets the point
    /// farthest from its centre, so there are always exactly k clusters. (A public program of the
    /// authors' students keeps the last of its starts; here the best one is kept.)
    ///
    /// # Errors
    ///
    /// [`Error::ClusterCount`](enclust_core::Error::ClusterCount) if k is 0 or larger than n';
    /// [`Error::KindMismatch`](enclust_core::Error::KindMismatch) for other evidence;
    /// [`Error::Unsupported`](enclust_core::Error::Unsupported) for weights that are negative or not
    /// finite, and with `ucos` for a graph that does not link each sample to one cluster of every
    /// clustering.
    ///
    /// # Example
    ///
    /// ```
    /// use std::sync::Arc;
    /// use enclust_consensus::Kcc;
    /// use enclust_core::{Bipartite, Consensus, Csr, Ctx, Grouping};
    ///
    /// let row = |a, b| vec![(a, 1.0), (b, 1.0)];
    /// let weights = Csr::from_rows(4, vec![row(0, 2), row(0, 2), row(1, 3), row(1, 3)]);
    /// let graph = Bipartite::new(Arc::new(Grouping::singletons(4)), weights)?;
    /// let ctx = Ctx::default();
    /// let fitted = Kcc::default().fit(&graph.into(), &ctx)?;
    /// assert_eq!(fitted.cut(2, &ctx)?.labels(), &[0, 0, 1, 1]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// J. Wu, H. Liu, H. Xiong, J. Cao, J. Chen, *K-means-based consensus clustering: a unified view*,
    /// TKDE 27 (2015). The normalised utilities of the paper are not offered.
    pub struct Kcc("kcc", "k-means of label rows") {
        /// The utility that is maximised.
        pub utility: Utility = Utility::Category, in Range::Any;
        /// What counts as one object.
        pub weighting: Weighting = Weighting::Samples, in Range::Any;
        /// Number of starts; the best result is kept.
        pub replicates: usize = 20, in Range::AtLeast(1.0);
        /// Maximum number of rounds per start.
        pub max_iterations: usize = 100, in Range::AtLeast(1.0);
    }
}

impl<S: Real> Consensus<S> for Kcc {
    fn accepts(&self) -> &[Kind] {
        &[Kind::Bipartite]
    }

    fn fit(&self, evidence: &Evidence<S>, _: &Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>> {
        let graph = evidence.bipartite_for(NAME)?;
        let Kcc { utility, weighting, replicates, max_iterations } = *self;
        let sizes = multiplicities(weighting, &graph.grouping);
        Ok(Box::new(FittedRows {
            name: NAME,
            rows: LabelRows::new(NAME, graph, &sizes, utility.distance())?,
            grouping: Arc::clone(&graph.grouping),
            limits: Limits { replicates, max_iterations },
        }))
    }

    fn footprint(&self, shape: &Shape) -> Footprint {
        footprint(shape)
    }
}

/// The rows; in addition, the making of them or a cut.
pub(crate) fn footprint(shape: &Shape) -> Footprint {
    let cut = FittedRows::cut_ahead_bytes(shape);
    Footprint::new(FittedRows::result_bytes(shape), FittedRows::making_bytes(shape).max(cut))
}
