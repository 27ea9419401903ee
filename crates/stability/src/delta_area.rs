//! The growth of the area under the consensus distribution, and the rule based on it.
//!
//! # Problem
//!
//! Δ(k) = (A(k) − A(k−1)) / A(k−1), where A(k) is the [area](crate::ConsensusCdf::area) at k;
//! for the smallest k it is A(k) itself. The area grows by the share of pairs that the
//! additional cluster separates in all draws, so it grows little once all true clusters are
//! found. It may decrease if the partitions for different k are not nested.
//!
//! Monti et al. determine from a plot the largest k before the growth becomes negligible. Here
//! the growth is appreciable if A(k) − A(k−1) ≥ 1/k², which is half of the growth when two of k
//! equal clusters are separated (splitting one of them in half adds a quarter of that). The
//! rule increases k from the smallest value and stops before the first smaller growth.
//! # Limitations
//!
//! The rule assumes clusters of about equal size: a small cluster adds little and ends the
//! search. At k = 2 the two cases hardly differ, so the rule often continues to 3.
//!
//! # Reference
//!
//! S. Monti, P. Tamayo, J. Mesirov, T. Golub, "Consensus clustering", Machine Learning 52
//! (2003).

use crate::choose::Pick;
use crate::stability::Level;

/// Δ of each area, in order of k.
pub(crate) fn delta_areas(areas: &[f64]) -> Vec<f64> {
    // The area is 0: no draw separates any samples, for every k.
    let grown = areas
        .windows(2)
        .map(|pair| if pair[0] > 0.0 { (pair[1] - pair[0]) / pair[0] } else { 0.0 });
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
            "the area under the CDF grows by only {:.1} % at k = {}",
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
