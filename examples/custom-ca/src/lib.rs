//! A co-association matrix of one's own, in a crate that needs `enclust-core`
//! alone.
//!
//! It takes three things: the parameters, a [`Ca`] and a function that
//! registers it under its name. `tests/` runs the conformance suite on it and
//! puts it in front of every other part there is.

use std::sync::Arc;

use enclust_core::{
    Ca, Component, Ctx, Mat, Microclusters, Question, Range, Real, Registry, Represented, Result,
    Similarity, fill_condensed, part,
};

part! {
    /// Co-association in which different clusters count as well, if they are linked.
    ///
    /// **Problem.** The clusters of all clusterings form a graph; the edge between
    /// x and z weighs w(x, z) = |x ∩ z| / |x ∪ z|. Two clusters x ≠ y of one
    /// clustering are as alike as their neighbours in common say, the connected
    /// triples: s(x, y) = DC · t(x, y) / max t with t(x, y) = Σ_z min(w(x, z), w(y, z)).
    /// The similarity of two samples is the mean over clusterings of s, which is 1
    /// inside a cluster.
    ///
    /// **Complexity.** O(n' m² + Σₖ cₖ² · c + n'² m) time for c clusters in all and
    /// cₖ in clustering k; n'²/2 + c² numbers.
    ///
    /// **Errors.** [`Error::Unsupported`](enclust_core::Error::Unsupported) for missing labels.
    ///
    /// ```
    /// use enclust_core::{Ca, Ctx, Ensemble, Microclusters, Question};
    /// use enclust_example_custom_ca::ConnectedTriples;
    ///
    /// // The second clustering links the first two clusters of the first one.
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]])?;
    /// let evidence = ConnectedTriples::default()
    ///     .build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?
    ///     .evidence;
    /// let similarity = evidence.as_similarity().unwrap();
    /// // Groups {0, 1}, {2, 3}, {4, 5}: (DC + 1) / 2, where plain co-association has 1/2.
    /// assert_eq!(similarity.condensed(), [0.9, 0.0, 0.0]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// **Reference.** N. Iam-On, T. Boongoen, S. Garrett, C. Price, "A link-based
    /// approach to the cluster ensemble problem", TPAMI 2011.
    pub struct ConnectedTriples(
        "wct",
        "co-association of linked clusters (weighted connected triples)"
    ) {
        /// DC: what the two most strongly linked clusters count, against 1 for one and the same; 0 gives plain co-association.
        pub decay: f64 = 0.8, in Range::Within(0.0, 1.0);
    }
}

/// Adds [`ConnectedTriples`] under its name.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.ca.add::<ConnectedTriples>();
}

impl<S: Real> Ca<S> for ConnectedTriples {
    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        _: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        microclusters.require_complete(self.name())?;
        let offsets = microclusters.cluster_offsets();
        let alike = alike(microclusters, &offsets, self.decay);
        let total = S::of(microclusters.total_weight());
        let n = microclusters.len();
        let between = fill_condensed(n, |p, row: &mut [S]| {
            for k in 0..microclusters.clusterings() {
                let (column, weight) = (microclusters.column(k), microclusters.weight(k));
                let alike = &alike[offsets[k] + column[p] as usize];
                for (value, &label) in row.iter_mut().zip(&column[p + 1..]) {
                    *value += S::of(weight * alike[label as usize]);
                }
            }
            // A mean of numbers up to 1 may round to just above it.
            row.iter_mut().for_each(|v| *v = (*v / total).min(S::one()));
        });
        let ones = vec![S::one(); n];
        let grouping = Arc::clone(microclusters.grouping());
        Ok(Similarity::new(grouping, between, ones.clone(), ones)?.into())
    }
}

/// s(x, y) for every cluster x and the clusters y of its own clustering.
fn alike(microclusters: &Microclusters, offsets: &[usize], decay: f64) -> Vec<Vec<f64>> {
    let links = links(microclusters, offsets);
    // A neighbour counts as often as its clustering does.
    let weights: Vec<f64> = (0..microclusters.clusterings())
        .flat_map(|k| vec![microclusters.weight(k); microclusters.clusters()[k]])
        .collect();
    let triples = |x: usize, y: usize| -> f64 {
        let shared = links.col(x).iter().zip(links.col(y)).map(|(a, b)| a.min(*b));
        shared.zip(&weights).map(|(link, weight)| link * weight).sum()
    };
    let clusterings = offsets.windows(2).map(|w| w[0]..w[1]);
    let mut alike: Vec<Vec<f64>> = clusterings
        .flat_map(|own| own.clone().map(move |x| (x, own.clone())))
        .map(|(x, own)| own.map(|y| if x == y { 0.0 } else { triples(x, y) }).collect())
        .collect();
    let most = alike.iter().flatten().fold(0.0, |a: f64, b| a.max(*b));
    // Without any triple there is nothing to scale.
    let scale = if most > 0.0 { most } else { 1.0 };
    alike.iter_mut().flatten().for_each(|t| *t = decay * (*t / scale));
    for own in offsets.windows(2) {
        (own[0]..own[1]).for_each(|x| alike[x][x - own[0]] = 1.0);
    }
    alike
}

/// w(x, z) between clusters of different clusterings, 0 inside one.
fn links(microclusters: &Microclusters, offsets: &[usize]) -> Mat<f64> {
    let sizes = microclusters.cluster_sizes();
    let m = microclusters.clusterings();
    let mut links = Mat::zeros(sizes.len(), sizes.len());
    for (p, &samples) in microclusters.grouping().sizes().iter().enumerate() {
        let cluster = |k: usize| offsets[k] + microclusters.label(p, k) as usize;
        for (k, l) in (0..m).flat_map(|k| (0..m).map(move |l| (k, l))).filter(|(k, l)| k != l) {
            links[(cluster(k), cluster(l))] += samples as f64;
        }
    }
    for (x, size) in sizes.iter().enumerate() {
        for (shared, other) in links.col_mut(x).iter_mut().zip(&sizes) {
            *shared /= (size + other) as f64 - *shared;
        }
    }
    links
}
