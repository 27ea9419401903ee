//! The blocks of code in the documentation: shell blocks are run and their output is compared with the
//! text below them, Python blocks are run, and pages with Rust blocks are documentation tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Outcome, links, root};

/// The programs that the blocks may use.
pub struct Tools<'a> {
    /// The folder with the command `enclust`.
    pub programs: &'a Path,
    /// Starts Python with the package at hand; without it, Python blocks are not run.
    pub python: Option<&'a dyn Fn() -> Command>,
    /// Whether there is R.
    pub r: bool,
}

/// A block between two lines of three backticks.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    /// Line of the page on which its text begins, counted from 1.
    line: usize,
    /// The words after the opening backticks, for example `sh` and `norun`.
    words: Vec<String>,
    text: String,
    /// Whether only blank lines separate it from the block before.
    follows: bool,
}

impl Block {
    fn is(&self, language: &str) -> bool {
        self.words.first().is_some_and(|word| word == language)
    }

    fn runs(&self, language: &str) -> bool {
        self.is(language) && !self.words.iter().any(|word| word == "norun")
    }
}

/// Runs the blocks of these pages, by default of all.
pub fn check(tools: &Tools<'_>, only: &[&str]) -> Outcome {
    let mut pages = pages()?;
    links::check(&pages)?;
    pages.retain(|page| only.is_empty() || only.iter().any(|name| page.ends_with(name)));
    let documented = fs::read_to_string(root().join("src/lib.rs")).map_err(|e| e.to_string())?;
    let (mut shell, mut python, mut r) = (0, 0, 0);
    for page in &pages {
        let text = read(page)?;
        let blocks = blocks(&text);
        if blocks.iter().any(|block| block.is("rust")) {
            let name = page.display().to_string();
            if !documented.contains(&format!("include_str!(\"../{name}\")")) {
                return Err(format!("{name} has Rust blocks, but src/lib.rs does not include it"));
            }
        }
        shell += run_shell(page, &blocks, tools)?;
        if let Some(start) = tools.python {
            python += run_program(page, &blocks, ("python", start()), tools)?;
        }
        if tools.r {
            r += run_program(page, &blocks, ("r", Command::new("Rscript")), tools)?;
        }
    }
    let all_kinds = shell > 0 && (python > 0 || tools.python.is_none());
    if pages.is_empty() || (only.is_empty() && !all_kinds) {
        return Err("no block of the documentation was run".into());
    }
    let skipped = if tools.r { "" } else { " (R is not present)" };
    let count = pages.len();
    println!(
        "{count} pages: blocks run: {shell} in the shell, {python} in Python, {r} in R{skipped}"
    );
    Ok(())
}

/// The pages, relative to the root of the repository.
fn pages() -> Outcome<Vec<PathBuf>> {
    let mut found = vec![PathBuf::from("README.md"), PathBuf::from("crates/python/README.md")];
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
        for entry in fs::read_dir(root().join(&folder)).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = folder.join(entry.file_name());
            if root().join(&path).is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn read(page: &Path) -> Outcome<String> {
    fs::read_to_string(root().join(page)).map_err(|e| format!("{}: {e}", page.display()))
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    let mut follows = false;
    for (at, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(words)) => {
                let words = words.split([',', ' ']).filter(|word| !word.is_empty());
                let words = words.map(String::from).collect();
                open = Some(Block { line: at + 2, words, text: String::new(), follows });
            }
            (Some(_), Some("")) => {
                found.extend(open.take());
                follows = true;
            }
            (Some(block), _) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => follows &= line.trim().is_empty(),
        }
    }
    found
}

/// Runs the shell blocks of a page one after the other in a folder of their own.
fn run_shell(page: &Path, blocks: &[Block], tools: &Tools<'_>) -> Outcome<usize> {
    let folder = scratch(page, tools, "shell")?;
    let mut count = 0;
    for (at, block) in blocks.iter().enumerate().filter(|(_, block)| block.runs("sh")) {
        let place = format!("{}:{}", page.display(), block.line);
        let found = printed(block, &folder, tools).map_err(|what| format!("{place}: {what}"))?;
        let expected = blocks.get(at + 1).filter(|next| next.follows && next.is("text"));
        if let Some(expected) = expected
            && let Err(difference) = compare(&expected.text, &found)
        {
            return Err(format!("{place}: {difference}\n--- printed\n{found}"));
        }
        count += 1;
    }
    Ok(count)
}

/// An empty folder in which the folder `crates` of the repository can be read.
fn scratch(page: &Path, tools: &Tools<'_>, kind: &str) -> Outcome<PathBuf> {
    let name = page.to_string_lossy().replace(['/', '\\', '.'], "-");
    let folder = tools.programs.join("pages").join(kind).join(name);
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(failed)?;
    #[cfg(unix)]
    std::os::unix::fs::symlink(root().join("crates"), folder.join("crates")).map_err(failed)?;
    Ok(folder)
}

