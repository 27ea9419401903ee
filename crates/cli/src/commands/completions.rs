//! `enclust completions`: command-line completion for shells.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use super::Arguments;
use crate::failure::Failure;

/// Print a shell script that enables completion of enclust command lines
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    enclust completions bash > ~/.local/share/bash-completion/completions/enclust\n  \
    enclust completions zsh > ~/.zfunc/_enclust\n  \
    enclust completions fish > ~/.config/fish/completions/enclust.fish")]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
pub fn run(args: &CompletionsArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut Arguments::command(), "enclust", &mut script);
    Ok(out.write_all(&script)?)
}
