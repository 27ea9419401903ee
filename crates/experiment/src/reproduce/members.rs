//! Scores of the base clusterings: their average and their maximum.

use enclust_core::{MISSING, Partition};

use super::row::Row;
use crate::Summary;
use crate::error::StudyError;
use crate::study::{Metric, Plan, PoolRecord};

/// Mean and spread over the whole pool.
pub(super) const AVERAGE: &str = "base-average";
/// The best clustering of the pool, separately for each metric.
pub(super) const BEST: &str = "base-best";

/// The requested rows, for each pool and each metric of a partition.
pub(super) fn rows(plan: &Plan, asked: &[String]) -> Result<Vec<Row>, StudyError> {
    let mut rows = Vec::new();
    for name in [AVERAGE, BEST].into_iter().filter(|name| asked.iter().any(|a| a == name)) {
        for (at, record) in plan.protocol.pools.iter().enumerate() {
            for metric in plan.protocol.metrics()? {
                let Metric::Score(score) = metric else { continue };
                let values = scores(plan, at, record, score)?;
                let failed = |error| failed(record, error);
                let Summary { mean, std, .. } = Summary::of(&values).map_err(failed)?;
                let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let (mean, std) = if name == BEST { (best, None) } else { (mean, Some(std)) };
                rows.push(Row::new(name.into(), record.name.clone(), score.into(), mean, std));
            }
        }
    }
    Ok(rows)
}

/// The score of each clustering of a pool. A sample without label counts as a singleton
/// cluster, because partial clusterings cannot be scored.
fn scores(
    plan: &Plan,
    at: usize,
    record: &PoolRecord,
    score: &str,
) -> Result<Vec<f64>, StudyError> {
    let pool = &plan.pools[at];
    let truth = pool.truth.as_ref().ok_or_else(|| StudyError::NoTruth {
        pool: record.name.clone(),
        needed_by: score.to_string(),
    })?;
    let score_of = |column: usize| {
        let labels = pool.ensemble.column(column).iter().enumerate();
        let labels = labels.map(|(i, &l)| if l == MISSING { (l, i) } else { (l, 0) });
        let named = enclust_metrics::Scores::of(truth, &Partition::from_labels(labels))?.named();
        Ok(named.iter().filter(|(name, _)| *name == score).map(|(_, value)| *value).sum())
    };
    (0..record.clusterings)
        .map(score_of)
        .collect::<Result<_, _>>()
        .map_err(|error| failed(record, error))
}

fn failed(pool: &PoolRecord, error: enclust_core::Error) -> StudyError {
    StudyError::Draw { pool: pool.name.clone(), error: Box::new(error) }
}
