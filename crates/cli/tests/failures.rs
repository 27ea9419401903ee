//! Invalid input: messages and exit codes.

mod common;

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use common::Folder;

#[test]
fn what_the_command_line_shows_to_be_wrong_is_2_whatever_the_data() {
    let folder = Folder::new();
    for (options, words) in [
        ("--method nope", &["method", "\"nope\"", "ec-cms"][..]),
        ("--ca nope", &["representation", "\"nope\"", "lwca"]),
        ("--enhance nope", &["enhancer", "exact"]),
        ("--consensus nope", &["consensus function", "average"]),
        ("--confidence nope", &["confidence rule", "threshold"]),
        ("--stop nope", &["stopping rule", "kkt"]),
        ("--backend nope", &["backend", "reference"]),
        ("--lambda -1", &["exact", "lambda = -1", "out of range"]),
        ("--set enhance.lamda=1", &["exact", "\"lamda\"", "lambda"]),
        ("--set enhance.limit=many", &["exact", "limit", "many"]),
        ("--set stop.tolerance=1", &["--stop"]),
        ("--method eac --theta 1", &["theta", "eac"]),
        ("--method lwea --stop kkt", &["lwca without an enhancer", "kkt"]),
        ("--ca lwb", &["lwb", "bipartite", "--enhance none"]),
        ("--stop authors", &["authors reads the steps", "exact does not provide", "kkt"]),
        ("--stop any(kkt,authors)", &["any(kkt, authors) reads the steps"]),
        ("--stop any(kkt", &["closing parenthesis"]),
        ("--stop any", &["any(rule, rule)"]),
        ("--stop kkt --set enhance.tolerance=1e-6", &["tolerance together with", "kkt"]),
        ("--finish average", &["--finish is now called --consensus"]),
        ("--confidence-rule threshold", &["--confidence-rule is now called --confidence"]),
        ("--confidence conf.csv", &["--membership conf.csv"]),
        ("--method lwea --confidence threshold", &["has no effect", "--enhance"]),
    ] {
        let method = if options.contains("--method") { "" } else { "--method ec-cms" };
        folder.run(&format!("cluster missing.csv --k 3 {method} {options}")).failed(2, words);
    }
    let run = folder.run("cluster missing.csv --k 3 --lambda 0.1");
    run.failed(2, &["lambda", "lwca", "--method ec-cms has it"]);
    for k in ["2,3", "2..4"] {
        let run = folder.run(&format!("cluster missing.csv --k {k} --method spce"));
        run.failed(2, &["spce", "one k at a time"]);
        let run = folder.run(&format!("cluster missing.csv --k {k} --method ec-cms --stop labels"));
        run.failed(2, &["labels", "one k at a time"]);
    }
}

#[test]
fn what_the_parser_refuses_is_2() {
    let folder = Folder::with_pool();
    for line in [
        "cluster pool.csv",
        "cluster --k 3",
        "cluster pool.csv --k 0",
        "cluster pool.csv --k 5..2",
        "cluster pool.csv --k 3 --set lambda",
        "cluster pool.csv --k 3 --set nowhere.lambda=1",
        "cluster pool.csv --k 3 --similarity-in S.npy --ca eac",
        "cluster pool.csv --k 3 --run 0",
        "cluster pool.csv --k 3 --precision f16",
        "cluster pool.csv --k 3 -q -v",
        "--seed 7 cluster pool.csv --k 3",
        "nonsense",
        "--clusterings 0",
    ] {
        let run = folder.run(line).failed_usage();
        assert!(!run.stderr.contains("panicked"), "{run:?}");
    }
}

#[test]
fn what_the_data_show_to_be_wrong_is_1_with_the_place() {
    let folder = Folder::with_pool();
    folder.run("cluster missing.csv --k 3").failed(1, &["missing.csv", "No such file"]);
    folder.run("cluster . --k 3").failed(1, &[".: not a regular file"]);
    folder.run("cluster pool.csv --k 61").failed(1, &["k = 61 is not possible"]);
    folder.run("cluster pool.csv --k 3 --truth no.csv").failed(1, &["no.csv"]);
    folder.write("ragged.csv", "a,b\n0,1\n0\n");
    folder.run("cluster ragged.csv --k 2").failed(1, &["ragged.csv", "line 3"]);
    folder.write("cell.csv", "a,b\n0,1\n0,1.5\n1,0\n1,0\n");
    folder.run("cluster cell.csv --k 2").failed(1, &["cell.csv", "line 3, column 2", "1.5"]);
    folder.write("truth.csv", "class\na\nb\n");
    folder.run("cluster pool.csv --k 2 --truth truth.csv").failed(1, &["truth.csv", "2", "60"]);
    folder.write("new.mat", "\u{89}HDF\r\n\u{1a}\n");
    folder.run("cluster new.mat --k 2").failed(1, &["new.mat"]);
}

#[test]
fn what_cannot_be_written_is_said_and_leaves_nothing() {
    let folder = Folder::with_pool();
    let before = folder.files();
    folder.run("cluster pool.csv --k 3 --out nowhere/l.csv").failed(2, &["nowhere", "l.csv"]);
    folder.run("cluster pool.csv --k 3 --out l.docx").failed(2, &["l.docx", ".csv"]);
    assert_eq!(folder.files(), before);
}

#[test]
fn a_reader_that_has_read_enough_is_no_failure() {
    let folder = Folder::with_pool();
    for words in [&["list"][..], &["cluster", "pool.csv", "--k", "3"], &["man"], &["--help"]] {
        let mut command = folder.command(words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{words:?}: {said}");
        assert!(!said.contains("pipe"), "{said}");
    }
}

#[test]
fn without_a_terminal_there_is_no_colour_and_no_bar() {
    let folder = Folder::with_pool();
    for line in [
        "list",
        "cluster pool.csv --k 3",
        "cluster pool.csv --k 3 --ca x",
        "stability pool.csv --k 2..3",
    ] {
        let run = folder.run(line);
        assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{run:?}");
    }
}

/// A run that would take an hour is interrupted after it has started to iterate.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_run_with_130_and_leaves_nothing() {
    let folder = Folder::with_pool();
    let before = folder.files();
    let line = "cluster pool.csv --k 3 --out l.csv --record r.json -vv --enhance admm \
                --stop time --set stop.seconds=3600 --set enhance.limit=1000000000";
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = folder.command(&words);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut first = String::new();
    said.read_line(&mut first).unwrap();
    assert!(first.starts_with("iteration 1"), "{first}");
    // The output must be read continuously, otherwise the run blocks.
    let reader = std::thread::spawn(move || said.lines().map_while(Result::ok).count());
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    reader.join().unwrap();
    assert_eq!(folder.files(), before);
}

#[test]
fn a_file_in_place_of_a_command_gives_the_line_to_write() {
    let run = Folder::with_pool().run("pool.csv");
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("enclust cluster pool.csv --k 8"), "{run:?}");
}

#[test]
fn numbers_in_messages_have_no_rows_of_zeros() {
    let run = Folder::with_pool().run("cluster pool.csv --k 3 --method ec-cms --lambda 1e-300");
    run.failed(2, &["lambda = 1e-300 is out of range", "[1e-9, 1e9]"]);
}
