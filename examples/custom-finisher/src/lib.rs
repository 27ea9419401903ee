//! A custom consensus function, in a crate that depends only on `enclust-core`.
//!
//! [`Consensus::fit`] reads the evidence once; the [`Fitted`] that it returns can be cut into any
//! number of clusters. A function that finds the number of clusters itself states this by
//! [`Consensus::gives_exactly_k`].

use enclust_core::prelude::*;

/// Maximum number of moves of the medoids; a few are usual.
const MOVES: usize = 100;

part! {
    /// Clusters around k medoids: the groups that are most similar to all others.
    ///
    /// # Problem
    ///
    /// Medoids that maximise the sum over samples of the similarity to the nearest medoid. They
    /// are selected greedily and then moved inside their clusters while this improves the sum. A
    /// group of equal samples stays together and counts with the number of its samples.
    ///
    /// # Complexity
    ///
    /// O(n'² k) time, and no memory in addition to the similarity.
    ///
    /// # Determinism and ties
    ///
    /// Ties are broken by the medoid that was selected first and by the lowest group. There are
    /// no random numbers.
    ///
    /// # Errors
    ///
    /// [`Error::KindMismatch`](enclust_core::Error::KindMismatch) for other evidence,
    /// [`Error::ClusterCount`](enclust_core::Error::ClusterCount) if k is 0 or larger than n'.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_core::{Consensus, Ctx, Similarity};
    /// use enclust_example_custom_finisher::KMedoids;
    ///
    /// let s = Similarity::from_matrix(3, &[1.0, 0.9, 0.1, 0.9, 1.0, 0.2, 0.1, 0.2, 1.0])?;
    /// let ctx = Ctx::default();
    /// let fitted = KMedoids.fit(&s.into(), &ctx)?;
    /// assert_eq!(fitted.cut(2, &ctx)?.labels(), &[0, 0, 1]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// L. Kaufman, P. Rousseeuw, *Finding Groups in Data*, 1990 (the greedy selection); H.-S.
    /// Park, C.-H. Jun, "A simple and fast algorithm for K-medoids clustering", Expert Systems
    /// with Applications 2009 (the moves).
    pub struct KMedoids("k-medoids", "k-medoids of a similarity");
}

/// Adds [`KMedoids`] to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.consensus.add::<KMedoids>();
}

impl<S: Real> Consensus<S> for KMedoids {
    fn accepts(&self) -> &[Kind] {
        &[Kind::Similarity]
    }

    fn fit(&self, evidence: &Evidence<S>, _: &Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>> {
        let similarity = evidence.similarity_for(self.name())?;
        Ok(Box::new(Around(similarity.clone())))
    }
}

/// The similarity to cluster.
struct Around<S>(Similarity<S>);

impl<S: Real> Fitted<S> for Around<S> {
    fn cut(&self, k: usize, _: &Ctx<'_, S>) -> Result<Partition> {
        check_k(KMedoids.name(), k, self.0.len())?;
        let mut medoids = self.greedy(k);
        let mut clusters = self.nearest(&medoids);
        for _ in 0..MOVES {
            let moved = self.moved(&medoids, &clusters);
            if moved == medoids {
                break;
            }
            medoids = moved;
            clusters = self.nearest(&medoids);
        }
        Ok(self.0.grouping().lift(&clusters))
    }

    fn largest_k(&self) -> usize {
        self.0.len()
    }
}

impl<S: Real> Around<S> {
    /// Sum over the samples of p of the similarity to one sample of c.
    fn pull(&self, p: usize, c: usize) -> f64 {
        let (s, samples) = (&self.0, self.0.grouping().sizes()[p] as f64);
        if p == c {
            s.own()[p].wide() + (samples - 1.0) * s.within()[p].wide()
        } else {
            samples * s.between(p, c).wide()
        }
    }

    /// Selects one medoid after the other; each is the one that increases the sum most.
    fn greedy(&self, k: usize) -> Vec<usize> {
        let n = self.0.len();
        let mut reached = vec![0.0; n];
        let mut medoids = Vec::with_capacity(k);
        for _ in 0..k {
            let free = (0..n).filter(|c| !medoids.contains(c));
            let gain = |c| (0..n).map(|p| (self.pull(p, c) - reached[p]).max(0.0)).sum();
            let Some(chosen) = first_best(free, gain) else { break };
            (0..n).for_each(|p| reached[p] = self.pull(p, chosen).max(reached[p]));
            medoids.push(chosen);
        }
        medoids
    }

    /// The medoid of each group. A medoid belongs to itself even if similarities are tied, so no
    /// cluster is empty.
    fn nearest(&self, medoids: &[usize]) -> Vec<usize> {
        let nearest = |p| first_best(0..medoids.len(), |c| self.pull(p, medoids[c])).unwrap_or(0);
        (0..self.0.len())
            .map(|p| medoids.iter().position(|&c| c == p).unwrap_or_else(|| nearest(p)))
            .collect()
    }

    /// The best medoid of each cluster; the current one if it is equally good.
    fn moved(&self, medoids: &[usize], clusters: &[usize]) -> Vec<usize> {
        let members = |k| (0..clusters.len()).filter(move |&p| clusters[p] == k);
        let best = |(k, &medoid): (usize, &usize)| {
            let worth = |c| members(k).map(|p| self.pull(p, c)).sum();
            first_best([medoid].into_iter().chain(members(k)), worth).unwrap_or(medoid)
        };
        medoids.iter().enumerate().map(best).collect()
    }
}

/// The candidate with the highest value; the first one among equals.
fn first_best(
    candidates: impl Iterator<Item = usize>,
    worth: impl Fn(usize) -> f64,
) -> Option<usize> {
    let valued = candidates.map(|c| (c, worth(c)));
    valued.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(c, _)| c)
}
