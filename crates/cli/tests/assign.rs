//! `enclust cluster --save-model` and `enclust assign`.

mod common;

use common::{Folder, last_column, pool};
use serde_json::json;

/// The training pool, and the labels and the model of a run on it.
fn trained(options: &str) -> Folder {
    let folder = Folder::with_pool();
    let line = format!("cluster pool.csv --k 3 --out labels.csv --save-model model.npz {options}");
    let run = folder.run(&line).succeeded();
    assert!(run.stdout.contains("the model gives 60 of 60 training rows their label"), "{run:?}");
    folder
}

/// The lines of a table with their cells in another order.
fn rearranged(table: &str, order: &[usize]) -> String {
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        order.iter().map(|&at| cells[at]).collect::<Vec<_>>().join(",") + "\n"
    };
    table.lines().map(line).collect()
}

#[test]
fn training_rows_get_their_labels_and_ids_are_kept() {
    for method in ["--method eac", "--method lwea", ""] {
        let folder = trained(method);
        let run = folder.run("assign model.npz pool.csv --out new.csv").succeeded();
        assert!(run.stdout.contains("60 rows, columns by name"), "{run:?}");
        assert!(run.stdout.contains("rows in each cluster: 20, 20, 20"), "{run:?}");
        assert_eq!(folder.read("new.csv"), folder.read("labels.csv"), "{method}");
        let printed = folder.run("assign model.npz pool.csv").succeeded();
        assert_eq!(printed.stdout, folder.read("labels.csv"));
        assert!(printed.stderr.contains("rows in each cluster"), "{printed:?}");
    }
}

#[test]
fn numbers_of_clusters_are_those_of_the_run() {
    let folder = trained("");
    // Only rows of the last two groups, so that cluster 0 does not occur.
    let text = folder.read("pool.csv");
    let rest: Vec<&str> =
        text.lines().enumerate().filter(|(i, _)| i % 3 != 1).map(|l| l.1).collect();
    folder.write("rest.csv", &(rest.join("\n") + "\n"));
    let labels = folder.read("labels.csv");
    let expected: Vec<&str> = last_column(&labels)
        .into_iter()
        .enumerate()
        .filter(|(i, _)| i % 3 != 0)
        .map(|(_, label)| label)
        .collect();
    folder.run("assign model.npz rest.csv --out new.csv").succeeded();
    assert_eq!(last_column(&folder.read("new.csv")), expected);
    folder.run("assign model.npz rest.csv --out new.npy").succeeded();
    folder.run("assign model.npz rest.csv --out new.npz").succeeded();
    folder.run("assign model.npz rest.csv --out new.tsv").succeeded();
    assert_eq!(folder.read("new.tsv"), folder.read("new.csv").replace(',', "\t"));
}

#[test]
fn columns_are_matched_by_name_or_else_by_position() {
    let folder = trained("--columns 2,5..12,2");
    let text = folder.read("pool.csv");
    let turned = [0, 12, 11, 10, 9, 8, 7, 6, 5, 2, 1];
    folder.write("turned.csv", &rearranged(&text, &turned));
    let labels = folder.run("assign model.npz turned.csv").succeeded().stdout;
    assert_eq!(labels, folder.read("labels.csv"));
    let without_names: String = rearranged(&text, &(1..=12).collect::<Vec<_>>())
        .lines()
        .skip(1)
        .map(|l| format!("{l}\n"))
        .collect();
    folder.write("plain.csv", &without_names);
    let run = folder.run("assign model.npz plain.csv --header no --id-column no").succeeded();
    assert_eq!(last_column(&run.stdout), last_column(&labels));
    assert!(run.stderr.contains("columns by position"), "{run:?}");
}

#[test]
fn names_that_occur_twice_are_not_used() {
    let folder = Folder::new();
    folder.write("pool.csv", &pool(60, 4, 50).replace("c1,c2", "c,c"));
    let line = "cluster pool.csv --k 3 --header yes --out l.csv --save-model m.npz";
    folder.run(line).succeeded();
    let run = folder.run("assign m.npz pool.csv --header yes --out new.csv").succeeded();
    assert!(run.stdout.contains("columns by position"), "{run:?}");
    assert_eq!(folder.read("new.csv"), folder.read("l.csv"));
}

#[test]
fn labels_are_text_and_may_be_missing_or_unknown() {
    let folder = Folder::new();
    folder.write("pool.csv", "id,a,b\np,x,01\nq,x,01\nr,y,1b\ns,y,1b\n");
    folder.run("cluster pool.csv --k 2 --method eac --save-model m.npz").succeeded();
    folder.write("new.csv", "id,b,a\nt,1b,\nu,1,y\nv,01,z\nw,7,z\n");
    let run = folder.run("assign m.npz new.csv").succeeded();
    assert_eq!(run.stdout, "id,label\nt,1\nu,1\nv,0\nw,0\n");
    assert!(run.stderr.contains("4 labels in 3 of the new rows do not occur"), "{run:?}");
    assert!(run.stderr.contains("1 of the new rows share no base cluster"), "{run:?}");
    let record = folder.run("assign m.npz new.csv --json").succeeded().json();
    assert_eq!(record["labels"], json!([1, 1, 0, 0]));
    assert_eq!(record["sizes"], json!([2, 2]));
    assert_eq!(record["missing_labels"], 1);
    let unknown = &record["warnings"][0];
    assert_eq!((&unknown["kind"], &unknown["labels"]), (&json!("unknown-labels"), &json!(4)));
    assert_eq!(record["warnings"][1]["kind"], "like-no-sample");
    assert_eq!(record["inputs"][1]["role"], "new rows");
}

