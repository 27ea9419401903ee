//! The proportion of ambiguous clustering (PAC), and the rule based on it.
//!
//! # Problem
//!
//! PAC is the share of the pairs of samples whose consensus value lies strictly between a lower
//! and an upper limit, that is, pairs that some draws join and others separate. A pair at a
//! limit is not ambiguous.
//!
//! The rule selects the k with the smallest share. Shares within 0.005 of it count as equal,
//! and among equal shares the largest k is selected: if the true clusters form groups, the
//! partition into groups is as stable as the clusters themselves, but less informative.
//! # Limitations
//!
//! The share decreases as k grows, because most pairs are then always apart. On noise, the rule
//! therefore tends to select the largest requested k. The [verdict](crate::Verdict) is not
//! affected by this.
//!
//! # Reference
//!
//! Y. Şenbabaoğlu, G. Michailidis, J. Li, "Critical limitations of consensus clustering in
//! class discovery", Scientific Reports 4 (2014).

use crate::cdf::ConsensusCdf;
use crate::choose::{Pick, largest_near_best};
use crate::stability::{Level, StabilityParams};

const EQUAL: f64 = 0.005;

pub(crate) fn pac(cdf: &ConsensusCdf, params: &StabilityParams) -> f64 {
    cdf.share(|value| value > params.lower && value < params.upper)
}

pub(crate) fn pick<'a>(levels: &[&'a Level]) -> Pick<'a> {
    let level = largest_near_best(levels, |level| -level.pac, EQUAL);
    let fewest = levels.iter().map(|level| level.pac).fold(f64::INFINITY, f64::min);
    let reason = format!(
        "the largest k whose PAC, {:.3}, is within {EQUAL} of the smallest, {fewest:.3}",
        level.pac
    );
    Pick { level, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_at_a_limit_is_not_ambiguous() {
        // Ten draws: one pair of each value.
        let cdf = ConsensusCdf::new(vec![1; 11]);
        let with = |lower, upper| pac(&cdf, &StabilityParams::default().lower(lower).upper(upper));
        assert_eq!(with(0.1, 0.9), 7.0 / 11.0);
        assert_eq!(with(0.0, 1.0), 9.0 / 11.0);
        assert_eq!(with(0.05, 0.35), 3.0 / 11.0);
    }
}
