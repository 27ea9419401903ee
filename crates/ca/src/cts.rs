//! Connected-triple-based similarity.

use std::sync::Arc;

use enclust_core::{
    Ca, Component, Ctx, Footprint, Microclusters, Question, Range, Real, Represented, Result,
    Shape, Similarity, part,
};

use crate::links::{LinkScale, SharedNeighbours};
use crate::mean_similarity::{mean_similarities, mean_similarities_bytes};

part! {
    /// Connected-triple-based similarity: clusters of one clustering are similar if they overlap the
    /// same clusters of the other clusterings.
    ///
    /// # Problem
    ///
    /// Let J[a, c] be the Jaccard coefficient of two base clusters of different clusterings. Two
    /// clusters a and b of the same clustering have T[a, b] = Σ_c min(J[a, c], J[b, c]), divided by
    /// the largest such value, and T[a, a] = 1. Then Aᵢⱼ is the mean over the clusterings of 1 if
    /// they join i and j, and of d · T[cluster of i, cluster of j] otherwise.
    ///
    /// The computation runs on groups: J counts samples, and all samples of a group are in the same
    /// clusters. The value within a group is 1.
    ///
    /// # Parameters
    ///
    /// `decay` (d), the trust in links. The demo of the authors' toolbox uses 0.8, their later
    /// papers 0.9.
    ///
    /// # Complexity
    ///
    /// O(n' m²) time for J, O(Σₖ Kₖ e) for T with Kₖ clusters in clustering k and e positive
    /// coefficients of its clusters, O(n'² m) for A; n'²/2 numbers.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the ensemble, not on the number of threads.
    ///
    /// # Errors
    ///
    /// Missing labels are [unsupported](enclust_core::Error::Unsupported).
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::Cts;
    /// use enclust_core::{Ca, Ctx, Ensemble, Microclusters, Question};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 2], [0, 0, 0, 1]])?;
    /// let cts = Cts::default().decay(0.5);
    /// let evidence = cts.build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?;
    /// // The second clustering joins this pair; in the first, their clusters are linked by it.
    /// assert_eq!(evidence.as_similarity().unwrap().between(0, 1), (1.0 + 0.5) / 2.0);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// N. Iam-On, T. Boongoen, S. Garrett, *Refining pairwise similarity matrix for cluster ensemble
    /// problem with cluster relations*, Discovery Science 2008; N. Iam-On, S. Garrett, *LinkCluE: a
    /// MATLAB package for link-based cluster ensembles*, Journal of Statistical Software 36 (2010).
    pub struct Cts("cts", "co-association through common neighbours of clusters (CTS)") {
        /// d: value of the most similar pair of different clusters; 0 gives plain co-association.
        pub decay: f64 = 0.8, in Range::Within(0.0, 1.0), tried [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
    }
}

impl<S: Real> Ca<S> for Cts {
    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        microclusters.require_complete(self.name())?;
        let links =
            SharedNeighbours::new(microclusters, self.decay, LinkScale::Clustering, ctx.watch())?;
        let between = mean_similarities(microclusters, |k, label| links.of(k, label));
        let ones = vec![S::one(); microclusters.len()];
        let grouping = Arc::clone(microclusters.grouping());
        Ok(Similarity::new(grouping, between.into_values(), ones.clone(), ones)?.into())
    }

    /// First the similarities of clusters; then these and the reading of them.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let similarity = shape.similarity();
        let reading = SharedNeighbours::result_bytes(shape) + mean_similarities_bytes(shape);
        Footprint::new(similarity, reading.max(SharedNeighbours::bytes(shape) - similarity))
    }
}
