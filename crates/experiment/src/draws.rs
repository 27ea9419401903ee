//! The draws of base clusterings behind the published tables.

use enclust_core::{ParamError, Result};
use rand_mt::Mt;

/// An infinite iterator of ensembles drawn from a pool of clusterings, one per run.
///
/// A draw is the beginning of a random permutation of the pool, as MATLAB's
/// `randperm(pool)` gives it after `rng(seed)`: the order that sorts as many
/// uniform numbers ascending. The numbers are 53-bit doubles (`genrand_res53`)
/// from the Mersenne Twister MT19937 seeded by `init_genrand`, and the stream continues from
/// one draw to the next. Equal numbers keep their order.
///
/// ```
/// use enclust_experiment::PaperDraws;
///
/// let mut draws = PaperDraws::new(100, 4, 1)?;
/// assert_eq!(draws.next(), Some(vec![2, 98, 38, 50]));
/// assert_eq!(draws.next(), Some(vec![49, 96, 6, 65]));
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// Reference: M. Matsumoto, T. Nishimura, *Mersenne twister*, ACM TOMACS 8
/// (1998).
#[derive(Clone, Debug)]
pub struct PaperDraws {
    pool: usize,
    take: usize,
    twister: Mt,
}

impl PaperDraws {
    /// Draws of `take` clusterings, counted from zero, from a pool.
    ///
    /// # Errors
    /// [`ParamError::OutOfRange`] unless 1 ≤ `take` ≤ `pool_size`.
    pub fn new(pool_size: usize, take: usize, seed: u32) -> Result<Self> {
        if !(1..=pool_size).contains(&take) {
            return Err(ParamError::OutOfRange {
                component: "paper draws",
                parameter: "take",
                value: take.to_string(),
                range: format!("must be at least 1 and at most the size of the pool, {pool_size}"),
            }
            .into());
        }
        Ok(PaperDraws { pool: pool_size, take, twister: Mt::new(seed) })
    }

    /// A number in [0, 1) with 53 random bits.
    fn uniform(&mut self) -> f64 {
        let high = f64::from(self.twister.next_u32() >> 5);
        let low = f64::from(self.twister.next_u32() >> 6);
        (high * 67_108_864.0 + low) / 9_007_199_254_740_992.0
    }
}

impl Iterator for PaperDraws {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let keys: Vec<f64> = (0..self.pool).map(|_| self.uniform()).collect();
        let mut order: Vec<usize> = (0..self.pool).collect();
        order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
        order.truncate(self.take);
        Some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // NumPy's RandomState is the same generator: the values below are those of
    // RandomState(1).random_sample(3), and of repeated argsort(random_sample(100)) of one
    // RandomState(1).

    #[test]
    fn uniforms_are_those_of_numpy() {
        let mut draws = PaperDraws::new(3, 3, 1).unwrap();
        let uniforms = [draws.uniform(), draws.uniform(), draws.uniform()];
        assert_eq!(uniforms, [0.417022004702574, 0.7203244934421581, 0.00011437481734488664]);
    }

    #[test]
    fn draws_are_those_of_numpy() {
        let draws: Vec<Vec<usize>> = PaperDraws::new(100, 20, 1).unwrap().take(20).collect();
        assert_eq!(
            draws[0],
            [2, 98, 38, 50, 14, 27, 64, 55, 26, 5, 30, 60, 44, 90, 49, 71, 72, 18, 57, 4]
        );
        assert_eq!(
            draws[1],
            [49, 96, 6, 65, 33, 20, 21, 22, 44, 42, 91, 14, 78, 83, 66, 50, 45, 43, 28, 19]
        );
        assert_eq!(
            draws[2],
            [50, 19, 36, 16, 46, 95, 97, 13, 22, 14, 12, 20, 99, 43, 76, 84, 83, 58, 33, 40]
        );
        assert_eq!(
            draws[19],
            [25, 98, 76, 41, 70, 11, 15, 89, 9, 46, 72, 50, 71, 80, 10, 27, 74, 96, 0, 8]
        );
    }

    #[test]
    fn a_full_draw_is_a_permutation() {
        let mut draw = PaperDraws::new(57, 57, 9).unwrap().next().unwrap();
        draw.sort_unstable();
        assert!(draw.into_iter().eq(0..57));
    }

    #[test]
    fn the_pool_must_suffice() {
        for (pool, take) in [(5, 6), (5, 0), (0, 0)] {
            let error = PaperDraws::new(pool, take, 1).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "paper draws: take = {take} is out of range: it must be at least 1 and at most the size of the pool, {pool}"
                )
            );
        }
    }
}
