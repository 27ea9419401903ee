//! `enclust plot`: the figures show what the tables say.

mod common;

use common::Folder;

/// A folder with the results of a small study with a grid, two sizes and two pools.
fn study() -> Folder {
    let folder = Folder::with_pool();
    folder.write("other.csv", &common::pool(60, 12, 3));
    folder.write(
        "study.toml",
        "pools = [{ file = \"pool.csv\", truth = \"truth.csv\" }, { file = \"other.csv\", truth = \"truth.csv\" }]\n\
         runs = 2\ndraws = { size = [4, 8] }\nmetrics = [\"clusters\", \"ari\", \"nmi\"]\n\
         [base]\nmethod = \"ec-cms\"\n\
         [[variant]]\nname = \"grid\"\n\
         grid = { enhance.lambda = [0.1, 1, 10], confidence.alpha = [0.7, 0.8] }\n\
         [[variant]]\nmethod = \"lwea\"\n",
    );
    folder.run("study study.toml --out results --quiet").succeeded();
    folder
}

/// The records of a run without and with enhancement.
fn records() -> Folder {
    let folder = Folder::with_pool();
    for (name, method) in [("plain", "lwea"), ("enhanced", "ec-cms")] {
        folder
            .run(&format!(
                "cluster pool.csv --k 3 --method {method} --out {name}.csv --similarity {name}.npy \
                 --linkage {name}-tree.npy --record {name}.json --quiet"
            ))
            .succeeded();
    }
    folder
}

/// The texts of a figure.
fn texts(svg: &str) -> Vec<&str> {
    let pieces = svg.split("<text").skip(1);
    pieces
        .map(|piece| piece.split_once('>').unwrap().1.split("</text>").next().unwrap().trim())
        .collect()
}

/// The rows of a table as cells.
fn rows(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().skip(1).map(|line| line.split(',').collect()).collect()
}

#[test]
fn a_grid_shows_the_means_of_the_summary() {
    let folder = study();
    folder
        .run("plot grid results --size 8 --x enhance.lambda --y confidence.alpha --pool pool -o g.svg")
        .succeeded();
    let (svg, summary) = (folder.read("g.svg"), folder.read("results/summary.csv"));
    let shown = texts(&svg);
    let mut expected = Vec::new();
    for alpha in ["0.7", "0.8"] {
        for lambda in ["0.1", "1", "10"] {
            let name = format!("grid confidence.alpha={alpha} enhance.lambda={lambda}");
            let row = rows(&summary)
                .into_iter()
                .find(|row| row[0] == "pool" && row[1] == "8" && row[2] == name && row[4] == "ari");
            expected.push(format!("{:.3}", row.unwrap()[6].parse::<f64>().unwrap()));
        }
    }
    let cells: Vec<&str> =
        shown.iter().copied().filter(|t| expected.iter().any(|e| e == t)).collect();
    assert_eq!(cells, expected, "{shown:?}");
    assert!(shown.contains(&"ari on pool") && shown.contains(&"enhance.lambda"));
}

#[test]
fn ranks_are_those_of_the_summary() {
    let folder = study();
    folder.run("plot ranks results --size 4 --metric nmi --columns two -o r.svg").succeeded();
    let (svg, summary) = (folder.read("r.svg"), folder.read("results/summary.csv"));
    let shown = texts(&svg);
    let mean_rank = |variant: &str| {
        let ranks = rows(&summary)
            .into_iter()
            .filter(|row| row[1] == "4" && row[2] == variant && row[4] == "nmi");
        let ranks: Vec<f64> = ranks.map(|row| row[8].parse().unwrap()).collect();
        assert_eq!(ranks.len(), 2);
        (ranks[0] + ranks[1]) / 2.0
    };
    for variant in ["ec-cms", "lwea"] {
        let text = format!("{variant} ({:.2})", mean_rank(variant));
        assert!(shown.contains(&text.as_str()), "{text}: {shown:?}");
    }
}

#[test]
fn curves_and_scores_have_a_mark_for_each_mean() {
    let folder = study();
    let dots = |line: &str| {
        folder.run(&format!("plot {line} -o f.svg")).succeeded();
        folder.read("f.svg").matches("<circle").count()
    };
    // Three values of λ, two of α, two pools.
    assert_eq!(dots("curve results --size 8 --x enhance.lambda"), 12);
    assert_eq!(dots("curve results --size 8 --x enhance.lambda --pool other"), 6);
    // Two sizes for lwea, two pools.
    assert_eq!(dots("curve results --x size --variant lwea"), 4);
    // Eight variants.
    assert_eq!(dots("scores results --size 4"), 16);
    assert_eq!(dots("time results --size 4"), 8);
}

