//! Studies on a small pool: the tables do not depend on the number of threads, on interruptions
//! or on shards.

mod common;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use enclust_core::{Event, Observer, Watch};
use enclust_experiment::StudyError;
use enclust_experiment::study::{Mode, Plan, Registries, RunOptions, Study, merge};

const STUDY: &str = r#"
pools = ["one", "two"]
runs = 4
k = [2, 3]
metrics = ["ari", "agreement", "iterations"]
thresholds = [0.5]

[draws]
size = [5, 8]
seed = 3

[base]
method = "ec-cms"

[[variant]]
enhance = "admm"
grid = { enhance.lambda = [0.1, 1] }

[[variant]]
method = "lwea"
"#;

/// A folder with the pools and the study.
fn bench(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    common::write_pool(&folder.path().join("one.mat"), 60, 12, 1);
    common::write_pool(&folder.path().join("two.mat"), 45, 10, 2);
    std::fs::write(folder.path().join("study.toml"), text).unwrap();
    folder
}

fn plan(bench: &Path) -> Plan {
    try_plan(bench).unwrap_or_else(|e| panic!("{e}"))
}

fn try_plan(bench: &Path) -> Result<Plan, StudyError> {
    Study::read(bench.join("study.toml"))?.plan(&Registries::standard(), &[])
}

/// The tables whose bytes must not depend on how the study was run.
fn tables(folder: &Path) -> [Vec<u8>; 2] {
    ["runs.csv", "summary.csv"].map(|name| std::fs::read(folder.join(name)).unwrap())
}

/// The same for a study with tuned grids.
fn tuned_tables(folder: &Path) -> [Vec<u8>; 3] {
    let [runs, summary] = tables(folder);
    [runs, summary, std::fs::read(folder.join("tuned.csv")).unwrap()]
}

fn whole(bench: &Path, threads: usize) -> PathBuf {
    let out = bench.join(format!("whole-{threads}"));
    plan(bench).run_in(&out, &RunOptions { threads, ..RunOptions::default() }).unwrap();
    out
}

#[test]
fn every_cell_has_every_figure() {
    let bench = bench(STUDY);
    let plan = plan(bench.path());
    let names: Vec<&str> = plan.protocol.variants.iter().map(|v| v.name.as_str()).collect();
    let admm = ["enhance=admm enhance.lambda=0.1", "enhance=admm enhance.lambda=1"];
    assert_eq!(names, ["ec-cms", admm[0], admm[1], "lwea"]);
    let results = plan.run(&RunOptions::default()).unwrap();
    // 2 pools × 2 sizes × 4 runs × 4 variants; 2 metrics at 2 k, 4 of the fit.
    assert_eq!(results.finished.len(), 64);
    let rows = results.runs().unwrap();
    assert_eq!(rows.len(), 64 * 8);
    let good = rows.iter().filter(|r| r.metric == "ari" && r.k == Some(3) && r.value > 0.5);
    assert!(good.count() > 32, "the classes can be found");
    let direct = |r: &&enclust_experiment::study::RunRow<'_>| {
        r.metric == "iterations" && (r.value == 0.0) == (r.variant == "lwea")
    };
    assert_eq!(rows.iter().filter(direct).count(), 64);
    assert!(rows.iter().all(|r| r.metric != "recall@0.5" || (0.0..=1.0).contains(&r.value)));
}

#[test]
fn threads_change_no_byte() {
    let bench = bench(STUDY);
    let (one, two) = (whole(bench.path(), 1), whole(bench.path(), 2));
    assert_eq!(tables(&one), tables(&two));
    let record = std::fs::read_to_string(two.join("record.json")).unwrap();
    assert!(record.contains("\"threads\": 2") && record.contains("\"sha256\""), "{record}");
}

