//! The time from a raised cancel flag to the end of the run.
//!
//! ```text
//! ENCLUST_POOLS=… cargo bench --bench cancelling -- LS ec-cms,pta-al 8
//! ```
//!
//! Arguments: data set, methods, number of runs of each. The flag is raised after a share of at
//! most ten seconds, spread evenly over the runs. Prints for each method the longest delay in
//! seconds, after how long the flag was raised then, and how many runs were stopped.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use enclust::core::{Ctx, Ensemble, Method};

/// No run is waited for longer than this before its flag is raised.
const LONGEST: f64 = 10.0;

fn main() {
    let given = common::arguments();
    let [dataset, methods, runs] = given.as_slice() else {
        println!("usage: cancelling DATASET METHOD,… RUNS");
        return;
    };
    let runs: usize = runs.parse().expect("a number of runs");
    let (pool, truth) = common::pool(dataset);
    let ensemble = common::draws(&pool).next().expect("a draw");
    for method in methods.split(',') {
        let whole = delay(method, &ensemble, truth.clusters(), LONGEST);
        let span = whole.map_or(LONGEST, |(_, time)| time.min(LONGEST));
        let times = (0..runs).map(|run| span * (run as f64 + 0.5) / runs as f64);
        let stopped: Vec<(f64, f64)> = times
            .filter_map(|time| match delay(method, &ensemble, truth.clusters(), time) {
                Some((late, _)) if late > 0.0 => Some((late, time)),
                _ => None,
            })
            .collect();
        let worst = stopped.iter().copied().fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
        let count = stopped.len();
        println!("{dataset} {method} {:.3} {:.2} {count} of {runs}", worst.0, worst.1);
    }
}

/// How long a run went on after its flag was raised, and how long it took in all.
fn delay(method: &str, ensemble: &Ensemble, k: usize, raise: f64) -> Option<(f64, f64)> {
    let pipeline = common::method(method, 0.8, &[]);
    let (backend, flag) = (common::backend(), AtomicBool::new(false));
    let (began, over) = (Instant::now(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while began.elapsed().as_secs_f64() < raise && !over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            flag.store(true, Ordering::Relaxed);
        });
        let _ = pipeline.run(ensemble, k, &Ctx::new(&*backend).with_cancel(&flag));
        over.store(true, Ordering::Relaxed);
        let took = began.elapsed().as_secs_f64();
        Some(((took - raise).max(0.0), took))
    })
}
