//! Compares the clusterings of the optimum with those of the paper's early-stopped iterate.
//!
//! ```text
//! ENCLUST_POOLS=… cargo bench --bench optimum -- 0.8 0.4 20 Ecoli SPF
//! ```
//!
//! Arguments: α, λ, number of the paper's draws, data sets. Prints one line per data set: name,
//! α, λ, runs, mean and standard deviation of the ARI of `Admm`, of `Exact`, and of the
//! difference between them per run.

mod common;

use enclust::core::{Ctx, Ensemble, Method};
use enclust::metrics::Scores;
use enclust_experiment::Summary;

fn main() {
    let given = common::arguments();
    let [alpha, lambda, runs, datasets @ ..] = given.as_slice() else {
        println!("usage: optimum ALPHA LAMBDA RUNS DATASET…");
        return;
    };
    let number = |word: &String| word.parse::<f64>().expect("a number");
    let runs = runs.parse().expect("a number of runs");
    datasets.iter().for_each(|dataset| compare(dataset, number(alpha), number(lambda), runs));
}

fn compare(dataset: &str, alpha: f64, lambda: f64, runs: usize) {
    let (pool, truth) = common::pool(dataset);
    let ensembles: Vec<Ensemble> = common::draws(&pool).take(runs).collect();
    let scores = |preset: &str| -> Vec<f64> {
        let method = common::method(preset, alpha, &[("lambda", lambda)]);
        let backend = common::backend();
        let score = |e: &Ensemble| {
            let outcome = method.run(e, truth.clusters(), &Ctx::new(&*backend)).expect("runs");
            Scores::of(&truth, &outcome.partition).expect("same samples").ari
        };
        ensembles.iter().map(score).collect()
    };
    let (admm, exact) = (scores("ec-cms-admm"), scores("ec-cms"));
    let difference: Vec<f64> = exact.iter().zip(&admm).map(|(e, a)| e - a).collect();
    let [admm, exact, difference] =
        [admm, exact, difference].map(|v| Summary::of(&v).expect("at least one run"));
    println!(
        "{dataset} {alpha} {lambda} {runs} {:.4} {:.4} {:.4} {:.4} {:+.4} {:.4}",
        admm.mean, admm.std, exact.mean, exact.std, difference.mean, difference.std
    );
}
