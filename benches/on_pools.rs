//! Time and memory of a method on the authors' pools, for comparison with the peers
//! in `benches/peers/` (`cargo xtask peers` runs both and prints the ratios).
//!
//! ```text
//! ENCLUST_POOLS=… cargo bench --bench on_pools -- ec-cms 3 LS FCT
//! ```
//!
//! Needs `ENCLUST_POOLS`. Arguments: a preset, the number of repetitions, data sets.
//! Prints one line a data set, all for the paper's first draw: name, n, n', k,
//! iterations, seconds of the enhancement, seconds of the whole run from labels to
//! labels (best of the repetitions, after a warm-up), peak memory of the process in MB.

use std::path::{Path, PathBuf};
use std::time::Instant;

use enclust::core::{Ctx, Method, Microclusters, Part};
use enclust::registry::{DEFAULT_BACKEND, standard};
use enclust_experiment::PaperDraws;
use enclust_io::read_pool;

fn main() {
    let Some(folder) = std::env::var_os("ENCLUST_POOLS").map(PathBuf::from) else {
        println!("skipped: ENCLUST_POOLS is not set");
        return;
    };
    // Cargo passes flags such as --bench.
    let given: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let [method, repetitions, datasets @ ..] = given.as_slice() else {
        println!("usage: on_pools METHOD REPETITIONS DATASET…");
        return;
    };
    let repetitions = repetitions.parse().expect("a number of repetitions");
    for dataset in datasets {
        time(&folder, dataset, method, repetitions);
    }
}

fn time(folder: &Path, dataset: &str, method: &str, repetitions: usize) {
    let pool = read_pool(&folder.join(format!("{dataset}.mat"))).expect("a readable pool");
    let columns = PaperDraws::new(100, 20, 1).expect("valid").next().expect("endless");
    let ensemble = pool.ensemble.select(&columns).expect("columns of the pool");
    let registry = standard::<f64>();
    let backend = registry.backend.build(&Part::named(DEFAULT_BACKEND)).expect("known");
    let method = registry.pipeline(&registry.preset(method).expect("known").spec).expect("valid");
    let k = pool.truth.expect("pools carry their truth").clusters();
    let (mut enhance, mut whole, mut iterations) = (f64::INFINITY, f64::INFINITY, 0);
    for repetition in 0..=repetitions {
        let began = Instant::now();
        let outcome = method.run(&ensemble, k, &mut Ctx::new(&*backend)).expect("runs");
        let seconds = began.elapsed().as_secs_f64();
        if std::env::var_os("ENCLUST_STAGES").is_some() {
            println!("{:?}", outcome.timings);
        }
        if repetition > 0 || repetitions == 0 {
            let stage = outcome.timings.iter().find(|(stage, _)| *stage == "enhance");
            enhance = enhance.min(stage.map_or(0.0, |s| s.1.as_secs_f64()));
            whole = whole.min(seconds);
        }
        iterations = outcome.report.iterations;
    }
    let (n, groups) = (ensemble.samples(), Microclusters::of(&ensemble).len());
    let peak = peak_megabytes();
    println!("{dataset} {n} {groups} {k} {iterations} {enhance:.4} {whole:.4} {peak}");
}

/// The most memory this process ever held; 0 where the system does not say.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse().ok()).unwrap_or(0_u64) / 1024
}
