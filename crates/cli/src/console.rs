//! What is said besides the result, all of it on the standard error.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::IsTerminal;

use anstyle::{AnsiColor, Style};

use crate::failure::Failure;

/// Heads of tables.
pub const HEAD: Style = Style::new().bold();
/// What stands out in a table.
pub const NAME: Style = AnsiColor::Cyan.on_default();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// How much is said.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Verbosity {
    /// Say nothing but results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,

    /// Say more: parameters and times; twice: every iteration, too
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,
}

/// Where notes and progress go, and the command line they belong to.
#[derive(Debug)]
pub struct Console {
    verbosity: Verbosity,
    words: Vec<OsString>,
}

impl Console {
    /// A console that says as much as asked for.
    pub fn new(verbosity: Verbosity, words: Vec<OsString>) -> Self {
        Console { verbosity, words }
    }

    /// The command line, for records.
    pub fn command_line(&self) -> Vec<String> {
        self.words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// Something worth knowing.
    pub fn note(&self, text: impl Display) {
        if !self.verbosity.quiet {
            anstream::eprintln!("{text}");
        }
    }

    /// Something that `-v` (level 1) or `-vv` (level 2) asks for.
    pub fn detail(&self, level: u8, text: impl Display) {
        if self.verbosity.verbose >= level {
            anstream::eprintln!("{text}");
        }
    }

    /// Whether every iteration is to be told.
    pub fn tells_iterations(&self) -> bool {
        self.verbosity.verbose >= 2
    }

    /// Whether progress is to be drawn: on a terminal only, and not beside text that
    /// would tear it apart.
    pub fn draws(&self) -> bool {
        !self.verbosity.quiet && !self.tells_iterations() && std::io::stderr().is_terminal()
    }
}

/// Says what went wrong.
pub fn complain(failure: &Failure) {
    anstream::eprintln!("{ERROR}enclust:{ERROR:#} {failure}");
}
