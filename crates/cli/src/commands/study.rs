//! `enclust study`: runs a study from a file.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use enclust::core::Watch;
use enclust_experiment::reproduce::Row;
use enclust_experiment::study::{Plan, Registries, Results, RunOptions, Shard, Study};
use enclust_io::write_atomically;
use enclust_report::{Kind, StudyPage, as_command, page};

use crate::console::Console;
use crate::failure::Failure;
use crate::files::{self, Files};
use crate::progress::Progress;
use crate::study_tables::{print_other_counts, print_results, print_shortfalls};
use crate::text_table::Format;

/// Run a study from a file
///
/// The file describes the pools, how ensembles are drawn, a base pipeline, its variants and the
/// metrics. A study that was stopped can be resumed: started again with the same folder, it
/// runs only the missing runs.
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

    /// Folder of the results [default: the name of the study followed by -results]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    pools: PoolsArgs,

    /// Run one shard of several, such as 3/16; `enclust merge` merges them
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,

    #[command(flatten)]
    threads: ThreadsArgs,

    #[command(flatten)]
    tables: TablesArgs,

    #[command(flatten)]
    report: StudyReportArgs,
}

/// How tables are printed.
#[derive(Clone, Copy, Debug, Args)]
pub struct TablesArgs {
    /// Format of the printed tables
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: Format,
}

/// The location of pools.
#[derive(Clone, Debug, Args)]
pub struct PoolsArgs {
    /// Folder of the pools that are given without a path [default: the variable ENCLUST_POOLS]
    #[arg(long, value_name = "DIR")]
    pools: Option<PathBuf>,
}

impl PoolsArgs {
    /// The folders that are searched.
    pub fn folders(&self) -> Vec<PathBuf> {
        let variable = || std::env::var_os("ENCLUST_POOLS").map(PathBuf::from);
        self.pools.clone().or_else(variable).into_iter().collect()
    }
}

/// The report of a study.
#[derive(Clone, Debug, Args)]
pub struct StudyReportArgs {
    /// Write a report: one HTML page with the tables, the tests and the curves
    #[arg(long, value_name = "FILE.html", help_heading = "Output", conflicts_with = "shard")]
    pub report: Option<PathBuf>,
}

/// The number of threads.
#[derive(Clone, Copy, Debug, Args)]
pub struct ThreadsArgs {
    /// Number of threads (0: all available); results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
}

impl ThreadsArgs {
    /// The options of a run.
    pub fn options(self, progress: &Progress) -> RunOptions<'_> {
        let watch = Watch::default().with_observer(progress);
        RunOptions { threads: self.threads.into(), shard: None, watch }
    }
}

/// Runs the study and prints its summary.
pub fn run(
    args: &StudyArgs,
    registries: &Registries,
    console: &Console,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let report = args.report.report.as_ref();
    let files = Files::default().reads("the study", Some(&args.study));
    let replaced = files.writes("--report", report, files::PAGE).check()?;
    let study = Study::read(&args.study)?;
    let plan = study.plan(registries, &args.pools.folders())?;
    for refused in &plan.refused {
        console.note(format_args!("left out: {}: {}", refused.variant, refused.reason));
    }
    let folder = args.out.clone().unwrap_or_else(|| format!("{}-results", study.name).into());
    let progress = Progress::new(console, "reading the pools");
    let options = RunOptions { shard: args.shard, ..args.threads.options(&progress) };
    let results = plan.run_in(&folder, &options)?;
    drop(progress);
    match args.shard {
        None => {
            print_results(&results, args.tables.format, out)?;
            write_report(report, &results, Vec::new(), console)?;
        }
        Some(shard) => say_shard(&plan, shard, console),
    }
    replaced.iter().for_each(|path| console.note(format_args!("replaced {}", path.display())));
    console.note(format_args!("results are in {}", folder.display()));
    Ok(())
}

/// Writes the report, if one is requested, with the rows of a published table if there are any.
pub fn write_report(
    path: Option<&PathBuf>,
    results: &Results,
    published: Vec<Row>,
    console: &Console,
) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let mut remarks = Vec::new();
    print_shortfalls(results, &mut remarks)?;
    print_other_counts(results, &mut remarks)?;
    let remarks = String::from_utf8_lossy(&remarks);
    let remarks = remarks.lines().filter(|line| !line.is_empty()).map(String::from).collect();
    let data = StudyPage::new(results, as_command(&console.command_line()), remarks)?;
    let data = data.with_published(published);
    let html = page(Kind::Study, &data.title, &data)?;
    Ok(write_atomically(path, |file| file.write_all(html.as_bytes()))?)
}

fn say_shard(plan: &Plan, shard: Shard, console: &Console) {
    let (mine, all) = (shard.cells(plan.protocol.cells()).len(), plan.protocol.cells());
    console.note(format_args!("shard {shard} is done: {mine} of {all} runs"));
}
