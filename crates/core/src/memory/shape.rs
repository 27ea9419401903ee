//! The sizes that determine the memory of a stage.

use crate::data::ensemble::MISSING;
use crate::data::microclusters::Microclusters;
use crate::evidence::Kind;
use crate::memory::Bytes;
use crate::numbers::real::Real;
use crate::run::quantities::Quantities;

/// The size of a run.
///
/// A shape is made [from microclusters](Shape::of), or [before](Shape::ahead) any data exists, to
/// compute the memory that a run would need. The methods return the sizes of common data
/// structures in bytes.
///
/// ```
/// use enclust_core::{Bytes, Shape};
///
/// // A million samples, 20 clusterings of 30 clusters, 10,000 distinct label rows.
/// let shape = Shape::ahead::<f32>(1_000_000, 20, 30, 10_000);
/// assert_eq!(shape.square(), Bytes(400_000_000));
/// assert!(shape.similarity() < shape.square());
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Shape {
    /// Number of samples, n.
    pub samples: usize,
    /// Number of base clusterings, m.
    pub clusterings: usize,
    /// Total number of clusters of all base clusterings.
    pub clusters: usize,
    /// Number of clusters of the base clustering with the most clusters.
    pub largest: usize,
    /// Number of groups, n': distinct rows of labels.
    pub groups: usize,
    /// Bytes of a number in the precision of the run.
    pub scalar: usize,
    /// Number of threads.
    pub threads: usize,
    /// The number of clusters of the run, if it is known.
    pub k: Option<usize>,
    /// The quantities of each iteration that a rule or an observer reads.
    pub needs: Quantities,
    /// The memory of what the stage reads besides the label rows: the confident pairs of an
    /// enhancer, the evidence of a consensus function. It is not part of the footprint of the
    /// stage, but its size may affect choices that the stage makes.
    pub input: Bytes,
    /// The kind of evidence that the consensus function reads.
    pub kind: Kind,
    joined: Joined,
}

/// The number of pairs of groups that clusterings join.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Joined {
    /// Summed over the clusterings.
    total: f64,
    /// Weighted average per clustering; `None` if labels are missing.
    mean: Option<f64>,
}

impl Shape {
    /// The shape of a run on these microclusters, with precision `S` and the threads of the
    /// current pool. O(n' m) time.
    pub fn of<S: Real>(microclusters: &Microclusters) -> Self {
        let clusters = microclusters.clusters();
        Shape {
            samples: microclusters.grouping().samples(),
            clusterings: clusters.len(),
            clusters: clusters.iter().sum(),
            largest: clusters.iter().copied().max().unwrap_or(0),
            groups: microclusters.len(),
            scalar: size_of::<S>(),
            threads: rayon::current_num_threads(),
            k: None,
            needs: Quantities::NONE,
            input: Bytes(0),
            kind: Kind::Similarity,
            joined: Joined::of(microclusters),
        }
    }

    /// The expected shape of `samples` samples in `clusterings` clusterings with `clusters`
    /// clusters of equal size each, and `groups` distinct label rows.
    pub fn ahead<S: Real>(
        samples: usize,
        clusterings: usize,
        clusters: usize,
        groups: usize,
    ) -> Self {
        let mean = pairs(groups as f64) / clusters.max(1) as f64;
        Shape {
            samples,
            clusterings,
            clusters: clusterings.saturating_mul(clusters),
            largest: clusters,
            groups,
            scalar: size_of::<S>(),
            threads: rayon::current_num_threads(),
            k: None,
            needs: Quantities::NONE,
            input: Bytes(0),
            kind: Kind::Similarity,
            joined: Joined { total: mean * clusterings as f64, mean: Some(mean) },
        }
    }

    /// The same with another number of groups. The number of joined pairs is assumed to be
    /// proportional to its square.
    pub fn with_groups(self, groups: usize) -> Self {
        let ratio = pairs(groups as f64) / pairs(self.groups as f64).max(1.0);
        let Joined { total, mean } = self.joined;
        let joined = Joined { total: total * ratio, mean: mean.map(|m| m * ratio) };
        Shape { groups, joined, ..self }
    }

    /// The same with another number of samples.
    pub fn with_samples(self, samples: usize) -> Self {
        Shape { samples, ..self }
    }

    /// The same with this many bytes per number.
    pub fn with_scalar(self, scalar: usize) -> Self {
        Shape { scalar, ..self }
    }

    /// The same with this many threads.
    pub fn with_threads(self, threads: usize) -> Self {
        Shape { threads, ..self }
    }

    /// The same with this number of clusters.
    pub fn with_k(self, k: Option<usize>) -> Self {
        Shape { k, ..self }
    }

    /// The number of clusters for which memory is planned: that of the run, or a small default.
    /// Cuts into more clusters check their memory when they are requested.
    pub fn clusters_ahead(&self) -> usize {
        self.k.unwrap_or(10)
    }

    /// The same with a rule or an observer that reads these quantities.
    pub fn with_needs(self, needs: Quantities) -> Self {
        Shape { needs, ..self }
    }

    /// The same for a stage with an input of this size.
    pub fn with_input(self, input: Bytes) -> Self {
        Shape { input, ..self }
    }

    /// The same for a consensus function that reads this kind of evidence.
    pub fn with_kind(self, kind: Kind) -> Self {
        Shape { kind, ..self }
    }

    /// Whether no label is missing.
    pub fn is_complete(&self) -> bool {
        self.joined.mean.is_some()
    }

