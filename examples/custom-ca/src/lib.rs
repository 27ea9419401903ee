//! A custom co-association matrix, in a crate that depends only on `enclust-core`.
//!
//! It needs three things: the parameters, an implementation of [`Ca`] and a function that
//! registers it under its name. The matrix has the size n' of the distinct label rows. `tests/`
//! runs the conformance suite and combines the matrix with all other parts.

use enclust_core::prelude::*;

part! {
    /// Co-association in which a common cluster has more weight if it has fewer samples.
    ///
    /// # Problem
    ///
    /// Aᵢⱼ = (1/m) Σₖ \[i, j in one cluster x of k\] (1 − (|x|/n)^γ). A cluster of all samples
    /// contributes nothing. The value of a pair is computed from the clusterings that label both
    /// samples.
    ///
    /// # Complexity
    ///
    /// O(n'² m) time; n'²/2 numbers.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_core::prelude::*;
    /// use enclust_example_custom_ca::Rarity;
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 0, 1]])?;
    /// let rows = Microclusters::of(&e);
    /// let built = Rarity::default().build(&rows, &Question::default(), &Ctx::<f64>::default())?;
    /// // Groups {0, 1}, {2}, {3}: the second clustering joins the first two in a cluster of 3.
    /// assert_eq!(built.as_similarity().unwrap().condensed(), [0.125, 0.0, 0.25]);
    /// # Ok::<(), Error>(())
    /// ```
    pub struct Rarity("rarity", "co-association in which small clusters count more") {
        /// γ: large values approach plain co-association.
        pub power: f64 = 1.0, in Range::Positive;
    }
}

/// Adds [`Rarity`] to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.ca.add::<Rarity>();
}

impl<S: Real> Ca<S> for Rarity {
    fn build(&self, rows: &Microclusters, _: &Question, _: &Ctx<'_, S>) -> Result<Represented<S>> {
        let (offsets, sizes) = (rows.cluster_offsets(), rows.cluster_sizes());
        let samples = rows.grouping().samples() as f64;
        let share = |k: usize, label: u32| sizes[offsets[k] + label as usize] as f64 / samples;
        Ok(rows.co_association(|k, label| 1.0 - share(k, label).powf(self.power))?.into())
    }
}
