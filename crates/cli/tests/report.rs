//! Reports: their numbers are those of the files, and they change nothing.

mod common;

use common::Folder;
use serde_json::{Value, json};

const RUN: &str =
    "cluster pool.csv --k 3 --method ec-cms --alpha 0.6 --truth truth.csv --out labels.csv";

/// The data in a page.
fn data(folder: &Folder, name: &str) -> Value {
    let html = folder.read(name);
    let (_, from) = html.split_once(r#"<script type="application/json" id="data">"#).unwrap();
    serde_json::from_str(from.split_once("</script>").unwrap().0).unwrap()
}

/// Rows of CSV as objects; numbers and empty cells are read as such.
fn rows(csv: &str) -> Vec<Value> {
    let mut lines = csv.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let value = |text: &str| match text {
        "" => Value::Null,
        _ => text.parse().map_or_else(|_| json!(text), |number: f64| json!(number)),
    };
    let row = |line: &str| {
        head.iter().zip(line.split(',')).map(|(key, cell)| (key.to_string(), value(cell))).collect()
    };
    lines.map(row).collect()
}

/// Numbers as floating-point numbers, so that 3 equals 3.0.
fn widened(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64().unwrap()),
        Value::Array(items) => items.iter().map(widened).collect(),
        Value::Object(map) => map.iter().map(|(key, item)| (key.clone(), widened(item))).collect(),
        other => other.clone(),
    }
}

/// The mean values of a heat map.
fn means(map: &Value) -> Vec<f64> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = map["mean"].as_str().unwrap().trim_end_matches('=');
    let bits: String = text.chars().map(|c| format!("{:06b}", DIGITS.find(c).unwrap())).collect();
    let bytes: Vec<u8> = bits
        .as_bytes()
        .chunks_exact(8)
        .map(|b| u8::from_str_radix(std::str::from_utf8(b).unwrap(), 2).unwrap())
        .collect();
    let from = map["from"].as_f64().unwrap();
    let level = |two: &[u8]| f64::from(u16::from_le_bytes([two[0], two[1]])) / 65535.0;
    bytes.chunks_exact(2).map(|two| from + (1.0 - from) * level(two)).collect()
}

