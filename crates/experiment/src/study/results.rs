//! The results of a study as tables.

use serde::Serialize;

use super::journal::Finished;
use super::protocol::{Cell, Protocol};
use crate::Summary;
use crate::error::StudyError;
use crate::statistics::ranks;

/// The results of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The protocol of the study.
    pub protocol: Protocol,
    /// The finished cells by number.
    pub finished: Finished,
}

/// A figure of a run, a row of `runs.csv`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunRow<'a> {
    /// The pool.
    pub pool: &'a str,
    /// Number of clusterings of the ensemble.
    pub size: usize,
    /// The run, counted from 1.
    pub run: usize,
    /// The variant.
    pub variant: &'a str,
    /// Number of clusters; empty for a metric that does not belong to a partition.
    pub k: Option<usize>,
    /// The metric.
    pub metric: String,
    /// Its value.
    pub value: f64,
}

/// A figure over all runs, a row of `summary.csv`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SummaryRow<'a> {
    /// The pool.
    pub pool: &'a str,
    /// Number of clusterings of the ensembles.
    pub size: usize,
    /// The variant.
    pub variant: &'a str,
    /// Number of clusters; empty for a metric that does not belong to a partition.
    pub k: Option<usize>,
    /// The metric.
    pub metric: String,
    /// Number of runs.
    pub runs: usize,
    /// Mean over the runs.
    pub mean: f64,
    /// Sample standard deviation over the runs, 0 for a single run.
    pub std: f64,
    /// Rank of the mean among the variants; 1 is the best, and ties get their mean rank. Empty
    /// if larger values are not better.
    pub rank: Option<f64>,
    /// Mean rank over all pools, sizes and numbers of clusters.
    pub average_rank: Option<f64>,
}

/// Times of a run, a row of `timings.csv`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimingRow<'a> {
    /// The pool.
    pub pool: &'a str,
    /// Number of clusterings of the ensemble.
    pub size: usize,
    /// The run, counted from 1.
    pub run: usize,
    /// The variant.
    pub variant: &'a str,
    /// The stage, or `total`.
    pub stage: &'a str,
    /// Its duration in seconds.
    pub seconds: f64,
}

impl Results {
    /// All figures of all finished runs, in the order of the protocol.
    ///
    /// # Errors
    /// [`StudyError::Unknown`] for a metric this version does not have.
    pub fn runs(&self) -> Result<Vec<RunRow<'_>>, StudyError> {
        let mut rows = Vec::new();
        for (&number, result) in &self.finished {
            let cell = self.protocol.cell(number);
            let (pool, size, variant) = self.names(cell);
            let figures = self.protocol.figures(cell.pool)?;
            rows.extend(figures.into_iter().zip(&result.values).map(|(figure, &value)| RunRow {
                pool,
                size,
                run: cell.run + 1,
                variant,
                k: figure.k,
                metric: figure.metric.to_string(),
                value,
            }));
        }
        Ok(rows)
    }

    /// Mean, standard deviation and rank of all figures. Variants with unfinished runs are
    /// omitted.
    ///
    /// # Errors
    /// The same as [`runs`](Self::runs).
    pub fn summary(&self) -> Result<Vec<SummaryRow<'_>>, StudyError> {
        let mut rows = Vec::new();
        for pool in 0..self.protocol.pools.len() {
            for (at, figure) in self.protocol.figures(pool)?.iter().enumerate() {
                for ensemble in 0..self.protocol.ensembles.len() {
                    let mut block = self.block(pool, ensemble, at);
                    for row in &mut block {
                        row.k = figure.k;
                        row.metric = figure.metric.to_string();
                    }
                    if figure.metric.ranks() {
                        rank(&mut block);
                    }
                    rows.extend(block);
                }
            }
        }
        average_ranks(&mut rows);
        Ok(rows)
    }

    /// Times of every finished run.
    pub fn timings(&self) -> Vec<TimingRow<'_>> {
        let mut rows = Vec::new();
        for (&number, result) in &self.finished {
            let cell = self.protocol.cell(number);
            let (pool, size, variant) = self.names(cell);
            let stages = result.seconds.iter().map(|(stage, seconds)| (stage.as_str(), *seconds));
            let all = stages.chain([("total", result.total_seconds())]);
            let run = cell.run + 1;
            rows.extend(all.map(|(stage, seconds)| TimingRow {
                pool,
                size,
                run,
                variant,
                stage,
                seconds,
            }));
        }
        rows
    }

    /// One figure of all runs of a variant, if all are finished. The figure is given by its
    /// index in the [figures](Protocol::figures).
    pub fn values(
        &self,
        pool: usize,
        ensemble: usize,
        variant: usize,
        figure: usize,
    ) -> Option<Vec<f64>> {
        let runs = 0..self.protocol.runs;
        runs.map(|run| {
            let number = self.protocol.number(Cell { pool, ensemble, run, variant });
            self.finished.get(&number)?.values.get(figure).copied()
        })
        .collect()
    }

    pub(super) fn names(&self, cell: Cell) -> (&str, usize, &str) {
        let pool = &self.protocol.pools[cell.pool];
        let size = self.protocol.ensembles[cell.ensemble].size(pool);
        (&pool.name, size, &self.protocol.variants[cell.variant].name)
    }

    /// One row per variant, without ranks.
    fn block(&self, pool: usize, ensemble: usize, figure: usize) -> Vec<SummaryRow<'_>> {
        let row = |variant: usize| {
            let summary = Summary::of(&self.values(pool, ensemble, variant, figure)?).ok()?;
            let (pool, size, variant) = self.names(Cell { pool, ensemble, run: 0, variant });
            let Summary { runs, mean, std } = summary;
            let (k, metric, rank, average_rank) = (None, String::new(), None, None);
            Some(SummaryRow { pool, size, variant, k, metric, runs, mean, std, rank, average_rank })
        };
        (0..self.protocol.variants.len()).filter_map(row).collect()
    }
}

