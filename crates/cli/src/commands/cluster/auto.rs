//! `--k auto`: choice of the number of clusters from the data.

use std::ops::RangeInclusive;

use enclust::core::{Ctx, Ensemble, Method, Parameters};
use enclust::registry::Precision;
use enclust_stability::{Rule, StabilityParams, Verdict, choose, stability};

use crate::clusters::usual_range;
use crate::console::Console;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::record::ChoiceRecord;

/// The k that the rule `auto` of `enclust stability` chooses.
pub fn number_of_clusters<S: Precision>(
    method: &dyn Method<S>,
    ensemble: &Ensemble,
    range: Option<RangeInclusive<usize>>,
    console: &Console,
    ctx: &Ctx<'_, S>,
) -> Result<ChoiceRecord, Failure> {
    let range = range.unwrap_or_else(|| usual_range(ensemble));
    let params = StabilityParams::default();
    let progress = Progress::new(console, "drawing parts of the ensemble to choose k");
    let found = stability(method, ensemble, range.clone(), &params, &ctx.with_observer(&progress))?;
    drop(progress);
    let choice = choose(&found, Rule::Auto)?;
    console.note(format!("k = {}: {}", choice.k, choice.reason));
    Ok(ChoiceRecord {
        k: choice.k,
        clear: choice.verdict == Verdict::Clear,
        reason: choice.reason,
        from: *range.start(),
        to: *range.end(),
        parameters: params.to_values(),
    })
}
