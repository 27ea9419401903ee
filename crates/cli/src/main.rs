//! The `enclust` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    enclust_cli::main_with(&enclust_cli::Standard)
}
