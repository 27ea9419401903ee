//! The distribution of consensus values.

/// The exact cumulative distribution of the consensus values of all pairs of samples.
///
/// The consensus value of a pair is the share of the draws that put both samples into
/// one cluster; with B draws there are B + 1 values, 0, 1/B, …, 1. If all draws agree, only 0
/// and 1 occur and the distribution is flat in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsensusCdf {
    /// Number of pairs that c draws join, for c from 0 to B.
    pairs: Vec<u128>,
}

impl ConsensusCdf {
    /// From the number of pairs that 0, 1, …, B draws join.
    pub(crate) fn new(pairs: Vec<u128>) -> Self {
        debug_assert!(pairs.len() > 1 && pairs.iter().any(|&count| count > 0));
        ConsensusCdf { pairs }
    }

    /// Number of draws, B.
    pub fn draws(&self) -> usize {
        self.pairs.len() - 1
    }

    /// Number of pairs that 0, 1, …, B draws join.
    pub fn pairs(&self) -> &[u128] {
        &self.pairs
    }

    /// The steps in order: a consensus value, and the share of the pairs with at most this
    /// value.
    pub fn steps(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let all = self.total();
        let mut below = 0;
        self.pairs.iter().enumerate().map(move |(count, &pairs)| {
            below += pairs;
            (self.value(count), below as f64 / all)
        })
    }

    /// Share of the pairs whose value is at most `value`.
    pub fn at(&self, value: f64) -> f64 {
        self.share(|v| v <= value)
    }

    /// Area under the distribution from 0 to 1, which is one minus the mean consensus.
    ///
    /// Monti et al. use a sum over the sorted values that evaluates each step at its upper end.
    /// This is the integral itself, so the area of a perfect consensus is the share of the
    /// pairs that it separates, and not 1 for every number of clusters.
    pub fn area(&self) -> f64 {
        1.0 - self.mean(|count| self.value(count))
    }

    /// Share of the pairs whose value satisfies the predicate.
    pub(crate) fn share(&self, passes: impl Fn(f64) -> bool) -> f64 {
        self.mean(|count| f64::from(u8::from(passes(self.value(count)))))
    }

    /// Mean over the pairs of a function of the number of draws that join them.
    pub(crate) fn mean(&self, of: impl Fn(usize) -> f64) -> f64 {
        let sum: f64 = self.pairs.iter().enumerate().map(|(c, &pairs)| of(c) * pairs as f64).sum();
        sum / self.total()
    }

    /// The quotient rounded once, so that 45 of 50 is 0.9.
    fn value(&self, count: usize) -> f64 {
        count as f64 / self.draws() as f64
    }

    fn total(&self) -> f64 {
        self.pairs.iter().sum::<u128>() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_that_of_the_steps() {
        let cdf = ConsensusCdf::new(vec![4, 0, 1, 3, 2]);
        let steps: Vec<(f64, f64)> = cdf.steps().collect();
        assert_eq!(steps, [(0.0, 0.4), (0.25, 0.4), (0.5, 0.5), (0.75, 0.8), (1.0, 1.0)]);
        let under: f64 = steps.windows(2).map(|w| (w[1].0 - w[0].0) * w[0].1).sum();
        assert!((cdf.area() - under).abs() < 1e-15);
        assert_eq!((cdf.at(-0.1), cdf.at(0.6), cdf.at(1.0)), (0.0, 0.5, 1.0));
    }
}
