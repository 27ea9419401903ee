//! The documentation as a web site.

use std::process::Command;

use crate::workspace::workspace;
use crate::{Outcome, root, run, tools};

/// Builds the pages in `docs` with mdBook.
pub fn build() -> Outcome {
    let folder = workspace()?.target.join("book");
    let mut mdbook = Command::new(tools::mdbook()?);
    run(mdbook.args(["build", "--dest-dir"]).arg(&folder).arg(root().join("docs")))?;
    println!("the book is in {}", folder.join("index.html").display());
    Ok(())
}
