//! `enclust reproduce`: the tables of the EC-CMS paper next to the published values.

mod log_axis;
mod survey;
mod text_chart;
mod times;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use enclust_experiment::reproduce::{
    Note, PUBLISHED_RUNS, PaperTable, Request, Row, Selection, write_rows,
};
use enclust_experiment::study::{PoolSettings, Study};
use enclust_figures::{Columns, Times};

use self::times::{Time, print_times, times};
use super::plot;
use super::study::{PoolsArgs, ThreadsArgs, write_report};
use crate::console::Console;
use crate::failure::Failure;
use crate::files::{self, Files};
use crate::progress::Progress;
use crate::study_tables::{print_other_counts, print_shortfalls};
use crate::text_table::{TextCell, TextTable};

/// The table of run times, which is compared by ratios instead of differences.
const TIME: &str = "time";

/// Reproduce the tables and figures of the EC-CMS paper
///
/// Runs the paper's draws of base clusterings and prints the results next to the published
/// values. EC-CMS occurs twice: as ec-cms-admm, the early-stopped iteration that was published,
/// and as ec-cms, the optimum of the same problem.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Example: enclust reproduce ari --pools pools --datasets Ecoli,UMIST --methods lwea,ec-cms"
)]
pub struct ReproduceArgs {
    /// Name of the table
    #[arg(value_name = "TABLE", value_parser = table_names())]
    table: String,

    #[command(flatten)]
    pools: PoolsArgs,

    /// Only these pools, such as Ecoli,UMIST
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    datasets: Option<Vec<String>>,

    /// Only these methods, such as lwea,ec-cms
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    methods: Option<Vec<String>>,

    /// Number of draws from each pool; the paper has 20
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    runs: Option<u16>,

    /// Write the table to a CSV file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write a chart of the table time, with the published times: .svg, .pdf, .png
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,

    /// Write a report: one HTML page with the table, the tests and the curves
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// Store all runs in this folder; when started again, only missing runs are executed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    threads: ThreadsArgs,
}

fn table_names() -> PossibleValuesParser {
    PaperTable::ALL.iter().map(|table| PossibleValue::new(table.name).help(table.about)).into()
}

/// Runs a table and prints it with the deviating cells.
pub fn run(
    args: &ReproduceArgs,
    registries: &enclust_experiment::study::Registries,
    console: &Console,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let table = PaperTable::named(&args.table)?;
    if args.chart.is_some() && table.name != TIME {
        return Err(Failure::NoChart { table: args.table.clone() });
    }
    let request = Request {
        datasets: args.datasets.clone(),
        methods: args.methods.clone(),
        runs: args.runs.map(usize::from),
    };
    let selection = table.select(&request, &registries.double)?;
    let plan = selection.study.plan(registries, &args.pools.folders())?;
    let replaced = Files::default()
        .writes("--csv", args.csv.as_ref(), files::TABLE)
        .writes("--chart", args.chart.as_ref(), files::FIGURE)
        .writes("--report", args.report.as_ref(), files::PAGE)
        .check()?;
    let progress = Progress::new(console, "reading the pools");
    let options = args.threads.options(&progress);
    let results = match &args.out {
        Some(folder) => plan.run_in(folder, &options)?,
        None => plan.run(&options)?,
    };
    if table.name == survey::NAME {
        let shuffled = survey::shuffled(&selection.study, args, registries, &options)?;
        drop(progress);
        let settings = (&selection, args.csv.as_deref());
        return survey::report(&results, &shuffled, settings, out);
    }
    drop(progress);
    let rows = table.compare(&plan, &results, &selection.members)?;
    if let Some(path) = &args.csv {
        write_rows(path, &rows)?;
    }
    write_report(args.report.as_ref(), &results, rows.clone(), console)?;
    for path in replaced {
        console.note(format_args!("replaced {}", path.display()));
    }
    introduce(table, &selection, out)?;
    if table.name == TIME {
        let times = times(&rows);
        draw(&times, args.chart.as_deref())?;
        return print_times(&times, out);
    }
    print_rows(&rows, out)?;
    print_off(&rows, selection.study.runs, out)?;
    print_shortfalls(&results, out)?;
    print_other_counts(&results, out)?;
    print_pool_settings(&selection.study, out)
}

