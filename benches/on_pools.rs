//! Time and memory of a method on the authors' pools, the paper's first draw.
//!
//! ```text
//! ENCLUST_POOLS=… cargo bench --bench on_pools -- ec-cms 3 LS FCT
//! ```
//!
//! Arguments: a preset, the number of repetitions, data sets. Prints one line per data set:
//! name, n, n', k, iterations, seconds of the enhancement, seconds of the whole run from labels
//! to labels (best of the repetitions, after a warm-up), peak memory of the process in MB.

mod common;

use std::time::Instant;

use enclust::core::{Ctx, Microclusters, Stage};

fn main() {
    let given = common::arguments();
    let [method, repetitions, datasets @ ..] = given.as_slice() else {
        println!("usage: on_pools METHOD REPETITIONS DATASET…");
        return;
    };
    let repetitions = repetitions.parse().expect("a number of repetitions");
    for dataset in datasets {
        time(dataset, method, repetitions);
    }
}

fn time(dataset: &str, method: &str, repetitions: usize) {
    let (pool, truth) = common::pool(dataset);
    let ensemble = common::draws(&pool).next().expect("endless");
    let (method, backend) = (common::method(method, 0.8, &[]), common::backend());
    let k = truth.clusters();
    let (mut enhance, mut whole, mut iterations) = (f64::INFINITY, f64::INFINITY, 0);
    for repetition in 0..=repetitions {
        let began = Instant::now();
        let (fit, _) = common::fit_and_cut(&method, &ensemble, k, &Ctx::new(&*backend));
        let seconds = began.elapsed().as_secs_f64();
        if repetition > 0 || repetitions == 0 {
            let stage = fit.timings.iter().find(|(stage, _)| *stage == Stage::Enhance);
            enhance = enhance.min(stage.map_or(0.0, |s| s.1.as_secs_f64()));
            whole = whole.min(seconds);
        }
        iterations = fit.report.iterations;
    }
    let (n, groups) = (ensemble.samples(), Microclusters::of(&ensemble).len());
    let peak = common::peak_megabytes();
    println!("{dataset} {n} {groups} {k} {iterations} {enhance:.4} {whole:.4} {peak}");
}
