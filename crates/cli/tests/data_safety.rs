//! No input is overwritten, no output is half written, and nothing is computed in vain.

mod common;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::Folder;

const CLUSTER: &str = "cluster pool.csv --k 3 --method eac";

/// The file names in a folder.
fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path("")).unwrap();
    let mut names: Vec<String> =
        entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let folder = Folder::with_pool();
    let before = fs::read(folder.path("pool.csv")).unwrap();
    fs::hard_link(folder.path("pool.csv"), folder.path("hard.csv")).unwrap();
    symlink("pool.csv", folder.path("soft.csv")).unwrap();
    for name in ["pool.csv", "./pool.csv", "hard.csv", "soft.csv"] {
        let line = format!("{CLUSTER} --out {name}");
        folder.run(&line).failed(2, &["--out", "the same file as the pool", "choose another name"]);
        assert_eq!(fs::read(folder.path("pool.csv")).unwrap(), before, "{name}");
    }
    let line = "stability pool.csv --k 2..4 --csv hard.csv";
    folder.run(line).failed(2, &["--csv hard.csv", "the same file as the pool"]);
}

#[test]
fn two_outputs_on_one_path_are_refused() {
    let folder = Folder::with_pool();
    let line = format!("{CLUSTER} --similarity x.npy --linkage ./x.npy");
    folder.run(&line).failed(2, &["--linkage ./x.npy", "the same file as --similarity"]);
    assert_eq!(names(&folder), ["pool.csv", "truth.csv"]);
}

#[test]
fn outputs_that_cannot_be_written_are_refused_before_the_pool_is_read() {
    let folder = Folder::new();
    fs::create_dir(folder.path("there.csv")).unwrap();
    fs::write(folder.path("protected.csv"), "mine").unwrap();
    fs::set_permissions(folder.path("protected.csv"), PermissionsExt::from_mode(0o444)).unwrap();
    for (options, words) in [
        ("--out nowhere/x.csv", &["--out nowhere/x.csv", "the folder nowhere does not exist"][..]),
        ("--out there.csv", &["this is a folder"]),
        ("--out protected.csv", &["write-protected"]),
        ("--out labels.docx", &["must end in .csv, .tsv"]),
        ("--similarity S.csv", &["--similarity S.csv", "must end in .npy"]),
        ("--linkage Z.txt", &["must end in .npy"]),
        ("--membership m.npy", &["must end in .csv"]),
        ("--record r.csv", &["must end in .json"]),
        ("--out -", &["standard output by default"]),
    ] {
        folder.run(&format!("cluster missing.csv --k 3 --method eac {options}")).failed(2, words);
    }
    assert_eq!(fs::read_to_string(folder.path("protected.csv")).unwrap(), "mine");
}

#[test]
fn a_replaced_file_is_said_and_keeps_its_mode_and_its_links() {
    let folder = Folder::with_pool();
    fs::write(folder.path("old.csv"), "old").unwrap();
    fs::set_permissions(folder.path("old.csv"), PermissionsExt::from_mode(0o600)).unwrap();
    symlink("old.csv", folder.path("link.csv")).unwrap();
    symlink("new.csv", folder.path("dangling.csv")).unwrap();
    let out = folder.run(&format!("{CLUSTER} --out link.csv")).succeeded().stdout;
    assert!(out.contains("replaced link.csv"), "{out}");
    let old = fs::metadata(folder.path("old.csv")).unwrap();
    assert_eq!(old.mode() & 0o777, 0o600);
    assert!(fs::read_to_string(folder.path("old.csv")).unwrap().contains("label"));
    assert!(fs::symlink_metadata(folder.path("link.csv")).unwrap().is_symlink());
    let out = folder.run(&format!("{CLUSTER} --out dangling.csv")).succeeded().stdout;
    assert!(!out.contains("replaced"), "{out}");
    assert!(fs::symlink_metadata(folder.path("dangling.csv")).unwrap().is_symlink());
    assert!(folder.path("new.csv").exists());
    let record = folder.run(&format!("{CLUSTER} --out new.csv --json")).succeeded().json();
    assert_eq!(record["replaced"], serde_json::json!(["new.csv"]));
}

