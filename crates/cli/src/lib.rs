//! The `enclust` command as a function, so that you can add your own parts.
//!
//! A crate with components exports `register`, like the crates of enclust. The following
//! program is a command that also contains these components:
//!
//! ```no_run
//! use enclust::core::Registry;
//! use enclust::registry::Precision;
//! use enclust_cli::Parts;
//!
//! struct Mine;
//!
//! impl Parts for Mine {
//!     fn register<S: Precision>(&self, _registry: &mut Registry<S>) {
//!         // my_crate::register(_registry);
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     enclust_cli::main_with(&Mine)
//! }
//! ```
//!
//! A part that exists in one precision only is registered inside
//! `if let Some(double) = registry.of_precision::<f64>() { … }`.
//!
//! `enclust list` then shows them, `--ca`, `--enhance`, `--consensus` and the other options
//! select them by name, and `--set` sets their parameters.

mod amounts;
mod clusters;
mod commands;
mod console;
mod csv_table;
mod digits;
mod failure;
mod files;
mod forecast;
mod inputs;
mod interrupt;
mod machine;
mod numbers;
mod parts;
mod progress;
mod recipe;
mod record;
mod references;
mod selection;
mod study_tables;
mod text_table;
mod warnings;

use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

pub use parts::{Parts, Standard};

use clap::error::{ContextKind, ContextValue};
use commands::Arguments;
use console::Console;
use failure::Failure;

/// The whole program: reads the command line of the process, runs it and returns the exit code:
/// 0 for success, 1 for failure, 2 for an invalid command line, 3 if `--k auto` finds no clusters;
/// 128 plus its number after a signal (130 after Ctrl-C).
pub fn main_with(parts: &impl Parts) -> ExitCode {
    failure::keep_panics();
    interrupt::listen();
    let mut out = anstream::stdout().lock();
    let run = catch_unwind(AssertUnwindSafe(|| run_with(std::env::args_os(), parts, &mut out)));
    let code = run.unwrap_or_else(|_| {
        failure::report_defect();
        failure::FAILED
    });
    ExitCode::from(code)
}

/// Runs one command line, which starts with the name of the program, and returns the exit code.
/// Results are written to `out`, everything else to standard error.
pub fn run_with<A: Into<OsString> + Clone>(
    arguments: impl IntoIterator<Item = A>,
    parts: &impl Parts,
    out: &mut dyn Write,
) -> u8 {
    let words: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let arguments = match Arguments::read(&words) {
        Ok(arguments) => arguments,
        Err(error) => return answer_parser(&legible(error, &words), out),
    };
    let console = Console::new(arguments.verbosity, words);
    if let Err(failure) = machine::start_threads() {
        console::complain(&failure);
        return failure.exit_code();
    }
    match commands::run(arguments, parts, &console, out).and_then(|()| Ok(out.flush()?)) {
        Ok(()) => 0,
        // The reader of a pipe has closed it; this is not an error.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(failure) => {
            console::complain(&failure);
            failure.exit_code()
        }
    }
}

/// The error of the parser without control characters. Its message repeats arguments and also
/// contains styles, so the arguments are escaped before they are parsed again.
fn legible(error: clap::Error, words: &[OsString]) -> clap::Error {
    let escaped = words.iter().map(|word| console::plain(word.to_string_lossy()).into());
    let escaped: Vec<OsString> = escaped.collect();
    if escaped == words { error } else { Arguments::read(&escaped).err().unwrap_or(error) }
}

/// The file that was given where a command is expected.
fn file_as_command(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if Path::new(word).is_file() => Some(word),
        _ => None,
    }
}

/// Help and version are results; all other messages of the parser are usage errors.
fn answer_parser(error: &clap::Error, out: &mut dyn Write) -> u8 {
    let text = error.render();
    if error.use_stderr() {
        anstream::eprint!("{}", text.ansi());
        if let Some(file) = file_as_command(error) {
            anstream::eprintln!("To cluster a pool, write: enclust cluster {file} --k 8");
        }
        return failure::USAGE;
    }
    match write!(out, "{}", text.ansi()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => failure::FAILED,
        _ => 0,
    }
}
