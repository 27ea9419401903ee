//! `--k auto`: choice of the number of clusters from the data.

use std::ops::RangeInclusive;

use enclust::ca::Eac;
use enclust::consensus::Linkage;
use enclust::core::{Ctx, Ensemble, Parameters, Pipeline};
use enclust_io::Origin;
use enclust_stability::{Rule, Stability, StabilityParams, Verdict, choose, stability};

use crate::clusters::usual_range;
use crate::console::Console;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::record::ChoiceRecord;
use crate::references::judged;

/// The number of clusters, and the stability that it was chosen by. The number does not depend on
/// the method of the run: it is found with EAC and average link, for which the rules were
/// calibrated. With features, it is judged against data without clusters; without, by the rule
/// `auto` of `enclust stability`.
///
/// # Errors
/// [`Failure::NoStructure`] if the features have no clusters, unless `force` is set.
pub fn number_of_clusters(
    ensemble: &Ensemble,
    origin: Option<&Origin>,
    range: Option<RangeInclusive<usize>>,
    force: bool,
    console: &Console,
    ctx: &Ctx<'_, f64>,
) -> Result<(ChoiceRecord, Option<Stability>), Failure> {
    let range = range.unwrap_or_else(|| usual_range(ensemble));
    let (choice, found) = match origin {
        Some(origin) => (by_references(origin, range, force, console, ctx)?, None),
        None => {
            let (choice, found) = by_stability(ensemble, range, console, ctx)?;
            (choice, Some(found))
        }
    };
    console.note(format!("k = {}: {}", choice.k, choice.reason));
    Ok((choice, found))
}

fn by_references(
    origin: &Origin,
    range: RangeInclusive<usize>,
    force: bool,
    console: &Console,
    ctx: &Ctx<'_, f64>,
) -> Result<ChoiceRecord, Failure> {
    let found = judged(origin, range.clone(), console, ctx)?;
    if !found.structure && !force {
        return Err(Failure::NoStructure { guess: found.guess, reason: found.reason() });
    }
    Ok(ChoiceRecord {
        k: found.guess,
        by: "references",
        clear: found.structure,
        reason: found.reason(),
        from: *range.start(),
        to: *range.end(),
        parameters: found.params.to_values(),
    })
}

fn by_stability(
    ensemble: &Ensemble,
    range: RangeInclusive<usize>,
    console: &Console,
    ctx: &Ctx<'_, f64>,
) -> Result<(ChoiceRecord, Stability), Failure> {
    let found = stability_of(ensemble, range.clone(), console, ctx)?;
    let choice = choose(&found, Rule::Auto)?;
    let record = ChoiceRecord {
        k: choice.k,
        by: "stability",
        clear: choice.verdict == Verdict::Clear,
        reason: choice.reason,
        from: *range.start(),
        to: *range.end(),
        parameters: found.params.to_values(),
    };
    Ok((record, found))
}

/// How stable the results of EAC and average link are for these numbers of clusters.
pub fn stability_of(
    ensemble: &Ensemble,
    range: RangeInclusive<usize>,
    console: &Console,
    ctx: &Ctx<'_, f64>,
) -> Result<Stability, Failure> {
    let method = Pipeline::plain(Eac, Linkage::average())?;
    let params = StabilityParams::default();
    let progress = Progress::new(console, "drawing parts of the ensemble to choose k");
    let ctx = ctx.with_observer(&progress);
    Ok(stability(&method, ensemble, range, &params, &ctx)?)
}
