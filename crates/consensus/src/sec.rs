//! Spectral ensemble clustering as weighted k-means.

use std::sync::Arc;

use enclust_core::{
    Consensus, Ctx, Evidence, Fitted, Footprint, Kind, Range, Real, Result, Shape, Weighting, part,
};

use crate::embedding::multiplicities;
use crate::kcc::footprint;
use crate::label_kmeans::{Distance, FittedRows, LabelRows, Limits};

const NAME: &str = "sec";

part! {
    /// Weighted k-means of the label rows that minimises a normalised cut of the co-association.
    ///
    /// # Problem
    ///
    /// Let bᵢ be the row of sample i with 1 for each of its base clusters, and vᵢ the sum of the
    /// sizes of these clusters, which is m times the degree of i in the graph of co-association.
    /// k-means of the points bᵢ / vᵢ with weights vᵢ minimises the normalised cut of this graph into
    /// k parts: spectral clustering without eigenvectors and without a matrix. In a graph with
    /// weights, the coordinates of bᵢ are their roots.
    ///
    /// The computation runs on groups, weighted by their sizes.
    ///
    /// # Parameters
    ///
    /// `weighting`, `replicates` and `max_iterations`.
    ///
    /// # Complexity
    ///
    /// The same as for [`Kcc`](crate::Kcc).
    ///
    /// # Determinism and ties
    ///
    /// The same as for [`Kcc`](crate::Kcc). (A public port draws random points and has one start;
    /// here starts are drawn by k-means++ and the best of several is kept.)
    ///
    /// # Errors
    ///
    /// The same as for [`Kcc`](crate::Kcc).
    ///
    /// # Example
    ///
    /// ```
    /// use std::sync::Arc;
    /// use enclust_consensus::Sec;
    /// use enclust_core::{Bipartite, Consensus, Csr, Ctx, Grouping};
    ///
    /// let row = |a, b| vec![(a, 1.0), (b, 1.0)];
    /// let weights = Csr::from_rows(4, vec![row(0, 2), row(0, 2), row(1, 3), row(1, 3)]);
    /// let graph = Bipartite::new(Arc::new(Grouping::singletons(4)), weights)?;
    /// let ctx = Ctx::default();
    /// let fitted = Sec::default().fit(&graph.into(), &ctx)?;
    /// assert_eq!(fitted.cut(2, &ctx)?.labels(), &[0, 0, 1, 1]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// H. Liu, J. Wu, T. Liu, D. Tao, Y. Fu, *Spectral ensemble clustering via weighted k-means:
    /// theoretical and practical evidence*, TKDE 29 (2017).
    pub struct Sec("sec", "weighted k-means of label rows (spectral ensemble clustering)") {
        /// What counts as one object.
        pub weighting: Weighting = Weighting::Samples, in Range::Any;
        /// Number of starts; the best result is kept.
        pub replicates: usize = 20, in Range::AtLeast(1.0);
        /// Maximum number of rounds per start.
        pub max_iterations: usize = 100, in Range::AtLeast(1.0);
    }
}

impl<S: Real> Consensus<S> for Sec {
    fn accepts(&self) -> &[Kind] {
        &[Kind::Bipartite]
    }

    fn fit(&self, evidence: &Evidence<S>, _: &Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>> {
        let graph = evidence.bipartite_for(NAME)?;
        let Sec { weighting, replicates, max_iterations } = *self;
        let sizes = multiplicities(weighting, &graph.grouping);
        Ok(Box::new(FittedRows {
            name: NAME,
            rows: LabelRows::new(NAME, graph, &sizes, Distance::NormalisedCut)?,
            grouping: Arc::clone(&graph.grouping),
            limits: Limits { replicates, max_iterations },
        }))
    }

    fn footprint(&self, shape: &Shape) -> Footprint {
        footprint(shape)
    }
}
