//! `enclust cluster`: all options, on small pools.

mod common;

use std::collections::BTreeSet;

use common::{Folder, last_column};
use enclust_experiment::PaperDraws;
use enclust_io::{read_features, read_labels, read_pool, read_similarity};
use sha2::{Digest, Sha256};

#[test]
fn labels_have_the_standard_output_for_themselves_unless_they_have_a_file() {
    let folder = Folder::with_pool();
    let shown = folder.run("cluster pool.csv --k 3 --truth truth.csv").succeeded();
    assert_eq!(shown.stdout.lines().next(), Some("id,label"));
    assert_eq!(shown.stdout.lines().count(), 61);
    assert!(shown.stderr.contains("ARI") && shown.stderr.contains("1.000"), "{shown:?}");

    let written = folder.run("cluster pool.csv --k 3 --truth truth.csv --out l.csv").succeeded();
    assert_eq!(folder.read("l.csv"), shown.stdout);
    assert_eq!(written.stderr, "warning: clusterings 5 and 9 are identical\n");
    for word in ["60 samples", "12 clusterings", "ARI", "NMI", "F", "ACC", "purity", "20, 20, 20"] {
        assert!(written.stdout.contains(word), "{word}: {written:?}");
    }

    let quiet = folder.run("cluster pool.csv --k 3 -q").succeeded();
    assert_eq!((quiet.stdout, quiet.stderr.as_str()), (shown.stdout, ""));
}

#[test]
fn labels_are_written_in_every_format() {
    let folder = Folder::with_pool();
    for name in ["l.csv", "l.tsv", "l.npy", "l.npz"] {
        folder.run(&format!("cluster pool.csv --k 3 --out {name}")).succeeded();
        let labels = read_labels(folder.path(name)).unwrap();
        assert_eq!((labels.partition.len(), labels.partition.clusters()), (60, 3), "{name}");
    }
}

#[test]
fn several_numbers_of_clusters_give_a_column_each() {
    let folder = Folder::with_pool();
    folder.run("cluster pool.csv --k 3,2..4,9 --out l.csv").succeeded();
    let cuts = read_pool(folder.path("l.csv")).unwrap();
    assert_eq!(cuts.columns.unwrap(), ["k3", "k2", "k4", "k9"]);
    assert_eq!(cuts.ensemble.clusters(), [3, 2, 4, 9]);
    let alone = folder.run("cluster pool.csv --k 9").succeeded();
    assert_eq!(last_column(&alone.stdout), last_column(&folder.read("l.csv")));
}

#[test]
fn another_number_of_clusters_than_asked_for_is_said() {
    let folder = Folder::with_pool();
    let line = "cluster pool.csv --k 3,20 --method ecpcs-mc";
    let shown = folder.run(&format!("{line} --out l.csv --membership c.csv")).succeeded();
    let record = folder.run(&format!("{line} --json")).succeeded().json();
    let found = record["results"][1]["clusters"].as_u64().unwrap();
    assert!(found < 20, "meta-clusters without a sample are dropped");
    assert_eq!(record["results"][1]["k"], 20);
    assert_eq!(record["results"][1]["sizes"].as_array().unwrap().len() as u64, found);
    assert_eq!(
        (&record["results"][0]["k"], &record["results"][0]["clusters"]),
        (&3.into(), &3.into())
    );
    assert!(shown.stdout.ends_with(&format!("\nk = 20 asked for, {found} found\n")), "{shown:?}");
    assert!(!shown.stdout.contains("k = 3 asked for"), "{shown:?}");
    assert_eq!(folder.read("l.csv").lines().next(), Some("id,k3,k20"));
    assert!(folder.read("c.csv").lines().last().unwrap().starts_with("20,"));
}

#[test]
fn auto_finds_the_planted_number_of_clusters_and_says_why() {
    let folder = Folder::with_pool();
    let found = folder.run("cluster pool.csv --k auto --json").succeeded();
    let record = found.json();
    assert_eq!(record["results"][0]["k"], 3);
    assert_eq!(record["choice"]["clear"], true);
    assert!(found.stderr.contains("k = 3: "), "{found:?}");
    let narrow = folder.run("cluster pool.csv --k auto:4..6 --json").succeeded().json();
    let k = narrow["results"][0]["k"].as_u64().unwrap();
    assert!((4..=6).contains(&k), "{k}");
}

