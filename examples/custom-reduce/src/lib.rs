//! A custom reduction of label rows, in a crate that depends only on `enclust-core`.
//!
//! [`Reduced::new`] makes the reduced ensemble from the representative of each row and the labels of
//! the representatives; the samples follow.

use enclust_core::prelude::*;

part! {
    /// The most frequent label rows; all other rows follow the one with which they agree most often.
    ///
    /// # Problem
    ///
    /// The p rows with the most samples stay. Every other row is replaced by the one of them with
    /// which it shares most base clusters.
    ///
    /// # Complexity
    ///
    /// O(n' p m) time; `landmarks` of enclust uses an index and is faster.
    ///
    /// # Determinism and ties
    ///
    /// The row that comes first in the ensemble wins. There are no random numbers.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_core::prelude::*;
    /// use enclust_example_custom_reduce::Frequent;
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 0, 1, 1], [0, 0, 1, 2, 2]])?;
    /// let rows = Microclusters::of(&e);
    /// let reduced = Frequent::default().reduce(&rows, 2, &Ctx::<f64>::default())?;
    /// assert_eq!(reduced.microclusters.grouping().map(), [0, 0, 0, 1, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub struct Frequent("frequent", "the most frequent label rows") {
        /// p: the number of rows that stay.
        pub rows: usize = 1000, in Range::AtLeast(1.0);
    }
}

/// Adds [`Frequent`] to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.reduce.add::<Frequent>();
}

impl<S: Real> Reduce<S> for Frequent {
    fn rows(&self, size: RunSize) -> Option<usize> {
        (self.rows < size.groups).then_some(self.rows)
    }

    fn reduce(&self, rows: &Microclusters, left: usize, ctx: &Ctx<'_, S>) -> Result<Reduced> {
        if left >= rows.len() {
            return NoReduction.reduce(rows, left, ctx);
        }
        let sizes = rows.grouping().sizes();
        let mut stay: Vec<usize> = (0..rows.len()).collect();
        stay.sort_by_key(|&p| std::cmp::Reverse(sizes[p]));
        stay.truncate(left);
        stay.sort_unstable();
        let clusterings = 0..rows.clusterings();
        let row = |&p: &usize| clusterings.clone().map(move |k| rows.label(p, k));
        let shared = |p: usize, q: usize| {
            clusterings.clone().filter(|&k| rows.label(p, k) == rows.label(q, k)).count()
        };
        // `max_by_key` returns the last of several, so the order is reversed.
        let nearest = |p: usize| {
            let best = (0..stay.len()).rev().max_by_key(|&at| shared(p, stay[at]));
            best.map_or(0, |at| at as u32)
        };
        let labels: Vec<u32> = stay.iter().flat_map(row).collect();
        let representative: Vec<u32> = (0..rows.len()).map(nearest).collect();
        Reduced::new(self.name(), rows, &representative, &labels)
    }
}
