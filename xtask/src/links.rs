//! The links between the pages of the documentation.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Outcome, root};

/// Returns an error for the first link to a file or a heading that does not exist, and for a page
/// that the table of contents does not have.
pub fn check(pages: &[PathBuf]) -> Outcome {
    let mut count = 0;
    for page in pages {
        let text = read(page)?;
        for link in links(&text) {
            follow(page, &link).map_err(|what| format!("{}: {what}", page.display()))?;
            count += 1;
        }
    }
    if count == 0 {
        return Err("the documentation has no links".into());
    }
    let contents = Path::new("docs/SUMMARY.md");
    let listed: BTreeSet<PathBuf> =
        links(&read(contents)?).iter().map(|link| Path::new("docs").join(link)).collect();
    let of_book = pages.iter().filter(|page| page.starts_with("docs") && *page != contents);
    match of_book.into_iter().find(|page| !listed.contains(*page)) {
        Some(page) => Err(format!("{} is not in {}", page.display(), contents.display())),
        None => Ok(()),
    }
}

fn read(page: &Path) -> Outcome<String> {
    fs::read_to_string(root().join(page)).map_err(|e| format!("{}: {e}", page.display()))
}

/// The targets of all links and images, but for those in code.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_code = false;
    // A link may continue on the next line.
    let mut prose = String::new();
    for line in text.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            prose.push_str(line);
            prose.push(' ');
        }
    }
    let mut rest = prose.as_str();
    while let Some(at) = rest.find("](") {
        rest = &rest[at + 2..];
        if let Some(end) = rest.find(')') {
            found.push(rest[..end].trim().to_string());
        }
    }
    found
}

fn follow(page: &Path, link: &str) -> Outcome {
    if link.starts_with("http://") || link.starts_with("https://") {
        return Ok(());
    }
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let folder = page.parent().unwrap_or(Path::new(""));
    let target = if file.is_empty() { page.to_path_buf() } else { folder.join(file) };
    if !root().join(&target).exists() {
        return Err(format!("the link to {link} leads nowhere"));
    }
    let is_page = target.extension().is_some_and(|end| end == "md");
    if heading.is_empty() || (is_page && headings(&read(&target)?).any(|it| it == heading)) {
        return Ok(());
    }
    Err(format!("{} has no heading for the link to {link}", target.display()))
}

/// The headings as they are written in links.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let titles = text.lines().filter(|line| line.starts_with('#'));
    titles.map(|line| anchor(line.trim_start_matches('#').trim()))
}

fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_code_do_not_count() {
        let page = "See [a](a.md) and ![b\n c](b.png).\n```sh\necho [x](y)\n```\n[d](#e)\n";
        assert_eq!(links(page), ["a.md", "b.png", "#e"]);
    }

    #[test]
    fn anchors_are_those_of_markdown() {
        assert_eq!(anchor("Labels on many machines"), "labels-on-many-machines");
        assert_eq!(anchor("1. `--k auto`, and λ"), "1---k-auto-and-λ");
    }

    #[test]
    fn dead_links_are_found() {
        let page = Path::new("docs/command.md");
        assert!(follow(page, "studies.md#every-key").is_ok());
        assert!(follow(page, "#files").is_ok());
        assert!(follow(page, "no-such-page.md").is_err());
        assert!(follow(page, "studies.md#no-such-heading").is_err());
    }
}
