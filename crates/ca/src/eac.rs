//! Evidence accumulation: how often two samples share a cluster.

use std::sync::Arc;

use enclust_core::{
    Ca, ClusterWeights, Condensed, Ctx, Footprint, Microclusters, Question, Real, Represented,
    Result, Shape, Similarity, part,
};

use crate::memory::filling;

part! {
    /// The co-association matrix of evidence accumulation clustering.
    ///
    /// # Problem
    ///
    /// Ãᵢⱼ is the share of base clusterings that put i and j into one cluster. If labels are
    /// missing, the share is taken over the clusterings that label both samples; a pair without
    /// such a clustering has similarity 0.
    ///
    /// # Complexity
    ///
    /// O(n'² m) time, n'²/2 numbers.
    ///
    /// # Determinism and ties
    ///
    /// At most m + 1 different values occur, so ties are frequent. If weights are whole numbers
    /// and no label is missing, the similarity has a denominator and linkage counts exactly.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::Eac;
    /// use enclust_core::{Ctx, Ensemble, Microclusters, Ca, Question};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]])?;
    /// let evidence = Eac.build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?;
    /// assert_eq!(evidence.as_similarity().unwrap().condensed(), [0.5, 0.0, 0.5]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// A. Fred, A. Jain, "Combining multiple clusterings using evidence accumulation", TPAMI
    /// 2005.
    pub struct Eac("eac", "co-association: share of clusterings that join a pair");
}

impl<S: Real> Ca<S> for Eac {
    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        _: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        let n = microclusters.len();
        let between = Condensed::filled(n, |p, row| microclusters.co_occurrence(p, row));
        let within = (0..n)
            .map(|p| if microclusters.labelled_weight(p) > 0.0 { S::one() } else { S::zero() })
            .collect();
        let grouping = Arc::clone(microclusters.grouping());
        let similarity =
            Similarity::new(grouping, between.into_values(), within, vec![S::one(); n])?;
        Ok(match denominator(microclusters) {
            Some(d) => similarity.with_denominator(d)?,
            None => similarity,
        }
        .into())
    }

    fn as_cluster_weights(&self) -> Option<&dyn ClusterWeights> {
        Some(self)
    }

    fn footprint(&self, shape: &Shape) -> Footprint {
        Footprint::new(shape.similarity(), filling(shape))
    }
}

/// Every base cluster counts alike.
impl ClusterWeights for Eac {
    fn cluster_weights(&self, microclusters: &Microclusters) -> Vec<f64> {
        vec![1.0; microclusters.clusters().iter().sum()]
    }
}

/// The number d such that all values are whole multiples of 1/d, if there is one.
fn denominator(microclusters: &Microclusters) -> Option<f64> {
    let whole = microclusters.weights().is_none_or(|w| w.iter().all(|w| w.fract() == 0.0));
    (whole && !microclusters.has_missing()).then(|| microclusters.total_weight())
}
