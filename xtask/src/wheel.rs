//! The Python package: its tests, its wheel and its source distribution.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::pages::{self, Tools};
use crate::python::environment;
use crate::workspace::workspace;
use crate::{Outcome, cargo, root, run};

const PACKAGE: &str = "crates/python";
const LIBRARIES: &str = "crates/python/tests/requirements.txt";

/// What the package is compared with. The first does not ask for the second, which it needs.
const PEERS: [&str; 2] = ["consensusclustering==0.2.4", "matplotlib==3.11.2"];

/// What the tests have compiled: an example in the selection makes cargo take the features of the
/// dependencies of tests into account, and without them it would compile everything again.
pub const AS_TESTED: [&str; 4] = ["--workspace", "--all-features", "--example", "dump_pools"];

/// The compiled part and the command of one build.
struct Built {
    python: PathBuf,
    /// The folder that holds the package.
    packages: PathBuf,
    command: PathBuf,
}

/// Runs the Python tests, the examples and the type checker on what the tests have built.
pub fn test() -> Outcome {
    if !crate::python::found() {
        return Ok(());
    }
    let built = built("debug", &AS_TESTED)?;
    let checker = ["-m", "mypy", "--config-file", "pyproject.toml", "-p", "enclust"];
    run(built.in_package().args(checker).env("MYPYPATH", &built.packages))?;
    // The pools have a step of their own.
    let files = ["-m", "pytest", "-q", "tests"];
    let modules = built.packages.join("enclust");
    run(built.in_package().args(files).arg(modules).env_remove("ENCLUST_POOLS"))?;
    let mut examples: Vec<PathBuf> = files_in(&root().join(PACKAGE).join("examples"))?;
    examples.sort();
    examples.iter().try_for_each(|example| run(built.in_package().arg(example)))
}

/// Runs the blocks of code in the documentation with what the tests have built.
pub fn test_pages(only: &[&str]) -> Outcome {
    let programs = workspace()?.target.join("debug");
    let r = Command::new("Rscript").arg("--version").output().is_ok();
    if !crate::python::found() {
        run(cargo(&["build", "--bin", "enclust"]).args(AS_TESTED))?;
        return pages::check(&Tools { programs: &programs, python: None, r }, only);
    }
    let built = built("debug", &AS_TESTED)?;
    pages::check(&Tools { programs: &programs, python: Some(&|| built.in_package()), r }, only)
}

/// Compares the labels with those of the command on the published pools, as released.
pub fn test_on_pools(folder: &Path) -> Outcome {
    if !crate::python::found() {
        return Ok(());
    }
    let built = built("release", &["--release", "-p", "enclust-cli", "-p", "enclust-python"])?;
    let tests = ["-m", "pytest", "-q", "-m", "pools", "tests"];
    run(built.in_package().args(tests).env("ENCLUST_POOLS", folder))
}

/// Makes the source distribution, and from it alone, outside the repository, the wheel; then uses
/// the wheel in an environment that has only what a user has.
pub fn build() -> Outcome {
    if !crate::python::found() {
        return Ok(());
    }
    let python = environment(&["-r", LIBRARIES])?;
    let folder = workspace()?.target.join("wheel");
    let _ = fs::remove_dir_all(&folder);
    let sources = ["-m", "maturin", "sdist", "-m", "crates/python/Cargo.toml", "-o"];
    run(Command::new(&python).args(sources).arg(&folder).current_dir(root()))?;
    let archive = only_file(&folder, ".tar.gz")?;
    let user = folder.join("user");
    run(Command::new(&python).args(["-m", "venv"]).arg(&user))?;
    let own = crate::python::interpreter(&user);
    // An optimised build would take several times as long and test no more.
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(Command::new(&own)
        .args(install)
        .arg(&archive)
        .env("MATURIN_PEP517_ARGS", "--profile dev")
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .current_dir(&folder))?;
    let example = root().join(PACKAGE).join("examples/own_labels.py");
    run(Command::new(&own).arg(example).current_dir(&folder))
}

/// Compares the package with the command and with other packages.
pub fn peers(parts: &[&str]) -> Outcome {
    environment(&PEERS)?;
    program("benches/peers.py", parts)
}

/// Runs one of the programs that compare the package or run it on a cluster, as released.
pub fn program(path: &str, arguments: &[&str]) -> Outcome {
    let built = built("release", &["--release", "-p", "enclust-cli", "-p", "enclust-python"])?;
    run(built.in_package().arg(path).args(arguments))
}

impl Built {
    /// Python in the folder of the package, with the package and the command at hand.
    fn in_package(&self) -> Command {
        let mut python = Command::new(&self.python);
        python
            .current_dir(root().join(PACKAGE))
            .env("PYTHONPATH", &self.packages)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("ENCLUST_COMMAND", &self.command);
        python
    }
}

/// Builds the compiled part and puts the package together in the target folder.
fn built(profile: &str, selection: &[&str]) -> Outcome<Built> {
    let python = environment(&["-r", LIBRARIES])?;
    run(cargo(&["build"]).args(selection).args(["--lib", "--bin", "enclust"]))?;
    let target = workspace()?.target;
    let packages = target.join("python").join(profile);
    let package = packages.join("enclust");
    let _ = fs::remove_dir_all(&packages);
    let failed = |e: std::io::Error| format!("cannot put the Python package together: {e}");
    fs::create_dir_all(&package).map_err(failed)?;
    for file in files_in(&root().join(PACKAGE).join("python/enclust"))? {
        let name = file.file_name().unwrap_or_default();
        let compiled = file.extension().is_some_and(|end| end == "so" || end == "pyd");
        if !compiled {
            fs::copy(&file, package.join(name)).map_err(failed)?;
        }
    }
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = target.join(profile).join(format!("{prefix}_enclust{suffix}"));
    let extension = if cfg!(windows) { "_enclust.pyd" } else { "_enclust.abi3.so" };
    fs::copy(library, package.join(extension)).map_err(failed)?;
    let command = format!("enclust{}", std::env::consts::EXE_SUFFIX);
    Ok(Built { python, packages, command: target.join(profile).join(command) })
}

fn files_in(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let entries = fs::read_dir(folder).map_err(failed)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let paths = paths.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    Ok(paths.into_iter().filter(|path| path.is_file()).collect())
}

fn only_file(folder: &Path, end: &str) -> Outcome<PathBuf> {
    let ends = |path: &PathBuf| path.to_string_lossy().ends_with(end);
    let mut found: Vec<PathBuf> = files_in(folder)?.into_iter().filter(ends).collect();
    match (found.pop(), found.is_empty()) {
        (Some(file), true) => Ok(file),
        _ => Err(format!("{} does not hold one file {end}", folder.display())),
    }
}