/// LWEA uses no random numbers and has hardly any ties, so shuffling does not change its
/// scores. The similarity behind `recall@0.5` and the number of iterations do not depend on the
/// order either.
#[test]
fn shuffled_samples_keep_the_scores_of_methods_that_owe_nothing_to_order() {
    let text = STUDY.replace("runs = 4", "runs = 4\nshuffle = true");
    let (plain, shuffled) = (bench(STUDY), bench(&text));
    let values = |bench: &Path| -> Vec<f64> {
        let results = plan(bench).run(&RunOptions::default()).unwrap();
        results.runs().unwrap().iter().map(|row| row.value).collect()
    };
    let (plain, shuffled) = (values(plain.path()), values(shuffled.path()));
    assert_eq!(plain.len(), shuffled.len());
    let same = plain.iter().zip(&shuffled).filter(|(a, b)| (*a - *b).abs() < 1e-9).count();
    assert!(same * 20 >= plain.len() * 19, "{same} of {} figures are equal", plain.len());
    let protocol = |shuffle: bool| {
        let text = if shuffle { text.as_str() } else { STUDY };
        serde_json::to_string(&plan(bench(text).path()).protocol).unwrap()
    };
    assert!(protocol(true).contains("\"shuffle\":true"));
    assert!(!protocol(false).contains("shuffle"), "studies of earlier versions can be resumed");
}

#[test]
fn shards_put_together_are_the_whole() {
    let bench = bench(STUDY);
    let expected = tables(&whole(bench.path(), 1));
    let plan = plan(bench.path());
    let mut folders = Vec::new();
    for number in 1..=3 {
        let folder = bench.path().join(format!("shard-{number}"));
        let shard = Some(format!("{number}/3").parse().unwrap());
        plan.run_in(&folder, &RunOptions { shard, ..RunOptions::default() }).unwrap();
        assert!(!folder.join("summary.csv").exists(), "a shard has no summary");
        folders.push(folder);
    }
    let out = bench.path().join("merged");
    let missing = merge(&out, &folders[..2]).unwrap_err();
    assert!(matches!(missing, StudyError::Incomplete { cells: 64, .. }), "{missing}");
    // In any order, with one shard given twice.
    folders.reverse();
    folders.push(folders[0].clone());
    merge(&out, &folders).unwrap();
    assert_eq!(tables(&out), expected);
    merge(&out, &folders).unwrap();
    assert_eq!(tables(&out), expected);
}

/// Counts the cells that are done.
fn counting(done: &AtomicUsize) -> impl Observer {
    |event: &Event<'_>| {
        if let Event::Done(_) = event {
            done.fetch_add(1, Ordering::SeqCst);
        }
        ControlFlow::Continue(())
    }
}

