//! Weighted evidence accumulation.

use enclust_core::{
    Bytes, Ca, Ctx, Footprint, Microclusters, Question, Range, Real, Represented, Result, Shape,
    part,
};

use crate::eac::Eac;
use crate::memory::{cluster_index, filling};
use crate::ncai::crowd_agreement;

part! {
    /// Co-association in which each base clustering is weighted by its agreement with the others.
    ///
    /// # Problem
    ///
    /// Aᵢⱼ = Σₖ wₖ [i, j in one cluster of k] / Σₖ wₖ with wₖ = NCAI(k)^β, the
    /// [crowd agreement](crowd_agreement) of clustering k. If labels are missing, both sums are
    /// taken over the clusterings that label both samples.
    ///
    /// This is [`Eac`] of an ensemble with these weights. The weights use the sizes of the groups,
    /// so the computation runs on groups without any change of the result.
    ///
    /// # Parameters
    ///
    /// `beta` (β), which controls how strongly clusterings that agree with few others are
    /// down-weighted. The paper, its program and a later benchmark use 2; no other values were
    /// published.
    ///
    /// # Complexity
    ///
    /// O(n' m² + n'² m) time, n'²/2 numbers.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the ensemble. The weights are not whole numbers, so values that
    /// are equal in exact arithmetic may differ by rounding.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::Weac;
    /// use enclust_core::{Ca, Ctx, Ensemble, Microclusters, Question};
    ///
    /// // The third clustering agrees with no other one and has weight 0.
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]])?;
    /// let weac = Weac::default();
    /// let evidence = weac.build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?;
    /// assert_eq!(evidence.as_similarity().unwrap().between(0, 1), 1.0);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// D. Huang, J.-H. Lai, C.-D. Wang, *Combining multiple clusterings via crowd agreement
    /// estimation and multi-granularity link analysis*, Neurocomputing 170 (2015), WEAC.
    pub struct Weac("weac", "co-association weighted by the agreement of clusterings") {
        /// β: exponent of the agreement; 0 weighs all clusterings alike.
        pub beta: f64 = 2.0, in Range::AtLeast(0.0);
    }
}

impl<S: Real> Ca<S> for Weac {
    fn build(
        &self,
        microclusters: &Microclusters,
        question: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        let agreement = crowd_agreement(microclusters, self.beta);
        ctx.watch().checkpoint("weighing the base clusterings")?;
        let weights = agreement.iter().enumerate().map(|(k, w)| w * microclusters.weight(k));
        Eac.build(&microclusters.reweighted(weights.collect())?, question, ctx)
    }

    /// A copy of the label rows; in addition, the overlaps of clusterings or the filling.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let rows = shape.each_group(size_of::<u32>()) * shape.clusterings as u64;
        let weights = Bytes(shape.clusterings as u64) * 32;
        Footprint::new(shape.similarity(), rows + weights + cluster_index(shape) + filling(shape))
    }
}
