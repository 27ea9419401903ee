//! Programs that run on Node.js.

use std::process::Command;

use crate::{Outcome, root, run};

/// Installs what the program in this folder needs. Returns false, with a message that names what is
/// left out, if Node.js is missing; as part of a check of everything that is an error.
pub fn prepared(folder: &str, what: &str) -> Outcome<bool> {
    for tool in ["node", "npm"] {
        if Command::new(tool).arg("--version").output().is_err() {
            return missing(tool, what);
        }
    }
    let install = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
    run(Command::new("npm").args(install).current_dir(root().join(folder)))?;
    Ok(true)
}

/// Says that a check is left out because a tool is missing; an error where everything is checked.
pub fn missing(tool: &str, what: &str) -> Outcome<bool> {
    if std::env::var_os("CI").is_some() {
        return Err(format!("{tool} is missing; {what} cannot be run"));
    }
    println!("SKIPPED: {what}, because {tool} is missing");
    Ok(false)
}

/// Node.js with a program of a folder.
pub fn program(folder: &str, name: &str) -> Command {
    let mut node = Command::new("node");
    node.arg(root().join(folder).join(name));
    node
}
