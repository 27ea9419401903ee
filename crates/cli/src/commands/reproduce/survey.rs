//! The table of a survey, which compares with its own tolerances and with shuffled samples.

use std::io::Write;
use std::path::Path;

use enclust_experiment::reproduce::{Selection, SurveyKind, SurveyRow, survey_rows, write_survey};
use enclust_experiment::study::{Registries, Results, RunOptions, Study};

use super::ReproduceArgs;
use crate::failure::Failure;
use crate::text_table::{TextCell, TextTable};

/// The name of the table.
pub const NAME: &str = "survey";

/// The same study with shuffled samples. With a folder, its runs are in a folder beside the others.
pub fn shuffled(
    study: &Study,
    args: &ReproduceArgs,
    registries: &Registries,
    options: &RunOptions<'_>,
) -> Result<Results, Failure> {
    let mut study = study.clone();
    study.shuffle = true;
    let plan = study.plan(registries, &args.pools.folders())?;
    Ok(match &args.out {
        Some(folder) => {
            let mut beside = folder.clone().into_os_string();
            beside.push("-shuffled");
            plan.run_in(Path::new(&beside), options)?
        }
        None => plan.run(options)?,
    })
}

/// Prints the rows with the deviating ones, and writes them to a file.
pub fn report(
    results: &Results,
    shuffled: &Results,
    (selection, csv): (&Selection, Option<&Path>),
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let rows = survey_rows(results, Some(shuffled))?;
    if let Some(path) = csv {
        write_survey(path, &rows)?;
    }
    let runs = selection.study.runs;
    writeln!(out, "{NAME}: mean ARI of {runs} draws from each pool; * is off")?;
    if !selection.skipped.is_empty() {
        writeln!(out, "not available yet: {}", selection.skipped.join(", "))?;
    }
    writeln!(out)?;
    print_rows(&rows, out)?;
    print_off(&rows, out)
}

fn print_rows(rows: &[SurveyRow], out: &mut dyn Write) -> Result<(), Failure> {
    let head =
        ["method", "data set", "here", "shuffled", "published", "difference", "selected values"];
    let mut table = TextTable::new(head);
    let number = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:.4}"));
    for row in rows {
        let mark = if row.is_off() { " *" } else { "" };
        let difference = row.difference().map_or(String::new(), |d| format!("{d:+.4}{mark}"));
        table.add(vec![
            TextCell::plain(&row.method),
            TextCell::plain(&row.dataset),
            TextCell::plain(number(Some(row.mean))),
            TextCell::plain(number(row.shuffled)),
            TextCell::plain(number(row.published)),
            TextCell { text: difference, bold: row.is_off() },
            TextCell::plain(&row.chosen),
        ]);
    }
    Ok(table.print(out)?)
}

/// Counts the rows that agree with the survey, by how a figure came about.
fn print_off(rows: &[SurveyRow], out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out)?;
    for (kind, what) in [
        (SurveyKind::Deterministic, "without random numbers, equal to four decimals"),
        (SurveyKind::Tuned, "tuned by the truth, within 0.005"),
        (SurveyKind::KMeans, "with random starts, within 0.015"),
        (SurveyKind::LastStart, "of programs that keep their last start, not below"),
    ] {
        let of_kind: Vec<&SurveyRow> = rows.iter().filter(|row| row.kind == Some(kind)).collect();
        let agree = of_kind.iter().filter(|row| !row.is_off()).count();
        if !of_kind.is_empty() {
            writeln!(out, "{agree} of {} figures {what}", of_kind.len())?;
        }
    }
    Ok(())
}
