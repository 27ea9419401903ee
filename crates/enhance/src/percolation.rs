//! A guard against percolation: one component of the confident pairs that holds nearly all samples.
//!
//! Enhancement propagates along the confident pairs and makes the samples of a component similar
//! to each other. If one component holds nearly all samples, they become one cluster. Raising the
//! threshold breaks the component into parts, because fewer pairs remain.

/// Pairs of groups by their first group: the second group, and the share of the clusterings that
/// join the two.
pub type Shares = [Vec<(u32, f64)>];

/// The thresholds α, α + 1/m, α + 2/m, … up to 1 for m clusterings.
#[derive(Clone, Copy, Debug)]
pub struct Thresholds {
    alpha: f64,
    clusterings: f64,
}

impl Thresholds {
    pub fn from(alpha: f64, clusterings: usize) -> Self {
        Thresholds { alpha, clusterings: clusterings as f64 }
    }

    /// The number of thresholds.
    fn len(self) -> usize {
        ((1.0 - self.alpha) * self.clusterings - ROUNDING).ceil().max(0.0) as usize + 1
    }

    /// The threshold after this number of steps. If α is a multiple of 1/m, the thresholds are the
    /// correctly rounded multiples, so that they compare exactly with shares of the clusterings.
    fn get(self, step: usize) -> f64 {
        if step == 0 {
            return self.alpha;
        }
        let count = self.alpha * self.clusterings;
        let whole = count.round();
        let count = if (count - whole).abs() < ROUNDING { whole } else { count };
        ((count + step as f64) / self.clusterings).min(1.0)
    }

    /// The smallest threshold at which every component of the pairs holds at most the share
    /// `giant` of the samples; `None` if there is none.
    pub fn without_giant(self, pairs: &Shares, sizes: &[usize], giant: f64) -> Option<f64> {
        let samples: usize = sizes.iter().sum();
        let most = giant * samples as f64;
        let fits = |step: usize| largest_component(pairs, sizes, self.get(step)) as f64 <= most;
        // Components only become smaller from step to step.
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            if fits(middle) { high = middle } else { low = middle + 1 }
        }
        (low < self.len()).then(|| self.get(low))
    }
}

/// Differences of counts below this are rounding errors.
const ROUNDING: f64 = 1e-9;

/// The number of samples in the largest component of the pairs that at least this share of the
/// clusterings joins.
fn largest_component(pairs: &Shares, sizes: &[usize], threshold: f64) -> usize {
    let mut sets = DisjointSets::new(sizes);
    for (p, row) in pairs.iter().enumerate() {
        for &(q, share) in row {
            if share >= threshold {
                sets.join(p, q as usize);
            }
        }
    }
    sets.largest
}

/// Disjoint sets of groups that know the size of the largest.
struct DisjointSets {
    parent: Vec<usize>,
    held: Vec<usize>,
    largest: usize,
}

impl DisjointSets {
    fn new(sizes: &[usize]) -> Self {
        DisjointSets {
            parent: (0..sizes.len()).collect(),
            held: sizes.to_vec(),
            largest: sizes.iter().copied().max().unwrap_or(0),
        }
    }

    fn root(&mut self, mut p: usize) -> usize {
        while self.parent[p] != p {
            self.parent[p] = self.parent[self.parent[p]];
            p = self.parent[p];
        }
        p
    }

    fn join(&mut self, p: usize, q: usize) {
        let (p, q) = (self.root(p), self.root(q));
        if p == q {
            return;
        }
        let (small, large) = if self.held[p] < self.held[q] { (p, q) } else { (q, p) };
        self.parent[small] = large;
        self.held[large] += self.held[small];
        self.largest = self.largest.max(self.held[large]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_correctly_rounded_multiples() {
        for m in 1..=200 {
            for count in 0..=m {
                let thresholds = Thresholds::from(count as f64 / m as f64, m);
                assert_eq!(thresholds.len(), m - count + 1, "{count} of {m}");
                for step in 0..thresholds.len() {
                    assert_eq!(thresholds.get(step), (count + step) as f64 / m as f64);
                }
            }
        }
    }

    #[test]
    fn a_chain_breaks_at_its_weakest_links() {
        // A chain of ten groups; the links in the middle and at its end are weaker.
        let share = |p: usize| match p {
            4 => 0.85,
            8 => 0.8,
            _ => 1.0,
        };
        let pairs: Vec<Vec<(u32, f64)>> = (0..10)
            .map(|p| (p < 9).then_some((p as u32 + 1, share(p))).into_iter().collect())
            .collect();
        let sizes = [1; 10];
        let at = |giant: f64| Thresholds::from(0.8, 20).without_giant(&pairs, &sizes, giant);
        assert_eq!(at(1.0), Some(0.8));
        assert_eq!(at(0.9), Some(17.0 / 20.0), "without the last group");
        assert_eq!(at(0.5), Some(18.0 / 20.0), "two halves");
        assert_eq!(at(0.3), None, "the halves are joined by all clusterings");
    }

    #[test]
    fn sizes_count() {
        let pairs = [vec![(1, 0.8)], vec![], vec![]];
        let at = |sizes: &[usize]| Thresholds::from(0.8, 10).without_giant(&pairs, sizes, 0.7);
        assert_eq!(at(&[1, 1, 1]), Some(0.8));
        assert_eq!(at(&[2, 2, 1]), Some(0.9));
        assert_eq!(at(&[8, 1, 1]), None, "one group is too large by itself");
    }
}
