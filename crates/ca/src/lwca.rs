//! Locally weighted co-association.

use enclust_core::{
    Ca, ClusterWeights, Ctx, Footprint, Microclusters, Question, Range, Real, Represented, Result,
    Shape, part,
};

use crate::eci::ensemble_cluster_index;
use crate::memory::{cluster_index, filling};

part! {
    /// Co-association in which each cluster is weighted by its reliability.
    ///
    /// # Problem
    ///
    /// Aᵢⱼ = (1/m) Σₖ [i, j in one cluster of k] · ECI(that cluster), with the [cluster
    /// index](ensemble_cluster_index) ECI, and Aᵢᵢ = 1. The value within a microcluster is the
    /// mean index of its clusters, not 1. If labels are missing, the mean is taken over the
    /// clusterings that label both samples.
    ///
    /// # Parameters
    ///
    /// `theta` (θ), which controls how strongly uncertain clusters are down-weighted.
    ///
    /// # Complexity
    ///
    /// O(n' m² + n'² m) time, n'²/2 numbers.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::Lwca;
    /// use enclust_core::{Ctx, Ensemble, Microclusters, Ca, Question};
    ///
    /// let lwca = Lwca::default().theta(0.4);
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]])?;
    /// let evidence = lwca.build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?;
    /// let similarity = evidence.as_similarity().unwrap();
    /// // Two of three clusterings join the first pair, in clusters that the third one splits.
    /// assert!(similarity.between(0, 1) < 2.0 / 3.0);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// D. Huang, C.-D. Wang, J.-H. Lai, "Locally weighted ensemble clustering", IEEE
    /// Transactions on Cybernetics 2018.
    pub struct Lwca("lwca", "co-association weighted by cluster reliability") {
        /// θ of the cluster index: how strongly uncertain clusters are down-weighted; large
        /// values approach plain co-association (recommended 0.2 to 1).
        pub theta: f64 = 0.4, in Range::Positive, tried [0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4];
    }
}

impl<S: Real> Ca<S> for Lwca {
    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        _: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        let eci = self.cluster_weights(microclusters);
        let offsets = microclusters.cluster_offsets();
        let index = |k: usize, label: u32| eci[offsets[k] + label as usize];
        Ok(microclusters.co_association(index)?.into())
    }

    fn as_cluster_weights(&self) -> Option<&dyn ClusterWeights> {
        Some(self)
    }

    fn footprint(&self, shape: &Shape) -> Footprint {
        Footprint::new(shape.similarity(), cluster_index(shape) + filling(shape))
    }
}

/// A base cluster counts by its index.
impl ClusterWeights for Lwca {
    fn cluster_weights(&self, microclusters: &Microclusters) -> Vec<f64> {
        ensemble_cluster_index(microclusters, self.theta)
    }
}