/// Panics after this many cells, which leaves the folder in the same state as a kill.
fn stopping(after: &AtomicUsize) -> impl Observer {
    |event: &Event<'_>| {
        if let Event::Done(_) = event {
            assert!(after.fetch_sub(1, Ordering::SeqCst) > 0, "stopped on purpose");
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn a_cancelled_study_keeps_what_it_has_and_goes_on() {
    let bench = bench(STUDY);
    let expected = tables(&whole(bench.path(), 1));
    let out = bench.path().join("cancelled");
    let (done, cancel) = (AtomicUsize::new(0), AtomicBool::new(false));
    let observer = |event: &Event<'_>| {
        if let Event::Done(_) = event {
            cancel.store(done.fetch_add(1, Ordering::SeqCst) == 6, Ordering::SeqCst);
        }
        ControlFlow::Continue(())
    };
    let watch = Watch::default().with_observer(&observer).with_cancel(&cancel);
    let options = RunOptions { threads: 1, watch, ..RunOptions::default() };
    let error = plan(bench.path()).run_in(&out, &options).unwrap_err();
    assert_eq!(error.to_string(), "the study was stopped after 7 of 64");
    let again = AtomicUsize::new(0);
    let observer = counting(&again);
    let watch = Watch::default().with_observer(&observer);
    let options = RunOptions { watch, ..RunOptions::default() };
    plan(bench.path()).run_in(&out, &options).unwrap();
    assert_eq!(again.load(Ordering::SeqCst), 64 - 7);
    assert_eq!(tables(&out), expected);
}

#[test]
fn a_stopped_study_goes_on_where_it_was() {
    let bench = bench(STUDY);
    let expected = tables(&whole(bench.path(), 1));
    let out = bench.path().join("stopped");
    for cells in [0, 1, 5, 20] {
        let left = AtomicUsize::new(cells);
        let stop = stopping(&left);
        let watch = Watch::default().with_observer(&stop);
        let options = RunOptions { threads: 1, watch, ..RunOptions::default() };
        let run = std::panic::AssertUnwindSafe(|| plan(bench.path()).run_in(&out, &options));
        assert!(std::panic::catch_unwind(run).is_err());
        assert!(!out.join("runs.csv").exists());
    }
    let ran = AtomicUsize::new(0);
    let count = counting(&ran);
    let watch = Watch::default().with_observer(&count);
    let options = RunOptions { watch, ..RunOptions::default() };
    plan(bench.path()).run_in(&out, &options).unwrap();
    // A cell is stored before it is reported, so each stop stored one more than it reported.
    assert_eq!(ran.load(Ordering::SeqCst), 64 - (1 + 2 + 6 + 21));
    assert_eq!(tables(&out), expected);
    plan(bench.path()).run_in(&out, &options).unwrap();
    assert_eq!(ran.load(Ordering::SeqCst), 64 - 30, "nothing is left to run");
}

#[test]
fn a_folder_belongs_to_one_study_and_its_pools() {
    let bench = bench(STUDY);
    let out = whole(bench.path(), 1);
    let refused = |bench: &Path| {
        let error = plan(bench).run_in(&out, &RunOptions::default()).unwrap_err();
        assert!(matches!(error, StudyError::OtherStudy { .. }), "{error}");
        error.to_string()
    };
    std::fs::write(bench.path().join("study.toml"), STUDY.replace("0.1, 1]", "0.1, 2]")).unwrap();
    let message = refused(bench.path());
    assert!(message.contains("lambda=1\" there and"), "{message}");
    std::fs::write(bench.path().join("study.toml"), STUDY).unwrap();
    common::write_pool(&bench.path().join("two.mat"), 45, 10, 7);
    let message = refused(bench.path());
    assert!(message.contains("pools.1.sha256 is"), "{message}");
}

#[test]
fn mistakes_show_before_anything_runs() {
    let cases = [
        (
            "ec-cms\"",
            "ec-csm\"",
            "study.toml:12: variant \"ec-csm\": no method is called \"ec-csm\"",
        ),
        ("enhance.lambda", "enhance.lamda", ": admm has no parameter \"lamda\"; known: lambda"),
        ("[0.1, 1]", "[0.1, -1]", "admm: lambda = -1 is out of range"),
        ("enhance.lambda", "enhanc.lambda", "no stage is called \"enhanc\""),
        ("\"two\"", "\"three\"", "pool \"three\" is not in "),
        ("\"two\"", "\"one.mat\"", "two pools are called \"one\""),
        ("size = [5, 8]", "size = [5, 11]", "pool \"two\": paper draws: take = 11 is out of range"),
        ("\"ari\"", "\"arj\"", "there is no metric \"arj\"; known: ari, nmi"),
        ("\"lwea\"", "\"lwgp\"", "variant \"lwgp\" makes no similarity, but precision@0.5"),
        ("method = \"lwea\"", "method = \"trce\"", "variant \"trce\": trce learns for one number"),
        ("method = \"lwea\"", "name = \"ec-cms\"", "two variants are called \"ec-cms\""),
        ("method = \"lwea\"", "per_pool.tow = { ca.theta = 0.5 }", "there is no pool \"tow\""),
    ];
    for (from, to, expected) in cases {
        let bench = bench(&STUDY.replacen(from, to, 1));
        let message = try_plan(bench.path()).expect_err(to).to_string();
        assert!(message.contains(expected), "{to}: {message}");
    }
}

#[test]
fn a_run_that_fails_names_itself() {
    let bench = bench(&STUDY.replace("k = [2, 3]", "k = [2, 46]"));
    let error = plan(bench.path()).run(&RunOptions::default()).unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with("two, ") && message.contains("k = 46 is not possible"),
        "{message}"
    );
}

