//! Stores the compiler version and the target for the records of runs.

use std::process::Command;

fn main() {
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=ENCLUST_TARGET={target}");
    println!("cargo::rustc-env=ENCLUST_RUSTC={}", rustc_version().unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
}

/// "rustc 1.89.0 (…)".
fn rustc_version() -> Option<String> {
    let output = Command::new(std::env::var_os("RUSTC")?).arg("--version").output().ok()?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string())
}