#[test]
fn every_part_can_be_chosen() {
    let folder = Folder::with_pool();
    for options in [
        "--ca eac",
        "--ca pts --consensus complete",
        "--ca lwca --enhance none --consensus single",
        "--consensus spectral",
        "--ca lwb --enhance none --consensus tcut",
        "--stop labels",
        "--stop any(kkt(tolerance=1e-2),iterations(limit=7))",
        "--enhance admm --stop all(authors,labels(patience=1))",
        "--confidence two-sided --set confidence.beta=0.1",
        "--enhance admm --stop kkt --set stop.tolerance=1e-3",
        "--method pta-al",
        "--method lwea --enhance exact",
        "--method ptgp",
    ] {
        let method = if options.contains("--method") { "" } else { "--method ec-cms" };
        let line = format!("cluster pool.csv --k 3 --truth truth.csv --json {method} {options}");
        let run = folder.run(&line);
        let ari = run.succeeded().json()["results"][0]["scores"]["ari"].as_f64().unwrap();
        assert!(ari > 0.8, "{options}: {ari}");
    }
}

#[test]
fn parameters_by_short_and_by_full_name_reach_their_parts() {
    let folder = Folder::with_pool();
    let line = "cluster pool.csv --k 3 --method ec-cms --json --alpha 0.7 --lambda 0.2 --theta 0.5 \
                --set enhance.tolerance=1e-6 --set consensus.weighting=groups";
    let parts = &folder.run(line).succeeded().json()["method"]["parts"];
    assert_eq!(parts["ca"]["parameters"]["theta"], 0.5);
    assert_eq!(parts["confidence"]["parameters"]["alpha"], 0.7);
    assert_eq!(parts["enhance"]["parameters"]["lambda"], 0.2);
    assert_eq!(parts["enhance"]["parameters"]["tolerance"], 1e-6);
    assert_eq!(parts["consensus"]["parameters"]["weighting"], "groups");
}

#[test]
fn columns_and_draws_are_what_was_asked_for() {
    let folder = Folder::with_pool();
    let used = |options: &str| {
        let record = folder.run(&format!("cluster pool.csv --k 3 --json {options}"));
        let ensemble = record.succeeded().json()["ensemble"].clone();
        let columns: Vec<u64> = serde_json::from_value(ensemble["columns"].clone()).unwrap();
        (columns, ensemble["draw"].clone())
    };
    assert_eq!(used("").0, (1..=12).collect::<Vec<u64>>());
    assert_eq!(used("--columns 3,7,1..2").0, [3, 7, 1, 2]);
    let third = PaperDraws::new(12, 5, 9).unwrap().nth(2).unwrap();
    let (columns, draw) = used("--draw 5 --run 3 --seed 9");
    assert_eq!(columns, third.iter().map(|&c| c as u64 + 1).collect::<Vec<_>>());
    assert_eq!((&draw["size"], &draw["run"], &draw["seed"]), (&5.into(), &3.into(), &9.into()));
    folder
        .run("cluster pool.csv --k 3 --columns 13")
        .failed(1, &["pool.csv: there is no clustering 13, only 12"]);
    folder.run("cluster pool.csv --k 3 --run 1").failed(1, &["pool.csv", "20", "12"]);
    folder.run("cluster pool.csv --k 3 --columns 1 --draw 5 -q").failed_usage();
}

