//! `enclust man`: the manual pages.

use std::io::Write;
use std::path::PathBuf;

use clap::CommandFactory;
use clap_mangen::Man;
use enclust_io::write_atomically;

use super::Arguments;
use crate::console::Console;
use crate::failure::Failure;

/// Print a manual page, or write all of them into a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    enclust man | man -l -\n  \
    enclust man cluster | man -l -\n  \
    enclust man --dir ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Command to describe [default: enclust itself]
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    command: Option<String>,

    /// Write a page for every command into this folder
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// Prints or writes the pages.
pub fn run(args: &ManArgs, console: &Console, out: &mut dyn Write) -> Result<(), Failure> {
    let pages = pages()?;
    if let Some(folder) = &args.dir {
        for (name, page) in &pages {
            let path = folder.join(format!("{name}.1"));
            write_atomically(&path, |file| file.write_all(page))?;
        }
        console.note(format!("{} pages written to {}", pages.len(), folder.display()));
        return Ok(());
    }
    let wanted = args.command.as_ref().map_or("enclust".into(), |name| format!("enclust-{name}"));
    match pages.iter().find(|(name, _)| *name == wanted) {
        Some((_, page)) => Ok(out.write_all(page)?),
        None => Err(Failure::Unknown {
            what: "command",
            name: args.command.clone().unwrap_or_default(),
            known: pages
                .iter()
                .filter_map(|(name, _)| name.strip_prefix("enclust-"))
                .map(String::from)
                .collect(),
        }),
    }
}

/// All pages with their names; that of enclust itself comes first.
fn pages() -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut command = Arguments::command();
    command.build();
    let mut pages = vec![page("enclust".into(), command.clone())?];
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        pages.push(page(format!("enclust-{}", sub.get_name()), sub.clone())?);
    }
    Ok(pages)
}

fn page(name: String, command: clap::Command) -> Result<(String, Vec<u8>), Failure> {
    let mut text = Vec::new();
    Man::new(command.name(name.clone())).render(&mut text)?;
    Ok((name, text))
}
