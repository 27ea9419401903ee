//! A custom confidence rule, in a crate that depends only on `enclust-core`.
//!
//! [`Confident::from_pairs`] makes the graph H and the set Ω from weighted pairs of groups. A
//! group stands for all samples with its label row, so the rule counts each group with the number
//! of its samples.

use enclust_core::prelude::*;

part! {
    /// Pairs of samples that are nearest neighbours of each other.
    ///
    /// # Problem
    ///
    /// Two samples are confident if fewer than c samples are more similar to the first than the
    /// second is, and vice versa. The weight in H is their similarity.
    ///
    /// # Complexity
    ///
    /// O(n' n log n) time, n'² numbers.
    ///
    /// # Determinism and ties
    ///
    /// If neighbours are equally near, all of them are selected, so there may be more than c.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_core::prelude::*;
    /// use enclust_example_custom_confidence::MutualNeighbours;
    ///
    /// // 1 is nearest to 0 and to 2, but 0 is nearest to 1.
    /// let a = Similarity::from_matrix(3, &[1.0, 0.9, 0.0, 0.9, 1.0, 0.6, 0.0, 0.6, 1.0])?;
    /// let rows = Microclusters::of(&Ensemble::from_columns(&[[0, 1, 2]])?);
    /// let confident = MutualNeighbours::default().count(1).select(&rows, &a, &Ctx::default())?;
    /// assert_eq!(confident, Confident::from_pairs(&a, [(0, 1, 0.9)])?);
    /// # Ok::<(), Error>(())
    /// ```
    pub struct MutualNeighbours("mutual", "samples that are nearest neighbours of each other") {
        /// c: the number of nearest neighbours per sample.
        pub count: usize = 10, in Range::AtLeast(1.0);
    }
}

/// Adds [`MutualNeighbours`] to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.confidence.add::<MutualNeighbours>();
}

impl<S: Real> Confidence<S> for MutualNeighbours {
    fn select(
        &self,
        _: &Microclusters,
        similarity: &Similarity<S>,
        _: &Ctx<'_, S>,
    ) -> Result<Confident<S>> {
        let (square, sizes) = (similarity.square(), similarity.grouping().sizes());
        // The similarity of the last nearest neighbour to a sample of p.
        let reach = |p: usize| {
            let copies =
                |q: usize| std::iter::repeat_n(square[(p, q)], sizes[q] - usize::from(p == q));
            let mut others: Vec<S> = (0..sizes.len()).flat_map(copies).collect();
            others.sort_by(|a, b| b.wide().total_cmp(&a.wide()));
            others.get(self.count - 1).copied().unwrap_or(S::zero())
        };
        let reach: Vec<S> = (0..sizes.len()).map(reach).collect();
        let near = |p: usize, q: usize| square[(p, q)] >= reach[p].max(reach[q]);
        let pairs = (0..reach.len()).flat_map(|p| (p..sizes.len()).map(move |q| (p, q)));
        let real = pairs.filter(|&(p, q)| near(p, q) && (p != q || sizes[p] > 1));
        Confident::from_pairs(similarity, real.map(|(p, q)| (p, q, square[(p, q)])))
    }

    /// With ties, all pairs may be selected.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let result = Confident::<S>::bytes(shape, shape.all_pairs());
        Footprint::new(result, shape.square() + shape.each_sample(size_of::<S>()) + result * 2)
    }
}
