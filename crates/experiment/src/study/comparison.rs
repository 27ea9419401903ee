//! Whether the variants of a study differ by more than chance.

use serde::Serialize;

use super::results::Results;
use crate::error::StudyError;
use crate::statistics::{
    Friedman, critical_difference, friedman, holm, mean_ranks, nemenyi, wilcoxon,
};

/// The level of the critical difference.
pub const LEVEL: f64 = 0.05;

/// A comparison of all variants by one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison<'a> {
    /// The metric.
    pub metric: String,
    /// Number of clusterings of the ensembles, if the study has several.
    pub size: Option<usize>,
    /// Number of clusters, if the study has several.
    pub k: Option<usize>,
    /// What is compared: the means of the pools, or the runs of the only pool.
    pub unit: Unit,
    /// Number of pools or runs.
    pub observations: usize,
    /// The variants.
    pub variants: Vec<&'a str>,
    /// The mean rank of each variant; 1 is the best.
    pub ranks: Vec<f64>,
    /// Friedman's test, for at least three variants.
    pub friedman: Option<Friedman>,
    /// The difference of mean ranks from which two variants differ at the level 0.05 (Nemenyi),
    /// for at least three variants.
    pub critical_difference: Option<f64>,
    /// Every pair of variants.
    pub pairs: Vec<Pair<'a>>,
}

impl<'a> Comparison<'a> {
    /// The variant with the best mean rank, the first one if there are several.
    pub fn best(&self) -> &'a str {
        let ranked = self.variants.iter().zip(&self.ranks);
        ranked.min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or("", |(name, _)| name)
    }

    /// The mean rank of a variant, if it was compared.
    pub fn rank(&self, variant: &str) -> Option<f64> {
        let at = self.variants.iter().position(|name| *name == variant)?;
        self.ranks.get(at).copied()
    }

    /// The comparisons of all other variants with this one.
    pub fn with(&self, against: &str) -> Vec<Pair<'a>> {
        let involved = self.pairs.iter().filter(|p| [p.variant, p.against].contains(&against));
        let facing = |pair: &Pair<'a>| {
            if pair.against == against { pair.clone() } else { pair.clone().turned() }
        };
        involved.map(facing).collect()
    }
}

/// What the observations of a comparison are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// The mean over the runs of each pool.
    Pools,
    /// The runs of the only pool.
    Runs,
}

/// Two variants, a row of `comparisons.csv`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair<'a> {
    /// The metric.
    pub metric: String,
    /// Number of clusterings of the ensembles, if the study has several.
    pub size: Option<usize>,
    /// Number of clusters, if the study has several.
    pub k: Option<usize>,
    /// What is compared: `pools` or `runs`.
    pub unit: Unit,
    /// The first variant.
    pub variant: &'a str,
    /// The second variant.
    pub against: &'a str,
    /// Number of observations in which the first is better.
    pub wins: usize,
    /// Number of observations in which both are equal.
    pub ties: usize,
    /// Number of observations in which the second is better.
    pub losses: usize,
    /// Mean of the first minus the second.
    pub difference: f64,
    /// Wilcoxon's signed-rank test, two-sided.
    pub wilcoxon_p: f64,
    /// The same, adjusted for all pairs of this metric by Holm's method.
    pub holm_p: f64,
    /// Nemenyi's test; empty for two variants.
    pub nemenyi_p: Option<f64>,
}

impl Pair<'_> {
    /// The same comparison from the side of the other variant.
    fn turned(self) -> Self {
        Pair {
            variant: self.against,
            against: self.variant,
            wins: self.losses,
            losses: self.wins,
            difference: -self.difference,
            ..self
        }
    }
}

/// What the observations of a comparison have in common.
#[derive(Clone, Copy, PartialEq)]
struct Key<'r> {
    metric: &'r str,
    /// Number of clusterings, if the study has several.
    size: Option<usize>,
    /// Number of clusters, if the study has several.
    k: Option<usize>,
}

