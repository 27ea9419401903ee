//! The figures of a survey of ensemble clustering, next to those of this program.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use enclust_io::write_atomically;
use serde::{Deserialize, Serialize};

use crate::Summary;
use crate::error::StudyError;
use crate::study::{Results, csv};

const PUBLISHED: &str = include_str!("../../studies/published/survey.csv");
const FILE: &str = "studies/published/survey.csv";
/// The metrics whose product selects the point of a grid.
const DECIDE: [&str; 7] = ["ari", "nmi", "f1", "purity", "accuracy", "precision", "recall"];
/// The metric of the figures.
const FIGURE: &str = "ari";

/// How a figure of the survey came about, which tells how closely it can be reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SurveyKind {
    /// No random numbers and no tuning: equal to four decimals.
    Deterministic,
    /// Tuned by the truth over a grid: within 0.005.
    Tuned,
    /// Ends in k-means or another random start: within 0.015.
    KMeans,
    /// Of a program that keeps the last of its random starts, not the best: a lower bound.
    LastStart,
}

impl SurveyKind {
    /// The largest difference that is expected; `None` for a lower bound.
    pub fn tolerance(self) -> Option<f64> {
        match self {
            // Half a unit of the last decimal.
            SurveyKind::Deterministic => Some(0.000_05),
            SurveyKind::Tuned => Some(0.005),
            SurveyKind::KMeans => Some(0.015),
            SurveyKind::LastStart => None,
        }
    }
}

/// A figure of the survey.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct SurveyFigure {
    method: String,
    dataset: String,
    ari: f64,
    kind: SurveyKind,
}

/// Mean ARI of a method on a pool; its fields are the columns of the CSV.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurveyRow {
    /// Name of the method.
    pub method: String,
    /// Name of the pool.
    pub dataset: String,
    /// Mean over the runs.
    pub mean: f64,
    /// The mean after the samples of every run were shuffled.
    pub shuffled: Option<f64>,
    /// The figure of the survey, if it has one.
    pub published: Option<f64>,
    /// How this figure came about.
    pub kind: Option<SurveyKind>,
    /// The point of the grid that was selected, for a tuned method.
    pub chosen: String,
}

impl SurveyRow {
    /// Mean minus the figure of the survey.
    pub fn difference(&self) -> Option<f64> {
        Some(self.mean - self.published?)
    }

    /// Whether the difference is larger than expected. A figure that is a lower bound is missed only
    /// from below.
    pub fn is_off(&self) -> bool {
        let (Some(difference), Some(kind)) = (self.difference(), self.kind) else { return false };
        match kind.tolerance() {
            Some(tolerance) => difference.abs() > tolerance + 1e-9,
            None => difference < 0.0,
        }
    }
}

/// The rows of the survey: one for every method and pool, tuned by the rule of the survey where the
/// method has a grid. `shuffled` are the results of the same study with shuffled samples.
///
/// # Errors
/// [`StudyError::Syntax`] if the stored figures are not well-formed; [`StudyError::Unknown`] for a
/// metric that this version does not have.
pub fn survey_rows(
    results: &Results,
    shuffled: Option<&Results>,
) -> Result<Vec<SurveyRow>, StudyError> {
    let figures = figures()?;
    let again = shuffled.map(means).transpose()?;
    let mut rows = Vec::new();
    for ((method, dataset), Point { values, chosen }) in means(results)? {
        let figure = figures.iter().find(|f| f.method == method && f.dataset == dataset);
        let key = (method.clone(), dataset.clone());
        let shuffled = again.as_ref().and_then(|again| again.get(&key)?.values.get(FIGURE));
        rows.push(SurveyRow {
            mean: values.get(FIGURE).copied().unwrap_or(f64::NAN),
            shuffled: shuffled.copied(),
            published: figure.map(|f| f.ari),
            kind: figure.map(|f| f.kind),
            method,
            dataset,
            chosen,
        });
    }
    Ok(rows)
}

