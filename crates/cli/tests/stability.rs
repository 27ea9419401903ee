//! `enclust stability`.

mod common;

use common::{Folder, pool};

#[test]
fn planted_groups_are_found_by_the_rules() {
    let folder = Folder::with_pool();
    let run = folder.run("stability pool.csv --k 2..6 --csv s.csv --cdf cdf.csv").succeeded();
    for word in ["60 samples", "PAC", "agreement", "auto       k = 3", "clear structure"] {
        assert!(run.stdout.contains(word), "{word}: {run:?}");
    }
    let table = folder.read("s.csv");
    let head = "k,pac,agreement,area,delta_area,cluster_consensus,gap";
    assert_eq!(table.lines().next(), Some(head));
    assert_eq!(table.lines().count(), 6);
    let cdf = folder.read("cdf.csv");
    assert_eq!(cdf.lines().next(), Some("k,consensus,cdf"));
    assert_eq!(cdf.lines().count(), 1 + 5 * 51, "one step for each count of 50 draws");
}

#[test]
fn json_holds_figures_parameters_and_choices() {
    let folder = Folder::with_pool();
    let line =
        "stability pool.csv --k 2..4 --method lwea --draws 20 --lower 0.2 --upper 0.8 --json";
    let record = folder.run(line).succeeded().json();
    assert_eq!(record["levels"].as_array().unwrap().len(), 3);
    assert_eq!(record["levels"][1]["k"], 3);
    assert!(record["levels"][1]["pac"].as_f64().unwrap() < 0.1);
    assert_eq!(record["parameters"]["draws"], 20);
    assert_eq!(record["parameters"]["lower"], 0.2);
    assert_eq!(record["choices"][0]["rule"], "auto");
    assert_eq!(record["choices"][0]["k"], 3);
    assert_eq!(record["inputs"][0]["path"], "pool.csv");
}

#[test]
fn labels_at_random_have_no_clear_structure() {
    let folder = Folder::new();
    folder.write("noise.csv", &pool(60, 12, 1));
    let record = folder.run("stability noise.csv --k 2..6 --json").succeeded().json();
    let choices = record["choices"].as_array().unwrap();
    assert!(!choices.is_empty() && choices.iter().all(|c| c["clear"] == false), "{choices:?}");
}

#[test]
fn a_rule_without_a_tree_is_left_out() {
    let folder = Folder::with_pool();
    let run = folder.run("stability pool.csv --k 2..4 --consensus spectral --draws 10").succeeded();
    let rule = |name: &str| run.stdout.lines().any(|line| line.starts_with(name));
    assert!(rule("auto ") && rule("pac ") && !rule("gap "), "{run:?}");
}

#[test]
fn threads_change_nothing_and_limits_are_checked() {
    let folder = Folder::with_pool();
    let with = |threads: usize| {
        let line = format!("stability pool.csv --k 2..5 --threads {threads}");
        folder.run(&line).succeeded().stdout
    };
    assert_eq!(with(1), with(2));
    folder.run("stability pool.csv --draws 1").failed(2, &["draws = 1", "out of range"]);
    folder.run("stability pool.csv --upper 2").failed(2, &["upper = 2"]);
    folder.run("stability pool.csv --k 2..61").failed(1, &["61"]);
    folder.run("stability pool.csv --take 12").failed(1, &["take = 12", "12"]);
    folder.run("stability pool.csv --k 4,8").failed_usage();
}
