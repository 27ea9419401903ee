//! `enclust assign`: labels for new rows by the model of a result.

use std::io::Write;
use std::path::PathBuf;

use enclust::core::{Assigned, Bytes, Warning};
use enclust_io::{Model, NewRows, Noise, write_cluster_numbers};
use serde::Serialize;

use crate::amounts::Amount;
use crate::console::{Console, plain};
use crate::csv_table::write_csv;
use crate::failure::Failure;
use crate::files::{self, Files};
use crate::inputs::{Input, Opened, TableArgs};
use crate::record::{Versions, shown};
use crate::warnings::{self, WarningRecord};

/// Label new rows by the result of an earlier run
///
/// A row of base-cluster labels gets the cluster to whose samples it is most similar on average,
/// by the representation of the run and without enhancement. `enclust cluster --save-model` makes
/// the model. The rows need the columns of the pool, by name if both files name their columns,
/// otherwise by position.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    enclust cluster pool.csv --k 8 --out labels.csv --save-model model.npz\n  \
    enclust assign model.npz new.csv --out new-labels.csv")]
pub struct AssignArgs {
    /// Model of a result: .npz
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// New rows, one column per base clustering: .csv, .tsv, .npy, .npz, .mat, also compressed
    /// (.gz, .zst); - for standard input
    #[arg(value_name = "NEW_ROWS")]
    rows: PathBuf,

    /// Meaning of the label -1: a cluster of its own for each sample (singleton), no label
    /// (missing), or an error (error) [default: as in the run that made the model]
    #[arg(long, value_name = "MEANING", help_heading = "Input")]
    noise: Option<Noise>,

    #[command(flatten)]
    table: TableArgs,

    /// Refuse files whose reading needs more memory than this, such as 4GB [default: the free
    /// memory of the machine]
    #[arg(long, value_name = "AMOUNT")]
    memory: Option<Amount>,

    /// Write the labels, clusters counted from 0 as in the run: .csv, .tsv, .npy, .npz [default:
    /// standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,

    /// Print a record and the labels as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

#[derive(Serialize)]
struct AssignRecord {
    versions: Versions,
    command: Vec<String>,
    inputs: Vec<Input>,
    representation: String,
    rows: usize,
    clusters: usize,
    /// Whether columns were matched by name; otherwise they were matched by position.
    by_name: bool,
    missing_labels: usize,
    /// Number of new rows in each cluster.
    sizes: Vec<usize>,
    warnings: Vec<WarningRecord>,
    output: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replaced: Vec<String>,
    labels: Vec<usize>,
}

/// Labels the rows.
pub fn run(args: &AssignArgs, console: &Console, out: &mut dyn Write) -> Result<(), Failure> {
    let replaced = Files::default()
        .reads("the model", Some(&args.model))
        .reads("the new rows", Some(&args.rows))
        .writes("--out", args.out.as_ref(), files::LABELS)
        .check()?;
    let (model, rows, inputs) = args.read(console)?;
    let assigned: Vec<Assigned> =
        rows.rows().map(|row| model.assignment.assign(row)).collect::<Result<_, _>>()?;
    let labels: Vec<usize> = assigned.iter().map(|row| row.label).collect();
    if let Some(path) = &args.out {
        write_cluster_numbers(path, &labels, rows.ids.as_deref())?;
    }
    let record = AssignRecord {
        versions: Versions::THIS,
        command: console.command_line(),
        inputs,
        rows: labels.len(),
        clusters: model.assignment.clusters(),
        by_name: rows.by_name,
        missing_labels: rows.missing_labels,
        sizes: sizes(&labels, model.assignment.clusters()),
        representation: model.representation,
        warnings: found_warnings(&rows, &assigned),
        output: args.out.as_ref().map(|path| path.display().to_string()),
        replaced: shown(&replaced),
        labels,
    };
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &record)?;
        return Ok(writeln!(out)?);
    }
    warnings::print(&record.warnings, console);
    let text = plain(summary(args, &record));
    if args.out.is_some() {
        return Ok(writeln!(out, "{text}")?);
    }
    print_labels(out, &record.labels, rows.ids.as_deref())?;
    console.note(text);
    Ok(())
}

impl AssignArgs {
    /// The model, the rows, and the identification of both files if a record is requested.
    fn read(&self, console: &Console) -> Result<(Model, NewRows, Vec<Input>), Failure> {
        let limit = self.memory.map(|Amount(bytes)| Bytes(bytes));
        let opened = Opened::load("model", &self.model, self.memory)?;
        let model = opened.source.model(limit)?;
        let mut inputs: Vec<Input> =
            self.json.then(|| opened.input(None)).transpose()?.into_iter().collect();
        drop(opened);
        let opened = Opened::load("new rows", &self.rows, self.memory)?;
        let noise = self.noise.unwrap_or(model.noise);
        let options = self.table.options(self.memory);
        let (rows, layout) = opened.source.new_rows(&model, noise, &options)?;
        if let Some(layout) = layout {
            console.detail(1, opened.told(layout));
        }
        inputs.extend(self.json.then(|| opened.input(layout)).transpose()?);
        Ok((model, rows, inputs))
    }
}

/// Number of rows in each cluster.
fn sizes(labels: &[usize], clusters: usize) -> Vec<usize> {
    let mut sizes = vec![0; clusters];
    labels.iter().for_each(|&label| sizes[label] += 1);
    sizes
}

/// Warnings about labels without meaning for the model, and about rows with nothing else.
fn found_warnings(rows: &NewRows, assigned: &[Assigned]) -> Vec<WarningRecord> {
    let mut found = Vec::new();
    if rows.unknown_labels > 0 {
        let (labels, rows) = (rows.unknown_labels, rows.rows_with_unknown_labels);
        found.push(Warning::UnknownLabels { labels, rows });
    }
    let alone = assigned.iter().filter(|row| row.score == 0.0).count();
    if alone > 0 {
        found.push(Warning::LikeNoSample { rows: alone });
    }
    found.into_iter().map(|warning| WarningRecord::new(warning, None)).collect()
}

fn summary(args: &AssignArgs, record: &AssignRecord) -> String {
    let sizes: Vec<String> = record.sizes.iter().map(usize::to_string).collect();
    let matched = if record.by_name { "name" } else { "position" };
    let mut text = format!(
        "{}: {} rows, columns by {matched}; model {} ({}, {} clusters)\nrows in each cluster: {}",
        args.rows.display(),
        record.rows,
        args.model.display(),
        record.representation,
        record.clusters,
        sizes.join(", "),
    );
    record.replaced.iter().for_each(|path| text.push_str(&format!("\nreplaced {path}")));
    text
}

/// The labels as a table. Control characters in names are escaped, because the table may be
/// shown on a terminal.
fn print_labels(
    out: &mut dyn Write,
    labels: &[usize],
    ids: Option<&[String]>,
) -> Result<(), Failure> {
    let head = ids.map(|_| "id").into_iter().chain(["label"]).map(String::from);
    let row = |(at, label): (usize, &usize)| {
        ids.map(|ids| plain(&ids[at])).into_iter().chain([label.to_string()])
    };
    Ok(write_csv(out, head, labels.iter().enumerate().map(row))?)
}