fn draw(times: &[Time<'_>], path: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let time = |time: &Time<'_>| enclust_figures::Time {
        method: time.method.to_string(),
        dataset: time.dataset.to_string(),
        here: time.here,
        published: time.published,
    };
    let chart = Times { times: times.iter().map(time).collect() };
    plot::write(path, &chart, Columns::Two)
}

fn introduce(
    table: &PaperTable,
    selection: &Selection,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let runs = selection.study.runs;
    writeln!(out, "{}: {}; {runs} draws from each pool", table.name, table.about)?;
    writeln!(
        out,
        "EC-CMS at alpha = 0.8, lambda = 0.4 unless a row or the study states otherwise"
    )?;
    if !selection.skipped.is_empty() {
        writeln!(out, "not available yet: {}", selection.skipped.join(", "))?;
    }
    Ok(writeln!(out)?)
}

fn print_rows(rows: &[Row], out: &mut dyn Write) -> Result<(), Failure> {
    let head = ["method", "data set", "metric", "here", "published", "difference"];
    let mut table = TextTable::new(head);
    for row in rows {
        let published = row.published_mean.map(|mean| with_spread(mean, row.published_std));
        let mut cells = vec![
            TextCell::plain(&row.method),
            TextCell::plain(&row.dataset),
            TextCell::plain(&row.metric),
            TextCell::plain(with_spread(row.mean, row.std)),
        ];
        if let (Some(published), Some(difference)) = (published, row.difference()) {
            let mark = if row.is_off() { " *" } else { "" };
            cells.push(TextCell::plain(published));
            cells.push(TextCell { text: format!("{difference:+.3}{mark}"), bold: row.is_off() });
        }
        table.add(cells);
    }
    Ok(table.print(out)?)
}

fn with_spread(mean: f64, std: Option<f64>) -> String {
    match std {
        Some(std) => format!("{mean:.3} ± {std:.3}"),
        None => format!("{mean:.3}"),
    }
}

/// Prints the parameters that were selected for a pool, which the table does not show.
fn print_pool_settings(study: &Study, out: &mut dyn Write) -> Result<(), Failure> {
    let settings = study.pool_settings();
    if !settings.is_empty() {
        writeln!(
            out,
            "\nParameters that were not left at their defaults but selected for a pool by the truth:"
        )?;
    }
    for PoolSettings { recipe, pool, settings } in settings {
        writeln!(out, "  {recipe}, {pool}: {}", settings.join(", "))?;
    }
    Ok(())
}

/// Prints all deviating cells with the reason.
fn print_off(rows: &[Row], runs: usize, out: &mut dyn Write) -> Result<(), Failure> {
    let published = rows.iter().filter(|row| row.published_mean.is_some()).count();
    if published == 0 {
        return Ok(writeln!(out, "\nNo numbers were published for this table.")?);
    }
    let notes = Note::all()?;
    let off: Vec<&Row> = rows.iter().filter(|row| row.is_off()).collect();
    writeln!(
        out,
        "\n{} of {published} cells are within one published standard error{}",
        published - off.len(),
        if off.is_empty() { "." } else { "; off are (*):" }
    )?;
    let fewer = format!("unexplained, but with only {runs} of the paper's {PUBLISHED_RUNS} draws");
    let unknown = if runs < PUBLISHED_RUNS { fewer.as_str() } else { "unexplained" };
    for row in off {
        let reason = notes.iter().find(|note| note.covers(row));
        let reason = reason.map_or(unknown, |note| note.reason.as_str());
        let Row { method, dataset, metric, .. } = row;
        let difference = row.difference().unwrap_or_default();
        writeln!(out, "  {method}, {dataset}, {metric}: {difference:+.3}: {reason}")?;
    }
    Ok(())
}
