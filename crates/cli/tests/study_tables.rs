//! The printed tables of a study.

mod common;

use common::Folder;

#[test]
fn latex_has_comments_between_tables() {
    let folder = Folder::with_pool();
    folder.write(
        "study.toml",
        "pools = [{ file = \"pool.csv\", truth = \"truth.csv\" }]\nruns = 3\nk = 3\ndraws = { size = 6 }\n\
         [base]\nname = \"50% & #1\"\nmethod = \"lwea\"\n\
         [[variant]]\nname = \"same_again\"\nca = \"eac\"\nagainst = \"50% & #1\"\n",
    );
    let printed = folder.run("study study.toml --out r --format latex --quiet").succeeded().stdout;
    let mut inside = false;
    let mut comments = 0;
    for line in printed.lines() {
        inside |= line.starts_with("\\begin{tabular}");
        assert!(inside || line.is_empty() || line.starts_with("% "), "{line}\n{printed}");
        comments += usize::from(line.starts_with("% "));
        inside &= !line.starts_with("\\end{tabular}");
    }
    assert!(comments > 3 && printed.contains("% same_again does not help"), "{printed}");
}
