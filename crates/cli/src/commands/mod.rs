//! The subcommands, one file per command.

mod assign;
mod cluster;
mod completions;
mod demo;
mod generate;
mod list;
mod man;
mod merge;
mod plot;
mod reproduce;
mod stability;
mod study;

use std::ffi::OsString;
use std::io::Write;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

use crate::console::{Console, Verbosity};
use crate::failure::Failure;
use crate::parts::Parts;

/// Ensemble clustering: combines many clusterings into one.
///
/// Without a command, it clusters embedded handwritten digits twenty times with k-means and
/// compares the methods on these clusterings.
#[derive(Debug, Parser)]
#[command(
    name = "enclust",
    version,
    about,
    max_term_width = 100,
    after_help = "Examples:\n  \
        enclust --clusterings 40 --seed 7\n  \
        enclust generate features.csv --size 100 --out pool.csv\n  \
        enclust cluster pool.csv --k 8 --out labels.csv\n  \
        enclust study study.toml --out results\n  \
        enclust help cluster"
)]
pub struct Arguments {
    #[command(flatten)]
    demo: demo::DemoArgs,

    #[command(flatten)]
    pub verbosity: Verbosity,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Cluster(Box<cluster::ClusterArgs>),
    Assign(assign::AssignArgs),
    Stability(Box<stability::StabilityArgs>),
    Generate(generate::GenerateArgs),
    Study(study::StudyArgs),
    Merge(merge::MergeArgs),
    Reproduce(reproduce::ReproduceArgs),
    Plot(plot::PlotArgs),
    List(list::ListArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    /// Compare the methods on embedded data, as without a command
    Demo(demo::DemoArgs),
}

impl Arguments {
    /// Parses a command line.
    pub fn read(words: &[OsString]) -> Result<Self, clap::Error> {
        let arguments = Arguments::try_parse_from(words)?;
        match (&arguments.command, arguments.demo.given()) {
            (Some(_), Some(option)) => Err(Arguments::command().error(
                ErrorKind::ArgumentConflict,
                format!("{option} must be placed after the command"),
            )),
            _ => Ok(arguments),
        }
    }
}

/// Runs a parsed command line.
pub fn run(
    arguments: Arguments,
    parts: &impl Parts,
    console: &Console,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    match arguments.command {
        None => demo::run(&arguments.demo, parts, console, out),
        Some(Command::Demo(args)) => demo::run(&args, parts, console, out),
        Some(Command::Cluster(args)) => cluster::run(&args, parts, console, out),
        Some(Command::Assign(args)) => assign::run(&args, console, out),
        Some(Command::Stability(args)) => stability::run(&args, parts, console, out),
        Some(Command::Generate(args)) => generate::run(&args, console, out),
        Some(Command::Study(args)) => study::run(&args, &parts.registries(), console, out),
        Some(Command::Merge(args)) => merge::run(&args, console, out),
        Some(Command::Reproduce(args)) => reproduce::run(&args, &parts.registries(), console, out),
        Some(Command::Plot(args)) => plot::run(&args, console),
        Some(Command::List(args)) => list::run(&args, parts, out),
        Some(Command::Completions(args)) => completions::run(&args, out),
        Some(Command::Man(args)) => man::run(&args, console, out),
    }
}
