//! `enclust study`: runs a study from a file.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use enclust::core::Watch;
use enclust_experiment::study::{Plan, Registries, RunOptions, Shard, Study};

use crate::console::Console;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::study_tables::print_results;
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
        None => print_results(&results, args.tables.format, out)?,
        Some(shard) => say_shard(&plan, shard, console),
    }
    console.note(format_args!("results are in {}", folder.display()));
    Ok(())
}

fn say_shard(plan: &Plan, shard: Shard, console: &Console) {
    let (mine, all) = (shard.cells(plan.protocol.cells()).len(), plan.protocol.cells());
    console.note(format_args!("shard {shard} is done: {mine} of {all} runs"));
}
