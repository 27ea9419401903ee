//! Choice of the number of clusters.

use std::fmt;

use enclust_core::{Result, choice};

use crate::stability::{Level, Stability};
use crate::{agreement, auto, delta_area, gap, pac};

choice! {
    /// How [`choose`] selects the number of clusters.
    pub enum Rule {
        /// Combines agreement and gap: among the k whose agreement is within 0.05 of the best,
        /// the one with the largest gap in the dendrogram; without a dendrogram, the same as
        /// [`Rule::Agreement`].
        Auto = "auto",
        /// The highest [agreement](Level::agreement) of the draws; among values within 0.01 of
        /// it, the largest k.
        Agreement = "agreement",
        /// The smallest [share of ambiguous pairs](Level::pac); among shares within 0.005 of
        /// it, the largest k.
        Pac = "pac",
        /// Increases k from the smallest value as long as the area under the CDF grows by at
        /// least 1/k² (half of the growth when two of k equal clusters are separated).
        DeltaArea = "delta-area",
        /// The largest [gap](Level::gap) in the dendrogram; among equal gaps, the largest k.
        Gap = "gap",
    }
}

/// Whether there is clear structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The draws agree on the partition into the chosen k.
    Clear,
    /// The draws do not agree: the data may have no clusters, and the k is only a guess.
    Unclear,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Clear => "clear structure",
            Verdict::Unclear => "no clear structure",
        })
    }
}

/// A number of clusters and the reason for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The number of clusters.
    pub k: usize,
    /// Whether the structure is clear.
    pub verdict: Verdict,
    /// A description of why this k and this verdict were chosen.
    pub reason: String,
}

/// The selection of a rule.
pub(crate) struct Pick<'a> {
    pub(crate) level: &'a Level,
    pub(crate) reason: String,
}

/// Selects a number of clusters by a rule.
///
/// The rules consider only those k that do not separate samples that every base clustering
/// joins (k at most the number of distinct label rows) and that do not make every sample a
/// singleton. For larger k, a partition is stable only because there is no alternative. If no
/// such k was requested, the largest meaningful number is returned with the verdict unclear.
///
/// # Verdict
///
/// Clear if the [agreement](Level::agreement) at the chosen k is at least
/// [`clear`](crate::StabilityParams::clear), for every rule.
///
/// # Errors
///
/// [`Error::Unsupported`](enclust_core::Error::Unsupported) for [`Rule::Gap`] if the method has
/// no dendrogram.
///
/// # Example
///
/// ```
/// # use enclust_ca::Eac;
/// # use enclust_consensus::Linkage;
/// # use enclust_core::{Ctx, Pipeline};
/// use enclust_stability::{Rule, StabilityParams, Verdict, choose, stability};
///
/// // Random labels without structure.
/// let noise = enclust_testkit::generate::planted(60, 20, 3, 1.0, 1);
/// # let method = Pipeline::plain(Eac, Linkage::average())?;
/// let found = stability(&method, &noise, 2..=6, &StabilityParams::default(), &Ctx::default())?;
/// assert_eq!(choose(&found, Rule::Auto)?.verdict, Verdict::Unclear);
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn choose(stability: &Stability, rule: Rule) -> Result<Choice> {
    let largest = stability.groups.min(stability.samples - 1);
    let levels: Vec<&Level> = stability.levels.iter().filter(|level| level.k <= largest).collect();
    if levels.is_empty() {
        let reason = format!("no requested k is meaningful here, the largest is {largest}");
        return Ok(Choice { k: largest, verdict: Verdict::Unclear, reason });
    }
    let Pick { level, reason } = match rule {
        Rule::Auto => auto::pick(&levels),
        Rule::Agreement => agreement::pick(&levels),
        Rule::Pac => pac::pick(&levels),
        Rule::DeltaArea => delta_area::pick(&levels),
        Rule::Gap => gap::pick(stability, &levels)?,
    };
    let clear = stability.params.clear;
    let (verdict, compared) = if level.agreement >= clear {
        (Verdict::Clear, format!("at least {clear}"))
    } else {
        (Verdict::Unclear, format!("less than {clear}; one cluster cannot be excluded"))
    };
    let reason = format!(
        "{reason}; {verdict}: the agreement of the draws is {:.3}, {compared}",
        level.agreement
    );
    Ok(Choice { k: level.k, verdict, reason })
}

/// The last level whose score is within `equal` of the best. `levels` must not be empty.
pub(crate) fn largest_near_best<'a>(
    levels: &[&'a Level],
    score: impl Fn(&Level) -> f64,
    equal: f64,
) -> &'a Level {
    let best = levels.iter().map(|level| score(level)).fold(f64::NEG_INFINITY, f64::max);
    let near = levels.iter().rev().find(|level| score(level) >= best - equal);
    near.unwrap_or(&levels[0])
}
