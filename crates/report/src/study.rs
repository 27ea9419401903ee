//! The page of a study.

mod ablation;
mod all_runs;
mod sweep;

use enclust_experiment::StudyError;
use enclust_experiment::reproduce::Row;
use enclust_experiment::study::{Comparison, Pair, Protocol, Results, SummaryRow, TunedRow, Unit};
use serde::Serialize;

use crate::part::Part;

pub use ablation::{Ablation, ablations};
pub use all_runs::{AllRuns, Cost, costs};
pub use sweep::{Sweep, VariantPage, sweeps, variants};

/// The data of the page of a study. The rows are those of which the command writes `summary.csv`,
/// `comparisons.csv`, `tuned.csv` and `runs.csv`.
#[derive(Clone, Debug, Serialize)]
pub struct StudyPage<'a> {
    /// The heading.
    pub title: String,
    /// A line below the heading.
    pub subtitle: String,
    /// The command that repeats the study.
    pub repeat: String,
    /// Everything that determines the results: pools with their hashes, draws, variants.
    pub protocol: &'a Protocol,
    /// What the command prints below its tables: variants that do not help, other numbers of clusters.
    pub remarks: Vec<String>,
    /// Mean, standard deviation and rank.
    pub summary: Vec<SummaryRow<'a>>,
    /// Whether the variants differ.
    pub comparisons: Vec<ComparisonPage<'a>>,
    /// The variants with the parameters in which they differ.
    pub variants: Vec<VariantPage>,
    /// The recipes whose variants differ by one or two parameters.
    pub sweeps: Vec<Sweep>,
    /// The differences to the first variant.
    pub ablations: Vec<Ablation<'a>>,
    /// The times of the variants.
    pub costs: Vec<Cost<'a>>,
    /// The rows of tuned recipes.
    pub tuned: Vec<TunedRow<'a>>,
    /// The rows next to the published values, if the study is a table of the paper.
    pub published: Vec<Row>,
    /// Every figure of every run.
    pub runs: Part<AllRuns<'a>>,
}

/// A comparison of all variants by one metric.
#[derive(Clone, Debug, Serialize)]
pub struct ComparisonPage<'a> {
    /// The metric.
    pub metric: String,
    /// Number of clusterings of the ensembles, if the study has several.
    pub size: Option<usize>,
    /// Number of clusters, if the study has several.
    pub k: Option<usize>,
    /// What is compared.
    pub unit: Unit,
    /// Number of pools or runs.
    pub observations: usize,
    /// The variants.
    pub variants: Vec<&'a str>,
    /// The mean rank of each variant.
    pub ranks: Vec<f64>,
    /// The p-value of Friedman's test, for at least three variants.
    pub friedman_p: Option<f64>,
    /// The critical difference of mean ranks.
    pub critical_difference: Option<f64>,
    /// Every pair of variants; if there are too many, those with the best one.
    pub pairs: Vec<Pair<'a>>,
    /// The best variant, if only pairs with it are here.
    pub only_with: Option<&'a str>,
}

/// More pairs in all comparisons would make the page too large.
const MOST_PAIRS: usize = 6000;

/// The comparisons of a study.
fn comparisons(found: Vec<Comparison<'_>>) -> Vec<ComparisonPage<'_>> {
    let too_many = found.iter().map(|one| one.pairs.len()).sum::<usize>() > MOST_PAIRS;
    found.into_iter().map(|one| ComparisonPage::of(one, too_many)).collect()
}

impl<'a> ComparisonPage<'a> {
    fn of(found: Comparison<'a>, too_many: bool) -> Self {
        let only_with = too_many.then(|| found.best());
        let pairs = only_with.map_or_else(|| found.pairs.clone(), |best| found.with(best));
        ComparisonPage {
            metric: found.metric,
            size: found.size,
            k: found.k,
            unit: found.unit,
            observations: found.observations,
            variants: found.variants,
            ranks: found.ranks,
            friedman_p: found.friedman.map(|test| test.p),
            critical_difference: found.critical_difference,
            pairs,
            only_with,
        }
    }
}

impl<'a> StudyPage<'a> {
    /// The page of these results.
    ///
    /// # Errors
    /// [`StudyError::Unknown`] for a metric this version does not have.
    pub fn new(
        results: &'a Results,
        repeat: String,
        remarks: Vec<String>,
    ) -> Result<Self, StudyError> {
        let protocol = &results.protocol;
        let summary = results.summary()?;
        let variants = variants(protocol);
        let counted = |number: usize, what: &str| match number {
            1 => format!("1 {what}"),
            _ => format!("{number} {what}s"),
        };
        Ok(StudyPage {
            title: protocol.study.clone(),
            subtitle: format!(
                "{} on {}, {} each",
                counted(protocol.variants.len(), "variant"),
                counted(protocol.pools.len(), "pool"),
                counted(protocol.runs, "run"),
            ),
            repeat,
            remarks,
            comparisons: comparisons(results.comparisons()?),
            sweeps: sweeps(&variants),
            ablations: ablations(protocol, &summary),
            costs: costs(results),
            tuned: results.tuned()?,
            published: Vec::new(),
            runs: AllRuns::of(&results.runs()?),
            protocol,
            summary,
            variants,
        })
    }

    /// The same with the rows next to the published values.
    pub fn with_published(self, published: Vec<Row>) -> Self {
        StudyPage { published, ..self }
    }
}