    /// A [`Factored`](crate::Factored) similarity.
    pub fn factored(&self) -> Bytes {
        Bytes(self.groups as u64) * self.clusterings as u64 * size_of::<u32>() as u64
            + Bytes(self.clusters as u64) * size_of::<f64>() as u64
    }

    /// The same in double precision, for computations in `f64` independent of the precision of
    /// the run.
    pub fn in_double(&self) -> Self {
        self.clone().with_scalar(size_of::<f64>())
    }

    /// This many bytes per sample.
    pub fn each_sample(&self, bytes: usize) -> Bytes {
        Bytes(self.samples as u64) * bytes as u64
    }

    /// This many bytes per group.
    pub fn each_group(&self, bytes: usize) -> Bytes {
        Bytes(self.groups as u64) * bytes as u64
    }

    /// One number per group.
    pub fn vector(&self) -> Bytes {
        self.each_group(self.scalar)
    }

    /// n' × n' numbers.
    pub fn square(&self) -> Bytes {
        self.vector() * self.groups as u64
    }

    /// The n'(n' − 1)/2 numbers above the diagonal.
    pub fn condensed(&self) -> Bytes {
        Bytes(self.all_pairs()) * self.scalar as u64
    }

    /// A [`Similarity`](crate::Similarity).
    pub fn similarity(&self) -> Bytes {
        self.condensed() + self.vector() * 2
    }

    /// A [`Csr`](crate::Csr) with one row per group and this many entries.
    pub fn sparse(&self, entries: u64) -> Bytes {
        Bytes(entries) * (size_of::<u32>() + self.scalar) as u64
            + Bytes(self.groups as u64 + 1) * size_of::<usize>() as u64
    }

    /// Upper bound on the number of pairs of groups that at least this share of the clusterings
    /// joins; for share 0, that any clustering joins.
    ///
    /// If N pairs are joined by at least the share α, then the clusterings join at least αN pairs
    /// on average, and this average is known. If labels are missing, a share refers to fewer
    /// clusterings and only the bound for share 0 holds.
    pub fn pairs_joined_by(&self, share: f64) -> u64 {
        let bound = match self.joined.mean {
            Some(mean) if share > 0.0 => (mean / share).min(self.joined.total),
            _ => self.joined.total,
        };
        // Conversion from floating point saturates.
        (bound.ceil() as u64).min(self.all_pairs())
    }

    /// n'(n' − 1)/2.
    pub fn all_pairs(&self) -> u64 {
        let n = self.groups as u64;
        n.saturating_mul(n.saturating_sub(1)) / 2
    }
}

impl Joined {
    fn of(microclusters: &Microclusters) -> Self {
        let (mut total, mut weighted) = (0.0, 0.0);
        for (k, &clusters) in microclusters.clusters().iter().enumerate() {
            let mut members = vec![0.0; clusters];
            let labels = microclusters.column(k).iter().filter(|&&label| label != MISSING);
            labels.for_each(|&label| members[label as usize] += 1.0);
            let joined: f64 = members.into_iter().map(pairs).sum();
            total += joined;
            weighted += microclusters.weight(k) * joined;
        }
        let mean = weighted / microclusters.total_weight();
        // Rounding must not make the result of a division by the share too small.
        let mean = (!microclusters.has_missing()).then_some(mean * (1.0 + 1e-9));
        Joined { total, mean }
    }
}

fn pairs(members: f64) -> f64 {
    0.5 * members * (members - 1.0).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ensemble::Ensemble;

    fn shape(columns: &[[u8; 6]]) -> Shape {
        Shape::of::<f64>(&Microclusters::of(&Ensemble::from_columns(columns).unwrap()))
    }

    #[test]
    fn sizes_are_read_off_the_microclusters() {
        let shape = shape(&[[0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]]);
        assert_eq!((shape.samples, shape.clusterings, shape.groups), (6, 2, 4));
        assert_eq!((shape.clusters, shape.largest, shape.scalar), (5, 3, 8));
        assert_eq!(shape.condensed(), Bytes(6 * 8));
        assert_eq!(shape.similarity(), Bytes((6 + 8) * 8));
        assert_eq!(shape.sparse(3), Bytes(3 * 12 + 5 * 8));
    }

    /// The first clustering joins 1 of the pairs of the 4 groups, the second 2.
    #[test]
    fn few_pairs_can_be_joined_by_many_clusterings() {
        let shape = shape(&[[0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]]);
        assert_eq!(shape.pairs_joined_by(0.0), 3);
        assert_eq!(shape.pairs_joined_by(1.0), 2);
        assert_eq!(shape.pairs_joined_by(0.1), 3);
    }

    #[test]
    fn missing_labels_weaken_the_bound() {
        let rows = [[Some(0), Some(0)], [Some(0), None], [None, Some(0)]];
        let ensemble = Ensemble::from_rows(&rows).unwrap();
        let shape = Shape::of::<f64>(&Microclusters::of(&ensemble));
        // All clusterings that label both rows join rows 0 and 1 and rows 0 and 2.
        assert_eq!(shape.pairs_joined_by(1.0), 2);
    }

    #[test]
    fn huge_shapes_saturate() {
        let shape = Shape::ahead::<f64>(usize::MAX, 10, 5, usize::MAX);
        assert_eq!(shape.square(), Bytes(u64::MAX));
        assert_eq!(shape.similarity(), Bytes(u64::MAX));
    }
}
