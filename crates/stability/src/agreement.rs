//! Agreement of the draws beyond chance, and the rule based on it.
//!
//! # Problem
//!
//! Each draw classifies every pair of samples as together or apart. Fleiss' kappa of these
//! classifications is 1 if all draws give the same partition and about 0 if they are unrelated.
//! For two draws it equals the adjusted Rand index except for the model of chance. Unlike the
//! share of ambiguous pairs, it does not decrease because most pairs are apart anyway, so
//! different k can be compared.
//!
//! The rule selects the k with the highest agreement. Values within 0.01 of it count as equal,
//! and among equal values the largest k is selected, for the reason given in `pac.rs`.
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
    // All pairs are apart, or all are together, in every draw: the draws agree completely.
    if by_chance >= 1.0 { 1.0 } else { (observed - by_chance) / (1.0 - by_chance) }
}

pub(crate) fn pick<'a>(levels: &[&'a Level]) -> Pick<'a> {
    let level = largest_near_best(levels, |level| level.agreement, EQUAL);
    let best = levels.iter().map(|level| level.agreement).fold(f64::NEG_INFINITY, f64::max);
    let reason = format!(
        "the largest k whose agreement, {:.3}, is within {EQUAL} of the highest, {best:.3}",
        level.agreement
    );
    Pick { level, reason }
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
        // Four draws join each pair with probability one half, which gives binomial counts.
        assert!(agreement(&ConsensusCdf::new(vec![1, 4, 6, 4, 1])).abs() < 1e-15);
    }
}