#[test]
fn what_is_no_study_cannot_be_merged() {
    let bench = bench(STUDY);
    let error = merge(&bench.path().join("out"), &[bench.path()]).unwrap_err();
    assert!(matches!(error, StudyError::NoStudy { .. }), "{error}");
}

/// The study above with the grid of the second recipe tuned.
fn tuned_study() -> String {
    format!("tuned_by = \"ari\"{STUDY}")
}

#[test]
fn tuned_rows_are_the_same_bytes_however_they_came_about() {
    let bench = bench(&tuned_study());
    let (one, two) = (whole(bench.path(), 1), whole(bench.path(), 2));
    let expected = tuned_tables(&one);
    assert_eq!(tuned_tables(&two), expected);
    let plan = plan(bench.path());
    let folders = [1, 2].map(|number| {
        let folder = bench.path().join(format!("shard-{number}"));
        let shard = Some(format!("{number}/2").parse().unwrap());
        plan.run_in(&folder, &RunOptions { shard, ..RunOptions::default() }).unwrap();
        assert!(!folder.join("tuned.csv").exists(), "a shard has no tuned rows");
        folder
    });
    let out = bench.path().join("merged");
    merge(&out, &folders).unwrap();
    assert_eq!(tuned_tables(&out), expected);
    let text = String::from_utf8(expected[2].clone()).unwrap();
    let head = "pool,size,recipe,mode,k,metric,runs,mean,std,chosen";
    assert_eq!(text.lines().next(), Some(head));
    // 2 pools, 2 sizes, 2 numbers of clusters, 3 modes, 2 metrics of a partition.
    assert_eq!(text.lines().count(), 1 + 2 * 2 * 2 * 3 * 2);
}

#[test]
fn defaults_are_run_unless_they_are_run_anyway() {
    let names = |text: &str| {
        let bench = bench(text);
        let plan = plan(bench.path());
        let default = plan.protocol.tuning.clone().unwrap().recipes[0].default;
        (plan.protocol.variants.len(), plan.protocol.variants[default].name.clone())
    };
    let admm = "enhance=admm";
    // Lambda is 0.4 by default, which is not in the grid.
    assert_eq!(names(&tuned_study()), (5, format!("{admm} (default)")));
    let in_grid = tuned_study().replace("[0.1, 1]", "[0.1, 0.4, 1]");
    assert_eq!(names(&in_grid), (5, format!("{admm} enhance.lambda=0.4")));
    // A grid over the method of the base: its default is the base.
    let of_base = tuned_study().replace("enhance = \"admm\"", "name = \"grid\"");
    assert_eq!(names(&of_base), (4, "ec-cms".to_string()));
    let set = tuned_study()
        .replace("enhance = \"admm\"", "name = \"grid\"\nset = { enhance.lambda = 1.0 }");
    assert_eq!(names(&set), (4, "grid enhance.lambda=1".to_string()));
}

#[test]
fn tuned_figures_are_those_of_the_runs() {
    let bench = bench(&tuned_study());
    let results = plan(bench.path()).run(&RunOptions::default()).unwrap();
    let (tuned, runs, summary) =
        (results.tuned().unwrap(), results.runs().unwrap(), results.summary().unwrap());
    for row in tuned.iter().filter(|row| row.metric == "ari") {
        let mine = |pool: &str, size, k, variant: &str| {
            (pool, size, k) == (row.pool, row.size, row.k) && variant.starts_with("enhance=admm")
        };
        let of_grid = summary.iter().filter(|r| {
            r.metric == "ari" && mine(r.pool, r.size, r.k, r.variant) && !r.variant.ends_with(')')
        });
        let best = of_grid.map(|r| r.mean).fold(f64::NEG_INFINITY, f64::max);
        match row.mode {
            Mode::Default => assert_eq!(row.chosen, "enhance.lambda=0.4"),
            Mode::BestSingle => assert_eq!(row.mean, best),
            Mode::BestPerEnsemble => {
                let best_of = |run| {
                    let of_run = runs.iter().filter(|r| {
                        (r.run, r.metric.as_str()) == (run, "ari")
                            && mine(r.pool, r.size, r.k, r.variant)
                            && !r.variant.ends_with(')')
                    });
                    of_run.map(|r| r.value).fold(f64::NEG_INFINITY, f64::max)
                };
                let mean = (1..=4).map(best_of).sum::<f64>() / 4.0;
                assert!((row.mean - mean).abs() < 1e-12 && row.mean >= best - 1e-12);
            }
        }
    }
}

