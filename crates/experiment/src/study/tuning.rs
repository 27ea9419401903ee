//! Results of tuning a grid: the default, the best point, and the best point of each run.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use super::metric::Metric;
use super::protocol::{Cell, PipelineRecord, Protocol};
use super::results::Results;
use crate::Summary;
use crate::error::StudyError;

/// How the grids of a study are tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// The metric that decides; larger is better.
    pub metric: String,
    /// The recipes with a grid, in order.
    pub recipes: Vec<TunedRecipe>,
}

/// A recipe with a grid. Variants are numbered as in the [`Protocol`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedRecipe {
    /// Its name.
    pub recipe: String,
    /// The parameters of its grid by full name.
    pub parameters: Vec<String>,
    /// The variant that is the recipe without its grid.
    pub default: usize,
    /// The variants that are the points of its grid, in order.
    pub grid: Vec<usize>,
}

/// How a point of a grid is selected for each run. Both "best" modes select by the result
/// itself. With a metric that needs the truth, this is impossible in practice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The recipe without its grid.
    Default,
    /// One point for all runs on a pool: the one with the best mean.
    BestSingle,
    /// For each run, the point that is best in this run.
    BestPerEnsemble,
}

impl Mode {
    /// All modes, from the least to the most optimistic.
    pub const ALL: [Mode; 3] = [Mode::Default, Mode::BestSingle, Mode::BestPerEnsemble];
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Default => "default",
            Mode::BestSingle => "best single",
            Mode::BestPerEnsemble => "best per ensemble",
        })
    }
}

impl Serialize for Mode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A figure of a tuned recipe, a row of `tuned.csv`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TunedRow<'a> {
    /// The pool.
    pub pool: &'a str,
    /// Number of clusterings of the ensembles.
    pub size: usize,
    /// The recipe.
    pub recipe: &'a str,
    /// How its parameters were selected.
    pub mode: Mode,
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
    /// The selected values; if they differ between runs, each with its number of runs.
    pub chosen: String,
}

impl Results {
    /// All figures of all tuned recipes, in each [`Mode`]; empty if the study is not tuned.
    /// Recipes with unfinished runs are omitted.
    ///
    /// Points are selected by the tuning metric, separately for each pool, size and number of
    /// clusters; all other figures are those of the selected point. Among equal points, the
    /// first of the grid is selected. Figures that do not belong to a partition are omitted if
    /// there are several numbers of clusters, because each of them may have a different
    /// selection.
    ///
    /// # Errors
    /// [`StudyError::Unknown`] for a metric this version does not have.
    pub fn tuned(&self) -> Result<Vec<TunedRow<'_>>, StudyError> {
        let mut rows = Vec::new();
        let Some(tuning) = &self.protocol.tuning else { return Ok(rows) };
        let metric: Metric = tuning.metric.parse()?;
        for pool in 0..self.protocol.pools.len() {
            for ensemble in 0..self.protocol.ensembles.len() {
                for k in self.protocol.clusters(pool) {
                    let block = Block { results: self, pool, ensemble, k };
                    for recipe in &tuning.recipes {
                        for mode in Mode::ALL {
                            rows.extend(block.rows(recipe, mode, metric)?.unwrap_or_default());
                        }
                    }
                }
            }
        }
        Ok(rows)
    }
}

/// The runs on a pool with ensembles of one size, cut into one number of clusters.
#[derive(Clone, Copy)]
struct Block<'a> {
    results: &'a Results,
    pool: usize,
    ensemble: usize,
    k: usize,
}

