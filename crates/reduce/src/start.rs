//! The rows at which the landmarks start.

use enclust_core::Microclusters;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Draws `count` of the candidate rows without replacement, with probabilities in proportion to
/// their sizes, and returns them with the largest first.
///
/// A row of size r waits for an exponential time of rate r, and the rows that come first are drawn
/// (P. Efraimidis, P. Spirakis, "Weighted random sampling with a reservoir", 2006).
pub(crate) fn by_size(
    rows: &Microclusters,
    candidates: &[u32],
    count: usize,
    seed: u64,
) -> Vec<u32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let sizes = rows.grouping().sizes();
    let mut waiting = |&p: &u32| {
        let uniform: f64 = rng.random();
        (-(1.0 - uniform).ln() / sizes[p as usize] as f64, p)
    };
    let mut times: Vec<(f64, u32)> = candidates.iter().map(&mut waiting).collect();
    if count < times.len() {
        times.select_nth_unstable_by(count, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        times.truncate(count);
    }
    let mut drawn: Vec<u32> = times.into_iter().map(|(_, p)| p).collect();
    drawn.sort_unstable_by_key(|&p| (std::cmp::Reverse(sizes[p as usize]), p));
    drawn
}
