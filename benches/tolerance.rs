//! The effect of the tolerance of `Exact`: compares labels with those at 1e-10.
//!
//! ```text
//! ENCLUST_POOLS=… cargo bench --bench tolerance -- 20 1e-2,3e-3,1e-3 Ecoli SPF
//! ```
//!
//! Arguments: number of the paper's draws, tolerances, data sets. At α 0.8, λ 0.4 and the true
//! number of clusters; the reference iterates in double precision. Prints for each data set and tolerance: name, tolerance, runs with
//! equal labels, runs, mean iterations, mean ARI, and the numbers of the runs that
//! differ with the ARI between their labels and those at 1e-10.

mod common;

use enclust::core::{Ctx, Ensemble, Method, Outcome, Partition};
use enclust::metrics::Scores;
use enclust::registry::standard;

const REFERENCE: f64 = 1e-10;

fn main() {
    let given = common::arguments();
    let [runs, tolerances, datasets @ ..] = given.as_slice() else {
        println!("usage: tolerance RUNS TOLERANCE,… DATASET…");
        return;
    };
    let runs = runs.parse().expect("a number of runs");
    let tolerances: Vec<f64> =
        tolerances.split(',').map(|word| word.parse().expect("a tolerance")).collect();
    datasets.iter().for_each(|dataset| study(dataset, runs, &tolerances));
}

fn study(dataset: &str, runs: usize, tolerances: &[f64]) {
    let (pool, truth) = common::pool(dataset);
    let ensembles: Vec<Ensemble> = common::draws(&pool).take(runs).collect();
    let solve = |tolerance: f64, storage: &str| -> Vec<Outcome> {
        let registry = standard::<f64>();
        let mut spec = registry.preset("ec-cms").expect("known").spec.clone();
        spec.confidence = spec.confidence.set("giant", 1);
        spec.enhance = spec.enhance.set("tolerance", tolerance).set("storage", storage);
        let method = registry.pipeline(&spec).expect("valid");
        let backend = common::backend();
        let run = |e: &Ensemble| method.run(e, truth.clusters(), &Ctx::new(&*backend));
        ensembles.iter().map(|e| run(e).expect("runs")).collect()
    };
    let reference = solve(REFERENCE, "double");
    line(dataset, REFERENCE, &reference, &reference, &truth);
    for &tolerance in tolerances {
        line(dataset, tolerance, &solve(tolerance, "automatic"), &reference, &truth);
    }
}

fn line(dataset: &str, tolerance: f64, found: &[Outcome], wanted: &[Outcome], truth: &Partition) {
    let ari = |a: &Partition, b: &Partition| Scores::of(a, b).expect("same samples").ari;
    let pairs = found.iter().zip(wanted).enumerate();
    let differing: Vec<String> = pairs
        .filter(|(_, (f, w))| f.partition != w.partition)
        .map(|(run, (f, w))| format!("{}:{:.4}", run + 1, ari(&w.partition, &f.partition)))
        .collect();
    let runs = found.len();
    let mean = |value: &dyn Fn(&Outcome) -> f64| found.iter().map(value).sum::<f64>() / runs as f64;
    println!(
        "{dataset} {tolerance:.0e} {} {runs} {:.1} {:.4} {}",
        runs - differing.len(),
        mean(&|o| o.report.iterations as f64),
        mean(&|o| ari(truth, &o.partition)),
        differing.join(" ")
    );
}
