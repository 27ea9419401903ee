//! Time, memory and scores of methods on many samples.
//!
//! ```text
//! cargo bench --bench scale -- pool 1000000 /tmp/pool.npz      # makes the pool
//! cargo bench --bench scale -- run /tmp/pool.npz ec-cms        # one method per process
//! cargo bench --bench scale -- run /tmp/pool.npz lwgp/reduce=none 3
//! ```
//!
//! The pool has 16 features, 20 normal components that overlap, and 20 k-means clusterings of 14 to
//! 399 clusters, each fitted on 100,000 samples; all other samples have the label of the nearest
//! centre. The first command prints the error rate and the ARI of the best possible classifier
//! (estimated on the points themselves) and the number of distinct rows. The others print the times
//! of the stages in seconds, the sum, the peak memory of the process in MB, the ARI, and the report
//! on the reduction; the last argument is the number of seeds.

mod common;

use std::path::Path;
use std::time::Instant;

use enclust::core::{Ctx, Method, Microclusters, Partition, Question};
use enclust::generate::{KMeansPool, KMeansPoolParams, Rest};
use enclust::io::{Pool, read_pool, write_pool};
use enclust::metrics::Scores;
use enclust::registry::standard;
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
        _ => println!("usage: scale pool SAMPLES FILE.npz | scale run FILE.npz METHOD [SEEDS]"),
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
