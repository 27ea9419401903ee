//! `enclust generate`.

mod common;

use common::{Folder, Random};
use enclust_io::read_pool;

/// 90 samples with two features in three blobs, with names.
fn folder() -> Folder {
    let mut random = Random(3);
    let mut text = "id,x,y\n".to_string();
    for i in 0..90_u64 {
        let centre = [(0, 0), (100, 0), (0, 100)][i as usize % 3];
        let (x, y) = (centre.0 + random.below(9), centre.1 + random.below(9));
        text.push_str(&format!("p{i},{x},{y}\n"));
    }
    let folder = Folder::new();
    folder.write("features.csv", &text);
    folder
}

#[test]
fn a_pool_is_made_that_can_be_clustered() {
    let folder = folder();
    let run = folder.run("generate features.csv --size 15 --out pool.csv").succeeded();
    assert!(run.stdout.contains("90 samples, 2 features; 15 clusterings"), "{run:?}");
    let pool = read_pool(folder.path("pool.csv")).unwrap();
    assert_eq!((pool.ensemble.samples(), pool.ensemble.clusterings()), (90, 15));
    assert_eq!(pool.ids.unwrap()[89], "p89");
    assert!(pool.ensemble.clusters().iter().all(|k| (2..=9).contains(k)));
    let record = folder.run("cluster pool.csv --k 3 --method lwea --json").succeeded().json();
    assert_eq!(record["results"][0]["sizes"], serde_json::json!([30, 30, 30]));
}

#[test]
fn threads_change_nothing_and_more_clusterings_keep_the_first() {
    let folder = folder();
    let with =
        |options: &str| folder.run(&format!("generate features.csv {options}")).succeeded().stdout;
    let one = with("--size 6 --threads 1");
    assert_eq!(one, with("--size 6 --threads 2"));
    let more = with("--size 8");
    for (few, many) in one.lines().zip(more.lines()) {
        assert!(many.starts_with(few), "{few} {many}");
    }
    assert_ne!(one, with("--size 6 --seed 2"));
}

#[test]
fn subsampling_leaves_labels_out_unless_the_nearest_centre_is_asked_for() {
    let folder = folder();
    let share = |options: &str| {
        let text =
            folder.run(&format!("generate features.csv --size 10 {options}")).succeeded().stdout;
        text.matches("NA").count()
    };
    assert_eq!(share("--samples 0.8"), 10 * 18);
    assert_eq!(share("--samples 0.8 --assign nearest"), 0);
    assert_eq!(share("--features 0.5 --scale unit-variance"), 0);
}

#[test]
fn the_record_holds_every_parameter() {
    let folder = folder();
    let line =
        "generate features.csv --size 5 --max-clusters 4 --out pool.npz --record r.json --json";
    let printed = folder.run(line).succeeded().json();
    let record: serde_json::Value = serde_json::from_str(&folder.read("r.json")).unwrap();
    assert_eq!(printed, record);
    assert_eq!(record["parameters"]["max_clusters"], 4);
    assert_eq!(record["parameters"]["samples"], 1.0);
    assert_eq!(record["clusters"].as_array().unwrap().len(), 5);
    assert_eq!(record["inputs"][0]["role"], "features");
    assert_eq!(read_pool(folder.path("pool.npz")).unwrap().ensemble.clusterings(), 5);
}

#[test]
fn wrong_values_and_wrong_features_are_refused() {
    let folder = folder();
    folder.run("generate features.csv --size 0").failed(2, &["size = 0"]);
    folder.run("generate features.csv --samples 1.5").failed(2, &["samples = 1.5"]);
    folder.run("generate features.csv --assign maybe").failed_usage();
    folder.run("generate features.csv --json").failed_usage();
    folder
        .run("generate features.csv --min-clusters 91")
        .failed(1, &["features.csv", "min_clusters"]);
    folder.write("bad.csv", "x,y\n1,2\n3,inf\n");
    folder.run("generate bad.csv").failed(1, &["bad.csv", "line 3, column 2", "inf"]);
}
