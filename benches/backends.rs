//! Time of methods with every backend, relative to the default backend.
//!
//! ```text
//! ENCLUST_POOLS=… cargo bench --bench backends -- FCT 3 ec-cms,pta-al,lwca+spectral
//! ```
//!
//! Arguments: data set, repetitions, methods; `CA+CONSENSUS` is a composition without an
//! enhancer. The first of the paper's draws, the true number of clusters. The backends take turns,
//! and the best of the repetitions counts. Prints one row per method: the seconds of the default
//! backend, then the ratio of each other backend, with the ARI between its labels and those of the
//! default where they differ.

mod common;

use std::time::Instant;

use enclust::core::{BoxedPipeline, Ctx, Ensemble, Part, Partition, PipelineSpec};
use enclust::metrics::Scores;
use enclust::registry::{DEFAULT_BACKEND, standard};

fn main() {
    let given = common::arguments();
    let [dataset, repetitions, methods] = given.as_slice() else {
        println!("usage: backends DATASET REPETITIONS METHOD,…");
        return;
    };
    let repetitions: usize = repetitions.parse().expect("a number of repetitions");
    let (pool, truth) = common::pool(dataset);
    let ensemble = common::draws(&pool).next().expect("a draw");
    let mut names: Vec<&str> = standard::<f64>().backend.names();
    names.retain(|name| *name != DEFAULT_BACKEND);
    names.insert(0, DEFAULT_BACKEND);
    println!("| {dataset} | {} (s) | {} |", names[0], names[1..].join(" | "));
    for method in methods.split(',') {
        let pipeline = composed(method);
        let mut best: Vec<Option<(f64, Partition)>> = vec![None; names.len()];
        for _ in 0..repetitions {
            for (best, name) in best.iter_mut().zip(&names) {
                let (time, labels) = timed(&pipeline, &ensemble, truth.clusters(), name);
                if best.as_ref().is_none_or(|(shortest, _)| time < *shortest) {
                    *best = Some((time, labels));
                }
            }
        }
        let best: Vec<(f64, Partition)> = best.into_iter().flatten().collect();
        let (seconds, labels) = &best[0];
        let cells = best[1..].iter().map(|(time, other)| {
            let ari = Scores::of(labels, other).expect("same samples").ari;
            let note = if other == labels { String::new() } else { format!(" (ARI {ari:.4})") };
            format!("{:.2}{note}", time / seconds)
        });
        println!("| {method} | {seconds:.3} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}

fn composed(method: &str) -> BoxedPipeline<f64> {
    let registry = standard::<f64>();
    let spec = match method.split_once('+') {
        Some((ca, consensus)) => PipelineSpec::plain(Part::named(ca), Part::named(consensus)),
        None => registry.preset(method).expect("known").spec.clone(),
    };
    registry.pipeline(&spec).expect("parts that fit together")
}

fn timed(
    pipeline: &BoxedPipeline<f64>,
    ensemble: &Ensemble,
    k: usize,
    backend: &str,
) -> (f64, Partition) {
    let backend = standard::<f64>().backend.build(&Part::named(backend)).expect("known");
    let began = Instant::now();
    let (_, partition) = common::fit_and_cut(pipeline, ensemble, k, &Ctx::new(&*backend));
    (began.elapsed().as_secs_f64(), partition)
}