#[test]
fn what_cannot_be_tuned_is_refused() {
    let cases = [
        ("\"ari\"\n", "\"nmi\"\n", "tuned_by: nmi is not among the metrics"),
        (
            "\"ari\"\n",
            "\"iterations\"\n",
            "tuned_by: iterations is not a metric for which larger is",
        ),
        ("\"ari\"\n", "\"arj\"\n", "there is no metric \"arj\""),
        (
            "grid = { enhance.lambda = [0.1, 1] }",
            "grid = { enhance.limit = \"published\" }",
            "variant \"enhance=admm\": no grid was published for enhance.limit",
        ),
        (
            "method = \"lwea\"",
            "method = \"eac\"\ngrid = \"published\"",
            "variant \"eac\": no grid was published for any of its parameters",
        ),
        (
            "method = \"lwea\"",
            "enhance = \"admm\"\ngrid = { enhance.gamma1 = [2] }",
            "two grids are called \"enhance=admm\"",
        ),
        (
            "method = \"lwea\"",
            "method = \"lwea\"\nagainst = \"enhance=admm\"",
            "there is no recipe without a grid \"enhance=admm\"; known: ec-cms, lwea",
        ),
    ];
    for (from, to, expected) in cases {
        let bench = bench(&tuned_study().replacen(from, to, 1));
        let message = try_plan(bench.path()).expect_err(to).to_string();
        assert!(message.contains(expected), "{to}: {message}");
    }
}

#[test]
fn fewer_clusters_than_asked_for_are_counted() {
    let text = STUDY
        .replace("\"iterations\"]", "\"clusters\"]")
        .replace("thresholds = [0.5]\n", "")
        .replace("k = [2, 3]", "k = [2, 9]")
        .replace("\"lwea\"", "\"ecpcs-mc\"");
    let bench = bench(&text);
    let results = plan(bench.path()).run(&RunOptions::default()).unwrap();
    let runs = results.runs().unwrap();
    let clusters = |exact: bool| {
        let rows = runs.iter().filter(|r| r.metric == "clusters");
        rows.filter(move |r| (r.variant != "ecpcs-mc") == exact)
            .map(|r| (r.k.unwrap() as f64, r.value))
    };
    assert!(clusters(true).all(|(k, found)| found == k));
    assert!(clusters(false).all(|(k, found)| found <= k));
    assert!(
        clusters(false).any(|(k, found)| found < k),
        "ecpcs-mc finds fewer than nine clusters in some runs"
    );
    let others = results.other_counts();
    assert!(others.iter().all(|other| other.variant == "ecpcs-mc" && *other.found.end() < other.k));
    let told: usize = others.iter().map(|other| other.runs).sum();
    assert_eq!(told, clusters(false).filter(|(k, found)| found != k).count());
    let rows = results.summary().unwrap();
    assert!(rows.iter().filter(|r| r.metric == "clusters").all(|r| r.rank.is_none()));
}

/// The studies of this crate can be planned on pools with the expected names: they contain no
/// unknown part or parameter.
#[test]
fn every_study_of_this_crate_can_be_run() {
    let pools = tempfile::tempdir().unwrap();
    let write = |name: &str| {
        common::write_pool(&pools.path().join(format!("{name}.mat")), 30, 100, 4);
    };
    let studies = Path::new(env!("CARGO_MANIFEST_DIR")).join("studies");
    let mut planned = 0;
    for file in std::fs::read_dir(studies).unwrap().map(|entry| entry.unwrap().path()) {
        let is_study =
            file.extension().is_some_and(|e| e == "toml") && !file.ends_with("notes.toml");
        if is_study {
            let study = Study::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            study.pools.iter().for_each(|pool| write(&pool.file));
            let plan = study.plan(&Registries::standard(), &[pools.path().into()]);
            plan.unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            planned += 1;
        }
    }
    assert!(planned >= 10, "{planned} studies found");
}

