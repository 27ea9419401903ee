//! The variants of a study: all points of the grids of all recipes, on all pools.

use enclust_core::{Error, PipelineSpec, Registry, Value, Values};
use toml::Spanned;

use super::file::{Recipe, Study};
use super::metric::Metric;
use super::protocol::{VariantRecord, record};
use super::recipe::{Point, Refusal, points, without_grid};
use super::tuning::{TunedRecipe, Tuning, same_pipelines};
use crate::error::StudyError;

/// Parameters that a recipe sets for one pool only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolSettings {
    /// The name of the recipe.
    pub recipe: String,
    /// The pool.
    pub pool: String,
    /// The parameters, `stage.parameter=value` each.
    pub settings: Vec<String>,
}

/// A variant before it is added to the protocol.
pub(super) struct Variant {
    pub name: String,
    /// Its pipeline on each pool.
    pub specs: Vec<PipelineSpec>,
    /// The recipe it comes from, by its index in the file and by name.
    pub from: usize,
    recipe: String,
    /// Whether it is a point of a grid over parts, of which some may not fit together.
    pub swaps_parts: bool,
    against: Option<String>,
    /// The parameters of the grid to which it belongs.
    grid: Vec<String>,
    file: String,
    line: usize,
}

impl Variant {
    pub fn refused(&self, error: Error) -> StudyError {
        let (file, variant, error) = (self.file.clone(), self.name.clone(), Box::new(error));
        StudyError::Variant { file, line: self.line, variant, error }
    }

    pub fn record(&self, registry: &Registry<f64>) -> Result<VariantRecord, StudyError> {
        let records = self.specs.iter().map(|spec| record(registry, spec));
        Ok(VariantRecord {
            name: self.name.clone(),
            recipe: self.recipe.clone(),
            pipelines: records.collect::<Result<_, _>>().map_err(|e| self.refused(e))?,
            against: self.against.clone(),
        })
    }
}

impl Study {
    /// The points of all recipes to be run, each with its pipelines on all pools.
    pub(super) fn variants(
        &self,
        registry: &Registry<f64>,
        pools: &[&str],
    ) -> Result<Vec<Variant>, StudyError> {
        let mut variants = Vec::new();
        for (from, recipe) in self.recipes_to_run() {
            self.check_pool_names(recipe.get_ref(), pools)?;
            self.check_against(recipe.get_ref())?;
            for variant in self.points_of(registry, from, recipe, pools)? {
                self.add(variant, &mut variants)?;
            }
        }
        Ok(variants)
    }

    /// How the grids are tuned, if `tuned_by` is given. The recipe without its grid is added to
    /// the variants, unless it is one of them already.
    pub(super) fn tuning(
        &self,
        registry: &Registry<f64>,
        pools: &[&str],
        metrics: &[Metric],
        variants: &mut Vec<Variant>,
    ) -> Result<Option<Tuning>, StudyError> {
        let Some(metric) = &self.tuned_by else { return Ok(None) };
        self.check_tuned_by(metric.parse()?, metrics)?;
        let mut recipes: Vec<TunedRecipe> = Vec::new();
        for (from, recipe) in self.recipes_to_run() {
            let of_grid = |&at: &usize| variants[at].from == from && !variants[at].grid.is_empty();
            let grid: Vec<usize> = (0..variants.len()).filter(of_grid).collect();
            let Some(&first) = grid.first() else { continue };
            let (name, parameters) = (recipe.get_ref().label(), variants[first].grid.clone());
            if recipes.iter().any(|other| other.recipe == name) {
                return Err(self.twice("grid", name));
            }
            let default = self.default_of(registry, from, recipe, pools)?;
            let default = match find(registry, variants, &default)? {
                Some(there) => there,
                None => {
                    self.add(default, variants)?;
                    variants.len() - 1
                }
            };
            recipes.push(TunedRecipe { recipe: name, parameters, default, grid });
        }
        Ok(Some(Tuning { metric: metric.clone(), recipes }))
    }

    fn check_tuned_by(&self, metric: Metric, metrics: &[Metric]) -> Result<(), StudyError> {
        if !metric.ranks() {
            let what = format!("{metric} is not a metric for which larger is better");
            return Err(self.invalid("tuned_by", what));
        }
        if metrics.contains(&metric) {
            Ok(())
        } else {
            Err(self.invalid("tuned_by", format!("{metric} is not among the metrics")))
        }
    }

    /// The parameters that the recipes to be run set for single pools.
    pub fn pool_settings(&self) -> Vec<PoolSettings> {
        let mut all = Vec::new();
        for (_, recipe) in self.recipes_to_run() {
            for pool in &self.pools {
                let Some(stages) = recipe.get_ref().per_pool.get(&pool.name()) else { continue };
                let of_stage = |(stage, values): (&String, &Values)| {
                    let written =
                        |(name, value): (&String, &Value)| format!("{stage}.{name}={value}");
                    values.iter().map(written).collect::<Vec<_>>()
                };
                let settings = stages.iter().flat_map(of_stage).collect();
                let recipe = recipe.get_ref().label();
                all.push(PoolSettings { recipe, pool: pool.name(), settings });
            }
        }
        all
    }

