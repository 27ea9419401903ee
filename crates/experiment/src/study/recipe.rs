//! Builds pipelines from recipes.

use enclust_core::{Error, PipelineSpec, Real, Registry, Stage, Value};

use super::file::{Grid, GridStage, GridValues, Recipe, Settings, settings};

/// One pipeline of the study on one pool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// The values of the grid by full name; empty without a grid.
    pub grid: Vec<(String, Value)>,
    pub spec: PipelineSpec,
}

impl Point {
    /// The name of the recipe followed by the values of the grid.
    pub fn label(&self, recipe: &Recipe) -> String {
        let values = self.grid.iter().map(|(path, value)| format!(" {path}={value}"));
        recipe.label() + &values.collect::<String>()
    }
}

/// The reason why a recipe gives no pipeline.
#[derive(Debug)]
pub(crate) enum Refusal {
    NoMethod,
    /// No grid was published for this parameter, or for any.
    NoPublishedGrid(Option<String>),
    Error(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::Error(error)
    }
}

/// All pipelines of a recipe on a pool. The last parameter of the grid varies fastest.
pub(crate) fn points<S: Real>(
    registry: &Registry<S>,
    base: Option<&Recipe>,
    recipe: &Recipe,
    pool: &str,
) -> Result<Vec<Point>, Refusal> {
    let spec = without_grid(registry, base, recipe, pool)?;
    let mut points = vec![Point { grid: Vec::new(), spec }];
    for (stage, parts) in parts_of(&recipe.grid)? {
        points = swapped(registry, points, stage, parts)?;
    }
    for (path, values) in parameters_of(registry, &points[0].spec, &recipe.grid)? {
        points = crossed(points, &path, values.into_iter())?;
    }
    Ok(points)
}

/// The parts of a grid by stage. The enhancer comes first, because it determines whether there
/// are a confidence rule and a stopping rule to replace.
fn parts_of(grid: &Grid) -> Result<Vec<(Stage, &[String])>, Refusal> {
    let Grid::These(stages) = grid else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for (stage, varied) in stages {
        if let GridStage::Parts(parts) = varied {
            all.push((stage.parse::<Stage>()?, &parts[..]));
        }
    }
    all.sort_by_key(|&(stage, _)| (stage != Stage::Enhance, stage));
    Ok(all)
}

/// Combines each point with each part.
fn swapped<S: Real>(
    registry: &Registry<S>,
    points: Vec<Point>,
    stage: Stage,
    parts: &[String],
) -> Result<Vec<Point>, Error> {
    let mut all = Vec::new();
    for point in points {
        for part in parts {
            let mut next = point.clone();
            registry.swap(&mut next.spec, stage, part.parse()?)?;
            next.grid.push((stage.to_string(), Value::Text(part.clone())));
            all.push(next);
        }
    }
    Ok(all)
}

/// The pipeline of a recipe on a pool without its grid.
pub(crate) fn without_grid<S: Real>(
    registry: &Registry<S>,
    base: Option<&Recipe>,
    recipe: &Recipe,
    pool: &str,
) -> Result<PipelineSpec, Refusal> {
    let start = match base {
        Some(base) if recipe.method.is_none() && !std::ptr::eq(base, recipe) => {
            Some(changed(registry, None, base, pool)?)
        }
        _ => None,
    };
    changed(registry, start, recipe, pool)
}

/// The parameters of a grid by full name, each with its values.
fn parameters_of<S: Real>(
    registry: &Registry<S>,
    spec: &PipelineSpec,
    grid: &Grid,
) -> Result<Vec<(String, Vec<Value>)>, Refusal> {
    let mut all = Vec::new();
    match grid {
        Grid::Published(_) => {
            for (stage, part) in spec.parts() {
                let tried = registry.parameters(stage, &part.name)?.iter();
                let tried = tried.filter(|parameter| !parameter.tried.is_empty());
                all.extend(tried.map(|p| (format!("{stage}.{}", p.name), p.tried.clone())));
            }
            if all.is_empty() {
                return Err(Refusal::NoPublishedGrid(None));
            }
        }
        Grid::These(stages) => {
            for (stage, varied) in stages {
                let GridStage::Parameters(parameters) = varied else { continue };
                for (parameter, values) in parameters {
                    let path = format!("{stage}.{parameter}");
                    let values = match values {
                        GridValues::These(values) => values.clone(),
                        GridValues::Published(_) => published(registry, spec, stage, parameter)?,
                    };
                    all.push((path, values));
                }
            }
        }
    }
    Ok(all)
}

/// The published grid of one parameter.
fn published<S: Real>(
    registry: &Registry<S>,
    spec: &PipelineSpec,
    stage: &str,
    parameter: &str,
) -> Result<Vec<Value>, Refusal> {
    let stage: Stage = stage.parse()?;
    let declared = match spec.part(stage) {
        Some(part) => registry.parameters(stage, &part.name)?,
        None => &[],
    };
    let tried = declared.iter().find(|d| d.name == parameter).map(|d| d.tried.clone());
    let missing = || Refusal::NoPublishedGrid(Some(format!("{stage}.{parameter}")));
    tried.filter(|values| !values.is_empty()).ok_or_else(missing)
}

/// Combines each point with each value.
fn crossed(
    points: Vec<Point>,
    path: &str,
    values: impl Iterator<Item = Value> + Clone,
) -> Result<Vec<Point>, Error> {
    let mut all = Vec::new();
    for point in points {
        for value in values.clone() {
            let mut next = point.clone();
            next.spec.set(path, value.clone())?;
            next.grid.push((path.to_string(), value));
            all.push(next);
        }
    }
    Ok(all)
}

