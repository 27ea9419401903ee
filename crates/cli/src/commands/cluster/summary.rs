//! The result as text.

use std::fmt::Write;

use enclust::core::{PairsReport, ReductionReport, Report, SecondOpinion};

use super::ClusterArgs;
use crate::console::{Console, HEAD, plain};
use crate::record::{CutRecord, ModelRecord, RunRecord, json};

/// The scores in the table: the name in records and the heading of the column.
const SCORES: [(&str, &str); 5] =
    [("ari", "ARI"), ("nmi", "NMI"), ("f1", "F"), ("accuracy", "ACC"), ("purity", "purity")];

/// A few lines about the data and the run, and one line per k.
pub fn text(args: &ClusterArgs, record: &RunRecord) -> String {
    let mut text = String::new();
    let mut line = |words: String| {
        text.push_str(&words);
        text.push('\n');
    };
    line(about_data(args, record));
    line(about_run(record));
    record.reduction.iter().for_each(|report| line(about_reduction(report, record)));
    record.pairs.as_ref().into_iter().for_each(|pairs| line(about_pairs(pairs)));
    unscored(record).into_iter().for_each(&mut line);
    line(head(record));
    record.results.iter().for_each(|cut| line(row(cut)));
    record.results.iter().filter_map(other_count).for_each(&mut line);
    record.results.iter().flat_map(broken).for_each(&mut line);
    record.results.iter().filter_map(agreement).for_each(&mut line);
    record.model.map(about_model).into_iter().for_each(&mut line);
    record.machine.idle_backend().into_iter().for_each(&mut line);
    record.replaced.iter().for_each(|path| line(format!("replaced {}", plain(path))));
    text
}

/// The note if some samples have no true class.
fn unscored(record: &RunRecord) -> Option<String> {
    let truth = record.truth.filter(|truth| truth.missing > 0)?;
    let (known, all) = (truth.samples, truth.samples + truth.missing);
    Some(format!("scores on {known} of {all} samples; the others have no true class"))
}

/// The note for a cut with a different number of clusters than requested.
pub(super) fn other_count(cut: &CutRecord) -> Option<String> {
    let CutRecord { k, clusters, .. } = cut;
    (k != clusters).then(|| format!("k = {k} asked for, {clusters} found"))
}

/// The violated constraints of a cut, as many as fit on a line for each kind.
fn broken(cut: &CutRecord) -> Vec<String> {
    const SHOWN: usize = 8;
    let Some(broken) = &cut.broken else { return Vec::new() };
    let kinds = [("must-links", &broken.must_link), ("cannot-links", &broken.cannot_link)];
    let told = |(kind, pairs): (&str, &Vec<[String; 2]>)| {
        let shown: Vec<String> =
            pairs.iter().take(SHOWN).map(|[a, b]| format!("{} - {}", plain(a), plain(b))).collect();
        let more = if pairs.len() > SHOWN { ", …" } else { "" };
        format!("k = {}: broken {kind}: {}{more}", cut.k, shown.join(", "))
    };
    kinds.into_iter().filter(|(_, pairs)| !pairs.is_empty()).map(told).collect()
}

/// The note on the result without enhancement.
fn agreement(cut: &CutRecord) -> Option<String> {
    let SecondOpinion { agreement, largest, plain_largest, .. } = cut.second_opinion?;
    let percent = |share: f64| 100.0 * share;
    Some(format!(
        "k = {}: ARI {agreement:.3} with the result without enhancement; the largest cluster has \
         {:.0} % of the samples, without enhancement {:.0} %",
        cut.k,
        percent(largest),
        percent(plain_largest)
    ))
}

/// Prints parameters and times if the verbosity requests them.
pub fn details(record: &RunRecord, console: &Console) {
    record.layouts.iter().for_each(|layout| console.detail(1, layout));
    for (stage, part) in &record.method.parts {
        let values = part.values.iter().map(|(name, value)| format!(" {name}={}", json(value)));
        console.detail(1, format!("{stage}: {}{}", part.told(), values.collect::<String>()));
    }
    for used in &record.machine.kernels {
        console.detail(1, used.to_string());
    }
    for timing in &record.timings {
        console.detail(1, format!("{:<14} {:>9.3} s", timing.stage, timing.seconds));
    }
}

