//! Time, memory and scores of methods on many samples.
//!
//! ```text
//! cargo bench --bench scale -- pool 1000000 /tmp/pool.npz      # makes the pool
//! cargo bench --bench scale -- run /tmp/pool.npz ec-cms        # one method per process
//! cargo bench --bench scale -- run /tmp/pool.npz lwgp/reduce=none 3
//! cargo bench --bench scale -- labels 10000000 20 1000000 /tmp/labels   # .npy, .npz and .csv
//! cargo bench --bench scale -- read /tmp/labels.npy            # one file per process
//! cargo bench --bench scale -- stability /tmp/pool.npz 2 20
//! ```
//!
//! The pool has 16 features, 20 normal components that overlap, and 20 k-means clusterings of 14 to
//! 399 clusters, each fitted on 100,000 samples; all other samples have the label of the nearest
//! centre. The first command prints the error rate and the ARI of the best possible classifier
//! (estimated on the points themselves) and the number of distinct rows. The others print the times
//! of the stages in seconds, the sum, the peak memory of the process in MB, the ARI, and the report
//! on the reduction; the last argument is the number of seeds.
//!
//! `labels` writes random labels with the given numbers of samples, clusterings and distinct rows. `read` reads such
//! a file, merges equal rows and writes the labels of one clustering, and prints for each step its
//! time and the peak memory of the process until then, compared with the labels as stored (4 bytes
//! each).

mod common;

use std::path::Path;
use std::time::Instant;

use enclust::core::{Ctx, Ensemble, Method, Microclusters, Partition, Question};
use enclust::generate::{KMeansPool, KMeansPoolParams, Rest};
use enclust::io::{Pool, read_pool, write_labels, write_pool};
use enclust::metrics::Scores;
use enclust::registry::standard;
use enclust::stability::{Rule, StabilityParams, choose, stability};
use enclust_testkit::features::overlapping_blobs;

const DIMENSION: usize = 16;
const COMPONENTS: usize = 20;
const FITTED_ON: f64 = 100_000.0;

fn main() {
    let given = common::arguments();
    let words: Vec<&str> = given.iter().map(String::as_str).collect();
    match words[..] {
        ["pool", samples, path] => make(samples.parse().expect("a number"), Path::new(path)),
        ["run", path, method] => run(Path::new(path), method, 1),
        ["run", path, method, seeds] => run(Path::new(path), method, seeds.parse().expect("seeds")),
        ["labels", samples, clusterings, rows, path] => {
            let [samples, clusterings, rows] =
                [samples, clusterings, rows].map(|word| word.parse().expect("a number"));
            labels(samples, clusterings, rows, path);
        }
        ["read", path] => read(Path::new(path)),
        ["stability", path, from, to] => {
            judge_k(Path::new(path), from.parse().expect("k")..=to.parse().expect("k"));
        }
        _ => println!("usage: see the first lines of benches/scale.rs"),
    }
}

fn make(samples: usize, path: &Path) {
    let (points, error) = overlapping_blobs(COMPONENTS, samples, DIMENSION, 0.1, 1);
    let truth = Partition::from_labels((0..samples).map(|i| i % COMPONENTS));
    let params = KMeansPoolParams::default()
        .size(20)
        .min_clusters(14)
        .max_clusters(Some(399))
        .samples((FITTED_ON / samples as f64).min(1.0))
        .assign(Rest::Nearest);
    let began = Instant::now();
    let pool = KMeansPool::new(params).expect("valid");
    let ensemble = pool.generate(&points, DIMENSION).expect("generates");
    let seconds = began.elapsed().as_secs_f64();
    println!("{samples} samples, error of the best classifier {error:.3}, made in {seconds:.1} s");
    let rows = Microclusters::of(&ensemble).len();
    println!("{rows} distinct rows, clusters {:?}", ensemble.clusters());
    write_pool(path, &Pool { truth: Some(truth), ..Pool::new(ensemble) }).expect("written");
}