/// Every combination of parts is run or refused with a reason; backend and precision change
/// nothing but rounding.
#[test]
fn a_grid_over_parts_runs_what_fits_and_says_what_does_not() {
    let bench = bench(
        r#"
        pools = ["one", "two"]
        metrics = ["ari"]
        [base]
        method = "lwea"
        [[variant]]
        name = "parts"
        [variant.grid]
        ca = ["lwca", "lwb"]
        enhance = ["none", "admm", "exact"]
        stop = ["authors", "kkt"]
        backend = ["reference", "nalgebra"]
        precision = ["f32", "f64"]
        "#,
    );
    let plan = plan(bench.path());
    let run: Vec<&str> = plan.protocol.variants.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(run.len() + plan.refused.len(), 1 + 2 * 3 * 2 * 2 * 2);
    // lwca with admm until authors or kkt, and with exact until kkt.
    assert_eq!(run.len(), 1 + 3 * 4, "{run:?}");
    assert_eq!(run[1], "parts enhance=admm ca=lwca stop=authors backend=reference precision=f32");
    let why = |words: &str| {
        let named = |refused: &&enclust_experiment::study::Refused| refused.variant.contains(words);
        plan.refused.iter().find(named).map(|refused| refused.reason.to_string()).unwrap()
    };
    assert!(why("enhance=exact ca=lwca stop=authors").contains("authors"));
    assert!(why("enhance=none ca=lwca stop=kkt").contains("kkt"));
    assert!(why("enhance=exact ca=lwb").contains("bipartite"));
    let results = plan.run(&RunOptions::default()).unwrap();
    let summary = results.summary().unwrap();
    for pool in ["one", "two"] {
        for parts in ["enhance=admm ca=lwca stop=authors", "enhance=exact ca=lwca stop=kkt"] {
            let same = |row: &&enclust_experiment::study::SummaryRow| {
                row.pool == pool && row.variant.contains(parts)
            };
            let means: Vec<f64> = summary.iter().filter(same).map(|row| row.mean).collect();
            assert_eq!(means.len(), 4);
            assert!(means.iter().all(|m| *m == means[0]), "{pool}, {parts}: {means:?}");
        }
    }
}

/// The example of an ablation: every combination is run or refused.
#[test]
fn the_example_of_an_ablation_can_be_planned() {
    let folder = tempfile::tempdir().unwrap();
    common::write_pool(&folder.path().join("Ecoli.mat"), 60, 30, 1);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ablation.toml");
    let study = Study::read(file).unwrap();
    let plan = study.plan(&Registries::standard(), &[folder.path().into()]).unwrap();
    let combinations = 2 * 2 * 3 * 3 * 2 * 2;
    assert_eq!(plan.protocol.variants.len() - 1 + plan.refused.len(), combinations);
    // admm takes all three rules, exact all but that of the authors.
    assert_eq!(plan.protocol.variants.len() - 1, 2 * 2 * (3 + 2) * 2 * 2);
}

/// A pool as people have it: text, with -1 for noise, an odd mark, and its truth elsewhere.
fn own_pool(folder: &Path) {
    let cell = |i: usize, k: usize| match (i, k) {
        (4, 1) => "-1".to_string(),
        (5, 2) => "gap".to_string(),
        _ => ((i + usize::from(i % 7 == k)) % 3).to_string(),
    };
    let row = |i: usize| format!("s{i},{},{},{},{}\n", cell(i, 0), cell(i, 1), cell(i, 2), i);
    let pool: String = (0..30).map(row).collect();
    std::fs::write(folder.join("mine.csv"), format!("id,a,b,c,number\n{pool}")).unwrap();
    // In another order than the pool.
    let truth: String =
        (0..30).rev().map(|i| format!("s{i},{}\n", ["x", "y", "z"][i % 3])).collect();
    std::fs::write(folder.join("classes.csv"), format!("id,class\n{truth}")).unwrap();
}

