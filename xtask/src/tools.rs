//! Programs that are installed from the registry the first time they are needed.

use std::path::{Path, PathBuf};

use crate::{Outcome, cargo, run};

/// A new version is installed when this changes.
const CARGO_DENY: &str = "0.20.2";
const MDBOOK: &str = "0.5.4";

pub fn cargo_deny() -> Outcome<PathBuf> {
    installed("cargo-deny", CARGO_DENY, &[])
}

pub fn mdbook() -> Outcome<PathBuf> {
    installed("mdbook", MDBOOK, &["--no-default-features", "--features", "search"])
}

/// The installed program, outside the folder `target` so that it outlives it.
fn installed(name: &str, version: &str, features: &[&str]) -> Outcome<PathBuf> {
    let folder = cache()?.join(format!("enclust-tools/{name}-{version}"));
    let program = folder.join("bin").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        install(&format!("{name}@{version}"), features, &folder)?;
    }
    Ok(program)
}

fn install(tool: &str, features: &[&str], folder: &Path) -> Outcome {
    let mut command = cargo(&["install", "--locked", "--root"]);
    // As released it would be optimised as a whole, which takes many times as long to build.
    let quickly = [("LTO", "off"), ("CODEGEN_UNITS", "16"), ("OPT_LEVEL", "1")];
    for (setting, value) in quickly {
        command.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
    }
    run(command.arg(folder).args(features).arg(tool))
}

/// The user's folder for files that can be made again.
fn cache() -> Outcome<PathBuf> {
    let set = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|it| it.is_absolute());
    let usual = || std::env::home_dir().map(|home| home.join(".cache"));
    set.or_else(usual).ok_or_else(|| "there is no home folder to install tools in".into())
}