impl Results {
    /// Compares the variants by every metric for which larger values are better. Variants without
    /// a value for every pool are omitted, and so are comparisons with fewer than two variants or
    /// observations.
    ///
    /// # Errors
    /// [`StudyError::Unknown`] for a metric this version does not have.
    pub fn comparisons(&self) -> Result<Vec<Comparison<'_>>, StudyError> {
        let (summary, runs) = (self.summary()?, self.runs()?);
        let mut keys: Vec<Key<'_>> = Vec::new();
        for row in summary.iter().filter(|row| row.rank.is_some()) {
            let key = self.key(&row.metric, row.size, row.k);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let compared = |key: &Key<'_>| {
            let of_pool = summary
                .iter()
                .map(|row| (self.key(&row.metric, row.size, row.k), row.variant, row.mean));
            let of_run = runs
                .iter()
                .map(|row| (self.key(&row.metric, row.size, row.k), row.variant, row.value));
            let several = self.protocol.pools.len() > 1;
            if several {
                self.compare(key, Unit::Pools, of_pool)
            } else {
                self.compare(key, Unit::Runs, of_run)
            }
        };
        Ok(keys.iter().filter_map(compared).collect())
    }

    fn key<'r>(&self, metric: &'r str, size: usize, k: Option<usize>) -> Key<'r> {
        Key {
            metric,
            size: (self.protocol.ensembles.len() > 1).then_some(size),
            k: k.filter(|_| self.protocol.k.len() > 1),
        }
    }

    /// Compares the variants by the values of this key, which are in the same order for each.
    fn compare<'a, 'r>(
        &'a self,
        key: &Key<'r>,
        unit: Unit,
        values: impl Iterator<Item = (Key<'r>, &'a str, f64)>,
    ) -> Option<Comparison<'a>> {
        let names = self.protocol.variants.iter().map(|variant| variant.name.as_str());
        let mut columns: Vec<(&str, Vec<f64>)> = names.map(|name| (name, Vec::new())).collect();
        for (_, variant, value) in values.filter(|(of, _, _)| of == key) {
            let column = columns.iter_mut().find(|(name, _)| *name == variant);
            column.into_iter().for_each(|(_, column)| column.push(value));
        }
        let observations = columns.iter().map(|(_, column)| column.len()).max().unwrap_or(0);
        columns.retain(|(_, column)| column.len() == observations);
        let (variants, columns): (Vec<&str>, Vec<Vec<f64>>) = columns.into_iter().unzip();
        if variants.len() < 2 || observations < 2 {
            return None;
        }
        let row = |at: usize| columns.iter().map(|column| column[at]).collect();
        let table: Vec<Vec<f64>> = (0..observations).map(row).collect();
        let critical = || critical_difference(variants.len(), observations, LEVEL);
        let several = variants.len() > 2;
        Some(Comparison {
            metric: key.metric.to_string(),
            size: key.size,
            k: key.k,
            unit,
            observations,
            ranks: mean_ranks(&table),
            friedman: several.then(|| friedman(&table)),
            critical_difference: several.then(critical),
            pairs: pairs(key, unit, &variants, &table),
            variants,
        })
    }
}

/// Compares every pair of columns.
fn pairs<'a>(key: &Key<'_>, unit: Unit, variants: &[&'a str], table: &[Vec<f64>]) -> Vec<Pair<'a>> {
    let nemenyi = (variants.len() > 2).then(|| nemenyi(table));
    let pair = |(i, j): (usize, usize)| {
        let differences: Vec<f64> = table.iter().map(|row| row[i] - row[j]).collect();
        let count = |is: fn(&f64) -> bool| differences.iter().filter(|d| is(d)).count();
        Pair {
            metric: key.metric.to_string(),
            size: key.size,
            k: key.k,
            unit,
            variant: variants[i],
            against: variants[j],
            wins: count(|d| *d > 0.0),
            ties: count(|d| *d == 0.0),
            losses: count(|d| *d < 0.0),
            difference: differences.iter().sum::<f64>() / differences.len() as f64,
            wilcoxon_p: wilcoxon(&differences).p,
            holm_p: 1.0,
            nemenyi_p: nemenyi.as_ref().map(|p| p[i][j]),
        }
    };
    let n = variants.len();
    let mut pairs: Vec<Pair<'a>> =
        (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).map(pair).collect();
    let adjusted = holm(&pairs.iter().map(|pair| pair.wilcoxon_p).collect::<Vec<_>>());
    pairs.iter_mut().zip(adjusted).for_each(|(pair, p)| pair.holm_p = p);
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::cell::CellResult;
    use super::super::protocol::tests::example;
    use super::*;

    /// ARI by pool and variant, with the run added in thousandths.
    fn results(ari: impl Fn(usize, usize) -> f64) -> Results {
        let mut protocol = example();
        protocol.ensembles.truncate(1);
        let finished = (0..protocol.cells())
            .map(|cell| {
                let at = protocol.cell(cell);
                let values = vec![ari(at.pool, at.variant) + at.run as f64 / 1000.0, 0.5, 7.0];
                let (status, seconds) = ("direct".into(), Vec::new());
                (cell, CellResult { cell, values, clusters: vec![2], status, seconds })
            })
            .collect();
        Results { protocol, finished }
    }

    #[test]
    fn pools_are_compared_by_their_means() {
        let results = results(|pool, variant| 0.5 + 0.1 * (pool * variant) as f64);
        let found = results.comparisons().unwrap();
        let ari = found.iter().find(|c| c.metric == "ari").unwrap();
        assert_eq!((ari.unit, ari.observations), (Unit::Pools, 2));
        assert_eq!(ari.variants, ["x", "y"]);
        assert_eq!(ari.ranks, [1.75, 1.25]);
        assert_eq!(ari.friedman, None);
        let pair = &ari.pairs[0];
        assert_eq!((pair.wins, pair.ties, pair.losses), (0, 1, 1));
        assert!((pair.difference + 0.05).abs() < 1e-12);
        assert_eq!(pair.holm_p, pair.wilcoxon_p);
    }

    #[test]
    fn runs_are_compared_if_there_is_one_pool() {
        let mut results = results(|_, variant| 0.5 + 0.1 * variant as f64);
        results.protocol.pools.truncate(1);
        let cells = results.protocol.cells();
        results.finished.retain(|&cell, _| cell < cells);
        let found = results.comparisons().unwrap();
        let ari = found.iter().find(|c| c.metric == "ari").unwrap();
        assert_eq!((ari.unit, ari.observations), (Unit::Runs, results.protocol.runs));
        assert_eq!(ari.ranks, [2.0, 1.0]);
    }
}
