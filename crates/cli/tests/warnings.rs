//! What the command warns about, and what it says about the result without enhancement.

mod common;

use std::fmt::Write;

use common::Folder;

/// The text of a pool of 20 clusterings of 200 samples along a line: intervals of different widths
/// and offsets, with one label in fifty wrong. Neighbours are joined by most clusterings, so the
/// confident pairs connect all samples.
fn line(label: impl Fn(usize, usize) -> Option<usize>) -> String {
    let interval = |i: usize, k: usize| {
        let width = 100 + k;
        if (i * 7 + k * 13).is_multiple_of(50) {
            100 + (i + k) % 3
        } else {
            (i + k * 53 % width) / width
        }
    };
    let mut text: String =
        (0..20).map(|k| format!("{}c{k}", if k > 0 { "," } else { "" })).collect();
    for i in 0..200 {
        let labels = (0..20).map(|k| label(i, k).unwrap_or_else(|| interval(i, k)).to_string());
        write!(text, "\n{}", labels.collect::<Vec<_>>().join(",")).unwrap();
    }
    text
}

#[test]
fn odd_clusterings_are_named_by_their_column() {
    let folder = Folder::new();
    let pool = line(|i, k| match k {
        2 => Some(0),
        5 => Some(i / 50),
        6 => Some(i / 50 + 7),
        7 => Some(i * 7919 % 101 % 4),
        _ => None,
    });
    folder.write("pool.csv", &pool);
    let run = folder.run("cluster pool.csv --k 4 --method lwea --out l.csv").succeeded();
    let warnings: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    for (warning, words) in warnings.iter().zip([
        "warning: clustering 3 has only one cluster; --columns",
        "warning: clusterings 6 and 7 are identical",
        "warning: clustering 8 agrees with no other clustering",
    ]) {
        assert!(warning.starts_with(words), "{warning}");
    }
    // The numbers are those of the pool, not of the selection, and also in the record.
    let run = folder.run("cluster pool.csv --k 4 --method lwea --columns 1,2,3 --json").succeeded();
    let record = run.json();
    assert_eq!(record["warnings"].as_array().unwrap().len(), 1);
    assert_eq!(record["warnings"][0]["kind"], "constant");
    assert_eq!(record["warnings"][0]["clusterings"], serde_json::json!([3]));
    assert!(run.stderr.is_empty(), "{}", run.stderr);
}

#[test]
fn an_ordinary_pool_gives_no_warning() {
    let folder = Folder::with_pool();
    let run =
        folder.run("cluster pool.csv --k 3 --method ec-cms --columns 1..8 --out l.csv").succeeded();
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("ARI 1.000 with the result without enhancement"), "{}", run.stdout);
}

#[test]
fn more_clusters_than_rows_are_told_for_that_k_only() {
    let folder = Folder::with_pool();
    let record = folder.run("cluster pool.csv --k 3,40 --method eac --json").succeeded().json();
    let warnings = record["warnings"].as_array().unwrap().iter();
    let about_labels = warnings.filter_map(|w| Some((w["kind"].as_str()?, w["k"].as_u64()?)));
    let kinds: Vec<(&str, u64)> = about_labels.collect();
    assert_eq!(kinds, [("more-clusters-than-rows", 40), ("single-samples", 40)]);
}

#[test]
fn a_collapse_is_told_and_the_guard_prevents_it() {
    let folder = Folder::new();
    folder.write("pool.csv", &line(|_, _| None));
    let line = "cluster pool.csv --k 2 --method ec-cms --alpha 0.7 --lambda 0.01 --out l.csv";
    let published = folder.run(&format!("{line} --set confidence.giant=1")).succeeded();
    let words = "warning: the enhancement has joined";
    assert!(published.stderr.starts_with(words), "{}", published.stderr);
    assert!(published.stderr.contains("use --enhance none"), "{}", published.stderr);
    assert!(published.stdout.contains("largest component holds 100 %"), "{}", published.stdout);
    let guarded = folder.run(line).succeeded();
    assert!(!guarded.stderr.contains(words), "{}", guarded.stderr);
    assert!(!guarded.stdout.contains("alpha 0.7,"), "{}", guarded.stdout);
}

#[test]
fn a_distance_given_as_a_similarity_is_told() {
    use enclust_io::write_matrix_npy;

    let folder = Folder::new();
    let fill = |i: usize, row: &mut [f64]| {
        row.iter_mut().enumerate().for_each(|(j, v)| *v = i.abs_diff(j) as f64 / 20.0);
    };
    write_matrix_npy(folder.path("D.npy"), 20, 20, fill).unwrap();
    let run = folder.run("cluster --similarity-in D.npy --k 2 --out l.csv").succeeded();
    assert!(run.stderr.contains("looks like a distance"), "{}", run.stderr);
}