#[test]
fn noise_means_what_it_meant_in_the_run() {
    let folder = Folder::new();
    folder.write("pool.csv", "id,a,b\np,1,1\nq,1,1\nr,2,2\ns,2,-1\n");
    folder.write("new.csv", "id,a,b\nt,-1,2\nu,1,1\n");
    folder
        .run("cluster pool.csv --k 2 --method eac --noise missing --save-model m.npz")
        .succeeded();
    let record = folder.run("assign m.npz new.csv --json").succeeded().json();
    assert_eq!((&record["labels"], &record["missing_labels"]), (&json!([1, 0]), &json!(1)));
    let record = folder.run("assign m.npz new.csv --json --noise singleton").succeeded().json();
    assert_eq!((&record["missing_labels"], &record["warnings"]), (&json!(0), &json!([])));
    folder.run("assign m.npz new.csv --noise error").failed(1, &["line 2", "--noise singleton"]);
}

#[test]
fn the_record_tells_how_far_the_model_repeats_the_result() {
    let folder = Folder::new();
    folder.write("pool.csv", &pool(60, 5, 2));
    let line = "cluster pool.csv --k 4 --save-model m.npz --json";
    let record = folder.run(line).succeeded().json();
    let model = &record["model"];
    let kept = model["kept"].as_f64().unwrap();
    assert_eq!(model["samples"], 60);
    assert_eq!(model["share"].as_f64().unwrap(), kept / 60.0);
    assert!(model["ari"].as_f64().unwrap() <= 1.0);
    assert_eq!(record["outputs"]["model"], "m.npz");
    let new = folder.run("assign m.npz pool.csv --json").succeeded().json();
    let labels = |record: &serde_json::Value| record.as_array().unwrap().clone();
    let (own, assigned) = (labels(&record["results"][0]["labels"]), labels(&new["labels"]));
    let same = own.iter().zip(&assigned).filter(|(one, other)| one == other).count();
    assert_eq!(same as f64, kept);
    assert!(same < 60, "this pool should show that labels may differ");
    let bytes = std::fs::read(folder.path("m.npz")).unwrap();
    folder.run(line).succeeded();
    assert_eq!(std::fs::read(folder.path("m.npz")).unwrap(), bytes);
}

#[test]
fn parts_without_values_for_new_rows_are_refused_before_files_are_read() {
    let folder = Folder::new();
    let parts = ["pts", "eca", "drec", "rsec-z", "spce", "trce", "weac", "cts", "asrs"];
    let others = ["lwb --consensus tcut --enhance none", "ptb --consensus tcut --enhance none"];
    for part in parts.into_iter().chain(others) {
        let line = format!("cluster nowhere.csv --k 3 --save-model m.npz --ca {part}");
        let name = part.split(' ').next().unwrap();
        folder
            .run(&line)
            .failed(2, &["--save-model", name, "--ca eac or --ca lwca or --ca nwca works"]);
    }
    let line = "cluster nowhere.csv --k 3 --save-model m.npz";
    folder.run(&format!("{line} --method rsec-h")).failed(2, &["rsec-h has none", "--ca eac"]);
    folder.run(&format!("{line} --method ecpcs-mc")).failed(2, &["pcs has none", "--ca eac"]);
    folder.run(&format!("{line} --similarity-in S.npy")).failed(2, &["precomputed has none"]);
    let several = "cluster nowhere.csv --k 2..3 --save-model m.npz";
    folder.run(several).failed(2, &["exactly one number of clusters", "--k 8"]);
    let ending = "cluster nowhere.csv --k 3 --save-model m.csv";
    folder.run(ending).failed(2, &["--save-model m.csv", ".npz"]);
    assert!(folder.files().is_empty());
}

#[test]
fn wrong_files_are_refused() {
    let folder = trained("");
    let refused = |line: &str, words: &[&str]| {
        folder.run(line).failed(1, words);
    };
    refused("assign pool.csv pool.csv", &["pool.csv: not a model", "--save-model"]);
    refused("assign nowhere.npz pool.csv", &["nowhere.npz"]);
    folder.run("assign model.npz pool.csv --out labels.npz").succeeded();
    refused("assign labels.npz pool.csv", &["not a model", "enclust_model"]);
    refused("assign model.npz model.npz", &["there is no array", "members"]);
    folder.write("few.csv", "id,c1,c2,c3\na,1,2,0\nb,1,2,0\n");
    refused("assign model.npz few.csv", &["few.csv", "one column \"c4\"", "\"c3\""]);
    folder.write("narrow.csv", "1,2\n1,2\n0,1\n");
    let line = "assign model.npz narrow.csv --header no --id-column no";
    refused(line, &["2 columns found", "has 12", "--header yes"]);
    folder.write("half.csv", &folder.read("pool.csv").replace("s5,", "s5,0.5"));
    refused("assign model.npz half.csv", &["line 7, column 2", "not a whole number"]);
}

#[test]
fn inputs_are_never_replaced() {
    let folder = trained("");
    let pool = folder.read("pool.csv");
    folder
        .run("assign model.npz pool.csv --out pool.csv")
        .failed(2, &["same file as the new rows"]);
    folder.run("assign model.npz pool.csv --out model.npz").failed(2, &["same file as the model"]);
    folder.run("assign - -").failed(2, &["standard input"]);
    assert_eq!(folder.read("pool.csv"), pool);
    folder.run("assign model.npz pool.csv --out x.csv").succeeded();
    let again = folder.run("assign model.npz pool.csv --out x.csv").succeeded();
    assert!(again.stdout.contains("replaced x.csv"), "{again:?}");
}