#[test]
fn records_become_images_trees_and_bars() {
    let folder = records();
    for (kind, sources) in [
        ("similarity", "plain.json enhanced.json"),
        ("dendrogram", "plain.json"),
        ("sizes", "plain.json"),
    ] {
        for ending in ["svg", "pdf", "png"] {
            folder.run(&format!("plot {kind} {sources} -o {kind}.{ending}")).succeeded();
        }
        let bytes = |ending: &str| std::fs::read(folder.path(&format!("{kind}.{ending}"))).unwrap();
        assert!(
            bytes("pdf").starts_with(b"%PDF-") && bytes("png").starts_with(b"\x89PNG"),
            "{kind}"
        );
    }
    let svg = folder.read("similarity.svg");
    let titles = texts(&svg);
    assert!(titles.contains(&"lwca") && titles.contains(&"lwca, enhanced (exact)"), "{titles:?}");
    let record: serde_json::Value = serde_json::from_str(&folder.read("plain.json")).unwrap();
    let svg = folder.read("sizes.svg");
    for size in record["results"][0]["sizes"].as_array().unwrap() {
        assert!(texts(&svg).contains(&size.to_string().as_str()));
    }
}

#[test]
fn stability_becomes_lines() {
    let folder = Folder::with_pool();
    let found = folder.run("stability pool.csv --k 2..5 --json --quiet").succeeded();
    folder.write("s.json", &found.stdout);
    folder.run("plot cdf s.json -o cdf.svg").succeeded();
    assert!(texts(&folder.read("cdf.svg")).contains(&"k = 5"));
    folder.run("plot stability s.json -o k.svg").succeeded();
    assert_eq!(folder.read("k.svg").matches("<circle").count(), 2 * 4);
}

#[test]
fn wrong_requests_name_what_helps() {
    let folder = study();
    let fails = |line: &str, code: i32, words: &[&str]| {
        folder.run(&format!("plot {line}")).failed(code, words);
        assert!(!folder.path("f.svg").exists(), "{line}");
    };
    fails("ranks results -o f.svg", 1, &["--size", "4, 8"]);
    fails("curve results --size 8 -o f.svg", 1, &["--x", "enhance.lambda", "confidence.alpha"]);
    fails("ranks results --size 8 --x enhance.lambda -o f.svg", 2, &["--x", "curve, grid"]);
    fails("scores results --size 8 --metric ami -o f.svg", 2, &["\"ami\"", "clusters, ari, nmi"]);
    fails("scores results --size 8 --pool third -o f.svg", 2, &["third", "pool, other"]);
    fails("curve results --size 8 --x enhance.tolerance -o f.svg", 2, &["enhance.tolerance"]);
    fails("sizes study.toml -o f.svg", 1, &["study.toml", "no JSON"]);
    fails("ranks missing -o f.svg", 1, &["missing", "no study"]);
    fails("scores results --size 8 -o f.jpg", 2, &[".svg, .pdf, .png"]);
    fails("sizes a.json b.json -o f.svg", 2, &["one source", "2"]);
    fails("sizes results -o f.svg", 1, &["results", "a folder", "--record FILE.json"]);
    let one = "pools = [{ file = \"pool.csv\", truth = \"truth.csv\" }]\nruns = 2\n[base]\nmethod = \"lwea\"\n\
               [[variant]]\ngrid = { ca.theta = [0.2, 0.4] }\n";
    folder.write("one.toml", one);
    folder.run("study one.toml --out one --quiet").succeeded();
    folder.run("plot grid one -o f.svg").failed(1, &["two parameters", "ca.theta", "curve"]);
    let folder = records();
    folder.run("cluster pool.csv --k 2 --record bare.json --out l.csv --quiet").succeeded();
    folder.run("plot dendrogram bare.json -o f.svg").failed(1, &["--linkage FILE.npy"]);
    folder.run("plot similarity bare.json -o f.svg").failed(1, &["--linkage"]);
    folder.run("plot sizes plain.json --k 7 -o f.svg").failed(2, &["--k", "\"7\"", "known: 3"]);
    folder.run("plot sizes plain.json -o plain.json").failed(2, &["plain.json"]);
}
