//! Time and memory of a method on the authors' pools, the paper's first draw.
//!
//! ```text
//! ENCLUST_POOLS=… cargo bench --bench on_pools -- ec-cms 3 LS FCT
//! ```
//!
//! Arguments: a preset, the number of repetitions, data sets. Prints one line per data set:
//! name, n, n', k, iterations, seconds of the enhancement, seconds of the whole run from labels
//! to labels (best of the repetitions, after a warm-up), peak memory of the process in MB, a hash
//! of the labels, which shows whether a change of the program changed them, and the seconds of
//! each stage in the best repetition; the rest of it is the cut.

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
    let (mut stages, mut labels) = (String::new(), 0);
    for repetition in 0..=repetitions {
        let began = Instant::now();
        let (fit, partition) = common::fit_and_cut(&method, &ensemble, k, &Ctx::new(&*backend));
        let seconds = began.elapsed().as_secs_f64();
        if repetition > 0 || repetitions == 0 {
            let stage = fit.timings.iter().find(|(stage, _)| *stage == Stage::Enhance);
            enhance = enhance.min(stage.map_or(0.0, |s| s.1.as_secs_f64()));
            if seconds < whole {
                let times = fit.timings.iter().map(|(s, t)| format!(" {s} {:.3}", t.as_secs_f64()));
                (whole, stages) = (seconds, times.collect());
            }
        }
        iterations = fit.report.iterations;
        labels = hash(partition.labels());
    }
    let (n, groups) = (ensemble.samples(), Microclusters::of(&ensemble).len());
    let peak = common::peak_megabytes();
    println!(
        "{dataset} {n} {groups} {k} {iterations} {enhance:.4} {whole:.4} {peak} {labels:016x}{stages}"
    );
}

/// FNV-1a.
fn hash(labels: &[usize]) -> u64 {
    let add = |hash: u64, &label: &usize| (hash ^ label as u64).wrapping_mul(0x0100_0000_01b3);
    labels.iter().fold(0xcbf2_9ce4_8422_2325, add)
}
