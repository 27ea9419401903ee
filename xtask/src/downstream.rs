//! A user's crate outside the workspace, built from the packages as they would be published.

use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace::{Member, Workspace};
use crate::{Outcome, cargo, package, report, root, run, run_tests};

/// The user's crate: a part of its own, its conformance suite and a run with the parts of enclust.
const SOURCE: &str = include_str!("../downstream/lib.rs");

/// The beginning of its manifest.
const MANIFEST: &str = include_str!("../downstream/manifest.toml");

/// It is enough that a file that the crate needs is not in its package: the build fails.
pub fn check(workspace: &Workspace) -> Outcome {
    package()?;
    let folder = folder();
    let published: Vec<_> = workspace.crates.iter().filter(|it| it.is_published).collect();
    fs::create_dir_all(folder.join("downstream/src")).map_err(|e| failure(&folder, e))?;
    for member in &published {
        unpack(member, &workspace.target.join("package"), &folder)?;
    }
    let downstream = folder.join("downstream");
    write(&downstream.join("Cargo.toml"), manifest(&published, &folder))?;
    write(&downstream.join("src/lib.rs"), SOURCE)?;
    // The versions that the tests have downloaded and, with the same profile, built.
    let lock = root().join("Cargo.lock");
    fs::copy(&lock, downstream.join("Cargo.lock")).map_err(|e| failure(&lock, e))?;
    let mut command = cargo(&["test", "--offline", "--lib", "--target-dir"]);
    report(run_tests(command.arg(&workspace.target).current_dir(downstream))?)
}

/// The same at each run, because cargo keeps what it builds by the path of its source; not shared
/// with other copies of the repository.
fn folder() -> PathBuf {
    let mut hasher = DefaultHasher::new();
    root().hash(&mut hasher);
    std::env::temp_dir().join(format!("enclust-downstream-{:016x}", hasher.finish()))
}

/// Unpacks a package unless it is the one that was unpacked before.
fn unpack(member: &Member, packages: &Path, folder: &Path) -> Outcome {
    let name = unpacked(member);
    let (package, known) =
        (packages.join(format!("{name}.crate")), folder.join(format!("{name}.crate")));
    let bytes = fs::read(&package).map_err(|e| failure(&package, e))?;
    if fs::read(&known).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    match fs::remove_dir_all(folder.join(&name)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failure(folder, e)),
        _ => {}
    }
    // All files in packages are dated 2006, and cargo does not see a change by such a date; `m`
    // dates them now.
    run(Command::new("tar").arg("-xzmf").arg(&package).current_dir(folder))?;
    // Last, so that an interrupted unpacking is repeated.
    write(&known, bytes)
}

fn unpacked(member: &Member) -> String {
    format!("{}-{}", member.name, member.version)
}

/// Depends on every package with all its features, so that all files of all packages are built and
/// the dependencies have the features with which the tests have built them.
fn manifest(published: &[&Member], folder: &Path) -> String {
    let mut text = String::from(MANIFEST);
    text.push_str("\n[dependencies]\n");
    for Member { name, version, features, .. } in published {
        let _ = writeln!(text, "{name} = {{ version = \"={version}\", features = {features:?} }}");
    }
    text.push_str("\n[patch.crates-io]\n");
    for member in published {
        let path = folder.join(unpacked(member));
        let _ = writeln!(text, "{} = {{ path = {:?} }}", member.name, path.to_string_lossy());
    }
    // Its two tests are small: what optimising the packages costs, they do not win back.
    for member in published {
        let _ = write!(text, "\n[profile.dev.package.{}]\nopt-level = 0\n", member.name);
    }
    text
}

fn write(path: &Path, content: impl AsRef<[u8]>) -> Outcome {
    fs::write(path, content).map_err(|e| failure(path, e))
}

fn failure(path: &Path, error: io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_used_with_all_their_features() {
        let (name, version) = ("a".into(), "1.2.3".into());
        let features = vec!["x".into(), "y".into()];
        let member = Member { name, version, features, ..Member::default() };
        let text = manifest(&[&member], Path::new("/tmp/f"));
        let end = "\n[dependencies]\na = { version = \"=1.2.3\", features = [\"x\", \"y\"] }\n\n\
                   [patch.crates-io]\na = { path = \"/tmp/f/a-1.2.3\" }\n\n\
                   [profile.dev.package.a]\nopt-level = 0\n";
        assert!(text.ends_with(end), "{text}");
    }
}