#[test]
fn a_signal_during_writing_leaves_nothing_behind() {
    let folder = Folder::new();
    // Every sample is different, so the similarity has 3000 x 3000 numbers.
    let rows: String = (0..3000).map(|i| format!("{},{}\n", i, i / 2)).collect();
    fs::write(folder.path("pool.csv"), format!("c1,c2\n{rows}")).unwrap();
    for (signal, code) in [("TERM", 143), ("HUP", 129), ("INT", 130)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_enclust"))
            .args(["cluster", "pool.csv", "--k", "3", "--method", "eac", "--consensus", "single"])
            .args(["--header", "yes", "--id-column", "no", "--similarity", "S.npy"])
            .current_dir(folder.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        let part = || names(&folder).iter().any(|name| name.ends_with(".part"));
        while !part() && child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(300), "nothing is written");
        }
        let kill = format!("kill -{signal} {}", child.id());
        Command::new("sh").args(["-c", &kill]).status().unwrap();
        let ended = child.wait().unwrap().code();
        if ended == Some(0) {
            // The file was complete before the signal arrived.
            fs::remove_file(folder.path("S.npy")).unwrap();
        } else {
            assert_eq!(ended, Some(code), "{signal}");
        }
        assert_eq!(names(&folder), ["pool.csv"], "{signal}");
    }
}

#[test]
fn what_comes_from_files_and_arguments_is_escaped() {
    let folder = Folder::with_pool();
    let bell = "a\u{1b}[31m\u{7}.csv";
    fs::copy(folder.path("pool.csv"), folder.path(bell)).unwrap();
    let shown = |arguments: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_enclust"))
            .args(arguments)
            .current_dir(folder.path(""))
            .output()
            .unwrap();
        String::from_utf8([out.stdout, out.stderr].concat()).unwrap()
    };
    for arguments in [
        &["cluster", bell, "--k", "3", "--method", "eac", "--out", "labels.csv"][..],
        &["cluster", "no\u{1b}[31m.csv", "--k", "3"],
        &["cluster", "pool.csv", "--k", "\u{1b}[31m"],
        &["cluster", "pool.csv", "--k", "3", "--method", "\u{1b}[31m"],
        &["cluster", "pool.csv", "--k", "3", "--out", "\u{1b}[31m/x.csv"],
        &["cluster", "pool.csv", "--k", "3", "--set", "\u{1b}[31m=1"],
        &["stability", bell, "--k", "2..3", "--method", "eac"],
        &["study", "\u{1b}[31m.toml"],
        &["list", "\u{1b}[31m"],
    ] {
        let text = shown(arguments);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{arguments:?}: {text:?}");
        assert!(text.contains("\\u{1b}"), "{arguments:?}: {text:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn paths_that_are_not_unicode_work() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::with_pool();
    let name = OsStr::from_bytes(b"pool-\xff.csv");
    let path: PathBuf = folder.path("").join(name);
    fs::copy(folder.path("pool.csv"), &path).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_enclust"))
        .arg("cluster")
        .arg(name)
        .args(["--k", "3", "--method", "eac", "--json", "--out"])
        .arg(OsStr::from_bytes(b"labels-\xff.csv"))
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let record: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(record["inputs"][0]["path"], "pool-\u{fffd}.csv");
    assert!(folder.path("").join(OsStr::from_bytes(b"labels-\xff.csv")).exists());
}

#[test]
fn a_study_owns_its_folder_and_stays_in_it() {
    let folder = Folder::with_pool();
    let study = |name: &str, more: &str| {
        format!(
            "name = \"{name}\"\npools = [\"pool.csv\"]\nk = 3\nmetrics = [\"clusters\"]\n{more}[base]\nmethod = \"eac\"\n"
        )
    };
    fs::create_dir(folder.path("mine")).unwrap();
    fs::write(folder.path("mine/runs.csv"), "precious").unwrap();
    fs::write(folder.path("s.toml"), study("s", "")).unwrap();
    folder.run("study s.toml --out mine").failed(1, &["not empty and contains no study"]);
    assert_eq!(fs::read_to_string(folder.path("mine/runs.csv")).unwrap(), "precious");
    fs::create_dir(folder.path("other")).unwrap();
    fs::write(folder.path("other/journal"), "my diary").unwrap();
    folder.run("study s.toml --out other").failed(1, &["contains no study"]);
    assert_eq!(fs::read_to_string(folder.path("other/journal")).unwrap(), "my diary");
    for name in ["../../x", "/tmp/x", r"a\\b", "..", r"a\u001bb"] {
        fs::write(folder.path("s.toml"), study(name, "")).unwrap();
        folder.run("study s.toml").failed(1, &["name", "folder of the results"]);
    }
    fs::write(folder.path("s.toml"), study("s", "runs = 9000000000000000000\n")).unwrap();
    folder.run("study s.toml").failed(1, &["more than 10000000 runs"]);
}
