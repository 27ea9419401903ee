//! Enhanced co-association of ECPCS.

use std::sync::Arc;

use enclust_core::{
    Bytes, Ca, Component, Condensed, Ctx, Footprint, Mat, Microclusters, Question, Range, Real,
    Represented, Result, Shape, Similarity, part,
};

use crate::cluster_walk::ClusterSimilarity;
use crate::memory::filling;

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
        let between = mean_similarities(microclusters, &clusters.values);
        let ones = vec![S::one(); microclusters.len()];
        let grouping = Arc::clone(microclusters.grouping());
        Ok(Similarity::new(grouping, between.into_values(), ones.clone(), ones)?.into())
    }

    /// First the similarities of clusters; then these, the clusters of each group, and one list
    /// of cluster similarities per thread.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let similarity = shape.similarity();
        let homes = shape.each_group(size_of::<u32>()) * shape.clusterings as u64;
        let near = Bytes(shape.clusters as u64) * (size_of::<f64>() * shape.threads) as u64;
        let reading = ClusterSimilarity::result_bytes(shape) + homes + near + filling(shape);
        Footprint::new(similarity, reading.max(ClusterSimilarity::bytes(shape) - similarity))
    }
}

/// The mean, over the clusterings, of the similarities between the clusters of two groups,
/// for all pairs of groups.
///
/// The clusters of a group are stored contiguously, so a value is a sum of entries of one short
/// list: the similarities of the first group's clusters to the other clusters of the same
/// clusterings.
fn mean_similarities<S: Real>(
    microclusters: &Microclusters,
    similarity: &Mat<f64>,
) -> Condensed<Vec<S>> {
    let (n, m) = (microclusters.len(), microclusters.clusterings());
    let offsets = microclusters.cluster_offsets();
    let homes = clusters_of_groups(microclusters, &offsets);
    Condensed::filled(n, |p, row| {
        let mut near = Vec::with_capacity(offsets[m]);
        for (k, &home) in homes[p * m..][..m].iter().enumerate() {
            let own = similarity.col(home as usize);
            near.extend_from_slice(&own[offsets[k]..offsets[k + 1]]);
        }
        for (out, others) in row.iter_mut().zip(homes[(p + 1) * m..].chunks_exact(m)) {
            let sum: f64 = others.iter().map(|&other| near[other as usize]).sum();
            *out = S::of(sum / m as f64);
        }
    })
}

/// The m clusters of each group, numbered through all clusterings, one group after the other.
fn clusters_of_groups(microclusters: &Microclusters, offsets: &[usize]) -> Vec<u32> {
    let mut homes = Vec::with_capacity(microclusters.len() * microclusters.clusterings());
    for p in 0..microclusters.len() {
        let home = |k: usize| offsets[k] as u32 + microclusters.label(p, k);
        homes.extend((0..microclusters.clusterings()).map(home));
    }
    homes
}
