//! What each variant changes, compared with the first one.

use enclust_experiment::study::{Protocol, SummaryRow};
use serde::Serialize;

/// A variant compared with the first variant by one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ablation<'a> {
    /// The variant.
    pub variant: &'a str,
    /// The metric.
    pub metric: String,
    /// Number of clusterings of the ensembles.
    pub size: usize,
    /// Number of clusters; `None` if it is that of the classes.
    pub k: Option<usize>,
    /// The mean of the variant minus that of the first variant, for each pool of the study.
    pub differences: Vec<Option<f64>>,
    /// The mean of these differences.
    pub mean: f64,
}

/// The comparisons of every variant with the first one, by metrics for which larger is better.
pub fn ablations<'a>(protocol: &'a Protocol, summary: &[SummaryRow<'a>]) -> Vec<Ablation<'a>> {
    // With as many clusters as classes, every pool has another k.
    let k_of = |row: &SummaryRow<'_>| row.k.filter(|_| !protocol.k.is_empty());
    let mut keys: Vec<(String, usize, Option<usize>)> = Vec::new();
    for row in summary.iter().filter(|row| row.rank.is_some()) {
        let key = (row.metric.clone(), row.size, k_of(row));
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let Some((base, others)) = protocol.variants.split_first() else { return Vec::new() };
    let pairs = keys.iter().flat_map(|key| others.iter().map(move |variant| (key, variant)));
    let ablation = |((metric, size, k), variant): (
        &(String, usize, Option<usize>),
        &'a enclust_experiment::study::VariantRecord,
    )| {
        let mean = |name: &str, pool: &str| {
            let same = |row: &&SummaryRow<'_>| {
                (row.variant, row.pool, row.size) == (name, pool, *size)
                    && row.metric == *metric
                    && k_of(row) == *k
            };
            summary.iter().find(same).map(|row| row.mean)
        };
        let difference = |pool: &str| Some(mean(&variant.name, pool)? - mean(&base.name, pool)?);
        let differences: Vec<Option<f64>> =
            protocol.pools.iter().map(|pool| difference(&pool.name)).collect();
        let known: Vec<f64> = differences.iter().copied().flatten().collect();
        (!known.is_empty()).then(|| Ablation {
            variant: &variant.name,
            metric: metric.clone(),
            size: *size,
            k: *k,
            mean: known.iter().sum::<f64>() / known.len() as f64,
            differences,
        })
    };
    pairs.filter_map(ablation).collect()
}
