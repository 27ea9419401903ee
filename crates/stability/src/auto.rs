//! The rule that combines agreement and gap.
//!
//! # Problem
//!
//! Among the k whose [agreement](crate::Level::agreement) is within 0.05 of the best, the rule
//! selects the one with the largest gap in the dendrogram, and the largest k among equal ones.
//! If the method has no dendrogram, the rule of `agreement.rs` is used.
//!
//! Agreement alone prefers coarse partitions of overlapping clusters, because the draws never
//! agree completely on the borders; the gap alone may reflect an accident of one tree.
//! `docs/stability.md` compares the rules on data with known k: over all data sets, this rule
//! finds k most often.

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
            let reason = format!(
                "{reason}, among the k whose agreement is within {ABOUT_BEST} of the highest, \
                 {best:.3} (k = {ks})"
            );
            Pick { level, reason }
        }
        None => agreement::pick(levels),
    }
}