#[test]
fn similarity_and_tree_are_those_of_the_labels() {
    let folder = Folder::with_pool();
    let line =
        "cluster pool.csv --k 3 --method ec-cms --out l.csv --similarity C.npy --linkage Z.npy";
    folder.run(line).succeeded();
    let similarity = read_similarity::<f64>(folder.path("C.npy")).unwrap();
    assert_eq!(similarity.grouping().samples(), 60);
    assert!(similarity.own().iter().all(|&s| s > 0.0));
    let tree = read_features(folder.path("Z.npy")).unwrap();
    assert_eq!((tree.samples, tree.dimension), (59, 4));
    assert_eq!(tree.values[58 * 4 + 3], 60.0);

    // Clustering a similarity that was written gives the same labels again.
    let again = folder.run("cluster --similarity-in C.npy --k 3").succeeded();
    assert_eq!(last_column(&again.stdout), last_column(&folder.read("l.csv")));
    let half = "cluster pool.csv --k 3 -o l.csv --similarity C32.npy --precision f32";
    folder.run(half).succeeded();
    let size = |name| std::fs::metadata(folder.path(name)).unwrap().len();
    assert_eq!(size("C.npy") - 128, 2 * (size("C32.npy") - 128));
}

#[test]
fn a_similarity_alone_cannot_be_enhanced_but_beside_a_pool_it_can() {
    let folder = Folder::with_pool();
    folder
        .run("cluster pool.csv --k 3 -o l.csv --ca eac --enhance none --similarity S.npy")
        .succeeded();
    for (options, word) in [
        ("--enhance exact", "exact"),
        ("--method ec-cms", "exact"),
        ("--run 1", "--run"),
        ("--k auto", "--k auto"),
    ] {
        let k = if options.contains("--k") { "" } else { "--k 3" };
        let run = folder.run(&format!("cluster --similarity-in S.npy {k} {options}"));
        run.failed(2, &[word, "base clusterings", "S.npy"]);
    }
    folder
        .run("cluster --similarity-in S.npy --k 3 --consensus tcut")
        .failed(2, &["tcut", "precomputed"]);

    let beside = folder.run("cluster pool.csv --similarity-in S.npy --k 3 --json").succeeded();
    assert_eq!(beside.json()["method"]["parts"]["ca"]["name"], "precomputed");
    let built = folder.run("cluster pool.csv --ca eac --k 3 --json").succeeded();
    let labels = |json: serde_json::Value| json["results"][0]["labels"].clone();
    assert_eq!(labels(beside.json()), labels(built.json()));

    folder.write("short.csv", &common::pool(30, 4, 20));
    folder.run("cluster short.csv --similarity-in S.npy --k 3").failed(1, &["S.npy", "30", "60"]);
    folder.write("few.csv", "class\na\nb\na\n");
    folder
        .run("cluster --similarity-in S.npy --k 3 --truth few.csv")
        .failed(1, &["few.csv", "60", "3"]);
}

#[test]
fn constraints_by_id_and_by_number_are_kept_and_counted() {
    let folder = Folder::with_pool();
    folder.write("must.csv", "s0,s1\n");
    folder.write("cannot.csv", "one,other\n1,4\n");
    let line = "cluster pool.csv --k 3 --json --must-link must.csv --cannot-link cannot.csv";
    let record = folder.run(line).succeeded().json();
    assert_eq!(record["constraints"]["must_link"], 1);
    assert_eq!(record["constraints"]["cannot_link"], 1);
    assert!(record["results"][0]["violations"]["must_link"].is_u64());
    folder.write("cannot.csv", "1,2\n");
    folder.run(line).failed(1, &["s0 and s1 are a cannot-link pair", "s0 - s1"]);
    folder.write("must.csv", "1,61\n");
    folder.run("cluster pool.csv --k 3 --must-link must.csv").failed(1, &["must.csv", "61"]);
    folder.write("must.csv", "1,2\n");
    let plain = "cluster pool.csv --k 3 --must-link must.csv --enhance none --json";
    let record = folder.run(plain).succeeded().json();
    assert_eq!(record["results"][0]["violations"]["must_link"], 0);
}

