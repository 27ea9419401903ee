//! Comparisons with Python libraries, and hostile runs that are driven from Python.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::workspace::workspace;
use crate::{Outcome, cargo, root, run};

/// How many damaged files `cargo xtask test` reads.
pub const FEW: &str = "500";
/// How many damaged files `cargo xtask python` reads by default.
pub const MANY: &str = "5000";

/// Compares with pandas, NumPy, SciPy and scikit-posthocs: the readers on their files and on this
/// number of damaged ones, the cuts of trees, and statistical tests. Without Python, or if the
/// libraries cannot be installed, this is skipped with a message; under CI it is an error.
pub fn compare(damaged: &str) -> Outcome {
    let python = match libraries() {
        Ok(python) => python,
        Err(problem) if std::env::var_os("CI").is_some() => return Err(problem),
        Err(problem) => {
            println!("SKIPPED: comparisons with pandas and SciPy, because {problem}");
            return Ok(());
        }
    };
    // The whole workspace, as in the tests: with the features of one crate alone, cargo would
    // compile the dependencies again.
    let programs = ["--example", "dump_pools", "--example", "tests_of_tables", "--bin", "enclust"];
    run(cargo(&["build", "--workspace", "--all-features"]).args(programs))?;
    let target = workspace()?.target.join("debug");
    let program = |name: &str| target.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let readers = program("examples/dump_pools");
    let tests = program("examples/tests_of_tables");
    let command = program("enclust");
    script(&python, "readers.py", &readers, &["--damaged", damaged])?;
    script(&python, "tests_of_tables.py", &tests, &[])?;
    script(&python, "trees.py", &command, &[])
}

/// Runs the command under signals, limits and files that are too large.
pub fn hostile(arguments: &[&str]) -> Outcome {
    let python = libraries()?;
    run(&mut cargo(&["build", "--release", "-p", "enclust-cli"]))?;
    let program = format!("release/enclust{}", std::env::consts::EXE_SUFFIX);
    script(&python, "hostile.py", &workspace()?.target.join(program), arguments)
}

/// Runs a script on one of our programs.
fn script(python: &Path, name: &str, program: &Path, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(python);
    command.arg(Path::new("xtask/python").join(name)).arg(program).args(arguments);
    run(command.current_dir(root()))
}

/// Python with the libraries that the scripts use.
fn libraries() -> Outcome<PathBuf> {
    if !has_python() {
        return Err("there is no python3".into());
    }
    environment(&["-r", "xtask/python/requirements.txt"])
}

fn has_python() -> bool {
    let mut version = Command::new("python3");
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// Whether there is a Python that the package supports. If not, a message says that its tests are
/// left out; under CI they run into the error.
pub fn found() -> bool {
    let mut version = Command::new("python3");
    version.args(["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]).stderr(Stdio::null());
    let found = version.status().is_ok_and(|status| status.success());
    if !found && std::env::var_os("CI").is_none() {
        println!("SKIPPED: tests of the Python package, because there is no Python 3.10 or later");
        return false;
    }
    true
}

/// Python in an environment that is created in `.venv`, with what pip installs for these
/// arguments. Packages that are there already are not downloaded again.
pub fn environment(packages: &[&str]) -> Outcome<PathBuf> {
    let folder = root().join(".venv");
    let python = interpreter(&folder);
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
    run(pip.current_dir(root()))?;
    Ok(python)
}

/// The Python of an environment.
pub fn interpreter(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}
