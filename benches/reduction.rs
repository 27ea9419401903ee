//! What a reduction of the label rows costs: mean ARI over the paper's draws.
//!
//! ```text
//! ENCLUST_POOLS=<folder> cargo bench --bench reduction -- 20 landmarks LS FCT
//! ENCLUST_POOLS=<folder> cargo bench --bench reduction -- 20 'landmarks(spread=0)/landmarks' LS
//! ```
//!
//! Arguments: number of draws, reductions separated by `/`, pools. For `lwea` and `ec-cms`, and for
//! half and a quarter of the distinct rows, prints the mean ARI without a reduction, the mean
//! difference of the reduced runs with its standard error, and the mean share of the labels that
//! changed; then the same with the samples refined.

mod common;

use enclust::core::{Ctx, Ensemble, Microclusters, Part, Partition};
use enclust::metrics::Scores;
use enclust::registry::standard;

fn main() {
    let given = common::arguments();
    let [draws, reductions, pools @ ..] = given.as_slice() else {
        println!("usage: reduction DRAWS REDUCTION[/REDUCTION…] POOL…");
        return;
    };
    let draws = draws.parse().expect("a number of draws");
    let reductions: Vec<Part> =
        reductions.split('/').map(|words| words.parse().expect("a part")).collect();
    println!("pool method p exact difference error changed | refined: difference error");
    for name in pools {
        let (pool, truth) = common::pool(name);
        let ensembles: Vec<Ensemble> = common::draws(&pool).take(draws).collect();
        for method in ["lwea", "ec-cms"] {
            compare(&format!("{name} {method}"), method, (&ensembles, &truth), &reductions);
        }
    }
}

/// The lines of one method on one pool.
fn compare(name: &str, method: &str, (draws, truth): (&[Ensemble], &Partition), parts: &[Part]) {
    let exact: Vec<f64> =
        draws.iter().map(|e| score(method, e, truth, Part::named("none")).0).collect();
    for part in parts {
        for share in [2, 4] {
            let run = |e: &Ensemble, refine: bool| {
                let rows = Microclusters::of(e).len().div_ceil(share);
                let part = part.clone().set("rows", rows as i64).set("refine", refine);
                score(method, e, truth, part)
            };
            let plain: Vec<(f64, f64)> = draws.iter().map(|e| run(e, false)).collect();
            let refined: Vec<f64> = draws.iter().map(|e| run(e, true).0).collect();
            let scores: Vec<f64> = plain.iter().map(|(ari, _)| *ari).collect();
            let changed: Vec<f64> = plain.iter().map(|(_, changed)| *changed).collect();
            let (difference, error) = paired(&scores, &exact);
            let (again, error_again) = paired(&refined, &exact);
            println!(
                "{name} {part} n'/{share} {:.4} {difference:+.4} {error:.4} {:.3} | \
                 {again:+.4} {error_again:.4}",
                mean(&exact),
                mean(&changed)
            );
        }
    }
}

/// The ARI, and the share of labels that the reduction changed.
fn score(method: &str, ensemble: &Ensemble, truth: &Partition, part: Part) -> (f64, f64) {
    let registry = standard::<f64>();
    let spec = registry.preset(method).expect("known").spec.clone();
    let pipeline = registry.pipeline(&spec.reduced(part)).expect("valid");
    let backend = common::backend();
    let ctx = Ctx::new(&*backend).with_seed(1);
    let (fit, labels) = common::fit_and_cut(&pipeline, ensemble, truth.clusters(), &ctx);
    let changed = fit.reduction.map_or(0.0, |report| report.labels_changed);
    (Scores::of(truth, &labels).expect("all samples").ari, changed)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The mean difference of paired values and its standard error.
fn paired(values: &[f64], others: &[f64]) -> (f64, f64) {
    let differences: Vec<f64> = values.iter().zip(others).map(|(a, b)| a - b).collect();
    let centre = mean(&differences);
    let n = differences.len() as f64;
    let squares: f64 = differences.iter().map(|d| (d - centre).powi(2)).sum();
    (centre, (squares / ((n - 1.0).max(1.0) * n)).sqrt())
}