/// Samples 0, 3, 6, … of the pool belong together.
#[test]
fn enforced_constraints_hold_in_the_labels_or_name_the_samples() {
    let folder = Folder::with_pool();
    folder.write("must.csv", "s0,s1\ns3,s5\n");
    folder.write("cannot.csv", "s0,s3\ns6,s9\ns9,s12\n");
    let line = "cluster pool.csv --k 3 --json --must-link must.csv --cannot-link cannot.csv";
    let broken = |record: &serde_json::Value| record["results"][0]["violations"].clone();
    assert!(broken(&folder.run(line).succeeded().json())["cannot_link"] != 0);
    for method in
        ["", "--consensus spectral", "--method lwea", "--method lwgp", "--method ecpcs-mc"]
    {
        let record = folder.run(&format!("{line} --enforce {method}")).succeeded().json();
        let none = serde_json::json!({ "must_link": 0, "cannot_link": 0 });
        assert_eq!(broken(&record), none, "{method}");
        assert_eq!(record["constraints"]["enforced"], true);
        assert_eq!(record["results"][0]["clusters"], 3, "{method}");
    }
    folder.write("cannot.csv", "s0,s3\ns6,s9\ns9,s12\ns12,s6\n");
    let two = line.replace("--k 3", "--k 2");
    folder.run(&format!("{two} --enforce")).failed(1, &["s6, s9, s12", "--k 2", "--enforce"]);
    folder.run(&two).succeeded();
}

#[test]
fn enforcing_is_refused_without_constraints_and_with_a_tree() {
    let folder = Folder::with_pool();
    folder.write("cannot.csv", "s6,s9\n");
    folder.run("cluster pool.csv --k 3 --enforce").failed_usage();
    let tree = "cluster pool.csv --k 3 --enforce --cannot-link cannot.csv --linkage tree.npy";
    folder.run(tree).failed_usage();
    let idle = "cluster pool.csv --k 3 --method lwgp --cannot-link cannot.csv";
    folder.run(idle).failed(2, &["lwb", "--enforce"]);
}

#[test]
fn noise_means_what_it_is_said_to_mean() {
    let folder = Folder::new();
    folder.write("pool.csv", "id,a,b\nu,0,1\nv,0,1\nw,1,-1\nx,1,-1\n");
    let run = folder.run("cluster pool.csv --k 2");
    run.failed(1, &["pool.csv", "line 4, column 3", "singleton", "missing"]);
    let rows = |noise: &str| {
        let line = format!("cluster pool.csv --k 2 --enhance none --json --noise {noise}");
        let record = folder.run(&line).succeeded().json();
        (record["groups"].as_u64().unwrap(), record["ensemble"]["missing_labels"].clone())
    };
    assert_eq!(rows("singleton"), (3, 0.into()));
    assert_eq!(rows("missing"), (2, 2.into()));
    folder.run("cluster pool.csv --k 2 --noise loud").failed_usage();
}

#[test]
fn confidence_has_a_row_for_every_sample_of_every_cut() {
    let folder = Folder::with_pool();
    folder.run("cluster pool.csv --k 2,3 -o l.csv --membership c.csv").succeeded();
    let table = folder.read("c.csv");
    let head = "k,sample,label,item_consensus,other_cluster,other_consensus,margin,cluster_consensus,entropy,member_0,member_1,member_2";
    assert_eq!(table.lines().next(), Some(head));
    assert_eq!(table.lines().count(), 1 + 2 * 60);
    for line in table.lines().skip(61) {
        let cells: Vec<&str> = line.split(',').collect();
        let [own, margin] = [3, 6].map(|at| cells[at].parse::<f64>().unwrap());
        assert!((0.5..=1.0).contains(&own) && margin > 0.0, "{line}");
    }
    folder
        .run("cluster pool.csv -o l.csv --k 3 --ca eac --enhance none --similarity S.npy")
        .succeeded();
    folder
        .run(
            "cluster --similarity-in S.npy -o m.csv --k 2,3 --membership d.csv --consensus average",
        )
        .succeeded();
    let alone = folder.read("d.csv");
    assert_eq!(alone.lines().count(), table.lines().count());
}