/// Writes a pool in which this number of different rows repeat.
fn labels(samples: usize, clusterings: usize, rows: usize, path: &str) {
    let label = |i: usize, k: usize| {
        let mixed = ((i % rows * clusterings + k) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 40) as u32 % 60
    };
    let made = Ensemble::from_keys(samples, clusterings, |i, k| Some(label(i, k)));
    let pool = Pool::new(made.expect("fits into memory"));
    for ending in ["npy", "npz", "csv"] {
        let began = Instant::now();
        write_pool(format!("{path}.{ending}"), &pool).expect("written");
        println!("{ending} written in {:.1} s", began.elapsed().as_secs_f64());
    }
}

fn read(path: &Path) {
    let file = std::fs::metadata(path).expect("a file").len() as f64 / 1e6;
    let report = |what: &str, began: Instant, stored: f64| {
        let peak = common::peak_megabytes() as f64;
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "{what}: {seconds:.2} s, peak {peak:.0} MB, {:.2} times the labels",
            peak / stored
        );
        seconds
    };
    let began = Instant::now();
    let pool = read_pool(path).expect("a pool");
    let labels = pool.ensemble.samples() * pool.ensemble.clusterings();
    let stored = 4.0 * labels as f64 / f64::from(1 << 20);
    let seconds = report("read", began, stored);
    println!("  file {file:.0} MB, {:.0} MB/s; labels {stored:.0} MB", file / seconds);
    let began = Instant::now();
    let rows = Microclusters::of(&pool.ensemble);
    report(&format!("merged to {} rows", rows.len()), began, stored);
    let column = Partition::from_labels(pool.ensemble.column(0).iter().copied());
    for ending in ["npy", "csv"] {
        let began = Instant::now();
        let out = path.with_extension(format!("labels.{ending}"));
        write_labels(&out, &column, None).expect("written");
        report(&format!("one column of labels as {ending}"), began, stored);
        std::fs::remove_file(out).expect("just written");
    }
}

fn judge_k(path: &Path, ks: std::ops::RangeInclusive<usize>) {
    let pool = read_pool(path).expect("a pool");
    let backend = common::backend();
    let method = standard::<f64>().pipeline(&common::spec("eac")).expect("valid");
    let began = Instant::now();
    let params = StabilityParams::default();
    let found =
        stability(&method, &pool.ensemble, ks, &params, &Ctx::new(&*backend)).expect("runs");
    let choice = choose(&found, Rule::Auto).expect("a tree");
    let (seconds, peak) = (began.elapsed().as_secs_f64(), common::peak_megabytes());
    println!(
        "{} of {} samples, {seconds:.1} s, {peak} MB, k = {}",
        found.used, found.samples, choice.k
    );
}

fn run(path: &Path, method: &str, seeds: u64) {
    let pool = read_pool(path).expect("a pool");
    let truth = pool.truth.as_ref().expect("the pool has its classes");
    let backend = common::backend();
    let pipeline = standard::<f64>().pipeline(&common::spec(method)).expect("valid");
    for seed in 1..=seeds {
        let ctx = Ctx::new(&*backend).with_seed(seed);
        let began = Instant::now();
        let fit =
            pipeline.fit(&pool.ensemble, &Question::clusters(COMPONENTS), &ctx).expect("runs");
        let (labels, moved) = fit.cut_and_moves(COMPONENTS, &ctx).expect("a possible k");
        let whole = began.elapsed().as_secs_f64();
        let ari = Scores::of(truth, &labels).expect("all samples").ari;
        let stages = fit.timings.iter().map(|(stage, t)| format!("{stage} {:.1}", t.as_secs_f64()));
        let stages = stages.collect::<Vec<_>>().join(", ");
        let peak = common::peak_megabytes();
        println!("{method} seed {seed}: {stages}; whole {whole:.1} s, {peak} MB, ARI {ari:.4}");
        if let Some(report) = &fit.reduction {
            println!("  {report:?}, moved {moved:?}, pairs {:?}", fit.pairs);
        }
    }
}
