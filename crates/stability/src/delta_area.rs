//! The growth of the area under the consensus distribution, and the rule that reads it.
//!
//! # Problem
//!
//! Δ(k) = (A(k) − A(k−1)) / A(k−1), where A(k) is the [area](crate::ConsensusCdf::area) at k;
//! for the smallest k it is A(k) itself. The area grows by the share of pairs that the next
//! cluster parts for good, so it grows little once all true clusters are found. It may shrink
//! where the partitions for different k are not nested.
//!
//! Monti et al. read off a plot the largest k before the growth stops being appreciable. Here
//! it is appreciable while A(k) − A(k−1) ≥ 1/k², half of what parting two of k equal clusters
//! adds (splitting one of them in half adds a quarter of it). The rule goes up from the
//! smallest k and stops before the first growth that is less.
//!
//! # Limits
//!
//! It supposes clusters of about equal size: a small one adds little and ends the search. At k
//! = 2 the two cases hardly differ, so that it often goes on to 3.
//!
//! # Reference
//!
//! S. Monti, P. Tamayo, J. Mesirov, T. Golub, "Consensus clustering", Machine Learning 52
//! (2003).

use crate::choose::Pick;
use crate::stability::Level;

/// Δ of each area, in order of k.
pub(crate) fn delta_areas(areas: &[f64]) -> Vec<f64> {
    // No area: no draw tells any samples apart, whatever k.
    let grown = areas.windows(2).map(|pair| match pair[0] > 0.0 {
        true => (pair[1] - pair[0]) / pair[0],
        false => 0.0,
    });
    areas.first().copied().into_iter().chain(grown).collect()
}

pub(crate) fn pick<'a>(levels: &[&'a Level]) -> Pick<'a> {
    let appreciable = |pair: &&[&Level]| {
        let k = pair[1].k as f64;
        pair[1].cdf.area() - pair[0].cdf.area() >= 1.0 / (k * k)
    };
    let steps = levels.windows(2).take_while(appreciable).count();
    let reason = match levels.get(steps + 1) {
        Some(next) => format!(
            "the area under the CDF grows by {:.1} % only at k = {}",
            100.0 * next.delta_area,
            next.k
        ),
        None => "the area under the CDF grows appreciably up to there".to_string(),
    };
    Pick { level: levels[steps], reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_delta_is_the_area_itself() {
        assert_eq!(delta_areas(&[0.5, 0.75, 0.6]), [0.5, 0.5, (0.6 - 0.75) / 0.75]);
        assert_eq!(delta_areas(&[0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(delta_areas(&[]), []);
    }
}