#[test]
fn threads_backends_and_precisions_agree() {
    let folder = Folder::with_pool();
    let labels = |options: &str| {
        folder.run(&format!("cluster pool.csv --k 2..6 {options}")).succeeded().stdout
    };
    let one = labels("--threads 1");
    assert_eq!(one, labels("--threads 2"));
    assert_eq!(one, labels("--backend reference"));
    assert_eq!(one, labels("--precision f32"));
    assert_eq!(
        labels("--consensus spectral --threads 1"),
        labels("--consensus spectral --threads 2")
    );
    let record = folder.run("cluster pool.csv --k 3 --threads 2 --json").succeeded().json();
    assert_eq!(record["machine"]["threads"], 2);
}

#[test]
fn a_memory_limit_refuses_with_figures() {
    let folder = Folder::with_pool();
    folder.run("cluster pool.csv --k 3 --memory 15KB").failed(1, &["needs", "15.0 KB", "memory"]);
    folder.run("cluster pool.csv --k 3 --memory 1GB").succeeded();
    folder.run("cluster pool.csv --k 3 --memory lots").failed_usage();
}

#[test]
fn the_record_tells_everything() {
    let folder = Folder::with_pool();
    let line = "cluster pool.csv --k 3 --method ec-cms --draw 8 --truth truth.csv --out l.csv \
                --record run.json";
    folder.run(line).succeeded();
    let record: serde_json::Value = serde_json::from_str(&folder.read("run.json")).unwrap();
    let keys: BTreeSet<&str> = record.as_object().unwrap().keys().map(String::as_str).collect();
    for key in [
        "versions", "command", "inputs", "samples", "groups", "ensemble", "method", "machine",
        "seed", "report", "timings", "results", "outputs",
    ] {
        assert!(keys.contains(key), "{key}: {keys:?}");
    }
    assert_eq!(record["versions"]["enclust"], env!("CARGO_PKG_VERSION"));
    assert!(record["versions"]["rustc"].as_str().unwrap().starts_with("rustc "));
    assert!(record["versions"]["target"].as_str().unwrap().contains('-'));
    assert_eq!(record["command"][1], "cluster");
    let hash = Sha256::digest(folder.read("pool.csv"));
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(record["inputs"][0]["sha256"], hash);
    assert_eq!(record["inputs"][1]["role"], "truth");
    assert_eq!(record["method"]["preset"], "ec-cms");
    assert_eq!(record["method"]["parts"]["enhance"]["parameters"]["limit"], 10_000);
    assert_eq!(record["report"]["status"], "converged");
    assert!(record["report"]["certificate"]["relative_distance"].as_f64().unwrap() < 0.01);
    let stages: Vec<&str> = record["timings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["stage"].as_str().unwrap())
        .collect();
    let expected =
        ["read", "microclusters", "ca", "plain", "confidence", "enhance", "consensus", "cut"];
    assert_eq!(stages, expected);
    let result = &record["results"][0];
    assert_eq!(result["k"], 3);
    assert!(result["scores"]["ari"].is_f64() && result["scores"]["purity"].is_f64());
    assert_eq!(result["labels"], serde_json::Value::Null, "labels are written to a separate file");
    assert_eq!(record["outputs"]["labels"], "l.csv");
}

#[test]
fn what_cannot_be_given_is_refused_before_anything_is_computed() {
    let folder = Folder::with_pool();
    let tree = folder.run("cluster missing.csv --k 3 --consensus spectral --linkage Z.npy");
    tree.failed(2, &["--linkage", "spectral"]);
    let similarity = folder.run("cluster missing.csv --k 3 --method lwgp --similarity C.npy");
    similarity.failed(2, &["--similarity", "lwb"]);
}

#[test]
fn verbosity_adds_parameters_times_and_iterations() {
    let folder = Folder::with_pool();
    let once = folder.run("cluster pool.csv --k 3 --method ec-cms -o l.csv -v").succeeded();
    assert!(once.stderr.contains("lambda=0.4") && once.stderr.contains("ca"), "{once:?}");
    assert!(!once.stderr.contains("iteration 1"), "{once:?}");
    let twice = folder.run("cluster pool.csv --k 3 --method ec-cms -o l.csv -vv").succeeded();
    assert!(twice.stderr.contains("iteration 1"), "{twice:?}");
}

#[test]
fn the_kernels_of_a_run_are_recorded_with_the_library_each_comes_from() {
    let folder = Folder::with_pool();
    let line = "cluster pool.csv --k 3 --method ec-cms --json";
    let libraries = |backend: &str| -> Vec<(String, String)> {
        let record = folder.run(&format!("{line}{backend}")).succeeded().json();
        let kernels = record["machine"]["kernels"].as_array().unwrap().clone();
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_string();
        kernels.iter().map(|k| (text(&k["kernel"]), text(&k["library"]))).collect()
    };
    let all = |product: &str, factor: &str, incomplete: &str| {
        [("sparse product", product), ("sparse factor", factor), ("incomplete factor", incomplete)]
            .map(|(kernel, library)| (kernel.to_string(), library.to_string()))
            .to_vec()
    };
    assert_eq!(libraries(""), all("enclust", "enclust", "enclust"));
    assert_eq!(libraries(" --backend faer"), all("faer", "faer", "enclust"));
    assert_eq!(libraries(" --backend nalgebra"), all("nalgebra", "enclust", "enclust"));
}

#[test]
fn a_backend_without_a_part_in_the_run_is_said() {
    let folder = Folder::with_pool();
    let said = |options: &str| {
        let line = format!("cluster pool.csv --k 3 --out l.csv {options}");
        folder.run(&line).succeeded().stdout.contains("had no part in this run")
    };
    assert!(said("--method lwea --backend faer"));
    assert!(said("--method ec-cms --backend ndarray"));
    assert!(!said("--method lwea"), "no backend was asked for");
    assert!(!said("--method ec-cms --backend nalgebra"));
    assert!(!said("--method lwgp --backend ndarray"));
}

#[test]
fn membership_and_ranking_tell_what_supports_the_result() {
    let folder = Folder::with_pool();
    let line = "cluster pool.csv --k 2,3 --membership m.csv --ranking r.csv --out l.csv";
    folder.run(line).succeeded();
    let table = folder.read("m.csv");
    assert!(table.lines().next().unwrap().ends_with("entropy,member_0,member_1,member_2"));
    let cells = |line: &str| -> Vec<String> { line.split(',').map(String::from).collect() };
    for row in table.lines().skip(1).map(cells) {
        let number = |text: &String| text.parse::<f64>().unwrap();
        let k: usize = row[0].parse().unwrap();
        let soft: f64 = row[9..9 + k].iter().map(number).sum();
        assert!((soft - 1.0).abs() < 1e-9, "{row:?}");
        assert!(row[9 + k..].iter().all(String::is_empty), "{row:?}");
        assert!((0.0..=1.0).contains(&number(&row[8])), "{row:?}");
    }
    let ranks: Vec<_> = folder.read("r.csv").lines().skip(1).map(cells).collect();
    assert_eq!(ranks.len(), 2 * 12);
    assert_eq!(ranks[12][..3], ["3", "1", "c1"].map(String::from));
    assert!(ranks.iter().any(|row| row[5] == "1"), "{ranks:?}");
    let without = |row: &Vec<String>| row[6].parse::<f64>().unwrap();
    assert!(ranks[12..].iter().all(|row| without(row) > 0.9), "one of twelve changes little");
    let refused = folder.run("cluster --similarity-in s.npy --k 3 --ranking r2.csv");
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

#[test]
fn a_refusal_for_memory_names_methods_that_run() {
    let folder = Folder::new();
    folder.write("large.csv", &common::pool(400, 12, 2));
    let limits = (1..40).map(|step| format!("{}KB", 100 * step));
    let told = limits.into_iter().find_map(|limit| {
        let run = folder.run(&format!("cluster large.csv --k 3 --memory {limit}"));
        let (_, names) = run.stderr.split_once("methods that fit (--method): ")?;
        Some((limit, names.trim().split(", ").map(String::from).collect::<Vec<_>>()))
    });
    let (limit, names) = told.expect("a limit that some methods fit into");
    for name in names {
        let line = format!("cluster large.csv --k 3 --memory {limit} --method {name}");
        folder.run(&line).succeeded();
    }
}
