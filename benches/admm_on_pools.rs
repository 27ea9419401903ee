//! Time of `Admm` on the authors' pools, for comparison with the n × n
//! iteration in NumPy (`benches/peers/admm_numpy.py`; `cargo xtask peers` runs
//! both and prints the ratio).
//!
//! Needs `ENCLUST_POOLS`. Prints one line a data set: name, n, n', iterations,
//! seconds of the enhancement, seconds of the whole run (best of three).

use std::path::PathBuf;
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
    // Cargo passes flags such as --bench; anything else names a data set.
    let named: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let datasets = if named.is_empty() { vec!["FCT".into(), "LS".into()] } else { named };
    for dataset in datasets {
        time(&folder.join(format!("{dataset}.mat")), &dataset);
    }
}

fn time(path: &std::path::Path, dataset: &str) {
    let pool = read_pool(path).expect("a readable pool");
    let columns = PaperDraws::new(100, 20, 1).expect("valid").next().expect("endless");
    let ensemble = pool.ensemble.select(&columns).expect("columns of the pool");
    let registry = standard::<f64>();
    let backend = registry.backend.build(&Part::named(DEFAULT_BACKEND)).expect("known");
    let method =
        registry.pipeline(&registry.preset("ec-cms-admm").expect("known").spec).expect("valid");
    let k = pool.truth.expect("pools carry their truth").clusters();
    let mut best: Option<(f64, f64, usize)> = None;
    for _ in 0..3 {
        let began = Instant::now();
        let outcome = method.run(&ensemble, k, &mut Ctx::new(&*backend)).expect("runs");
        let whole = began.elapsed().as_secs_f64();
        let enhance =
            outcome.timings.iter().find(|(stage, _)| *stage == "enhance").expect("enhanced").1;
        let this = (enhance.as_secs_f64(), whole, outcome.report.iterations);
        best = Some(best.map_or(this, |b| if this.0 < b.0 { this } else { b }));
    }
    let (enhance, whole, iterations) = best.expect("three runs");
    let groups = Microclusters::of(&ensemble).len();
    println!("{dataset} {} {groups} {iterations} {enhance:.4} {whole:.4}", ensemble.samples());
}
