//! Cases in which a variant does not improve on the variant it is compared with.

use super::results::{Results, SummaryRow};
use crate::error::StudyError;

/// A variant that is not better on a pool than the variant it is compared with (see
/// [`against`](super::Recipe::against)).
#[derive(Clone, Debug, PartialEq)]
pub struct Shortfall<'a> {
    /// The variant.
    pub variant: &'a str,
    /// The variant it is compared with.
    pub against: &'a str,
    /// The pool.
    pub pool: &'a str,
    /// Number of clusterings of the ensembles.
    pub size: usize,
    /// Number of clusters.
    pub k: Option<usize>,
    /// The metrics in which it is not better, at least one.
    pub figures: Vec<ShortfallFigure>,
}

/// A metric in which a variant is not better.
#[derive(Clone, Debug, PartialEq)]
pub struct ShortfallFigure {
    /// The metric.
    pub metric: String,
    /// Mean of the variant.
    pub mean: f64,
    /// Mean of the variant it is compared with, at least as high.
    pub against: f64,
}

impl Results {
    /// All cases in which a variant is not better than the variant it is compared with, by a
    /// metric for which larger is better; ordered by variant and pool.
    ///
    /// # Errors
    /// [`StudyError::Unknown`] for a metric this version does not have.
    pub fn shortfalls(&self) -> Result<Vec<Shortfall<'_>>, StudyError> {
        let rows = self.summary()?;
        let mut found: Vec<Shortfall<'_>> = Vec::new();
        for variant in &self.protocol.variants {
            let Some(against) = &variant.against else { continue };
            for row in rows.iter().filter(|r| r.variant == variant.name && r.rank.is_some()) {
                let other = rows.iter().find(|r| r.variant == against && same_figure(r, row));
                let Some(other) = other.filter(|other| row.mean <= other.mean) else { continue };
                let (metric, mean) = (row.metric.clone(), row.mean);
                let figure = ShortfallFigure { metric, mean, against: other.mean };
                let place = |s: &&mut Shortfall<'_>| {
                    (s.variant, s.pool, s.size, s.k) == (row.variant, row.pool, row.size, row.k)
                };
                match found.iter_mut().find(place) {
                    Some(shortfall) => shortfall.figures.push(figure),
                    None => found.push(Shortfall {
                        variant: row.variant,
                        against,
                        pool: row.pool,
                        size: row.size,
                        k: row.k,
                        figures: vec![figure],
                    }),
                }
            }
        }
        Ok(found)
    }
}

fn same_figure(one: &SummaryRow<'_>, other: &SummaryRow<'_>) -> bool {
    let place = |row: &SummaryRow<'_>| (row.size, row.k);
    (one.pool, &one.metric, place(one)) == (other.pool, &other.metric, place(other))
}

#[cfg(test)]
mod tests {
    use super::super::cell::CellResult;
    use super::super::protocol::tests::example;
    use super::*;

    #[test]
    fn a_shortfall_is_a_mean_that_is_not_above() {
        let mut protocol = example();
        protocol.ensembles.truncate(1);
        protocol.variants[1].against = Some("x".into());
        let finished = (0..protocol.cells())
            .map(|cell| {
                let at = protocol.cell(cell);
                // On pool a, y has the higher ARI and the same NMI; on pool b a lower ARI.
                let ari = 0.5 + at.variant as f64 * if at.pool == 0 { 0.1 } else { -0.1 };
                let nmi = 0.5 + 0.1 * (at.pool * at.variant) as f64;
                let values = vec![ari, nmi, 7.0];
                let (status, seconds) = ("direct".into(), Vec::new());
                (cell, CellResult { cell, values, clusters: vec![2], status, seconds })
            })
            .collect();
        let mut results = Results { protocol, finished };
        let found = results.shortfalls().unwrap();
        let shown: Vec<(&str, &str, &str)> =
            found.iter().map(|s| (s.variant, s.pool, s.figures[0].metric.as_str())).collect();
        assert_eq!(shown, [("y", "a", "nmi"), ("y", "b", "ari")]);
        assert!(found.iter().all(|s| s.figures.len() == 1 && s.against == "x"));
        assert!((found[1].figures[0].mean - 0.4).abs() < 1e-12);
        assert!((found[1].figures[0].against - 0.5).abs() < 1e-12);
        // The other variant was not run.
        results.protocol.variants[0].name = "z".into();
        assert!(results.shortfalls().unwrap().is_empty());
    }
}