impl<'a> Block<'a> {
    /// The figures of a recipe, if all its runs are finished.
    fn rows(
        self,
        recipe: &'a TunedRecipe,
        mode: Mode,
        metric: Metric,
    ) -> Result<Option<Vec<TunedRow<'a>>>, StudyError> {
        let protocol = &self.results.protocol;
        let figures = protocol.figures(self.pool)?;
        let decides = figures.iter().position(|f| f.metric == metric && f.k == Some(self.k));
        let Some(chosen) = decides.and_then(|figure| self.choose(recipe, mode, figure)) else {
            return Ok(None);
        };
        let only_k = protocol.clusters(self.pool).len() == 1;
        let mine = |k: Option<usize>| k.map_or(only_k, |k| k == self.k);
        let mut rows = Vec::new();
        for (at, figure) in figures.iter().enumerate().filter(|(_, figure)| mine(figure.k)) {
            let runs = chosen.iter().enumerate();
            let values: Option<Vec<f64>> =
                runs.map(|(run, &variant)| self.value(run, variant, at)).collect();
            let Some(summary) = values.and_then(|values| Summary::of(&values).ok()) else {
                return Ok(None);
            };
            let Summary { runs, mean, std } = summary;
            rows.push(TunedRow {
                pool: &protocol.pools[self.pool].name,
                size: protocol.ensembles[self.ensemble].size(&protocol.pools[self.pool]),
                recipe: &recipe.recipe,
                mode,
                k: figure.k,
                metric: figure.metric.to_string(),
                runs,
                mean,
                std,
                chosen: self.describe(recipe, &chosen),
            });
        }
        Ok(Some(rows))
    }

    /// The selected variant of each run.
    fn choose(self, recipe: &TunedRecipe, mode: Mode, decides: usize) -> Option<Vec<usize>> {
        let runs = self.results.protocol.runs;
        if mode == Mode::Default {
            return Some(vec![recipe.default; runs]);
        }
        let values = |&variant: &usize| {
            self.results.values(self.pool, self.ensemble, variant, decides).map(|v| (variant, v))
        };
        let grid: Vec<(usize, Vec<f64>)> = recipe.grid.iter().map(values).collect::<Option<_>>()?;
        if mode == Mode::BestSingle {
            let means = grid.iter().map(|(v, of_runs)| Some((*v, Summary::of(of_runs).ok()?.mean)));
            return Some(vec![best(means.collect::<Option<Vec<_>>>()?)?; runs]);
        }
        (0..runs).map(|run| best(grid.iter().map(|(v, of_runs)| (*v, of_runs[run])))).collect()
    }

    fn value(self, run: usize, variant: usize, figure: usize) -> Option<f64> {
        let Block { results, pool, ensemble, .. } = self;
        let number = results.protocol.number(Cell { pool, ensemble, run, variant });
        results.finished.get(&number)?.values.get(figure).copied()
    }

    /// The selected values, with the number of runs for each if there are several.
    fn describe(self, recipe: &TunedRecipe, chosen: &[usize]) -> String {
        let protocol = &self.results.protocol;
        let values = |variant| values_at(protocol, recipe, variant, self.pool);
        let variants = recipe.grid.iter().chain([&recipe.default]);
        let mut counted: Vec<(usize, usize)> = Vec::new();
        for &variant in variants {
            let count = chosen.iter().filter(|&&c| c == variant).count();
            if count > 0 && counted.iter().all(|(known, _)| *known != variant) {
                counted.push((variant, count));
            }
        }
        match counted[..] {
            [(variant, _)] => values(variant),
            _ => {
                let each = counted.iter().map(|(v, count)| format!("{} ({count})", values(*v)));
                each.collect::<Vec<_>>().join("; ")
            }
        }
    }
}

/// The point with the highest value; the first one if there are several.
fn best(points: impl IntoIterator<Item = (usize, f64)>) -> Option<usize> {
    let better = |a: (usize, f64), b: (usize, f64)| if b.1 > a.1 { b } else { a };
    points.into_iter().reduce(better).map(|(variant, _)| variant)
}

/// The values of the grid's parameters that a variant has on a pool.
fn values_at(protocol: &Protocol, recipe: &TunedRecipe, variant: usize, pool: usize) -> String {
    let parts = &protocol.variants[variant].pipelines[pool];
    let value = |path: &String| {
        let (stage, parameter) = path.split_once('.')?;
        let value = parts.get(stage)?.values.get(parameter)?;
        Some(format!("{path}={value}"))
    };
    recipe.parameters.iter().filter_map(value).collect::<Vec<_>>().join(" ")
}

/// Whether two pipelines are the same on every pool. A file may write 1 for 1.0.
pub(crate) fn same_pipelines(one: &[PipelineRecord], other: &[PipelineRecord]) -> bool {
    let shown = |records: &[PipelineRecord]| -> Vec<String> {
        let parts = records.iter().flatten();
        parts
            .map(|(stage, part)| {
                let values = part.values.iter().map(|(p, v)| format!(" {p}={v}"));
                format!("{stage} {}{}", part.told(), values.collect::<String>())
            })
            .collect()
    };
    shown(one) == shown(other)
}

