//! `enclust merge`: merges the shards of a study.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use enclust_experiment::study;

use super::study::TablesArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::study_tables::print_results;

/// Merge the shards of a study
///
/// The tables are identical to those of a study that was not split.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example: enclust merge whole shard-1 shard-2 shard-3")]
pub struct MergeArgs {
    /// Folder of the results
    #[arg(value_name = "OUT")]
    out: PathBuf,

    /// Folders of the shards, from `enclust study --shard`
    #[arg(value_name = "SHARD", required = true)]
    shards: Vec<PathBuf>,

    #[command(flatten)]
    tables: TablesArgs,
}

/// Merges the shards and prints the summary.
pub fn run(args: &MergeArgs, console: &Console, out: &mut dyn Write) -> Result<(), Failure> {
    let results = study::merge(&args.out, &args.shards)?;
    print_results(&results, args.tables.format, out)?;
    console.note(format_args!("results are in {}", args.out.display()));
    Ok(())
}