/// Writes rows as CSV, completely or not at all.
///
/// # Errors
/// [`StudyError::Write`].
pub fn write_survey(path: &Path, rows: &[SurveyRow]) -> Result<(), StudyError> {
    Ok(write_atomically(path, |file| file.write_all(&csv(rows)?))?)
}

fn figures() -> Result<Vec<SurveyFigure>, StudyError> {
    let read = csv::Reader::from_reader(PUBLISHED.as_bytes());
    read.into_deserialize().collect::<Result<_, _>>().map_err(|e: csv::Error| {
        let line = e.position().map_or(0, |p| p.line() as usize);
        StudyError::Syntax { file: FILE.into(), line, column: 1, message: e.to_string() }
    })
}

/// The mean metrics of a point of a grid.
#[derive(Clone, Debug, Default)]
struct Point {
    values: BTreeMap<String, f64>,
    chosen: String,
}

impl Point {
    fn product(&self) -> f64 {
        DECIDE.iter().map(|metric| self.values.get(*metric).copied().unwrap_or(f64::NAN)).product()
    }
}

type Means = BTreeMap<(String, String), Point>;

/// For each recipe and pool, the means of the point that is selected. Recipes with unfinished runs are
/// omitted.
fn means(results: &Results) -> Result<Means, StudyError> {
    let protocol = &results.protocol;
    let grid = |variant: usize| {
        let recipes = protocol.tuning.iter().flat_map(|tuning| &tuning.recipes);
        recipes.into_iter().find(|r| r.grid.contains(&variant) || r.default == variant)
    };
    let mut means = Means::new();
    for (variant, record) in protocol.variants.iter().enumerate() {
        // The recipe without its grid is no point of the survey's grid.
        let tuned = grid(variant);
        if tuned.is_some_and(|recipe| !recipe.grid.contains(&variant)) {
            continue;
        }
        for (pool, of_pool) in protocol.pools.iter().enumerate() {
            let mut point = Point::default();
            for (at, figure) in protocol.figures(pool)?.iter().enumerate() {
                let of_runs = results.values(pool, 0, variant, at).unwrap_or_default();
                if let Ok(Summary { mean, .. }) = Summary::of(&of_runs) {
                    point.values.insert(figure.metric.to_string(), mean);
                }
            }
            if point.values.is_empty() {
                continue;
            }
            point.chosen = match tuned {
                Some(_) => {
                    record.name.strip_prefix(&record.recipe).unwrap_or("").trim().to_string()
                }
                None => String::new(),
            };
            let key = (record.recipe.clone(), of_pool.name.clone());
            let better = means.get(&key).is_none_or(|best| point.product() > best.product());
            if better {
                means.insert(key, point);
            }
        }
    }
    Ok(means)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_well_formed() {
        let figures = figures().unwrap();
        assert!(figures.len() > 150);
        let keys: std::collections::BTreeSet<_> =
            figures.iter().map(|f| (&f.method, &f.dataset)).collect();
        assert_eq!(keys.len(), figures.len());
        assert!(figures.iter().all(|f| (0.0..=1.0).contains(&f.ari)));
    }

    #[test]
    fn a_lower_bound_is_missed_from_below_only() {
        let row = |mean: f64, kind| SurveyRow {
            method: "m".into(),
            dataset: "d".into(),
            mean,
            shuffled: None,
            published: Some(0.5),
            kind: Some(kind),
            chosen: String::new(),
        };
        assert!(!row(0.9, SurveyKind::LastStart).is_off());
        assert!(row(0.4, SurveyKind::LastStart).is_off());
        assert!(!row(0.500_04, SurveyKind::Deterministic).is_off());
        assert!(row(0.500_1, SurveyKind::Deterministic).is_off());
        assert!(row(0.506, SurveyKind::Tuned).is_off());
    }
}
