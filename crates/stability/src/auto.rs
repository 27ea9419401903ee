//! Agreement and gap together.
//!
//! # Problem
//!
//! Among the k whose [agreement](crate::Level::agreement) comes within 0.05 of the best, the
//! one with the largest gap in the dendrogram; of equal ones the largest. Where the method has
//! no dendrogram, the rule is that of `agreement.rs`.
//!
//! Agreement alone likes coarse partitions of overlapping clusters, whose borders never quite
//! agree; gap alone may follow a quirk of one tree. `docs/stability.md` compares the rules on
//! data with known k: over all of them, this one finds k most often.

use crate::agreement;
use crate::choose::Pick;
use crate::gap::longest_lasting;
use crate::stability::Level;

const ABOUT_BEST: f64 = 0.05;

pub(crate) fn pick<'a>(levels: &[&'a Level]) -> Pick<'a> {
    let best = levels.iter().map(|level| level.agreement).fold(f64::NEG_INFINITY, f64::max);
    let stable: Vec<&Level> =
        levels.iter().copied().filter(|level| level.agreement >= best - ABOUT_BEST).collect();
    match longest_lasting(&stable) {
        Some(Pick { level, reason }) => {
            let ks = stable.iter().map(|level| level.k.to_string()).collect::<Vec<_>>().join(", ");
            Pick { level, reason: format!("{reason}, where the draws agree about best (k = {ks})") }
        }
        None => agreement::pick(levels),
    }
}
