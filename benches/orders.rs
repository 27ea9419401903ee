//! How far labels depend on the order of the samples.
//!
//! ```text
//! ENCLUST_POOLS=… cargo bench --bench orders -- 5 1 lwgp,ec-cms/consensus=spectral Ecoli SPF
//! ```
//!
//! Arguments: number of orders, number of the paper's draws, methods, data sets. A method may be
//! followed by parts that replace its own, for example
//! `lwgp/consensus=tcut(replicates=3)`. Each ensemble is clustered into the true number of
//! clusters with its samples in several random orders. Prints for each method and data set: names, mean and smallest ARI between the labels
//! of two orders of one ensemble, mean score (ARI with the truth), the mean over the ensembles of
//! the spread of the score (largest less smallest), seconds per run.

mod common;

use std::time::Instant;

use enclust::core::{BoxedPipeline, Ctx, Ensemble, Method, Partition, Question};
use enclust::metrics::Scores;
use enclust::registry::standard;

fn main() {
    let given = common::arguments();
    let [orders, draws, methods, datasets @ ..] = given.as_slice() else {
        println!("usage: orders ORDERS DRAWS METHOD,… DATASET…");
        return;
    };
    let orders = orders.parse().expect("a number of orders");
    let draws = draws.parse().expect("a number of draws");
    println!("method,data,mean ARI between orders,smallest,mean score,spread of the score,seconds");
    for words in methods.split(',') {
        let method = standard().pipeline(&common::spec(words)).expect("valid");
        datasets.iter().for_each(|dataset| compare(words, &method, dataset, orders, draws));
    }
}

fn compare(words: &str, method: &BoxedPipeline<f64>, dataset: &str, orders: u64, draws: usize) {
    let (pool, truth) = common::pool(dataset);
    let (mut between, mut scores, mut spreads) = (Vec::new(), Vec::new(), Vec::new());
    let began = Instant::now();
    for ensemble in common::draws(&pool).take(draws) {
        let labels = |seed| labels_in_order(method, &ensemble, truth.clusters(), seed);
        let found: Vec<Partition> = (0..orders).map(labels).collect();
        let against_truth: Vec<f64> = found.iter().map(|labels| ari(&truth, labels)).collect();
        let pairs = (0..found.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        between.extend(pairs.map(|(a, b)| ari(&found[a], &found[b])));
        let (low, high) = (smallest(&against_truth), -smallest(&negated(&against_truth)));
        spreads.push(high - low);
        scores.extend(against_truth);
    }
    println!(
        "{words},{dataset},{:.4},{:.4},{:.4},{:.4},{:.3}",
        mean(&between),
        smallest(&between),
        mean(&scores),
        mean(&spreads),
        began.elapsed().as_secs_f64() / scores.len() as f64,
    );
}

/// The labels of the samples in their original order, found with the samples in a random order.
fn labels_in_order(
    method: &BoxedPipeline<f64>,
    ensemble: &Ensemble,
    k: usize,
    seed: u64,
) -> Partition {
    let order = random_order(ensemble.samples(), seed);
    let backend = common::backend();
    let ctx = Ctx::new(&*backend);
    let ensemble = ensemble.rearranged(&order).expect("a permutation");
    // Only a representation that learns needs the number of clusters before the cut.
    let fit = method.fit(&ensemble, &Question::clusters(k), &ctx).expect("runs");
    let found = fit.cut(k, &ctx).expect("a possible k");
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &sample)| place[sample] = at);
    found.rearranged(&place)
}

fn random_order(samples: usize, seed: u64) -> Vec<usize> {
    let mut random = common::Random(seed);
    let mut order: Vec<usize> = (0..samples).collect();
    for i in (1..samples).rev() {
        order.swap(i, (random.unit() * (i + 1) as f64) as usize);
    }
    order
}

fn ari(a: &Partition, b: &Partition) -> f64 {
    Scores::of(a, b).expect("the same samples").ari
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn smallest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn negated(values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| -value).collect()
}
