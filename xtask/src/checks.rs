//! Checks of what the tests do not see: the crates and their features alone, the dependencies,
//! and the packages as a user gets them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::downstream;
use crate::workspace::{Member, workspace};
use crate::{Outcome, cargo, root, run};

/// A new version is installed when this changes.
const CARGO_DENY: &str = "0.20.2";

pub fn all() -> Outcome {
    let workspace = workspace()?;
    each_alone(&workspace.crates)?;
    dependencies()?;
    downstream::check(&workspace)
}

/// A build of the whole workspace enables every feature that any crate asks for, and so hides that
/// a crate does not ask for what it uses.
///
/// Clippy instead of `cargo check`, because its warnings can be made errors without a new build of
/// the dependencies.
fn each_alone(crates: &[Member]) -> Outcome {
    for member in crates {
        for features in selections(member) {
            let package = ["clippy", "--quiet", "--package", &member.name];
            run(cargo(&package).args(features).args(["--", "-D", "warnings"]))?;
        }
    }
    Ok(())
}

/// The options for the features as a user gets them, for none and for each one alone.
fn selections(member: &Member) -> Vec<Vec<&str>> {
    let mut all = vec![vec![]];
    if member.has_default {
        all.push(vec!["--no-default-features"]);
    }
    let alone = |name| vec!["--no-default-features", "--features", name];
    all.extend(member.features.iter().map(|name| alone(name.as_str())));
    all
}

/// Licences and sources of the dependencies, as `deny.toml` allows them.
fn dependencies() -> Outcome {
    // The check reads the dependencies of every platform, of which a build downloads only some.
    run(&mut cargo(&["fetch", "--locked"]))?;
    let options = ["--offline", "--workspace", "check", "--hide-inclusion-graph"];
    let mut command = Command::new(cargo_deny()?);
    run(command.args(options).args(["bans", "licenses", "sources"]).current_dir(root()))
}

/// The installed program, outside the folder `target` so that it outlives it.
fn cargo_deny() -> Outcome<PathBuf> {
    let folder = cache()?.join(format!("enclust-tools/cargo-deny-{CARGO_DENY}"));
    let program = folder.join("bin").join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        install(&format!("cargo-deny@{CARGO_DENY}"), &folder)?;
    }
    Ok(program)
}

fn install(tool: &str, folder: &Path) -> Outcome {
    let mut command = cargo(&["install", "--locked", "--root"]);
    // As released it would be optimised as a whole, which takes many times as long to build.
    let quickly = [("LTO", "off"), ("CODEGEN_UNITS", "16"), ("OPT_LEVEL", "1")];
    for (setting, value) in quickly {
        command.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
    }
    run(command.arg(folder).arg(tool))
}

/// The user's folder for files that can be made again.
fn cache() -> Outcome<PathBuf> {
    let set = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|it| it.is_absolute());
    let usual = || std::env::home_dir().map(|home| home.join(".cache"));
    set.or_else(usual).ok_or_else(|| "there is no home folder to install tools in".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_checked_alone() {
        let features = vec!["x".into(), "y".into()];
        let plain = Member { features, ..Member::default() };
        let shown = |member: &Member| selections(member).iter().map(|it| it.join(" ")).collect();
        let [none, x, y] = ["", " --features x", " --features y"]
            .map(|alone| format!("--no-default-features{alone}"));
        let found: Vec<String> = shown(&plain);
        assert_eq!(found, ["", &x, &y]);
        let found: Vec<String> = shown(&Member { has_default: true, ..plain });
        assert_eq!(found, ["", &none, &x, &y]);
    }
}
