//! What a reduction of the label rows costs: mean ARI over the paper's draws.
//!
//! ```text
//! ENCLUST_POOLS=<folder> cargo bench --bench reduction -- 20 LS FCT
//! ```
//!
//! Arguments: number of draws, pools. For `lwea` and `ec-cms`, and for half and a quarter of the
//! distinct rows, prints the mean ARI without a reduction, the mean difference of the reduced runs
//! with its standard error, and the mean share of the labels that changed; then the same with the
//! samples refined.

mod common;

use enclust::core::{Ctx, Ensemble, Microclusters, Part, Partition};
use enclust::metrics::Scores;
use enclust::registry::standard;

fn main() {
    let given = common::arguments();
    let Some(runs) = given.first().and_then(|a| a.parse::<usize>().ok()) else {
        println!("usage: reduction DRAWS POOL…");
        return;
    };
    println!("pool method p exact difference error changed | refined: difference error");
    for name in &given[1..] {
        let (pool, truth) = common::pool(name);
        let ensembles: Vec<Ensemble> = common::draws(&pool).take(runs).collect();
        for method in ["lwea", "ec-cms"] {
            let exact: Vec<f64> =
                ensembles.iter().map(|e| score(method, e, &truth, None).0).collect();
            for share in [2, 4] {
                let run = |e: &Ensemble, refine: bool| {
                    let rows = Microclusters::of(e).len().div_ceil(share);
                    score(method, e, &truth, Some((rows, refine)))
                };
                let plain: Vec<(f64, f64)> = ensembles.iter().map(|e| run(e, false)).collect();
                let refined: Vec<f64> = ensembles.iter().map(|e| run(e, true).0).collect();
                let scores: Vec<f64> = plain.iter().map(|(ari, _)| *ari).collect();
                let changed: Vec<f64> = plain.iter().map(|(_, changed)| *changed).collect();
                let (difference, error) = paired(&scores, &exact);
                let (again, error_again) = paired(&refined, &exact);
                println!(
                    "{name} {method} n'/{share} {:.4} {difference:+.4} {error:.4} {:.3} | {again:+.4} {error_again:.4}",
                    mean(&exact),
                    mean(&changed)
                );
            }
        }
    }
}

/// The ARI, and the share of labels that the reduction changed.
fn score(
    method: &str,
    ensemble: &Ensemble,
    truth: &Partition,
    reduced: Option<(usize, bool)>,
) -> (f64, f64) {
    let registry = standard::<f64>();
    let spec = registry.preset(method).expect("known").spec.clone();
    let part = match reduced {
        None => Part::named("none"),
        Some((rows, refine)) => {
            Part::named("landmarks").set("rows", rows as i64).set("refine", refine)
        }
    };
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
