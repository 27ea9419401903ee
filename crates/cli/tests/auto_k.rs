//! `--k auto` with features: the answer may be one cluster.

mod common;

use common::{Folder, Random};

/// Three groups of points on a line, or one group, as features in a text file.
fn features(groups: usize) -> String {
    let mut text = "x,y\n".to_string();
    // Sums of uniform numbers are nearly normal.
    let mut random = Random(7);
    let mut normal = || (0..6).map(|_| random.below(1000) as f64 / 1000.0).sum::<f64>() - 3.0;
    for i in 0..120 {
        let centre = (i % groups) as f64 * 8.0;
        text.push_str(&format!("{},{}\n", centre + normal(), normal()));
    }
    text
}

fn generated(groups: usize, pool: &str) -> Folder {
    let folder = Folder::new();
    folder.write("features.csv", &features(groups));
    folder.run(&format!("generate features.csv --size 40 --out {pool}")).succeeded();
    folder
}

#[test]
fn a_generated_pool_knows_that_there_are_three_clusters() {
    let folder = generated(3, "pool.npz");
    let record = folder.run("cluster pool.npz --k auto --json").succeeded().json();
    assert_eq!(record["choice"]["k"], 3);
    assert_eq!(record["choice"]["by"], "references");
    assert_eq!(record["choice"]["clear"], true);
    let again = folder.run("cluster pool.npz --k auto --threads 1 --json").succeeded().json();
    assert_eq!(record["choice"], again["choice"], "threads change nothing");
}

#[test]
fn one_cluster_is_an_answer_with_a_code_of_its_own() {
    let folder = generated(1, "pool.npz");
    let refused = folder.run("cluster pool.npz --k auto --out labels.csv");
    refused.failed(3, &["no structure, one cluster is the answer; --force"]);
    assert_eq!(folder.files(), ["features.csv", "pool.npz"], "no labels are written");
    let forced = folder.run("cluster pool.npz --k auto --force --json").succeeded().json();
    assert!(forced["choice"]["k"].as_u64().unwrap() >= 2);
    assert_eq!(forced["choice"]["clear"], false);
}

#[test]
fn features_may_come_from_a_file() {
    let folder = generated(3, "pool.csv");
    let line = "cluster pool.csv --k auto --features features.csv --scale none --json";
    let record = folder.run(line).succeeded().json();
    assert_eq!(
        (&record["choice"]["k"], &record["choice"]["by"]),
        (&3.into(), &"references".into())
    );
    let inputs: Vec<_> = record["inputs"].as_array().unwrap().iter().map(|i| &i["role"]).collect();
    assert_eq!(inputs, ["pool", "features"]);
    let labels_alone = folder.run("cluster pool.csv --k auto --json").succeeded().json();
    assert_eq!(labels_alone["choice"]["by"], "stability");
}

#[test]
fn stability_prints_the_comparison() {
    let folder = generated(3, "pool.npz");
    let run = folder.run("stability pool.npz --k 2..6").succeeded();
    for word in ["data without clusters, 120 samples", "references k = 3: the largest product"] {
        assert!(run.stdout.contains(word), "{word}: {run:?}");
    }
    let record = folder.run("stability pool.npz --k 2..6 --json").succeeded().json();
    assert_eq!(record["judgement"]["k"], 3);
    assert_eq!(record["judgement"]["levels"].as_array().unwrap().len(), 5);
}

#[test]
fn options_without_effect_and_other_features_are_refused() {
    let folder = generated(3, "pool.csv");
    for option in ["--force", "--features features.csv"] {
        let run = folder.run(&format!("cluster pool.csv --k 3 {option}"));
        run.failed(2, &["has an effect only with --k auto"]);
    }
    let run = folder.run("cluster pool.csv --k auto:1..5 --features features.csv");
    run.failed(1, &["k = 1 is out of range", "must be >= 2"]);
    folder.write("few.csv", "x,y\n1,2\n3,4\n");
    let run = folder.run("cluster pool.csv --k auto --features few.csv");
    run.failed(1, &["few.csv: rows of the features: expected 120, found 2"]);
}
