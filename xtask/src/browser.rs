//! The report pages in a browser: makes them with the command and runs the checks of
//! `xtask/browser` on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::wheel::AS_TESTED;
use crate::workspace::workspace;
use crate::{Outcome, cargo, node, root, run};

const CHECKS: &str = "xtask/browser";
const WHAT: &str = "the check of the report pages in a browser";
const DIGITS: &str = "crates/cli/data/digits.csv";
const PICTURES: &str = "docs/images";
/// Where Debian puts its browser.
const DEBIAN: &str = "/usr/bin/chromium";
/// Number of parts of the digits, each of which is a pool.
const PARTS: usize = 4;

/// Makes the pages and checks them. With `pictures`, also writes the pictures of the documentation.
pub fn check(pictures: bool) -> Outcome {
    if !node::prepared(CHECKS, WHAT)? {
        return Ok(());
    }
    let Some(chromium) = chromium()? else { return Ok(()) };
    run(cargo(&["build", "--bin", "enclust"]).args(AS_TESTED))?;
    let target = workspace()?.target;
    let command = target.join("debug").join(format!("enclust{}", std::env::consts::EXE_SUFFIX));
    let pages = target.join("browser");
    make_pages(&command, &pages)?;
    let mut program = node::program(CHECKS, "check.mjs");
    program.arg(chromium).arg(&pages);
    if pictures {
        let folder = root().join(PICTURES);
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        program.arg(folder);
    }
    run(&mut program)
}

/// The browser, which is installed if it is missing and this is Debian, run by root. `None`, with a
/// message, if it cannot be installed and this is not a check of everything.
fn chromium() -> Outcome<Option<PathBuf>> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let browser = named.unwrap_or_else(|| DEBIAN.into());
    if !browser.is_file() && is_root() {
        let quiet = |arguments: &[&str]| {
            let mut command = Command::new("apt-get");
            run(command.args(["-qq", "-o=Dpkg::Use-Pty=0"]).args(arguments))
        };
        quiet(&["update"]).and_then(|()| quiet(&["install", "--yes", "chromium"]))?;
    }
    if browser.is_file() {
        Ok(Some(browser))
    } else {
        node::missing("chromium (or the variable CHROMIUM)", WHAT).map(|_| None)
    }
}

fn is_root() -> bool {
    let user = Command::new("id").arg("-u").output();
    user.is_ok_and(|found| found.stdout.trim_ascii() == b"0")
}

/// One page of each kind, and pages on which parts are missing.
fn make_pages(command: &Path, folder: &Path) -> Outcome {
    let _ = fs::remove_dir_all(folder);
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    write_parts(folder).map_err(failed)?;
    fs::copy(root().join(CHECKS).join("study.toml"), folder.join("study.toml")).map_err(failed)?;
    let mut lines = vec!["demo --report run.html".to_string()];
    for part in 1..=PARTS {
        lines.push(format!(
            "generate features{part}.csv --size 40 --seed {part} --out pool{part}.csv"
        ));
    }
    let further = [
        "cluster pool1.csv --k 4,8,10 --method ec-cms --truth truth1.csv --out l.csv --report several.html",
        "cluster pool1.csv --k 8 --method ptgp --out l.csv --report bipartite.html",
        "stability pool1.csv --k 2..14 --report stability.html",
        "study study.toml --pools . --out results --report study.html",
    ];
    lines.extend(further.map(String::from));
    for line in lines {
        let words = line.split_whitespace().chain(["--quiet"]);
        let done = Command::new(command).args(words).current_dir(folder).output();
        let done = done.map_err(|e| format!("{}: {e}", command.display()))?;
        if !done.status.success() {
            return Err(format!("enclust {line}: {}", String::from_utf8_lossy(&done.stderr)));
        }
    }
    Ok(())
}

/// Every fourth image and its digit, for each part.
fn write_parts(folder: &Path) -> std::io::Result<()> {
    let digits = fs::read_to_string(root().join(DIGITS))?;
    let rows: Vec<(&str, &str)> = digits.lines().filter_map(|line| line.rsplit_once(',')).collect();
    let (head, rows) = rows.split_at(1);
    for part in 0..PARTS {
        let own = || head.iter().chain(rows.iter().skip(part).step_by(PARTS));
        let features: String = own().map(|(pixels, _)| format!("{pixels}\n")).collect();
        let truth: String = own().map(|(_, digit)| format!("{digit}\n")).collect();
        fs::write(folder.join(format!("features{}.csv", part + 1)), features)?;
        fs::write(folder.join(format!("truth{}.csv", part + 1)), truth)?;
    }
    Ok(())
}
