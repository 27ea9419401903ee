//! `Admm` beside the same iteration at n × n in NumPy.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Outcome, cargo, pools_folder, run, shown};

const DATASETS: [&str; 2] = ["FCT", "LS"];

/// Times both in turn on this machine and prints the ratio.
pub fn compare() -> Outcome {
    let Some(folder) = pools_folder()? else { return Ok(()) };
    let python = environment()?;
    let ours = ["bench", "-p", "enclust", "--bench", "admm_on_pools", "--"];
    let printed = output(cargo(&ours).args(DATASETS).env("ENCLUST_POOLS", &folder))?;
    println!(
        "{:<8} {:>6} {:>6} {:>10} {:>12} {:>12} {:>8}",
        "pool", "n", "n'", "iterations", "enclust, s", "NumPy, s", "ratio"
    );
    for line in printed.lines() {
        let [dataset, n, groups, iterations, enhance, _whole] = words(line)?;
        let script = root().join("benches/peers/admm_numpy.py");
        let pool = folder.join(format!("{dataset}.mat"));
        let printed = output(Command::new(&python).arg(script).arg(pool).arg(iterations))?;
        let [_, _inverse, _iteration, whole] = words(printed.trim())?;
        let ratio = number(whole)? / number(enhance)?;
        println!(
            "{dataset:<8} {n:>6} {groups:>6} {iterations:>10} {enhance:>12} {whole:>12} {ratio:>7.1}x"
        );
    }
    println!(
        "NumPy: the inverse and five iterations timed, scaled to the same number of iterations."
    );
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A Python with NumPy and SciPy, made on first use.
fn environment() -> Outcome<PathBuf> {
    let folder = root().join(".venv");
    let python = folder.join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "numpy", "scipy"]))?;
    Ok(python)
}

fn output(command: &mut Command) -> Outcome<String> {
    super::announce(command);
    let done = command.output().map_err(|e| format!("cannot start {}: {e}", shown(command)))?;
    if !done.status.success() {
        let why = String::from_utf8_lossy(&done.stderr);
        return Err(format!("{} failed: {why}", shown(command)));
    }
    String::from_utf8(done.stdout).map_err(|e| e.to_string())
}

fn words<const N: usize>(line: &str) -> Outcome<[&str; N]> {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.try_into().map_err(|_| format!("cannot read \"{line}\""))
}

fn number(word: &str) -> Outcome<f64> {
    word.parse().map_err(|_| format!("\"{word}\" is no number"))
}