/// What a shell block prints, or why it failed.
fn printed(block: &Block, folder: &Path, tools: &Tools<'_>) -> Outcome<String> {
    let path = search_path(tools)?;
    let script = format!("exec 2>&1\nset -e\n{}", block.text);
    let mut bash = Command::new("bash");
    bash.args(["-c", &script]).current_dir(folder).env("PATH", path).env("NO_COLOR", "1");
    let done = bash.stdin(Stdio::null()).output().map_err(|e| format!("bash: {e}"))?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    match done.status.success() {
        true => Ok(text),
        false => Err(format!("the block failed ({})\n--- printed\n{text}", done.status)),
    }
}

/// Compares what was printed with what the page shows.
///
/// A line `…` stands for any lines, and `…` in a line for any text. Times differ between machines: a
/// number before `s` or `ms` stands for any number. The amount of white space does not matter.
fn compare(expected: &str, found: &str) -> Outcome {
    let found: Vec<String> = found.lines().map(normal).filter(|line| !line.is_empty()).collect();
    let (mut at, mut any) = (0, false);
    for line in expected.lines().map(normal).filter(|line| !line.is_empty()) {
        if line == "…" {
            any = true;
            continue;
        }
        let rest = &found[at..];
        let place = rest.iter().take(if any { rest.len() } else { 1 }).position(|f| fits(&line, f));
        let Some(place) = place else {
            let next = rest.first().map_or("the end", String::as_str);
            return Err(format!("the page shows\n  {line}\nbut the command printed\n  {next}"));
        };
        (at, any) = (at + place + 1, false);
    }
    match found.get(at) {
        Some(line) if !any => Err(format!("the page does not show\n  {line}")),
        _ => Ok(()),
    }
}

/// A line with single spaces and without times.
fn normal(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_unit = |word: Option<&&str>| {
        word.is_some_and(|word| ["s", "ms"].contains(&word.trim_end_matches([',', ';', ')', '.'])))
    };
    let word = |at: usize| {
        let number = words[at].parse::<f64>().is_ok();
        if number && is_unit(words.get(at + 1)) { "0" } else { words[at] }
    };
    let unit = |at: usize| {
        let timed = at > 0 && words[at - 1].parse::<f64>().is_ok();
        if timed && is_unit(words.get(at)) {
            words[at].replacen("ms", "s", 1)
        } else {
            word(at).into()
        }
    };
    (0..words.len()).map(unit).collect::<Vec<String>>().join(" ")
}

/// Whether a line equals a pattern in which `…` stands for any text.
fn fits(pattern: &str, line: &str) -> bool {
    let parts: Vec<&str> = pattern.split('…').collect();
    let [first, middle @ .., last] = parts.as_slice() else { return pattern == line };
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Runs the blocks of a page in one language as one program, in a folder of their own.
fn run_program(
    page: &Path,
    blocks: &[Block],
    (language, mut interpreter): (&str, Command),
    tools: &Tools<'_>,
) -> Outcome<usize> {
    let blocks: Vec<&Block> = blocks.iter().filter(|block| block.runs(language)).collect();
    if blocks.is_empty() {
        return Ok(0);
    }
    let folder = scratch(page, tools, language)?;
    let mut program = String::new();
    for block in &blocks {
        // Messages name the lines of the page.
        let gap = (block.line - 1).saturating_sub(program.lines().count());
        program.push_str(&"\n".repeat(gap));
        program.push_str(&block.text);
    }
    let path = search_path(tools)?;
    fs::write(folder.join("page"), program).map_err(|e| e.to_string())?;
    let started = interpreter.arg("page").current_dir(&folder).env("PATH", path).output();
    let done = started.map_err(|e| e.to_string())?;
    if !done.status.success() {
        let message = String::from_utf8_lossy(&done.stderr);
        return Err(format!("{}: a block in {language} failed\n{message}", page.display()));
    }
    Ok(blocks.len())
}

/// Where programs are found: ours first.
fn search_path(tools: &Tools<'_>) -> Outcome<std::ffi::OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(tools.programs.to_path_buf()).chain(std::env::split_paths(&path));
    std::env::join_paths(folders).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_languages_and_places() {
        let page = "a\n```sh\nls\n```\n\n```text\nx\n```\nwords\n```text norun\ny\n```\n";
        let found = blocks(page);
        let lines: Vec<(usize, &str, bool)> =
            found.iter().map(|b| (b.line, b.text.as_str(), b.follows)).collect();
        assert_eq!(lines, [(3, "ls\n", false), (7, "x\n", true), (11, "y\n", false)]);
        assert!(found[0].runs("sh") && found[1].runs("text") && !found[2].runs("text"));
    }

    #[test]
    fn only_times_and_wildcards_may_differ() {
        let shown = "a 12.3 ms, b\n…\nlast  1.0 of … here\n";
        assert_eq!(compare(shown, "a 0.4 s, b\nmore\n\nlast 1.0 of all here\n"), Ok(()));
        assert!(compare(shown, "a 0.4 s, c\nlast 1.0 of all here\n").is_err());
        assert!(compare(shown, "a 0.4 s, b\nlast 1.1 of all here\n").is_err());
        assert!(compare(shown, "a 0.4 s, b\nlast 1.0 of all here\nand more\n").is_err());
        assert!(compare("a\nb\n", "a\n").is_err());
        assert!(compare("a\n…\n", "a\n").is_ok() && compare("a\n", "b\na\n").is_err());
    }
}
