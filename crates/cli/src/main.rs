//! The `enclust` command.

mod demo;
mod digits;

use std::process::ExitCode;

use clap::Parser;

/// Ensemble clustering: many clusterings in, one better clustering out.
///
/// Without arguments it clusters embedded handwritten digits by k-means twenty
/// times and compares what the methods make of those clusterings.
#[derive(Debug, Parser)]
#[command(
    name = "enclust",
    version,
    about,
    after_help = "Example: enclust --clusterings 40 --seed 7"
)]
struct Arguments {
    /// Seed of the base clusterings
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Number of base clusterings
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    clusterings: u16,

    /// Number of threads (0: all there are); the answer does not depend on it
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let settings = demo::Settings {
        seed: arguments.seed,
        clusterings: arguments.clusterings.into(),
        threads: arguments.threads.into(),
    };
    match demo::run(&settings, &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads has read enough.
        Err(demo::Failure::Write(e)) if e.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("enclust: {error}");
            ExitCode::FAILURE
        }
    }
}
