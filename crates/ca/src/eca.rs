//! Enhanced co-association of ECPCS.

use std::sync::Arc;

use enclust_core::{
    Ca, Component, Ctx, Footprint, Microclusters, Question, Range, Real, Represented, Result,
    Shape, Similarity, part,
};

use crate::cluster_walk::ClusterSimilarity;
use crate::mean_similarity::{mean_similarities, mean_similarities_bytes};

part! {
    /// Enhanced co-association: samples are as similar as their clusters.
    ///
    /// # Problem
    ///
    /// A random walk goes from a base cluster to another one with a probability proportional to
    /// their Jaccard coefficient. The similarity Z of two clusters is the cosine between the
    /// sequences of distributions of the walks that start at them, over t steps. Then Aᵢⱼ =
    /// (1/m) Σₖ Z(cluster of i in k, cluster of j in k). In plain co-association, two clusters
    /// of the same clustering have nothing in common; here they are related through the
    /// clusters of other clusterings.
    ///
    /// The computation runs on groups: Z counts samples, and all samples of a group are in the
    /// same clusters, so all pairs between two groups have the same value. A cluster has
    /// similarity 1 with itself, so the value within a group is 1.
    ///
    /// # Parameters
    ///
    /// `steps` (t), the number of steps of the random walk.
    ///
    /// # Complexity
    ///
    /// O(n' m² + t N e + n'² m) time for N base clusters and e pairs of them that share a
    /// sample, or O(n' m² + N³ log t + n'² m) if that is less; n'²/2 + 3N² numbers and the pairs.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the ensemble, not on the number of threads.
    ///
    /// # Errors
    ///
    /// Missing labels and weights other than 1 are
    /// [unsupported](enclust_core::Error::Unsupported).
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::Eca;
    /// use enclust_core::{Ctx, Ensemble, Microclusters, Ca, Question};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 2], [0, 1, 1, 2], [0, 0, 0, 1]])?;
    /// let eca = Eca::default().steps(20);
    /// let evidence = eca.build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?;
    /// let s = evidence.as_similarity().unwrap();
    /// // One of three clusterings joins this pair; the others put it into similar clusters.
    /// assert!(s.between(0, 2) > 1.0 / 3.0);
    /// // No walk leads from the clusters of sample 0 to those of sample 3.
    /// assert_eq!(s.between(0, 3), 0.0);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// D. Huang, C.-D. Wang, H. Peng, J. Lai, C.-K. Kwoh, "Enhanced ensemble clustering via
    /// fast propagation of cluster-wise similarities", IEEE Transactions on Systems, Man, and
    /// Cybernetics: Systems 2021 (ECPCS-HC).
    pub struct Eca("eca", "co-association through similar clusters (ECPCS)") {
        /// t: steps of the random walk between base clusters (little changes beyond 10).
        pub steps: usize = 20, in Range::AtLeast(1.0), tried [1, 2, 4, 8, 16, 32, 64];
    }
}

impl<S: Real> Ca<S> for Eca {
    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        let clusters = ClusterSimilarity::new(self.name(), microclusters, self.steps, ctx)?;
        let offsets = microclusters.cluster_offsets();
        let between = mean_similarities(microclusters, |k, label| {
            &clusters.values.col(offsets[k] + label)[offsets[k]..offsets[k + 1]]
        });
        let ones = vec![S::one(); microclusters.len()];
        let grouping = Arc::clone(microclusters.grouping());
        Ok(Similarity::new(grouping, between.into_values(), ones.clone(), ones)?.into())
    }

    /// First the similarities of clusters; then these, the clusters of each group, and one list
    /// of cluster similarities per thread.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let similarity = shape.similarity();
        let reading = ClusterSimilarity::result_bytes(shape) + mean_similarities_bytes(shape);
        Footprint::new(similarity, reading.max(ClusterSimilarity::bytes(shape) - similarity))
    }
}
