//! `enclust study`: a whole study from one file.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use enclust::core::Registry;
use enclust_experiment::study::{Plan, Protocol, Results, RunOptions, Shard, Study, SummaryRow};

use crate::console::Console;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::text_table::{TextCell, TextTable};

/// Run a whole study from one file
///
/// The file names pools, how ensembles are drawn, a base pipeline, variants of it and
/// metrics. A study that was stopped goes on where it was: started again with the same
/// folder, it runs only what is missing.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example: enclust study mine.toml --pools data --out mine-results

  mine.toml:
    pools = [\"Ecoli\", \"UMIST\"]
    runs = 20
    draws = { size = 20, seed = 1 }
    [base]
    method = \"ec-cms\"
    [[variant]]
    grid = { enhance.lambda = [0.1, 1] }
    [[variant]]
    method = \"lwea\"")]
pub struct StudyArgs {
    /// The study, a TOML file
    #[arg(value_name = "STUDY.toml")]
    study: PathBuf,

    /// Folder of the results [default: the study's name with -results]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    pools: PoolsArgs,

    /// Run one share of several, such as 3/16; `enclust merge` puts them together
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,

    #[command(flatten)]
    threads: ThreadsArgs,
}

/// Where pools are.
#[derive(Clone, Debug, Args)]
pub struct PoolsArgs {
    /// Folder of the pools that are named without a path [default: the variable
    /// ENCLUST_POOLS]
    #[arg(long, value_name = "DIR")]
    pools: Option<PathBuf>,
}

impl PoolsArgs {
    /// The folders to look in.
    pub fn folders(&self) -> Vec<PathBuf> {
        let variable = || std::env::var_os("ENCLUST_POOLS").map(PathBuf::from);
        self.pools.clone().or_else(variable).into_iter().collect()
    }
}

/// How many threads.
#[derive(Clone, Copy, Debug, Args)]
pub struct ThreadsArgs {
    /// Number of threads (0: all there are); results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
}

impl ThreadsArgs {
    /// As options of a run.
    pub fn options(self, progress: &Progress) -> RunOptions<'_> {
        RunOptions { threads: self.threads.into(), shard: None, progress }
    }
}

/// Runs the study and prints its summary.
pub fn run(
    args: &StudyArgs,
    registry: &Registry<f64>,
    console: &Console,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let study = Study::read(&args.study)?;
    let plan = study.plan(registry, &args.pools.folders())?;
    let folder = args.out.clone().unwrap_or_else(|| format!("{}-results", study.name).into());
    let progress = Progress::new(console, "reading the pools");
    let options = RunOptions { shard: args.shard, ..args.threads.options(&progress) };
    let results = plan.run_in(&folder, &options)?;
    drop(progress);
    match args.shard {
        None => print_summary(&results, out)?,
        Some(shard) => say_shard(&plan, shard, console),
    }
    console.note(format_args!("results are in {}", folder.display()));
    Ok(())
}

fn say_shard(plan: &Plan, shard: Shard, console: &Console) {
    let (mine, all) = (shard.cells(plan.protocol.cells()).len(), plan.protocol.cells());
    console.note(format_args!("shard {shard} is done: {mine} of {all} runs"));
}

/// A table for each metric (and size, and number of clusters, where there are several):
/// variants down, pools across.
pub fn print_summary(results: &Results, out: &mut dyn Write) -> Result<(), Failure> {
    let rows = results.summary()?;
    let mut titles: Vec<String> = Vec::new();
    for row in &rows {
        let title = title(&results.protocol, row);
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    for (at, wanted) in titles.iter().enumerate() {
        let of_table = rows.iter().filter(|row| title(&results.protocol, row) == *wanted);
        let table = table(&results.protocol, wanted, &of_table.collect::<Vec<_>>());
        if at > 0 {
            writeln!(out)?;
        }
        table.print(out)?;
    }
    Ok(())
}

fn title(protocol: &Protocol, row: &SummaryRow<'_>) -> String {
    let mut title = row.metric.clone();
    if protocol.ensembles.len() > 1 {
        title += &format!(", {} clusterings", row.size);
    }
    match row.k {
        Some(k) if protocol.k.len() > 1 => title + &format!(", k = {k}"),
        _ => title,
    }
}

fn table(protocol: &Protocol, title: &str, rows: &[&SummaryRow<'_>]) -> TextTable {
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
                let text = format!("{} ± {}", figure(row.mean), figure(row.std));
                TextCell { text, bold: ranked && best }
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

/// Three decimals, fewer where they would say nothing.
fn figure(value: f64) -> String {
    if value.abs() < 10.0 { format!("{value:.3}") } else { format!("{value:.1}") }
}
