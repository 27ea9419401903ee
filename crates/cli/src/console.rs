//! Notes and errors, which are written to standard error.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::IsTerminal;

use anstyle::{AnsiColor, Style};

use crate::failure::Failure;

/// Style of table headings.
pub const HEAD: Style = Style::new().bold();
/// Style of highlighted names in a table.
pub const NAME: Style = AnsiColor::Cyan.on_default();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// How many messages are printed.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Verbosity {
    /// Print only results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,

    /// Print parameters and times; given twice, also every iteration
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,
}

/// The destination of notes and progress, and the command line they belong to.
#[derive(Debug)]
pub struct Console {
    verbosity: Verbosity,
    words: Vec<OsString>,
}

impl Console {
    /// A console with this verbosity.
    pub fn new(verbosity: Verbosity, words: Vec<OsString>) -> Self {
        Console { verbosity, words }
    }

    /// The command line, for records.
    pub fn command_line(&self) -> Vec<String> {
        self.words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// Prints a note.
    pub fn note(&self, text: impl Display) {
        if !self.verbosity.quiet {
            anstream::eprintln!("{text}");
        }
    }

    /// Prints a message of level 1 (`-v`) or 2 (`-vv`).
    pub fn detail(&self, level: u8, text: impl Display) {
        if self.verbosity.verbose >= level {
            anstream::eprintln!("{text}");
        }
    }

    /// Whether every iteration is printed.
    pub fn tells_iterations(&self) -> bool {
        self.verbosity.verbose >= 2
    }

    /// Whether progress is drawn: only on a terminal, and not together with other output that
    /// would disrupt it.
    pub fn draws(&self) -> bool {
        !self.verbosity.quiet && !self.tells_iterations() && std::io::stderr().is_terminal()
    }
}

/// Prints an error.
pub fn complain(failure: &Failure) {
    anstream::eprintln!("{ERROR}enclust:{ERROR:#} {failure}");
}
