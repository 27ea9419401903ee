//! k-means++ for label rows.

use enclust_core::{Result, Watch};
use rand::{Rng, RngExt};
use rayon::prelude::*;

use super::rows::LabelRows;

/// Number of rows that a thread takes at a time.
const CHUNK: usize = 4096;

/// k rows, each drawn with a probability proportional to its weight times its squared distance from
/// the rows drawn before.
pub(super) fn spread(
    rows: &LabelRows,
    k: usize,
    rng: &mut impl Rng,
    watch: Watch<'_>,
) -> Result<Vec<usize>> {
    let lengths: Vec<f64> = (0..rows.len()).map(|i| rows.squared_length(i)).collect();
    let mut squared = vec![f64::INFINITY; rows.len()];
    let mut chosen = vec![draw(rows.weights().iter().copied(), &[], rng)];
    let mut dense = vec![0.0; rows.columns()];
    while chosen.len() < k {
        watch.checkpoint("the start of k-means")?;
        let last = chosen[chosen.len() - 1];
        let (columns, values, scale) = rows.point(last);
        columns.iter().zip(values).for_each(|(&a, x)| dense[a as usize] = 2.0 * x * scale);
        let (dense_ref, lengths) = (&dense, &lengths);
        squared.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, squared)| {
            for (i, nearest) in (chunk * CHUNK..).zip(squared) {
                let (columns, values, scale) = rows.point(i);
                let products = columns.iter().zip(values).map(|(&a, x)| x * dense_ref[a as usize]);
                let product: f64 = products.sum::<f64>() * scale;
                *nearest = nearest.min((lengths[i] + lengths[last] - product).max(0.0));
            }
        });
        columns.iter().for_each(|&a| dense[a as usize] = 0.0);
        squared[last] = 0.0;
        let masses = squared.iter().zip(rows.weights()).map(|(d, w)| d * w);
        chosen.push(draw(masses, &chosen, rng));
    }
    Ok(chosen)
}

/// A position drawn with probabilities proportional to the masses. If all of them are 0, the first
/// position that was not drawn before.
fn draw(masses: impl Iterator<Item = f64> + Clone, taken: &[usize], rng: &mut impl Rng) -> usize {
    let total: f64 = masses.clone().sum();
    if total > 0.0 {
        let mut left = rng.random::<f64>() * total;
        let mut last = 0;
        for (at, mass) in masses.enumerate().filter(|(_, mass)| *mass > 0.0) {
            last = at;
            left -= mass;
            if left < 0.0 {
                break;
            }
        }
        return last;
    }
    (0..).find(|at| !taken.contains(at)).unwrap_or(0)
}