#[cfg(test)]
mod tests {
    use enclust_core::{Part, Value};

    use super::super::cell::CellResult;
    use super::super::protocol::VariantRecord;
    use super::super::protocol::tests::example;
    use super::*;

    /// Three runs on one pool; λ = 0.1 is best twice, λ = 1 once and by the largest margin.
    fn results() -> Results {
        let mut protocol = example();
        protocol.pools.truncate(1);
        protocol.ensembles.truncate(1);
        let variant = |lambda: Value| VariantRecord {
            name: format!("m enhance.lambda={lambda:?}"),
            recipe: "m".into(),
            pipelines: vec![[("enhance".to_string(), part(lambda))].into()],
            against: None,
        };
        protocol.variants =
            vec![variant(Value::Float(0.1)), variant(Value::Int(1)), variant(Value::Int(2))];
        protocol.tuning = Some(Tuning {
            metric: "ari".into(),
            recipes: vec![TunedRecipe {
                recipe: "m".into(),
                parameters: vec!["enhance.lambda".into()],
                default: 2,
                grid: vec![0, 1],
            }],
        });
        // ARI, NMI, iterations.
        let values = [
            [vec![0.5, 0.1, 3.0], vec![0.5, 0.9, 5.0], vec![0.0, 0.0, 1.0]],
            [vec![0.6, 0.1, 3.0], vec![0.5, 0.9, 5.0], vec![0.0, 0.0, 1.0]],
            [vec![0.1, 0.1, 3.0], vec![0.8, 0.9, 5.0], vec![0.3, 0.0, 1.0]],
        ];
        let cells = values.concat().into_iter().enumerate();
        let result = |cell, values| CellResult {
            cell,
            values,
            clusters: vec![2],
            status: "direct".into(),
            seconds: Vec::new(),
        };
        let finished = cells.map(|(cell, values)| (cell, result(cell, values))).collect();
        Results { protocol, finished }
    }

    fn part(lambda: Value) -> Part {
        Part::named("exact").set("lambda", lambda)
    }

    #[test]
    fn each_mode_chooses_as_it_says() {
        let results = results();
        let rows = results.tuned().unwrap();
        let of = |mode: Mode, metric: &str| {
            let row = rows.iter().find(|r| r.mode == mode && r.metric == metric).unwrap();
            ((row.mean * 1e6).round() / 1e6, row.chosen.as_str())
        };
        assert_eq!(rows.len(), 9);
        assert_eq!(of(Mode::Default, "ari"), (0.1, "enhance.lambda=2"));
        assert_eq!(of(Mode::BestSingle, "ari"), (0.6, "enhance.lambda=1"));
        // Equal in the first run: the first point of the grid is selected, which has the lower
        // NMI.
        let each = "enhance.lambda=0.1 (2); enhance.lambda=1 (1)";
        assert_eq!(of(Mode::BestPerEnsemble, "ari"), (0.633333, each));
        assert_eq!(of(Mode::BestPerEnsemble, "nmi"), (0.366667, each));
        assert_eq!(of(Mode::BestPerEnsemble, "iterations").0, 3.666667);
    }

    #[test]
    fn figures_of_the_fit_belong_to_one_k_only() {
        let mut results = results();
        results.protocol.k = vec![2, 3];
        for result in results.finished.values_mut() {
            result.values = vec![0.1, 0.2, 0.3, 0.4, 7.0];
        }
        let rows = results.tuned().unwrap();
        assert_eq!(rows.len(), 2 * 3 * 2);
        assert!(rows.iter().all(|row| row.metric != "iterations" && row.k.is_some()));
    }

    #[test]
    fn unfinished_recipes_are_left_out() {
        let mut results = results();
        results.finished.remove(&1);
        let modes: Vec<Mode> = results.tuned().unwrap().iter().map(|row| row.mode).collect();
        assert_eq!(modes, [Mode::Default; 3]);
        results.protocol.tuning = None;
        assert!(results.tuned().unwrap().is_empty());
    }

    #[test]
    fn one_is_one_however_it_is_written() {
        let pipeline = |lambda| vec![PipelineRecord::from([("enhance".into(), part(lambda))])];
        let (int, float) = (pipeline(Value::Int(1)), pipeline(Value::Float(1.0)));
        assert!(same_pipelines(&int, &float));
        assert!(!same_pipelines(&int, &pipeline(Value::Float(1.5))));
    }
}
