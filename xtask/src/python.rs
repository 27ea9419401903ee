//! Comparison of the readers with pandas, NumPy and SciPy.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::workspace::workspace;
use crate::{Outcome, cargo, root, run};

/// How many damaged files `cargo xtask test` reads.
pub const FEW: &str = "500";
/// How many damaged files `cargo xtask python` reads by default.
pub const MANY: &str = "5000";

/// Reads files of pandas, NumPy and SciPy, and this number of damaged ones. Without Python, this
/// is skipped with a message.
pub fn readers(damaged: &str) -> Outcome {
    if !has_python() {
        println!("SKIPPED: comparison of the readers with pandas, because there is no python3");
        return Ok(());
    }
    let python = environment(&["-r", "xtask/python/requirements.txt"])?;
    let example = "dump_pools";
    run(&mut cargo(&["build", "-p", "enclust-io", "--all-features", "--example", example]))?;
    let program = format!("debug/examples/{example}{}", std::env::consts::EXE_SUFFIX);
    let program = workspace()?.target.join(program);
    let mut compare = Command::new(python);
    compare.arg("xtask/python/readers.py").arg(program).args(["--damaged", damaged]);
    run(compare.current_dir(root()))
}

fn has_python() -> bool {
    let mut version = Command::new("python3");
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
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

fn interpreter(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}
