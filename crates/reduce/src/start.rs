//! The rows at which the landmarks start.

use std::cmp::Reverse;

use enclust_core::{Ctx, MISSING, Microclusters, Real, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::landmarks::row_of;
use crate::nearest::Index;

/// Landmarks that are drawn together do not know of each other. With thirty steps instead of
/// eight, the scores on one pool (Caltech20) changed by less than the noise between draws.
const STEPS: usize = 8;

/// Draws `count` of the candidate rows without replacement and returns them with the largest first.
///
/// They are drawn in steps. A row is drawn with probability in proportion to its size times a power,
/// `spread`, of its gap: the share of its weight that it does not share with the nearest of the
/// rows drawn in earlier steps. In the first step, all gaps are 1.
pub(crate) fn spread_out<S: Real>(
    rows: &Microclusters,
    candidates: &[u32],
    (count, spread): (usize, f64),
    weights: &[u32],
    ctx: &Ctx<'_, S>,
) -> Result<Vec<u32>> {
    let mut rng = ChaCha8Rng::seed_from_u64(ctx.seed());
    let sizes = rows.grouping().sizes();
    let mut gaps = Gaps::new(rows, weights);
    let mut left = candidates.to_vec();
    let mut drawn: Vec<u32> = Vec::with_capacity(count.min(left.len()));
    let steps = if spread > 0.0 { STEPS } else { 1 };
    for step in 1..=steps {
        let wanted = (count.min(candidates.len()) * step) / steps - drawn.len();
        let rate = |p: u32| sizes[p as usize] as f64 * gaps.of(p).powf(spread);
        let new = draw(&mut left, wanted, rate, &mut rng);
        if step < steps {
            gaps.close(&new, ctx)?;
        }
        drawn.extend(new);
    }
    drawn.sort_unstable_by_key(|&p| (Reverse(sizes[p as usize]), p));
    Ok(drawn)
}

/// Draws rows without replacement with probabilities in proportion to their rates, and removes them
/// from the candidates.
///
/// A row waits for an exponential time, and the rows that come first are drawn (P. Efraimidis, P.
/// Spirakis, "Weighted random sampling with a reservoir", 2006). Rows of rate 0 come last, in
/// random order.
fn draw(
    candidates: &mut Vec<u32>,
    wanted: usize,
    rate: impl Fn(u32) -> f64,
    rng: &mut ChaCha8Rng,
) -> Vec<u32> {
    let mut waiting = |p: u32| {
        let uniform: f64 = rng.random();
        (-(1.0 - uniform).ln() / rate(p).max(f64::MIN_POSITIVE), p)
    };
    let mut times: Vec<(f64, u32)> = candidates.iter().map(|&p| waiting(p)).collect();
    if wanted < times.len() {
        times.select_nth_unstable_by(wanted, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }
    let later = times.split_off(wanted.min(times.len()));
    *candidates = later.into_iter().map(|(_, p)| p).collect();
    candidates.sort_unstable();
    times.into_iter().map(|(_, p)| p).collect()
}

/// How far each row is from the landmarks.
struct Gaps<'a> {
    rows: &'a Microclusters,
    weights: &'a [u32],
    offsets: Vec<usize>,
    /// The largest weight that each row shares with a landmark.
    shared: Vec<u32>,
}

impl<'a> Gaps<'a> {
    fn new(rows: &'a Microclusters, weights: &'a [u32]) -> Self {
        Gaps { rows, weights, offsets: rows.cluster_offsets(), shared: vec![0; rows.len()] }
    }

    /// The share of the weight of a row that it shares with no landmark.
    fn of(&self, p: u32) -> f64 {
        let p = p as usize;
        if self.shared[p] == 0 {
            return 1.0;
        }
        let labels = (0..self.rows.clusterings()).map(|k| (k, self.rows.label(p, k)));
        let present = labels.filter(|(_, label)| *label != MISSING);
        let own = present.map(|(k, label)| self.weights[self.offsets[k] + label as usize]);
        1.0 - f64::from(self.shared[p]) / own.map(f64::from).sum::<f64>()
    }

    /// Takes more landmarks into account.
    fn close<S: Real>(&mut self, landmarks: &[u32], ctx: &Ctx<'_, S>) -> Result<()> {
        let labels: Vec<u32> = landmarks.iter().flat_map(|&p| row_of(self.rows, p)).collect();
        let index = Index::new(&labels, &self.offsets);
        let found = index.nearest_and_shared(self.rows, self.weights, ctx)?;
        self.shared.iter_mut().zip(found).for_each(|(most, (_, new))| *most = new.max(*most));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use enclust_core::Ensemble;
    use enclust_testkit::generate::ensembles_with_missing;
    use proptest::prelude::*;

    use super::*;

    fn drawn(rows: &Microclusters, count: usize, spread: f64, seed: u64) -> Vec<u32> {
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let weights = vec![1000; rows.clusters().iter().sum()];
        let ctx = Ctx::<f64>::default().with_seed(seed);
        spread_out(rows, &all, (count, spread), &weights, &ctx).unwrap()
    }

    #[test]
    fn large_rows_are_drawn_more_often() {
        let column: Vec<usize> = (0..1000).map(|i| if i < 900 { 0 } else { i }).collect();
        let rows = Microclusters::of(&Ensemble::from_columns(&[column]).unwrap());
        for spread in [0.0, 2.0] {
            let hits = (0..200).filter(|&seed| drawn(&rows, 1, spread, seed) == [0]).count();
            assert!((165..196).contains(&hits), "{hits} of 200, 180 expected");
        }
    }

    /// Ninety rows that differ in one of twenty labels, and two that share nothing with them.
    #[test]
    fn rows_far_from_all_others_are_drawn_more_often_with_more_spread() {
        let near = (0..90).map(|i| (0..20).map(|k| usize::from(k == i % 20) * (1 + i)).collect());
        let far = (0..2).map(|i| vec![1000 + i; 20]);
        let rows: Vec<Vec<usize>> = near.chain(far).collect();
        let rows = Microclusters::of(&Ensemble::from_rows(&rows).unwrap());
        let hits = |spread: f64| {
            let both = |&seed: &u64| drawn(&rows, 16, spread, seed).ends_with(&[90, 91]);
            (0..100).filter(both).count()
        };
        let [by_size, spread] = [0.0, 2.0].map(hits);
        assert!(by_size < 20 && spread > 80, "{by_size} by size, {spread} with spread");
    }

    proptest! {
        #[test]
        fn each_row_is_drawn_at_most_once(
            e in ensembles_with_missing(60, 6, 4), count in 1..80_usize, seed in 0..99_u64
        ) {
            let rows = Microclusters::of(&e);
            for spread in [0.0, 2.0] {
                let drawn = drawn(&rows, count, spread, seed);
                prop_assert_eq!(drawn.len(), count.min(rows.len()));
                let mut sorted = drawn.clone();
                sorted.sort_unstable();
                sorted.dedup();
                prop_assert_eq!(sorted.len(), drawn.len());
                let size = |p: &u32| rows.grouping().sizes()[*p as usize];
                prop_assert!(drawn.iter().map(size).rev().is_sorted());
            }
        }

        /// The gap against all pairs, one by one.
        #[test]
        fn gaps_equal_the_definition(e in ensembles_with_missing(40, 6, 4), seed in 0..99_u64) {
            let rows = Microclusters::of(&e);
            let clusters: usize = rows.clusters().iter().sum();
            let weights: Vec<u32> = (0..clusters as u32).map(|c| 100 + 37 * c % 50).collect();
            let landmarks = drawn(&rows, 3, 0.0, seed);
            let mut gaps = Gaps::new(&rows, &weights);
            gaps.close(&landmarks[..1], &Ctx::<f64>::default()).unwrap();
            gaps.close(&landmarks[1..], &Ctx::<f64>::default()).unwrap();
            let (m, offsets) = (rows.clusterings(), rows.cluster_offsets());
            let shared = |p: usize, q: usize| -> u32 {
                let same = |&k: &usize| rows.label(p, k) != MISSING && rows.label(p, k) == rows.label(q, k);
                (0..m).filter(same).map(|k| weights[offsets[k] + rows.label(p, k) as usize]).sum()
            };
            for p in 0..rows.len() {
                let most = landmarks.iter().map(|&q| shared(p, q as usize)).max().unwrap();
                let own = shared(p, p);
                let gap = if most == 0 { 1.0 } else { 1.0 - f64::from(most) / f64::from(own) };
                prop_assert!((gaps.of(p as u32) - gap).abs() < 1e-12);
            }
        }
    }
}
