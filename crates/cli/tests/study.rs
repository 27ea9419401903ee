//! `enclust study` and `enclust merge`, with the program killed while it runs.

#[path = "../../experiment/tests/common/mod.rs"]
mod common;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const STUDY: &str = r#"
pools = ["one", "two"]
runs = 10
draws = { size = 8, seed = 1 }

[base]
method = "ec-cms-admm"
grid = { enhance.lambda = [0.1, 0.4, 1] }

[[variant]]
method = "ec-cms"

[[variant]]
method = "lwea"
"#;

fn bench(samples: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    common::write_pool(&folder.path().join("one.mat"), samples, 12, 1);
    common::write_pool(&folder.path().join("two.mat"), samples / 2, 10, 2);
    std::fs::write(folder.path().join("study.toml"), STUDY).unwrap();
    folder
}

fn enclust(bench: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_enclust"));
    command.current_dir(bench).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(bench: &Path, arguments: &[&str]) -> Output {
    let output = enclust(bench, arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn tables(folder: &Path) -> [Vec<u8>; 2] {
    ["runs.csv", "summary.csv"].map(|name| std::fs::read(folder.join(name)).unwrap())
}

/// Number of complete lines of the journal.
fn lines(folder: &Path) -> usize {
    std::fs::read(folder.join("journal")).map_or(0, |j| j.iter().filter(|&&b| b == b'\n').count())
}

#[test]
fn killed_at_random_moments_and_resumed_it_is_the_same() {
    let bench = bench(240);
    let path = bench.path();
    run(path, &["study", "study.toml", "--out", "never-killed", "--threads", "1"]);
    let cells = 2 * 10 * 5;
    let mut seed = std::process::id();
    let mut kills = 0;
    // The study is killed repeatedly until it finishes; it makes some progress between kills.
    loop {
        let arguments = ["study", "study.toml", "--out", "killed", "--threads", "2"];
        let mut child = enclust(path, &arguments).spawn().unwrap();
        let before = lines(&path.join("killed"));
        // Waits until some more cells are finished, and a little longer.
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let more = 1 + (seed >> 16) as usize % 12;
        let moment = Duration::from_micros(u64::from(seed >> 16) % 3000);
        while child.try_wait().unwrap().is_none() && lines(&path.join("killed")) < before + more {
            std::thread::sleep(Duration::from_micros(300));
        }
        std::thread::sleep(moment);
        if child.try_wait().unwrap().is_some_and(|status| status.success()) {
            break;
        }
        // SIGKILL on Unix: the program cannot clean up.
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        assert!(kills <= cells, "there is progress between kills");
    }
    assert!(kills >= 3, "only {kills} kills hit a study under way");
    assert_eq!(lines(&path.join("killed")), cells + 1, "no cell was run twice");
    assert_eq!(tables(&path.join("killed")), tables(&path.join("never-killed")));
}

#[test]
fn shards_and_threads_change_no_byte() {
    let bench = bench(60);
    let path = bench.path();
    let whole = run(path, &["study", "study.toml", "--threads", "2"]);
    let text = String::from_utf8(whole.stdout.clone()).unwrap();
    let head: Vec<&str> = text.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(head, ["ari", "one", "two", "average", "rank"], "{text}");
    assert!(text.contains("ec-cms-admm enhance.lambda=0.4  ") && text.contains(" ± "), "{text}");
    assert!(!text.contains('\u{1b}'), "no colours outside a terminal");
    for shard in ["1/2", "2/2"] {
        let out = format!("shard-{}", &shard[..1]);
        run(path, &["study", "study.toml", "--shard", shard, "--out", &out, "--threads", "1"]);
    }
    let merged = run(path, &["merge", "merged", "shard-1", "shard-2"]);
    assert_eq!(merged.stdout, whole.stdout);
    assert_eq!(tables(&path.join("merged")), tables(&path.join("study-results")));
}

#[test]
fn mistakes_are_one_line_and_an_exit_code() {
    let bench = bench(60);
    let path = bench.path();
    std::fs::write(path.join("typo.toml"), STUDY.replace("runs", "rnus")).unwrap();
    let cases: [(&[&str], i32, &str); 7] = [
        (&["study", "none.toml"], 1, "none.toml: "),
        (&["study", "typo.toml"], 1, "typo.toml:3:1: unknown field `rnus`"),
        (&["study", "study.toml", "--shard", "3/2"], 2, "\"3/2\" is not a shard"),
        (&["merge", "out", "nowhere"], 1, "there is no study in this folder"),
        (&["reproduce", "ari", "--methods", "magic"], 2, "the table ari has no method \"magic\""),
        (&["reproduce", "nmi"], 2, "invalid value 'nmi'"),
        (&["reproduce", "ari", "--chart", "a.svg"], 2, "--chart draws the table time; ari has"),
    ];
    for (arguments, code, expected) in cases {
        let output = enclust(path, arguments).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn a_table_of_the_paper_is_compared_with_what_was_published() {
    let bench = bench(60);
    let path = bench.path();
    std::fs::rename(path.join("one.mat"), path.join("Ecoli.mat")).unwrap();
    let arguments = ["reproduce", "ari", "--pools", ".", "--datasets", "Ecoli", "--runs", "2"];
    let methods = ["--methods", "lwea,base-best", "--csv", "out.csv"];
    // A draw takes 20 clusterings, but the pool has only 12.
    let output = enclust(path, &[&arguments[..], &methods].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    common::write_pool(&path.join("Ecoli.mat"), 60, 25, 1);
    let text = String::from_utf8(run(path, &[&arguments[..], &methods].concat()).stdout).unwrap();
    assert!(text.contains("0.430 ± 0.030"), "{text}");
    // A different pool with this name: the cell deviates without a known reason.
    assert!(text.contains("lwea, Ecoli, ari: +") && text.contains(": unexplained"), "{text}");
    let csv = std::fs::read_to_string(path.join("out.csv")).unwrap();
    let mut lines = csv.lines();
    let head = "table,method,dataset,metric,mean,std,published_mean,published_std";
    assert_eq!(lines.next(), Some(head));
    assert!(lines.next().unwrap().starts_with("ari,base-best,Ecoli,ari,"), "{csv}");
    assert!(lines.next().unwrap().ends_with(",0.43,0.03"), "{csv}");
}

#[test]
fn tuned_rows_are_printed_with_what_was_chosen_and_a_warning() {
    let bench = bench(60);
    let path = bench.path();
    let text = format!("tuned_by = \"nmi\"\n{}", STUDY.replace("runs = 10", "runs = 3"));
    std::fs::write(path.join("study.toml"), text).unwrap();
    let text = String::from_utf8(run(path, &["study", "study.toml"]).stdout).unwrap();
    for mode in ["default", "best single", "best per ensemble"] {
        assert!(text.contains(&format!("\nec-cms-admm ({mode})  ")), "{mode}: {text}");
    }
    assert!(text.contains("ari, tuned by nmi") && text.contains(" at enhance.lambda="), "{text}");
    assert!(text.contains("chosen by nmi using the truth: they are optimistic"), "{text}");
    let tuned = std::fs::read_to_string(path.join("study-results/tuned.csv")).unwrap();
    assert!(tuned.contains("one,8,ec-cms-admm,best single,3,nmi,3,"), "{tuned}");
    let free = std::fs::read_to_string(path.join("study.toml")).unwrap();
    let free = free.replace("\"nmi\"", "\"agreement\"\nmetrics = [\"agreement\"]");
    std::fs::write(path.join("free.toml"), free).unwrap();
    let text = String::from_utf8(run(path, &["study", "free.toml"]).stdout).unwrap();
    assert!(text.contains("chosen by agreement, which needs no truth"), "{text}");
}

#[test]
fn a_variant_that_does_not_help_is_named_with_its_pool() {
    let bench = bench(60);
    let path = bench.path();
    // The same pipeline with another name cannot be better.
    let text = "pools = [\"one\"]\nmetrics = [\"ari\", \"nmi\"]\n[base]\nmethod = \"lwea\"\n\
                [[variant]]\nname = \"again\"\nagainst = \"lwea\"\n";
    std::fs::write(path.join("study.toml"), text).unwrap();
    let text = String::from_utf8(run(path, &["study", "study.toml"]).stdout).unwrap();
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("again does not help on one: ari "), "{text}");
    assert!(last.contains(", nmi ") && last.ends_with(" of lwea"), "{text}");
}

#[test]
fn other_numbers_of_clusters_are_told() {
    let bench = bench(60);
    let study = "pools = [\"one\"]\nruns = 2\ndraws = { size = 5 }\nmetrics = [\"ari\"]\n\
        [[variant]]\nmethod = \"trce\"\nset = { ca.lambda = 1e5 }\n[[variant]]\nmethod = \"eac\"\n";
    std::fs::write(bench.path().join("counts.toml"), study).unwrap();
    let output = run(bench.path(), &["study", "counts.toml"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let last = text.lines().last().unwrap();
    assert!(
        last.starts_with("trce on one: ") && last.ends_with("1 found in 2 of 2 runs"),
        "{text}"
    );
    assert_eq!(text.matches("asked for").count(), 1);
}

#[test]
fn parameters_chosen_for_a_pool_are_told() {
    let bench = bench(60);
    common::write_pool(&bench.path().join("Ecoli.mat"), 60, 25, 1);
    let arguments = ["reproduce", "ari", "--pools", ".", "--datasets", "Ecoli", "--runs", "1"];
    let told = |methods| {
        let output = run(bench.path(), &[&arguments[..], &["--methods", methods]].concat());
        String::from_utf8(output.stdout).unwrap()
    };
    let text = told("spce,eac");
    assert!(
        text.contains("selected for a pool by the truth:\n  spce, Ecoli: ca.tau=0.2\n"),
        "{text}"
    );
    assert!(!told("eac,lwea").contains("by the truth"));
}

#[test]
fn times_are_a_table_a_chart_and_a_picture() {
    let bench = bench(60);
    let path = bench.path();
    common::write_pool(&path.join("Ecoli.mat"), 60, 25, 1);
    let arguments = ["reproduce", "time", "--pools", ".", "--datasets", "Ecoli", "--runs", "2"];
    let options = ["--methods", "lwea,ec-cms", "--chart", "time.svg"];
    let text = String::from_utf8(run(path, &[&arguments[..], &options].concat()).stdout).unwrap();
    assert!(text.contains("published / here") && text.contains("0.0862"), "{text}");
    assert!(text.contains("seconds, logarithmic: # here, | published"), "{text}");
    assert!(text.contains(" of 2 cells are faster than published"), "{text}");
    let svg = std::fs::read_to_string(path.join("time.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    for word in ["Ecoli", "lwea", "ec-cms", "seconds, logarithmic"] {
        assert!(svg.contains(&format!(">\n{word}\n</text>")), "{word}: {svg}");
    }
}

#[test]
fn a_cross_product_says_where_enhancing_does_not_help() {
    let bench = bench(60);
    let path = bench.path();
    common::write_pool(&path.join("Ecoli.mat"), 60, 25, 1);
    let arguments = [
        "reproduce",
        "cross-product",
        "--pools",
        ".",
        "--datasets",
        "Ecoli",
        "--runs",
        "2",
        "--methods",
        "eac,eac-enhanced",
    ];
    let text = String::from_utf8(run(path, &arguments).stdout).unwrap();
    let said = text.lines().last().unwrap();
    let helps = "Every variant is better than the one it is compared with, on every pool.";
    assert!(said == helps || said.starts_with("eac-enhanced does not help on Ecoli: "), "{text}");
}

#[test]
fn the_survey_is_compared_after_shuffling_too() {
    let bench = bench(60);
    let path = bench.path();
    common::write_pool(&path.join("Ecoli.mat"), 60, 25, 1);
    let arguments = ["reproduce", "survey", "--pools", ".", "--datasets", "Ecoli", "--runs", "2"];
    let options = ["--methods", "weac,lwea,kcc", "--csv", "out.csv"];
    let text = String::from_utf8(run(path, &[&arguments[..], &options].concat()).stdout).unwrap();
    // A different pool with this name: nothing agrees.
    assert!(text.contains("0 of 1 figures without random numbers"), "{text}");
    assert!(text.contains("0 of 1 figures tuned by the truth"), "{text}");
    let csv = std::fs::read_to_string(path.join("out.csv")).unwrap();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("method,dataset,mean,shuffled,published,kind,chosen"));
    assert!(lines.clone().any(|line| line.contains(",0.439,tuned,ca.theta=")), "{csv}");
    // The order of the samples does not matter to methods without ties and with canonical starts.
    for line in lines.filter(|line| line.starts_with("kcc") || line.starts_with("weac")) {
        let values: Vec<f64> = line.split(',').filter_map(|value| value.parse().ok()).collect();
        assert!((values[0] - values[1]).abs() < 1e-9, "{line}");
    }
}
