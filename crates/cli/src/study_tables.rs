//! Results of a study as text.

use std::io::Write;

use enclust_experiment::study::{
    Comparison, Metric, Mode, OtherCount, Protocol, Results, Shortfall, SummaryRow, TunedRow,
    Tuning, Unit,
};

use crate::console::plain;
use crate::failure::Failure;
use crate::text_table::{Format, TextCell, TextTable};

/// Prints everything: the variants, how far they differ, the tuned rows, the variants that do not
/// help, and those that found a different number of clusters.
pub fn print_results(
    results: &Results,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    print_summary(results, format, out)?;
    print_comparisons(results, format, out)?;
    print_tuned(results, format, out)?;
    let mut notes = Vec::new();
    print_shortfalls(results, &mut notes)?;
    print_other_counts(results, &mut notes)?;
    say(&String::from_utf8_lossy(&notes), format, out)
}

/// Prints text that is no table: in LaTeX as comments, because it may hold special characters.
fn say(text: &str, format: Format, out: &mut dyn Write) -> Result<(), Failure> {
    for line in text.lines() {
        match (format, line) {
            (Format::Latex, line) if !line.is_empty() => writeln!(out, "% {line}")?,
            (_, line) => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

/// Prints for each metric how far the variants differ, each compared with the best one.
fn print_comparisons(
    results: &Results,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    for comparison in results.comparisons()? {
        let best = comparison.best();
        let line = plain(in_a_line(&results.protocol, &comparison));
        say(&format!("\n{line}"), format, out)?;
        let rank = comparison.rank(best).unwrap_or(1.0);
        let head = format!("compared with {best} (mean rank {rank:.2})");
        let columns =
            [head.as_str(), "rank", "wins", "ties", "losses", "difference", "Wilcoxon", "Holm"];
        let mut table = TextTable::new(columns);
        for pair in comparison.with(best) {
            let rank =
                comparison.rank(pair.variant).map_or("-".into(), |rank| format!("{rank:.2}"));
            let counts = [pair.wins, pair.ties, pair.losses].map(|count| count.to_string());
            let p = [pair.wilcoxon_p, pair.holm_p].map(probability);
            let cells = [
                vec![pair.variant.to_string(), rank],
                counts.to_vec(),
                vec![signed(pair.difference)],
                p.to_vec(),
            ];
            table.add(cells.concat().into_iter().map(TextCell::plain).collect());
        }
        writeln!(out)?;
        table.print_as(format, out)?;
    }
    Ok(())
}

/// What was compared, and whether there are differences at all.
fn in_a_line(protocol: &Protocol, comparison: &Comparison<'_>) -> String {
    let Comparison { metric, size, k, unit, observations, .. } = comparison;
    let title = title(protocol, metric, size.unwrap_or_default(), *k);
    let what = match unit {
        Unit::Pools => format!("{observations} pools, mean of {} runs each", protocol.runs),
        Unit::Runs => format!("{observations} runs"),
    };
    let friedman = comparison
        .friedman
        .map_or(String::new(), |test| format!("; Friedman p {}", probability(test.p)));
    let critical = comparison.critical_difference.map_or(String::new(), |difference| {
        format!(
            "; two variants differ if their mean ranks differ by at least {difference:.2} \
             (Nemenyi, level 0.05)"
        )
    });
    format!("{title} over {what}{friedman}{critical}")
}

fn probability(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") }
}

fn signed(value: f64) -> String {
    // Without adding zero, a difference of -0.0 would be shown as -0.000.
    format!("{:+.3}", value + 0.0)
}

/// The title of the table for a value: one table per metric, size and number of clusters.
fn title(protocol: &Protocol, metric: &str, size: usize, k: Option<usize>) -> String {
    let mut title = metric.to_string();
    if protocol.ensembles.len() > 1 {
        title += &format!(", {size} clusterings");
    }
    match k {
        Some(k) if protocol.k.len() > 1 => title + &format!(", k = {k}"),
        _ => title,
    }
}

/// Rows grouped by title, in the order of the first occurrence of the titles.
fn by_title<R>(rows: Vec<R>, title: impl Fn(&R) -> String) -> Vec<(String, Vec<R>)> {
    let mut tables: Vec<(String, Vec<R>)> = Vec::new();
    for row in rows {
        let title = title(&row);
        match tables.iter_mut().find(|(known, _)| *known == title) {
            Some((_, of_table)) => of_table.push(row),
            None => tables.push((title, vec![row])),
        }
    }
    tables
}

/// Prints tables with one row per variant and one column per pool.
fn print_summary(results: &Results, format: Format, out: &mut dyn Write) -> Result<(), Failure> {
    let protocol = &results.protocol;
    let titled = |row: &SummaryRow<'_>| title(protocol, &row.metric, row.size, row.k);
    for (at, (title, rows)) in by_title(results.summary()?, titled).iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        summary_table(protocol, title, rows).print_as(format, out)?;
    }
    Ok(())
}

fn summary_table(protocol: &Protocol, title: &str, rows: &[SummaryRow<'_>]) -> TextTable {
    let ranked = rows.iter().any(|row| row.rank.is_some());
    let pools = protocol.pools.iter().map(|pool| pool.name.as_str());
    let mut table = TextTable::new([title].into_iter().chain(pools.clone()));
    if ranked {
        table.add_head("average rank");
    }
    for variant in &protocol.variants {
        let mine =
            |pool: &str| rows.iter().find(|row| row.variant == variant.name && row.pool == pool);
        let mut cells = vec![TextCell::plain(&variant.name)];
        for pool in pools.clone() {
            cells.push(mine(pool).map_or(TextCell::plain("-"), |row| {
                let best = rows.iter().filter(|r| r.pool == pool).all(|r| r.rank >= row.rank);
                TextCell { text: with_spread(row.mean, row.std), bold: ranked && best }
            }));
        }
        let rank = rows.iter().find(|row| row.variant == variant.name);
        if let Some(rank) = rank.and_then(|row| row.average_rank) {
            cells.push(TextCell::plain(format!("{rank:.2}")));
        }
        table.add(cells);
    }
    table
}

/// Prints tables with one row per tuned recipe and one column per pool, with an explanation.
fn print_tuned(results: &Results, format: Format, out: &mut dyn Write) -> Result<(), Failure> {
    let protocol = &results.protocol;
    let Some(tuning) = &protocol.tuning else { return Ok(()) };
    let titled = |row: &TunedRow<'_>| title(protocol, &row.metric, row.size, row.k);
    for (title, rows) in by_title(results.tuned()?, titled) {
        writeln!(out)?;
        tuned_table(protocol, tuning, &title, &rows).print_as(format, out)?;
    }
    say(&format!("\n{}", how_to_read(&tuning.metric)), format, out)
}

/// The best value was selected by the result itself; a table without this remark would be
/// misleading.
fn how_to_read(metric: &str) -> String {
    if metric.parse::<Metric>().is_ok_and(|m| m.needs_truth()) {
        format!(
            "The best rows are chosen by {metric} using the truth: they are optimistic, and cannot be chosen without the truth."
        )
    } else {
        format!("The best rows are chosen by {metric}, which needs no truth.")
    }
}

fn tuned_table(
    protocol: &Protocol,
    tuning: &Tuning,
    title: &str,
    rows: &[TunedRow<'_>],
) -> TextTable {
    let head = format!("{title}, tuned by {}", tuning.metric);
    let pools = protocol.pools.iter().map(|pool| pool.name.as_str());
    let mut table = TextTable::new([head.as_str()].into_iter().chain(pools.clone()));
    for recipe in &tuning.recipes {
        for mode in Mode::ALL {
            let mine = |row: &&TunedRow<'_>| row.recipe == recipe.recipe && row.mode == mode;
            let of_pool = |pool| rows.iter().filter(mine).find(|row| row.pool == pool);
            let cells = pools.clone().map(|pool| of_pool(pool).map_or("-".into(), tuned_cell));
            let name = format!("{} ({mode})", recipe.recipe);
            table.add(std::iter::once(name).chain(cells).map(TextCell::plain).collect());
        }
    }
    table
}

/// The cell, with the selected values unless they differ between runs.
fn tuned_cell(row: &TunedRow<'_>) -> String {
    let figures = with_spread(row.mean, row.std);
    match row.mode {
        Mode::BestPerEnsemble => figures,
        Mode::Default | Mode::BestSingle => format!("{figures} at {}", row.chosen),
    }
}

/// Prints one line per variant and pool if the variant is not better than the recipe it is
/// compared with.
pub fn print_shortfalls(results: &Results, out: &mut dyn Write) -> Result<(), Failure> {
    let variants = &results.protocol.variants;
    let ran = |name: &String| variants.iter().any(|variant| variant.name == *name);
    if !variants.iter().any(|variant| variant.against.as_ref().is_some_and(ran)) {
        return Ok(());
    }
    let shortfalls = results.shortfalls()?;
    writeln!(out)?;
    if shortfalls.is_empty() {
        return Ok(writeln!(
            out,
            "Every variant is better than the one it is compared with, on every pool."
        )?);
    }
    for shortfall in &shortfalls {
        writeln!(out, "{}", plain(in_words(&results.protocol, shortfall)))?;
    }
    Ok(())
}

fn in_words(protocol: &Protocol, shortfall: &Shortfall<'_>) -> String {
    let Shortfall { variant, against, pool, size, k, figures } = shortfall;
    let place = title(protocol, pool, *size, *k);
    let each = figures
        .iter()
        .map(|f| format!("{} {} against {}", f.metric, figure(f.mean), figure(f.against)));
    let each = each.collect::<Vec<_>>().join(", ");
    format!("{variant} does not help on {place}: {each} of {against}")
}

/// Prints one line per variant and pool if not all runs found k clusters.
pub fn print_other_counts(results: &Results, out: &mut dyn Write) -> Result<(), Failure> {
    let (others, runs) = (results.other_counts(), results.protocol.runs);
    if !others.is_empty() {
        writeln!(out)?;
    }
    for OtherCount { variant, pool, size, k, found, runs: of } in others {
        let place = title(&results.protocol, pool, size, None);
        let (least, most) = found.into_inner();
        let found = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let line = format!(
            "{variant} on {place}: {k} clusters asked for, {found} found in {of} of {runs} runs"
        );
        writeln!(out, "{}", plain(line))?;
    }
    Ok(())
}

fn with_spread(mean: f64, std: f64) -> String {
    format!("{} ± {}", figure(mean), figure(std))
}

/// Three decimals, or fewer for large values.
fn figure(value: f64) -> String {
    if value.abs() < 10.0 { format!("{value:.3}") } else { format!("{value:.1}") }
}