/// Ranks by the mean, descending.
fn rank(block: &mut [SummaryRow<'_>]) {
    let descending: Vec<f64> = block.iter().map(|row| -row.mean).collect();
    block.iter_mut().zip(ranks(&descending)).for_each(|(row, rank)| row.rank = Some(rank));
}

fn average_ranks(rows: &mut [SummaryRow<'_>]) {
    let ranks: Vec<(String, String, f64)> = rows
        .iter()
        .filter_map(|r| Some((r.variant.to_string(), r.metric.clone(), r.rank?)))
        .collect();
    for row in rows.iter_mut().filter(|row| row.rank.is_some()) {
        let mine = |(variant, metric, _): &&(String, String, f64)| {
            variant == row.variant && *metric == row.metric
        };
        let (mut sum, mut count) = (0.0, 0.0);
        for (_, _, rank) in ranks.iter().filter(mine) {
            sum += rank;
            count += 1.0;
        }
        row.average_rank = Some(sum / count);
    }
}

/// Rows as CSV with a header.
pub(crate) fn csv(rows: &[impl Serialize]) -> std::io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    writer.into_inner().map_err(|e| e.into_error())
}

#[cfg(test)]
mod tests {
    use super::super::cell::CellResult;
    use super::super::protocol::tests::example;
    use super::*;

    /// Variant y is better by 0.1 on pool a and equal on pool b.
    fn results() -> Results {
        let protocol = example();
        let finished = (0..protocol.cells())
            .map(|cell| {
                let at = protocol.cell(cell);
                let ari = 0.5 + 0.1 * (at.run as f64) + 0.1 * ((1 - at.pool) * at.variant) as f64;
                let values = vec![ari, 0.5, 7.0];
                let seconds = vec![("ca".to_string(), 1.0), ("cut".to_string(), 0.5)];
                let (clusters, status) = (vec![2], "direct".into());
                (cell, CellResult { cell, values, clusters, status, seconds })
            })
            .collect();
        Results { protocol, finished }
    }

    #[test]
    fn ranks_share_ties_and_are_averaged() {
        let results = results();
        let rows = results.summary().unwrap();
        let ari: Vec<&SummaryRow<'_>> = rows.iter().filter(|r| r.metric == "ari").collect();
        assert_eq!(ari.len(), 8);
        assert_eq!((ari[0].pool, ari[0].size, ari[0].variant), ("a", 3, "x"));
        assert_eq!((ari[0].rank, ari[1].rank), (Some(2.0), Some(1.0)));
        assert_eq!((ari[4].rank, ari[5].rank), (Some(1.5), Some(1.5)));
        assert_eq!((ari[0].average_rank, ari[1].average_rank), (Some(1.75), Some(1.25)));
        assert!((ari[0].mean - 0.6).abs() < 1e-12 && (ari[0].std - 0.1).abs() < 1e-12);
        assert!(rows.iter().filter(|r| r.metric == "iterations").all(|r| r.rank.is_none()));
    }

    #[test]
    fn unfinished_variants_have_no_summary() {
        let mut results = results();
        results.finished.remove(&1);
        let rows = results.summary().unwrap();
        let of_y = |r: &&SummaryRow<'_>| (r.pool, r.size, r.variant) == ("a", 3, "y");
        assert_eq!(rows.iter().filter(of_y).count(), 0);
        assert_eq!(results.runs().unwrap().len(), 23 * 3);
    }

    #[test]
    fn tables_are_tidy() {
        let results = results();
        let runs = String::from_utf8(csv(&results.runs().unwrap()).unwrap()).unwrap();
        let mut lines = runs.lines();
        assert_eq!(lines.next(), Some("pool,size,run,variant,k,metric,value"));
        assert_eq!(lines.next(), Some("a,3,1,x,2,ari,0.5"));
        assert_eq!(lines.nth(1), Some("a,3,1,x,,iterations,7.0"));
        let timings = results.timings();
        assert_eq!((timings[2].stage, timings[2].seconds), ("total", 1.5));
    }
}
