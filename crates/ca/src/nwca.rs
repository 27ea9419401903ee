//! Normalised weighted co-association.

use enclust_core::{
    Bytes, Ca, ClusterWeights, Ctx, Footprint, MISSING, Microclusters, Question, Range, Real,
    Represented, Result, Shape, part,
};

use crate::eci::indices;
use crate::memory::{cluster_index, filling};

part! {
    /// Co-association weighted by a reliability that does not depend on the number of clusters.
    ///
    /// # Problem
    ///
    /// Let U(a) be the uncertainty of base cluster a, as for the [cluster
    /// index](crate::ensemble_cluster_index). It is divided by log₂ of the number K of clusters of
    /// its own clustering, and the cluster weighs w(a) = exp(−U(a) / (λ m log₂ K)). Then Aᵢⱼ is the
    /// mean weight of the clusters that i and j share, over all clusterings, divided by the largest
    /// such value of a sample with itself, and Aᵢᵢ = 1.
    ///
    /// A clustering of one cluster is uncertain if any other one has more clusters; the limit of the
    /// formula, weight 0, is used for it. (In the authors' program, 0/0 occurs there.)
    ///
    /// The computation runs on groups. If labels are missing, means are taken over the clusterings
    /// that label both samples.
    ///
    /// # Parameters
    ///
    /// `lambda` (λ), which controls how strongly uncertain clusters are down-weighted. The authors
    /// tune it for each data set; no default was published.
    ///
    /// # Complexity
    ///
    /// O(n' m² + n'² m) time, n'²/2 numbers.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the ensemble, not on the number of threads.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::Nwca;
    /// use enclust_core::{Ca, Ctx, Ensemble, Microclusters, Question};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]])?;
    /// let nwca = Nwca::default();
    /// let evidence = nwca.build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?;
    /// // Samples 2 and 3 have the most certain clusters of all.
    /// assert!((evidence.as_similarity().unwrap().within()[2] - 1.0).abs() < 1e-12);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// X. Zhang, Y. Jia, M. Song, R. Wang, *Similarity and dissimilarity guided co-association matrix
    /// construction for ensemble clustering*, TKDE 2025 (arXiv 2411.00904).
    pub struct Nwca("nwca", "co-association weighted by normalised reliability (SDGCA)") {
        /// λ: how strongly uncertain clusters are down-weighted; large values approach plain
        /// co-association.
        pub lambda: f64 = 0.09, in Range::Positive, tried [0.02, 0.04, 0.06, 0.08, 0.09, 0.1, 0.14, 0.18, 0.75, 0.85, 0.95];
    }
}

impl<S: Real> Ca<S> for Nwca {
    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        _: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        let weights = self.cluster_weights(microclusters);
        let offsets = microclusters.cluster_offsets();
        let weight = |k: usize, label: u32| weights[offsets[k] + label as usize];
        Ok(microclusters.co_association(weight)?.into())
    }

    fn as_cluster_weights(&self) -> Option<&dyn ClusterWeights> {
        Some(self)
    }

    fn footprint(&self, shape: &Shape) -> Footprint {
        let sizes = Bytes(shape.clusters as u64) * 8;
        Footprint::new(shape.similarity(), sizes + cluster_index(shape) + filling(shape))
    }
}

/// A base cluster counts by its weight, divided by the largest mean weight of the clusters of a
/// sample.
impl ClusterWeights for Nwca {
    fn cluster_weights(&self, microclusters: &Microclusters) -> Vec<f64> {
        let (offsets, sizes) = (microclusters.cluster_offsets(), microclusters.cluster_sizes());
        // A number may be unused.
        let clusters =
            |k: usize| sizes[offsets[k]..offsets[k + 1]].iter().filter(|&&size| size > 0).count();
        let bits = |k: usize| (clusters(k).max(1) as f64).log2();
        let mut weights = indices(microclusters, |k| self.lambda * bits(k));
        let mean = |p: usize| {
            let (mut sum, mut total) = (0.0, 0.0);
            for (k, offset) in offsets[..microclusters.clusterings()].iter().enumerate() {
                let label = microclusters.label(p, k);
                if label != MISSING {
                    sum += microclusters.weight(k) * weights[offset + label as usize];
                    total += microclusters.weight(k);
                }
            }
            if total > 0.0 { sum / total } else { 0.0 }
        };
        let largest = (0..microclusters.len()).map(mean).fold(0.0, f64::max);
        if largest > 0.0 {
            weights.iter_mut().for_each(|w| *w /= largest);
        }
        weights
    }
}
