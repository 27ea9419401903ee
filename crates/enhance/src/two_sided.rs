//! Confident pairs by two thresholds: one for pairs that belong together, one for pairs that do
//! not.

use enclust_core::{
    Bytes, Confidence, Confident, Ctx, Footprint, MISSING, Microclusters, ParamError, Range, Real,
    Result, Shape, Similarity, part,
};
use rayon::prelude::*;

use crate::threshold::Threshold;

part! {
    /// Selects the pairs that at least the share α of the clusterings joins, and those that at
    /// most the share β joins.
    ///
    /// # Problem
    ///
    /// H and Ω are those of [`Threshold`] for α. In addition, the entries with Ãᵢⱼ ≤ β are fixed
    /// to 0; they are not part of H. A pair that no clustering labels together stays free,
    /// because nothing is known about it. The shares are correctly rounded quotients, as in
    /// [`Threshold`].
    ///
    /// No entry of the optimum is larger than without the low side (T5 in `docs/theory.md`):
    /// similarity no longer spreads to pairs that the clusterings separate.
    ///
    /// # Parameters
    ///
    /// `alpha` (α) and `beta` (β), with β < α.
    ///
    /// # Complexity
    ///
    /// O(n'² m) time, twice that of [`Threshold`]; memory for the selected pairs, which for most
    /// ensembles are most pairs.
    ///
    /// # Errors
    ///
    /// [`ParamError::OutOfRange`] unless β < α.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_core::{Confidence, Ctx, Ensemble, Microclusters, Ca, Question};
    /// use enclust_ca::Eac;
    /// use enclust_enhance::TwoSided;
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 0, 1], [0, 1, 1, 1]])?;
    /// let m = Microclusters::of(&e);
    /// let ctx = &Ctx::<f64>::default();
    /// let evidence = Eac.build(&m, &Question::default(), ctx)?;
    /// let two_sided = TwoSided::default().alpha(0.6).beta(0.0);
    /// let confident = two_sided.select(&m, evidence.as_similarity().unwrap(), ctx)?;
    /// assert_eq!(confident.fixed.get(0, 1), Some(2.0 / 3.0));
    /// assert_eq!(confident.fixed.get(0, 2), None);
    /// assert_eq!(confident.fixed.get(0, 3), Some(0.0));
    /// assert_eq!(confident.graph.get(0, 3), None);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// The high side: Y. Jia, S. Tao, R. Wang, Y. Wang, "Ensemble clustering via co-association
    /// matrix self-enhancement", TNNLS 2023. The low side is defined in the same way.
    pub struct TwoSided(
        "two-sided",
        "the pairs of threshold, and 0 for pairs that at most the share beta joins"
    ) {
        /// α: the share of the clusterings that must join a confident pair.
        pub alpha: f64 = Threshold::default().alpha, in Range::Within(0.0, 1.0);
        /// β: pairs that at most this share of the clusterings joins are fixed to 0; less than
        /// alpha.
        pub beta: f64 = 0.0, in Range::Within(0.0, 1.0);
    }
    check beta_below_alpha;
}

fn beta_below_alpha(rule: &TwoSided) -> Result<(), ParamError> {
    if rule.beta < rule.alpha {
        return Ok(());
    }
    Err(ParamError::OutOfRange {
        component: "two-sided",
        parameter: "beta",
        value: rule.beta.to_string(),
        range: format!("must be less than alpha = {}", rule.alpha),
    })
}

impl TwoSided {
    fn high(&self) -> Threshold {
        Threshold::default().alpha(self.alpha)
    }

    /// For every p, the q > p that are fixed to 0. None of these pairs is in H, because β < α.
    fn apart(&self, microclusters: &Microclusters) -> Vec<Vec<usize>> {
        let n = microclusters.len();
        let row = |shares: &mut Vec<f64>, p: usize| {
            microclusters.co_occurrence(p, &mut shares[p + 1..]);
            let low = (p + 1..n).filter(|&q| shares[q] <= self.beta);
            low.filter(|&q| share_a_clustering(microclusters, p, q)).collect()
        };
        (0..n).into_par_iter().map_init(|| vec![0.0; n], row).collect()
    }
}

/// Whether any clustering labels both groups.
fn share_a_clustering(microclusters: &Microclusters, p: usize, q: usize) -> bool {
    let labelled = |p: usize, k: usize| microclusters.label(p, k) != MISSING;
    !microclusters.has_missing()
        || (0..microclusters.clusterings()).any(|k| labelled(p, k) && labelled(q, k))
}

impl<S: Real> Confidence<S> for TwoSided {
    fn select(
        &self,
        microclusters: &Microclusters,
        similarity: &Similarity<S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<Confident<S>> {
        let mut confident = self.high().select(microclusters, similarity, ctx)?;
        let rows = self.apart(microclusters).into_iter().enumerate();
        confident.fix(rows.flat_map(|(p, row)| row.into_iter().map(move |q| (p, q, S::zero()))))?;
        Ok(confident)
    }

    /// Any pair may be fixed, so memory is planned for all pairs.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let high = Confidence::<S>::footprint(&self.high(), shape);
        let pairs = shape.all_pairs();
        // A growing list has up to twice the capacity; the mirrored lists have both entries of a
        // pair. Lists of indices are freed before these are made.
        let entries = Bytes(pairs) * 2 * size_of::<(u32, S)>() as u64;
        let result = high.result + shape.sparse(pairs.saturating_mul(2));
        Footprint::new(result, high.total() + entries * 2)
    }
}