    /// The requested recipes with their indices in the file.
    fn recipes_to_run(&self) -> impl Iterator<Item = (usize, &Spanned<Recipe>)> {
        let asked = |name| self.only.as_ref().is_none_or(|only| only.contains(&name));
        self.recipes().enumerate().filter(move |(_, recipe)| asked(recipe.get_ref().label()))
    }

    fn add(&self, variant: Variant, to: &mut Vec<Variant>) -> Result<(), StudyError> {
        if to.iter().any(|other| other.name == variant.name) {
            return Err(self.twice("variant", variant.name));
        }
        to.push(variant);
        Ok(())
    }

    /// Checks the names of pools, because the settings for a misspelt pool would silently be
    /// ignored. A pool that the file lists but this run omits is not an error.
    fn check_pool_names(&self, recipe: &Recipe, pools: &[&str]) -> Result<(), StudyError> {
        let known = |name: &String| {
            pools.contains(&name.as_str()) || self.pools_of_file().any(|known| known == *name)
        };
        match recipe.per_pool.keys().find(|name| !known(name)) {
            None => Ok(()),
            Some(name) => Err(StudyError::Unknown {
                what: "pool",
                name: name.clone(),
                known: self.pools_of_file().collect(),
            }),
        }
    }

    /// The recipe named by `against` must be a single variant of the file; it need not be run.
    fn check_against(&self, recipe: &Recipe) -> Result<(), StudyError> {
        let single = self.recipes().map(Spanned::get_ref).filter(|r| r.grid.is_empty());
        let known: Vec<String> = single.map(Recipe::label).collect();
        match &recipe.against {
            Some(name) if !known.contains(name) => Err(StudyError::Unknown {
                what: "recipe without a grid",
                name: name.clone(),
                known,
            }),
            _ => Ok(()),
        }
    }

    fn points_of(
        &self,
        registry: &Registry<f64>,
        from: usize,
        recipe: &Spanned<Recipe>,
        pools: &[&str],
    ) -> Result<Vec<Variant>, StudyError> {
        let base = self.base.as_ref().map(Spanned::get_ref);
        let mut variants: Vec<Variant> = Vec::new();
        for pool in pools {
            let points = points(registry, base, recipe.get_ref(), pool)
                .map_err(|refusal| self.refused(recipe, refusal))?;
            if variants.is_empty() {
                let named = |point: &Point| Variant {
                    grid: point.grid.iter().map(|(path, _)| path.clone()).collect(),
                    against: recipe.get_ref().against.clone(),
                    swaps_parts: recipe.get_ref().grid.swaps_parts(),
                    ..self.variant(from, recipe, point.label(recipe.get_ref()))
                };
                variants = points.iter().map(named).collect();
            }
            for (variant, Point { spec, .. }) in variants.iter_mut().zip(points) {
                variant.specs.push(spec);
            }
        }
        Ok(variants)
    }

    /// A recipe without its grid.
    fn default_of(
        &self,
        registry: &Registry<f64>,
        from: usize,
        recipe: &Spanned<Recipe>,
        pools: &[&str],
    ) -> Result<Variant, StudyError> {
        let base = self.base.as_ref().map(Spanned::get_ref);
        let spec = |pool: &&str| without_grid(registry, base, recipe.get_ref(), pool);
        let specs = pools.iter().map(spec).collect::<Result<_, _>>();
        let name = format!("{} (default)", recipe.get_ref().label());
        Ok(Variant {
            specs: specs.map_err(|refusal| self.refused(recipe, refusal))?,
            ..self.variant(from, recipe, name)
        })
    }

    /// A variant of a recipe, without pipelines yet.
    fn variant(&self, from: usize, recipe: &Spanned<Recipe>, name: String) -> Variant {
        Variant {
            name,
            specs: Vec::new(),
            from,
            recipe: recipe.get_ref().label(),
            swaps_parts: false,
            against: None,
            grid: Vec::new(),
            file: self.file().to_string(),
            line: self.line(recipe),
        }
    }

    fn refused(&self, recipe: &Spanned<Recipe>, refusal: Refusal) -> StudyError {
        let (file, line) = (self.file().to_string(), self.line(recipe));
        let variant = recipe.get_ref().label();
        match refusal {
            Refusal::NoMethod => StudyError::NoMethod { file, line, variant },
            Refusal::NoPublishedGrid(parameter) => {
                StudyError::NoPublishedGrid { file, line, variant, parameter }
            }
            Refusal::Error(error) => {
                StudyError::Variant { file, line, variant, error: Box::new(error) }
            }
        }
    }
}

/// The variant with the same pipelines on all pools.
fn find(
    registry: &Registry<f64>,
    variants: &[Variant],
    wanted: &Variant,
) -> Result<Option<usize>, StudyError> {
    let wanted = wanted.record(registry)?.pipelines;
    for (at, variant) in variants.iter().enumerate() {
        if same_pipelines(&variant.record(registry)?.pipelines, &wanted) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}