fn about_data(args: &ClusterArgs, record: &RunRecord) -> String {
    let path = args.pool.as_ref().or(args.similarity_in.as_ref());
    let mut words = path.map_or(String::new(), |path| format!("{}: ", plain(path.display())));
    write_to(&mut words, format_args!("{} samples", record.samples));
    if let Some(ensemble) = &record.ensemble {
        if let Some(rows) = ensemble.rows {
            write_to(&mut words, format_args!(" in {rows} rows"));
        }
        let selection = &ensemble.selection;
        let used = selection.columns.len();
        match selection.draw {
            Some(draw) => write_to(
                &mut words,
                format_args!(
                    ", {used} of {} clusterings (draw {}, seed {})",
                    selection.pool, draw.run, draw.seed
                ),
            ),
            None if selection.is_whole_pool() => {
                write_to(&mut words, format_args!(", {used} clusterings"));
            }
            None => {
                write_to(&mut words, format_args!(", {used} of {} clusterings", selection.pool))
            }
        }
        let rows = record.reduction.as_ref().map_or(record.groups, |reduction| reduction.from);
        write_to(&mut words, format_args!(", {rows} distinct label rows"));
        if ensemble.missing_labels > 0 {
            write_to(&mut words, format_args!(", {} labels missing", ensemble.missing_labels));
        }
    }
    words
}

fn about_run(record: &RunRecord) -> String {
    let mut words = record.method.in_a_line.clone();
    let report = &record.report;
    let iterated = record.learning.iter().chain([report]).filter(|report| report.iterations > 0);
    for (at, Report { component, status, iterations, .. }) in iterated.enumerate() {
        let mark = if at == 0 { ":" } else { "," };
        write_to(
            &mut words,
            format_args!("{mark} {component} {status} after {iterations} iterations"),
        );
    }
    if let Some(certificate) = &report.certificate {
        write_to(
            &mut words,
            format_args!(", optimal within {:.0e}", certificate.relative_distance),
        );
    }
    let seconds: f64 = record.timings.iter().map(|timing| timing.seconds).sum();
    write_to(&mut words, format_args!("; {seconds:.2} s"));
    words
}

/// How the label rows were reduced, and what is left to enhance.
pub(super) fn about_reduction(report: &ReductionReport, record: &RunRecord) -> String {
    let percent = |share: f64| 100.0 * share;
    let mut words = format!(
        "{} rows reduced to {} by {}, which changed {:.1} % of the labels",
        report.from,
        report.to,
        report.component,
        percent(report.labels_changed)
    );
    if let Some(pairs) = &record.pairs {
        let each = pairs.pairs as f64 / report.to as f64;
        write_to(&mut words, format_args!("; {each:.2} confident pairs per row"));
    }
    if let Some(change) = report.change {
        write_to(
            &mut words,
            format_args!("; the enhancement changed the similarity by {:.1} %", percent(change)),
        );
    }
    if let Some(moved) = record.results.iter().find_map(|cut| cut.moved) {
        write_to(
            &mut words,
            format_args!("; refining moved {:.2} % of the samples", percent(moved)),
        );
    }
    words
}

/// How far the saved model repeats the result.
pub(super) fn about_model(ModelRecord { samples, kept, ari, .. }: ModelRecord) -> String {
    format!("the model gives {kept} of {samples} training rows their label, ARI {ari:.3}")
}

pub(super) fn about_pairs(report: &PairsReport) -> String {
    let PairsReport { alpha, pairs, largest_component, mean_degree, .. } = report;
    let alpha = alpha.map_or(String::new(), |alpha| format!(" at alpha {alpha}"));
    format!(
        "{pairs} confident pairs{alpha}, mean degree {mean_degree:.3}, the largest component holds \
         {:.0} % of the samples",
        100.0 * largest_component
    )
}

fn head(record: &RunRecord) -> String {
    let mut words = format!("\n{HEAD}{:>5}", "k");
    if record.results.iter().any(|cut| cut.scores.is_some()) {
        SCORES.iter().for_each(|(_, head)| write_to(&mut words, format_args!(" {head:>6}")));
    }
    if record.constraints.is_some() {
        words.push_str(" broken");
    }
    format!("{words}  sizes of the clusters{HEAD:#}")
}

fn row(cut: &CutRecord) -> String {
    let mut words = format!("{:>5}", cut.k);
    if let Some(scores) = &cut.scores {
        SCORES
            .iter()
            .for_each(|(name, _)| write_to(&mut words, format_args!(" {:>6.3}", scores[name])));
    }
    if let Some(broken) = &cut.violations {
        write_to(&mut words, format_args!(" {:>6}", broken.must_link + broken.cannot_link));
    }
    format!("{words}  {}", sizes(&cut.sizes))
}

/// The largest clusters first, as many as fit on a line.
fn sizes(sizes: &[usize]) -> String {
    const SHOWN: usize = 12;
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let shown: Vec<String> = sorted.iter().take(SHOWN).map(usize::to_string).collect();
    let more = if sizes.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// Writing into a string cannot fail.
fn write_to(text: &mut String, words: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(words);
}
