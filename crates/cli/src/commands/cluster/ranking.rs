//! How far each base clustering agrees with the result, and what leaving it out changes.

use std::io::{self, Write};

use enclust::core::{Ctx, Ensemble, Method};
use enclust::registry::Precision;
use enclust_stability::{Ranked, ranking};

use super::Cut;
use crate::console::Console;
use crate::csv_table::write_csv;
use crate::failure::Failure;
use crate::progress::Progress;

/// The base clusterings compared with each cut.
pub fn rankings<S: Precision>(
    method: &dyn Method<S>,
    ensemble: &Ensemble,
    cuts: &[Cut],
    console: &Console,
    ctx: &Ctx<'_, S>,
) -> Result<Vec<Vec<Ranked>>, Failure> {
    let progress = Progress::new(console, "leaving out base clusterings");
    let ctx = ctx.with_observer(&progress);
    let ranked = cuts.iter().map(|cut| ranking(method, ensemble, &cut.partition, &ctx));
    Ok(ranked.collect::<Result<_, _>>()?)
}

/// Writes one row per cut and base clustering. `columns` are their numbers in the file, counted
/// from 1, and `names` the names of all clusterings of the file.
pub fn write(
    out: &mut dyn Write,
    cuts: &[Cut],
    rankings: &[Vec<Ranked>],
    ensemble: &Ensemble,
    columns: &[usize],
    names: Option<&[String]>,
) -> io::Result<()> {
    let head = ["k", "clustering", "name", "clusters", "ari", "rank", "ari_without"];
    let rows = cuts.iter().zip(rankings).flat_map(|(cut, ranked)| {
        ranked.iter().enumerate().map(|(at, ranked)| {
            let column = columns[at];
            let name = names.and_then(|names| names.get(column - 1)).cloned();
            [
                cut.k.to_string(),
                column.to_string(),
                name.unwrap_or_default(),
                ensemble.clusters()[at].to_string(),
                ranked.agreement.to_string(),
                ranked.rank.to_string(),
                ranked.without.to_string(),
            ]
        })
    });
    write_csv(out, head.map(String::from), rows)
}
