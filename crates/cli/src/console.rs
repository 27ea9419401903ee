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
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

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
        self.styled(&plain(text));
    }

    /// Prints a note that contains styles, and no text from a file or an argument.
    pub fn styled(&self, text: &str) {
        if !self.verbosity.quiet {
            anstream::eprintln!("{text}");
        }
    }

    /// Prints a warning.
    pub fn warn(&self, text: impl Display) {
        self.styled(&format!("{WARNING}warning:{WARNING:#} {}", plain(text)));
    }

    /// Prints a message of level 1 (`-v`) or 2 (`-vv`).
    pub fn detail(&self, level: u8, text: impl Display) {
        if self.verbosity.verbose >= level {
            anstream::eprintln!("{}", plain(text));
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
    anstream::eprintln!("{ERROR}enclust:{ERROR:#} {}", plain(failure));
}

/// Text without control characters other than line breaks: names in files and arguments may
/// contain escape sequences that would change the terminal.
pub fn plain(text: impl Display) -> String {
    let text = text.to_string();
    let is_fine = |c: char| c == '\n' || !(c.is_control() || is_invisible(c));
    if text.chars().all(is_fine) {
        return text;
    }
    let shown = |c: char| if is_fine(c) { c.to_string() } else { c.escape_unicode().to_string() };
    text.chars().map(shown).collect()
}

/// Characters that change the direction or the order in which other characters are shown.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn escape_sequences_and_changes_of_direction_are_shown_not_obeyed() {
        assert_eq!(plain("a\u{1b}[31mb\r\u{7}"), "a\\u{1b}[31mb\\u{d}\\u{7}");
        assert_eq!(plain("two\nlines, ä, \u{202e}"), "two\nlines, ä, \\u{202e}");
    }
}
