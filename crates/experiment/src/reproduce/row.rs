//! A cell of a table next to the published value.

use std::io::Write;
use std::path::Path;

use enclust_io::write_atomically;
use serde::Serialize;

use super::published::Published;
use crate::error::StudyError;
use crate::study::csv;

/// Number of runs behind each published mean.
pub const PUBLISHED_RUNS: usize = 20;
/// Half a unit of the last published decimal.
const ROUNDING: f64 = 0.0005;

/// A cell of a table; its fields are the columns of the CSV.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Name of the table.
    pub table: String,
    /// Name of the method, including the values of its grid.
    pub method: String,
    /// Name of the pool.
    pub dataset: String,
    /// Name of the metric.
    pub metric: String,
    /// Mean over the runs.
    pub mean: f64,
    /// Sample standard deviation over the runs.
    pub std: Option<f64>,
    /// The published mean, if there is one.
    pub published_mean: Option<f64>,
    /// The published standard deviation, if there is one.
    pub published_std: Option<f64>,
}

impl Row {
    pub(super) fn new(
        method: String,
        dataset: String,
        metric: String,
        mean: f64,
        std: Option<f64>,
    ) -> Self {
        let (published_mean, published_std) = (None, None);
        let table = String::new();
        Row { table, method, dataset, metric, mean, std, published_mean, published_std }
    }

    pub(super) fn fill_in(&mut self, published: &[Published]) {
        let same = |p: &&Published| {
            (&p.method, &p.dataset, &p.metric) == (&self.method, &self.dataset, &self.metric)
        };
        if let Some(found) = published.iter().find(same) {
            self.published_mean = Some(found.mean);
            self.published_std = found.std;
        }
    }

    /// Mean minus the published mean.
    pub fn difference(&self) -> Option<f64> {
        Some(self.mean - self.published_mean?)
    }

    /// The published standard error: the published standard deviation over √20. If none was
    /// published, the standard deviation of these runs is used instead, and half a unit of the
    /// last published decimal if there is none either.
    pub fn tolerance(&self) -> f64 {
        match self.published_std.or(self.std) {
            Some(std) => std / (PUBLISHED_RUNS as f64).sqrt(),
            None => ROUNDING,
        }
    }

    /// Whether the means differ by more than the [tolerance](Self::tolerance). Means that agree
    /// in all published decimals do not.
    pub fn is_off(&self) -> bool {
        self.difference().is_some_and(|d| d.abs() > self.tolerance().max(ROUNDING))
    }
}

/// Writes rows as CSV, completely or not at all.
///
/// # Errors
/// [`StudyError::Write`].
pub fn write_rows(path: &Path, rows: &[Row]) -> Result<(), StudyError> {
    Ok(write_atomically(path, |file| file.write_all(&csv(rows)?))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(mean: f64, std: Option<f64>, published: (f64, Option<f64>)) -> Row {
        Row {
            published_mean: Some(published.0),
            published_std: published.1,
            ..Row::new("m".into(), "d".into(), "ari".into(), mean, std)
        }
    }

    #[test]
    fn off_is_more_than_one_published_standard_error() {
        let error = 0.1 / 20.0_f64.sqrt();
        assert!(!row(0.5 + 0.99 * error, Some(0.0), (0.5, Some(0.1))).is_off());
        assert!(row(0.5 - 1.01 * error, Some(9.0), (0.5, Some(0.1))).is_off());
        assert!(!row(0.51, Some(0.1), (0.5, None)).is_off());
        assert!(row(0.51, None, (0.5, None)).is_off());
        assert!(!row(0.3674, Some(0.0), (0.367, Some(0.0))).is_off());
        let unpublished = Row::new("m".into(), "d".into(), "ari".into(), 0.5, None);
        assert!(!unpublished.is_off() && unpublished.difference().is_none());
    }
}
