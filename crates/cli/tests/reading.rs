//! Inputs of the command: standard input, compressed files, options of text files, gaps in the
//! truth, columns by name, and the memory limit.

mod common;

use std::io::Write;
use std::process::Stdio;

use common::{Folder, Outcome};
use sha2::{Digest, Sha256};

/// Runs a command with this text as standard input.
fn fed(folder: &Folder, line: &str, input: &[u8]) -> Outcome {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = folder.command(&words);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    // A command that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input);
    let done = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Outcome { code: done.status.code(), stdout: text(done.stdout), stderr: text(done.stderr) }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_pool_comes_from_standard_input_and_is_recorded_as_read() {
    let folder = Folder::with_pool();
    let pool = std::fs::read(folder.path("pool.csv")).unwrap();
    let by_name = folder.run("cluster pool.csv --k 3 --json --truth truth.csv").succeeded().json();
    let by_pipe =
        fed(&folder, "cluster - --k 3 --json --truth truth.csv", &pool).succeeded().json();
    assert_eq!(by_name["results"], by_pipe["results"]);
    let input = &by_pipe["inputs"][0];
    assert_eq!((input["role"].as_str(), input["path"].as_str()), (Some("pool"), Some("-")));
    assert_eq!(input["sha256"], hash(&pool));
    assert_eq!(input["layout"]["separator"], "comma");
    assert_eq!(by_name["inputs"][0]["sha256"], input["sha256"]);
    let truth = std::fs::read(folder.path("truth.csv")).unwrap();
    let by_pipe =
        fed(&folder, "cluster pool.csv --k 3 --json --truth -", &truth).succeeded().json();
    assert_eq!(by_name["results"], by_pipe["results"]);
    fed(&folder, "stability - --k 2..3 --draws 4", &pool).succeeded();
    fed(&folder, "cluster - --k 3 --truth -", &pool).failed(2, &["the pool", "--truth", "(-)"]);
    fed(&folder, "cluster --similarity-in - --k 3", &pool).failed(2, &["--similarity-in", "file"]);
}

#[test]
fn compressed_pools_are_recorded_as_stored() {
    let folder = Folder::with_pool();
    let plain = folder.run("cluster pool.csv --k 3").succeeded().stdout;
    let status = std::process::Command::new("gzip").arg(folder.path("pool.csv")).status();
    if !status.is_ok_and(|status| status.success()) {
        println!("SKIPPED: there is no gzip");
        return;
    }
    let packed = std::fs::read(folder.path("pool.csv.gz")).unwrap();
    let run = folder.run("cluster pool.csv.gz --k 3 --record r.json").succeeded();
    assert_eq!(run.stdout, plain);
    let record = std::fs::read_to_string(folder.path("r.json")).unwrap();
    assert!(record.contains(&hash(&packed)), "{record}");
}

#[test]
fn the_layout_is_told_and_can_be_stated() {
    let folder = Folder::new();
    folder.write("p.csv", "1;5,0\n1;6,0\n2;6,0\n2;6,0\n");
    folder.run("cluster p.csv --k 2").failed(1, &["--separator", "semicolon or comma"]);
    let run = folder.run("cluster p.csv --k 2 --separator semicolon -v").succeeded();
    assert!(run.stderr.contains("separator semicolon, header no, id column no"), "{run:?}");
    folder.run("cluster p.csv --k 2 --separator x").failed_usage();
    folder.write("m.csv", "km,ward\n1,5\n1,none\n2,6\n2,6\n");
    let run = folder.run("cluster m.csv --k 2 --missing none,- --method eac --json").succeeded();
    assert_eq!(run.json()["ensemble"]["missing_labels"], 1);
    let run = folder.run("cluster m.csv --k 2 --missing none --method eac").succeeded();
    assert!(run.stderr.contains("1 labels missing"), "{run:?}");
    folder.write("h.csv", "1,x\n1,2\n2,2\n");
    folder.run("cluster h.csv --k 2").failed(1, &["--header yes|no"]);
    folder.run("cluster h.csv --k 2 --header no").succeeded();
}

#[test]
fn scores_are_those_of_the_samples_that_have_a_class() {
    let folder = Folder::with_pool();
    let truth = std::fs::read_to_string(folder.path("truth.csv")).unwrap();
    let gaps = truth.replace("s0,x", "s0,NA").replace("s7,y", "s7,");
    folder.write("gaps.csv", &gaps);
    let run = folder.run("cluster pool.csv --k 3 --truth gaps.csv --json").succeeded().json();
    assert_eq!((&run["truth"]["samples"], &run["truth"]["missing"]), (&58.into(), &2.into()));
    let whole = folder.run("cluster pool.csv --k 3 --truth truth.csv --json").succeeded().json();
    assert_eq!(run["results"][0]["labels"], whole["results"][0]["labels"]);
    let told = folder.run("cluster pool.csv --k 3 --truth gaps.csv").succeeded().stderr;
    assert!(told.contains("scores on 58 of 60 samples; the others have no true class"), "{told}");
    // A class that the two samples had alone does not lower the score.
    let own = truth.replace("s0,x", "s0,p").replace("s7,y", "s7,q");
    folder.write("own.csv", &own);
    let other = folder.run("cluster pool.csv --k 3 --truth own.csv --json").succeeded().json();
    let ari = |run: &serde_json::Value| run["results"][0]["scores"]["ari"].as_f64().unwrap();
    assert!(ari(&run) > ari(&other), "{} {}", ari(&run), ari(&other));
}

#[test]
fn columns_are_selected_by_name() {
    let folder = Folder::new();
    folder.write("p.csv", "km,ward,db\n1,5,1\n1,6,1\n2,6,1\n2,6,2\n");
    let columns = |list: &str| {
        let line = format!("cluster p.csv --k 2 --json --columns {list}");
        folder.run(&line).succeeded().json()["ensemble"]["columns"].clone()
    };
    assert_eq!(columns("db,km"), serde_json::json!([3, 1]));
    assert_eq!(columns("ward,1..2"), serde_json::json!([2, 1, 2]));
    folder.run("cluster p.csv --k 2 --columns kmeans").failed(1, &["kmeans", "km, ward, db"]);
}

#[test]
fn reading_stays_within_the_memory_limit() {
    let folder = Folder::new();
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (60000, 60000), }\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    let file = std::fs::File::create(folder.path("S.npy")).unwrap();
    (&file).write_all(&bytes).unwrap();
    // A file with a hole, which takes no space on the disk.
    file.set_len(bytes.len() as u64 + 60_000 * 60_000 * 8).unwrap();
    let run = folder.run("cluster --similarity-in S.npy --k 3 --memory 100MB");
    run.failed(1, &["S.npy", "14.4 GB", "--memory"]);
    folder.write("commas.csv", &",".repeat(1_000_000));
    folder.run("cluster commas.csv --k 3 --memory 10MB").failed(1, &["commas.csv", "--memory"]);
    folder.run("generate commas.csv --memory 10MB").failed(1, &["commas.csv", "--memory"]);
}
