//! How far the draws agree beyond chance, and the rule that reads it.
//!
//! # Problem
//!
//! Each draw judges every pair of samples: together or apart. Fleiss' kappa of these judgements
//! is 1 if all draws give the same partition and about 0 if they have nothing in common; for
//! two draws it is the adjusted Rand index but for how chance is reckoned. Unlike the share of
//! ambiguous pairs it does not fall because most pairs are apart anyway, so different k may be
//! compared.
//!
//! The k with the highest agreement. Values within 0.01 of it count as equal, and of equal ones
//! the largest k is taken, for the reason given in `pac.rs`.
//!
//! # Reference
//!
//! J. Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin 76
//! (1971).

use crate::cdf::ConsensusCdf;
use crate::choose::{Pick, largest_near_best};
use crate::stability::Level;

const EQUAL: f64 = 0.01;

pub(crate) fn agreement(cdf: &ConsensusCdf) -> f64 {
    let draws = cdf.draws() as f64;
    let ordered_pairs = |count: f64| count * (count - 1.0);
    let observed = cdf.mean(|together| {
        let together = together as f64;
        (ordered_pairs(together) + ordered_pairs(draws - together)) / ordered_pairs(draws)
    });
    let apart = cdf.area();
    let by_chance = apart * apart + (1.0 - apart) * (1.0 - apart);
    // All pairs apart, or all together, in every draw: nothing is left to chance.
    if by_chance >= 1.0 { 1.0 } else { (observed - by_chance) / (1.0 - by_chance) }
}

pub(crate) fn pick<'a>(levels: &[&'a Level]) -> Pick<'a> {
    let level = largest_near_best(levels, |level| level.agreement, EQUAL);
    Pick { level, reason: "the highest agreement of the draws".to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_that_are_all_alike_agree_fully() {
        assert_eq!(agreement(&ConsensusCdf::new(vec![5, 0, 0, 4])), 1.0);
        assert_eq!(agreement(&ConsensusCdf::new(vec![5, 0, 0, 0])), 1.0);
    }

    #[test]
    fn independent_coins_agree_by_chance_alone() {
        // Four draws join each pair with probability one half: binomial counts.
        assert!(agreement(&ConsensusCdf::new(vec![1, 4, 6, 4, 1])).abs() < 1e-15);
    }
}