#[test]
fn the_record_in_the_page_is_the_record_in_the_file() {
    let folder = Folder::with_pool();
    folder.run(&format!("{RUN} --report page.html --record run.json")).succeeded();
    let page = data(&folder, "page.html");
    let record: Value = serde_json::from_str(&folder.read("run.json")).unwrap();
    assert_eq!(page["record"], record);
    assert_eq!(record["outputs"]["report"], "page.html");
    assert_eq!(record["inputs"][0]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(
        page["repeat"].as_str().unwrap(),
        format!("enclust {RUN} --report page.html --record run.json")
    );
}

#[test]
fn a_report_changes_no_label_and_no_figure() {
    let folder = Folder::with_pool();
    for method in
        ["ec-cms --alpha 0.6", "lwea", "ec-cms-spectral --alpha 0.6", "ptgp", "lwea --reduce 20"]
    {
        let line = |rest: &str| {
            format!("cluster pool.csv --k 3 --method {method} --truth truth.csv {rest}")
        };
        folder.run(&line("--out a.csv --record a.json")).succeeded();
        folder.run(&line("--out b.csv --record b.json --report b.html")).succeeded();
        assert_eq!(folder.read("a.csv"), folder.read("b.csv"), "{method}");
        let [a, b]: [Value; 2] =
            ["a.json", "b.json"].map(|name| serde_json::from_str(&folder.read(name)).unwrap());
        for key in ["results", "report", "pairs", "warnings", "groups"] {
            assert_eq!(a[key], b[key], "{method}: {key}");
        }
        assert!(a["outputs"].get("report").is_none());
    }
}

#[test]
fn the_matrices_of_the_page_are_those_of_the_run() {
    let folder = Folder::with_pool();
    folder
        .run(&format!("{RUN} --report page.html --similarity C.npy --diagonal computed"))
        .succeeded();
    let page = data(&folder, "page.html");
    let maps = page["heat"]["maps"].as_array().unwrap();
    let keys: Vec<&str> = maps.iter().map(|map| map["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["before", "after", "difference", "ideal"]);
    let [before, after, difference, ideal] = [0, 1, 2, 3].map(|at| means(&maps[at]));
    for at in 0..before.len() {
        assert!((after[at] - before[at] - difference[at]).abs() < 5e-5);
    }
    assert!(difference.iter().any(|value| value.abs() > 0.01));
    // The mean over all pairs of samples does not depend on the order of the rows.
    let bytes = std::fs::read(folder.path("C.npy")).unwrap();
    let matrix: Vec<f64> = bytes[bytes.len() - 60 * 60 * 8..]
        .chunks_exact(8)
        .map(|eight| f64::from_le_bytes(eight.try_into().unwrap()))
        .collect();
    let pairs = (0..60).flat_map(|i| (0..i).map(move |j| (i, j)));
    let expected: f64 = pairs.map(|(i, j)| matrix[i * 60 + j]).sum();
    let bins: Vec<f64> =
        page["heat"]["bins"].as_array().unwrap().iter().map(|b| b.as_f64().unwrap()).collect();
    let over_pairs = |values: &[f64]| {
        let mut cells = values.iter();
        let mut sum = 0.0;
        for a in 0..bins.len() {
            for b in a..bins.len() {
                let count =
                    if a == b { bins[a] * (bins[a] - 1.0) / 2.0 } else { bins[a] * bins[b] };
                sum += count * cells.next().unwrap();
            }
        }
        sum
    };
    assert!((over_pairs(&after) - expected).abs() < 1770.0 / 65535.0);
    // Three classes of 20 samples.
    assert!((over_pairs(&ideal) - 570.0).abs() < 0.1);
    let ends: Vec<u64> = page["cuts"][0]["segments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|segment| segment["end"].as_u64().unwrap())
        .collect();
    assert_eq!(ends.last(), Some(&60));
    assert!(!page["convergence"].as_array().unwrap().is_empty());
    assert_eq!(page["pairs"][0]["recall"][0], 1.0);
}

#[test]
fn consensus_and_ranking_are_those_of_their_files() {
    let folder = Folder::with_pool();
    let files = "--membership m.csv --ranking r.csv";
    folder.run(&format!("{RUN} --report page.html {files}")).succeeded();
    let page = data(&folder, "page.html");
    let cut = &page["cuts"][0];
    let membership = rows(&folder.read("m.csv"));
    let least = cut["certainty"]["least"].as_array().unwrap();
    assert_eq!(least.len(), 50);
    for sample in least {
        let row = membership.iter().find(|row| row["sample"] == sample["name"]).unwrap();
        for (in_page, in_file) in [
            ("own", "item_consensus"),
            ("margin", "margin"),
            ("entropy", "entropy"),
            ("label", "label"),
        ] {
            assert_eq!(widened(&sample[in_page]), row[in_file], "{in_page}");
        }
    }
    let highest = membership.iter().map(|row| row["entropy"].as_f64().unwrap()).fold(0.0, f64::max);
    assert_eq!(least[0]["entropy"].as_f64().unwrap(), highest);
    let ranking = rows(&folder.read("r.csv"));
    let in_page = cut["clusterings"].as_array().unwrap();
    assert_eq!(in_page.len(), ranking.len());
    for (agreement, row) in in_page.iter().zip(&ranking) {
        for key in ["clustering", "clusters", "ari", "rank"] {
            assert_eq!(widened(&agreement[key]), row[key], "{key}");
        }
        assert_eq!(widened(&agreement["ari_without"]), row["ari_without"]);
    }
    // Without the file, nothing is left out and clustered again.
    folder.run(&format!("{RUN} --report page.html")).succeeded();
    let page = data(&folder, "page.html");
    assert!(page["cuts"][0]["clusterings"][0]["ari_without"].is_null());
}

#[test]
fn what_does_not_apply_is_explained_with_an_option_that_helps() {
    let folder = Folder::with_pool();
    folder.run("cluster pool.csv --k 3 --method lwgp --out l.csv --report page.html").succeeded();
    let page = data(&folder, "page.html");
    let cut = &page["cuts"][0];
    for part in [
        &page["heat"],
        &page["tree"],
        &page["pairs"],
        &page["convergence"],
        &page["stability"],
        &cut["plain"],
    ] {
        let missing = part["missing"].as_str().unwrap_or_else(|| panic!("{part}"));
        assert!(missing.contains("--") && missing.ends_with('.'), "{missing}");
    }
    folder.run("cluster pool.csv --k 2..4 --out l.csv --report page.html").succeeded();
    let page = data(&folder, "page.html");
    assert_eq!(page["stability"].as_array().unwrap().len(), 3);
    assert_eq!(page["heat"]["maps"][0]["key"], "clustered");
    let notes = page["heat_notes"].to_string();
    assert!(notes.contains("Nothing was enhanced") && notes.contains("--truth"), "{notes}");
}

#[test]
fn many_numbers_of_clusters_do_not_make_a_page_of_any_size() {
    let folder = Folder::with_pool();
    folder.write("noise.csv", &common::pool(400, 60, 2));
    folder.run("cluster noise.csv --k 2..60 --out l.csv --report page.html").succeeded();
    let page = data(&folder, "page.html");
    assert!(page["cuts"][19]["certainty"]["least"].is_array());
    let missing = page["cuts"][20]["certainty"]["missing"].as_str().unwrap();
    assert!(missing.contains("the first 20"), "{missing}");
    assert_eq!(page["record"]["results"].as_array().unwrap().len(), 59);
    assert!(folder.read("page.html").len() < 5_000_000);
}

#[test]
fn a_report_is_refused_like_every_other_output() {
    let folder = Folder::with_pool();
    folder.write("page.html", "mine");
    let study = "pools = [\"pool\"]\nk = 3\nmetrics = [\"agreement\"]\n[base]\nmethod = \"eac\"";
    folder.write("study.html", study);
    for (line, words) in [
        ("cluster pool.csv --k 3 --report x.pdf", ["--report x.pdf", "must end in .html"]),
        ("cluster pool.csv --k 3 --report no/x.html", ["--report no/x.html", "does not exist"]),
        ("cluster page.html --k 3 --report page.html", ["--report page.html", "the same file as"]),
        ("stability pool.csv --report x.htm", ["--report x.htm", "must end in .html"]),
        (
            "study study.html --report study.html",
            ["--report study.html", "the same file as the study"],
        ),
        ("demo --report digits", ["--report digits", "must end in .html"]),
    ] {
        folder.run(line).failed(2, &words);
    }
    assert_eq!(folder.read("page.html"), "mine");
    let out = folder.run("cluster pool.csv --k 3 --out l.csv --report page.html").succeeded();
    assert!(out.stdout.contains("replaced page.html"), "{out:?}");
}

#[test]
fn names_of_files_and_samples_cannot_become_part_of_the_page() {
    let folder = Folder::with_pool();
    let name = "<b>&<!--.csv";
    let pool = folder.read("pool.csv").replace("s1,", "</script><i>,");
    folder.write(name, &pool);
    folder.run(&format!("cluster {name} --k 3 --out l.csv --report page.html")).succeeded();
    let html = folder.read("page.html");
    assert!(!html.contains("<b>") && !html.contains("<i>"));
    assert!(data(&folder, "page.html")["title"].as_str().unwrap().contains(name));
}

#[test]
fn the_tables_in_the_page_of_a_study_are_its_files() {
    let folder = Folder::with_pool();
    folder.write("second.csv", &common::pool(60, 12, 4));
    let study = r#"
        pools = [{ file = "pool.csv", truth = "truth.csv" }, { file = "second.csv", truth = "truth.csv" }]
        runs = 3
        draws = { size = 8, seed = 1 }
        metrics = ["ari", "nmi", "clusters"]
        [base]
        method = "ec-cms"
        set = { confidence.alpha = 0.6 }
        [[variant]]
        method = "eac"
        [[variant]]
        name = "grid"
        grid = { enhance.lambda = [0.1, 1], confidence.alpha = [0.6, 0.8] }
    "#;
    folder.write("study.toml", study);
    folder.run("study study.toml --pools . --out results --report page.html").succeeded();
    let page = data(&folder, "page.html");
    let of_file = |name: &str| rows(&folder.read(&format!("results/{name}.csv")));
    assert_eq!(widened(&page["summary"]), Value::Array(of_file("summary")));
    let comparisons = page["comparisons"].as_array().unwrap().iter();
    let pairs: Vec<Value> =
        comparisons.flat_map(|c| c["pairs"].as_array().unwrap()).map(widened).collect();
    assert_eq!(pairs, of_file("comparisons"));
    let runs = &page["runs"];
    let name = |names: &str, column: &str, at: usize| {
        runs[names][runs[column][at].as_u64().unwrap() as usize].clone()
    };
    let in_page: Vec<Value> = (0..runs["value"].as_array().unwrap().len())
        .map(|at| {
            widened(&json!({
                "pool": name("pools", "pool", at), "size": runs["size"][at], "run": runs["run"][at],
                "variant": name("variants", "variant", at), "k": runs["k"][at],
                "metric": name("metrics", "metric", at), "value": runs["value"][at],
            }))
        })
        .collect();
    assert_eq!(in_page, of_file("runs"));
    assert_eq!(page["sweeps"][0]["parameters"], json!(["confidence.alpha", "enhance.lambda"]));
    let mean = |variant: &str, pool: &str| {
        let rows = of_file("summary");
        let is = |row: &&Value| {
            row["variant"] == variant && row["pool"] == pool && row["metric"] == "ari"
        };
        rows.iter().find(is).unwrap()["mean"].as_f64().unwrap()
    };
    let eac = &page["ablations"][0];
    assert_eq!(eac["variant"], "eac");
    let differences: Vec<f64> =
        ["pool", "second"].iter().map(|pool| mean("eac", pool) - mean("ec-cms", pool)).collect();
    assert_eq!(eac["differences"], json!(differences));
    folder
        .run("study study.toml --pools . --out results --shard 1/2 --report page.html")
        .failed_usage();
}

#[test]
fn the_record_in_the_page_of_a_stability_analysis_is_that_of_the_command() {
    let folder = Folder::with_pool();
    let line = "stability pool.csv --k 2..5 --draws 10 --report page.html --json";
    let record = folder.run(line).succeeded().json();
    assert_eq!(data(&folder, "page.html")["record"], record);
}

#[test]
fn the_demonstration_makes_a_report_of_what_it_did() {
    let folder = Folder::new();
    let out = folder.run("demo --clusterings 6 --report digits.html").succeeded().stdout;
    let page = data(&folder, "digits.html");
    let row = out.lines().find(|line| line.starts_with("EC-CMS  ")).unwrap();
    let ari = page["record"]["results"][0]["scores"]["ari"].as_f64().unwrap();
    assert_eq!(row.split_whitespace().nth(1).unwrap(), format!("{ari:.3}"));
    let plain = folder.run("demo --clusterings 6").succeeded().stdout;
    assert!(plain.trim_end().ends_with("demo --report digits.html"), "{plain}");
}