const OWN: &str = r#"
pools = [{ file = "mine", truth = "classes.csv", noise = "missing", missing = ["gap"], columns = [1, "b", 3] }]
metrics = ["ari", "largest"]
[base]
method = "lwea"
"#;

#[test]
fn a_pool_may_have_its_own_truth_marks_and_columns() {
    let folder = tempfile::tempdir().unwrap();
    own_pool(folder.path());
    std::fs::write(folder.path().join("study.toml"), OWN).unwrap();
    let plan = try_plan(folder.path()).unwrap();
    let record = &plan.protocol.pools[0];
    assert_eq!((record.clusterings, record.classes, record.samples), (3, Some(3), 30));
    assert_eq!(plan.pools[0].ensemble.missing(), 2, "noise and the mark");
    assert_eq!(plan.pools[0].columns.as_ref().unwrap(), &["a", "b", "c"]);
    let rows = plan.run(&RunOptions::default()).unwrap();
    let rows = rows.runs().unwrap();
    let value = |metric: &str| rows.iter().find(|row| row.metric == metric).unwrap().value;
    assert!(value("ari") > 0.5, "the truth is matched by id: {}", value("ari"));
    assert!((1.0 / 3.0..0.5).contains(&value("largest")), "{}", value("largest"));

    // The record tells when the truth or the way of reading changes.
    let before = plan.protocol.clone();
    let changed = OWN.replace("\"missing\"", "\"singleton\"");
    std::fs::write(folder.path().join("study.toml"), changed).unwrap();
    assert_ne!(try_plan(folder.path()).unwrap().protocol, before);
    std::fs::write(folder.path().join("study.toml"), OWN).unwrap();
    let truth = std::fs::read_to_string(folder.path().join("classes.csv")).unwrap();
    std::fs::write(folder.path().join("classes.csv"), truth.replacen("s29,z", "s29,x", 1)).unwrap();
    assert_ne!(try_plan(folder.path()).unwrap().protocol, before);
}

#[test]
fn mistakes_in_the_keys_of_a_pool_are_named() {
    let folder = tempfile::tempdir().unwrap();
    own_pool(folder.path());
    for (from, to, words) in [
        ("\"b\", 3", "\"d\"", "mine: there is no clustering \"d\""),
        ("\"b\", 3", "5", "mine: there is no clustering 5, only 1 to 4"),
        ("\"b\", 3", "0", "mine: there is no clustering 0, only 1 to 4"),
        ("noise = \"missing\"", "noise = \"loud\"", "loud"),
        ("truth = \"classes.csv\"", "truth = \"nowhere.csv\"", "nowhere.csv"),
        ("noise =", "nois =", "the name of a file, or a table with file, truth"),
    ] {
        std::fs::write(folder.path().join("study.toml"), OWN.replace(from, to)).unwrap();
        let error = try_plan(folder.path()).unwrap_err().to_string();
        assert!(error.contains(words), "{to}: {error}");
    }
}

#[test]
fn a_point_that_equals_the_base_is_run_once() {
    let text = STUDY.replace("[0.1, 1]", "[0.1, 0.4]").replace("enhance = \"admm\"\n", "");
    assert!(text.contains("[0.1, 0.4]") && !text.contains("admm"), "{text}");
    let bench = bench(&text);
    let plan = plan(bench.path());
    let variants: Vec<&str> = plan.protocol.variants.iter().map(|v| v.name.as_str()).collect();
    let base = &plan.protocol.variants[0].pipelines;
    let same: Vec<bool> = plan.protocol.variants.iter().map(|v| v.pipelines == *base).collect();
    assert_eq!(same, [true, false, true, false], "{variants:?}");
    let results = plan.run(&RunOptions::default()).unwrap();
    assert_eq!(results.finished.len(), 64, "both have results");
    let finished: Vec<_> = results.finished.values().collect();
    for pair in finished.chunks(4) {
        // Two runs would not take the same time to the nanosecond.
        assert_eq!(pair[0].seconds, pair[2].seconds);
        assert_eq!(pair[0].values, pair[2].values);
        assert_ne!(pair[0].seconds, pair[1].seconds);
    }
}