/// The pipeline that a recipe names, or the pipeline that it starts from with its changes.
fn changed<S: Real>(
    registry: &Registry<S>,
    start: Option<PipelineSpec>,
    recipe: &Recipe,
    pool: &str,
) -> Result<PipelineSpec, Refusal> {
    let mut spec = match (&recipe.method, start, &recipe.ca, &recipe.consensus) {
        (Some(method), ..) => registry.preset(method)?.spec.clone(),
        (None, Some(start), ..) => start,
        (None, None, Some(ca), Some(consensus)) => {
            PipelineSpec::plain(ca.parse()?, consensus.parse()?)
        }
        _ => return Err(Refusal::NoMethod),
    };
    for (stage, part) in recipe.parts() {
        registry.swap(&mut spec, stage, part.parse()?)?;
    }
    apply(&mut spec, &recipe.set)?;
    if let Some(here) = recipe.per_pool.get(pool) {
        apply(&mut spec, here)?;
    }
    Ok(spec)
}

fn apply(spec: &mut PipelineSpec, set: &Settings) -> Result<(), Error> {
    settings(set).try_for_each(|(path, value)| spec.set(&path, value.clone()))
}

#[cfg(test)]
mod tests {
    use enclust::registry::standard;
    use enclust_core::Part;

    use super::*;

    fn recipe(text: &str) -> Recipe {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_swapped_part_keeps_the_parameters_it_shares() {
        let registry = standard::<f64>();
        let base = recipe(
            "method = \"ec-cms-admm\"\nset = { enhance.lambda = 0.1, enhance.gamma1 = 2.0 }",
        );
        let exact = recipe("enhance = \"exact\"");
        let point = points(&registry, Some(&base), &exact, "p").unwrap().remove(0);
        assert_eq!(point.spec.enhance, Part::named("exact").set("lambda", 0.1));
        assert_eq!(point.spec.ca, Part::named("lwca"));
    }

    #[test]
    fn a_grid_is_a_cross_product_in_order() {
        let registry = standard::<f64>();
        let text = "name = \"g\"\nmethod = \"ec-cms\"\n[grid]\nenhance.lambda = [0.1, 1]\nconfidence.alpha = [0.7, 0.8]";
        let grid = recipe(text);
        let labels: Vec<String> =
            points(&registry, None, &grid, "p").unwrap().iter().map(|p| p.label(&grid)).collect();
        assert_eq!(
            labels,
            [
                "g confidence.alpha=0.7 enhance.lambda=0.1",
                "g confidence.alpha=0.7 enhance.lambda=1",
                "g confidence.alpha=0.8 enhance.lambda=0.1",
                "g confidence.alpha=0.8 enhance.lambda=1",
            ]
        );
    }

    #[test]
    fn published_grids_are_those_of_the_parts() {
        let registry = standard::<f64>();
        let count = |text: &str| points(&registry, None, &recipe(text), "p").map(|p| p.len());
        assert_eq!(count("method = \"lwea\"\ngrid = \"published\"").unwrap(), 8);
        let all = "method = \"ec-cms\"\ngrid = \"published\"";
        assert_eq!(count(all).unwrap(), 8 * 3 * 8, "theta, alpha and lambda");
        let one = "method = \"ec-cms\"\n[grid]\nconfidence.alpha = \"published\"\nca.theta = [0.3]";
        assert_eq!(count(one).unwrap(), 3);
        let none = count("method = \"eac\"\ngrid = \"published\"");
        assert!(matches!(none, Err(Refusal::NoPublishedGrid(None))));
        let no_such = count("method = \"ec-cms\"\ngrid = { enhance.limit = \"published\" }");
        let path = "enhance.limit";
        assert!(matches!(no_such, Err(Refusal::NoPublishedGrid(Some(p))) if p == path));
    }

    #[test]
    fn every_published_value_is_one_that_its_part_takes() {
        let registry = standard::<f64>();
        for listed in registry.listing() {
            for parameter in listed.parameters {
                for value in &parameter.tried {
                    let part = Part::named(listed.name).set(parameter.name, value.clone());
                    let built = match listed.stage {
                        Stage::Reduce => registry.reduce.build(&part).err(),
                        Stage::Ca => registry.ca.build(&part).err(),
                        Stage::Confidence => registry.confidence.build(&part).err(),
                        Stage::Enhance => registry.enhance.build(&part).err(),
                        Stage::Stop => registry.stop.build(&part).err(),
                        Stage::Consensus => registry.consensus.build(&part).err(),
                        other => panic!("no published grid is known at the stage {other}"),
                    };
                    assert_eq!(built, None, "{part}");
                }
            }
        }
    }

    #[test]
    fn a_pool_may_have_settings_of_its_own() {
        let registry = standard::<f64>();
        let base = recipe("method = \"ec-cms\"\n[per_pool.Ecoli]\nconfidence.alpha = 0.75");
        let variant = recipe("set = { enhance.lambda = 0.01 }");
        let alpha = |pool| {
            let point = points(&registry, Some(&base), &variant, pool).unwrap().remove(0);
            point.spec.confidence.values.get("alpha").cloned()
        };
        assert_eq!(alpha("Ecoli"), Some(0.75.into()));
        assert_eq!(alpha("UMIST"), None);
    }

    #[test]
    fn parts_without_a_method_make_a_pipeline() {
        let registry = standard::<f64>();
        let own = recipe("ca = \"lwca\"\nconsensus = \"single\"\nset = { ca.theta = 0.3 }");
        let spec = points(&registry, None, &own, "p").unwrap().remove(0).spec;
        assert_eq!(spec.ca.to_string(), "lwca(theta=0.3)");
        assert_eq!(spec.consensus.name, "single");
        assert!(matches!(
            points(&registry, None, &recipe("ca = \"eac\""), "p"),
            Err(Refusal::NoMethod)
        ));
    }
}
