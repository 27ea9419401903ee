//! Figures of a study over the parameters that its variants vary.

use enclust::core::Value;
use enclust_experiment::study::{PipelineRecord, VariantRecord};
use enclust_figures::{Grid, Line, Lines};

use super::study_figures::Shown;
use super::{Options, not_to_plot};
use crate::failure::Failure;

/// The number of clusterings of the ensembles, which is not a parameter of a part.
const SIZE: &str = "size";
/// Values that grow by more than this factor are shown on a logarithmic axis.
const DECADES: f64 = 20.0;

/// Variants of one recipe that differ in the parameters that are shown, and in nothing else.
struct Group<'a> {
    name: String,
    variants: Vec<(usize, &'a VariantRecord)>,
}

impl Shown<'_> {
    /// The metric over one parameter, a line for each pool and each group of variants.
    pub fn curve(&self, options: &Options) -> Result<Lines, Failure> {
        let x = self.axis("--x", options.x.as_deref(), options, &[])?;
        let mut lines = Vec::new();
        for group in self.groups(&[&x], options)? {
            for &pool in &self.pools {
                let points = self.points(&x, &group, pool)?;
                if points.len() > 1 {
                    lines.push(Line::new(self.line_name(&group.name, pool), points));
                }
            }
        }
        if lines.is_empty() {
            let reason = format!("no variants differ only in {x}");
            return Err(not_to_plot(self.folder, reason));
        }
        let places = || lines.iter().flat_map(|line| line.points.iter().map(|point| point.0));
        let (low, high) = (places().fold(f64::MAX, f64::min), places().fold(f64::MIN, f64::max));
        let logarithmic = low > 0.0 && high / low > DECADES;
        Ok(Lines { x, y: self.title(), logarithmic, steps: false, lines })
    }

    /// Place, mean and standard deviation of the variants of a group, in the order of the places.
    fn points(
        &self,
        x: &str,
        group: &Group<'_>,
        pool: usize,
    ) -> Result<Vec<(f64, f64, f64)>, Failure> {
        let mut points = Vec::new();
        for &(variant, record) in &group.variants {
            if x == SIZE {
                for (ensemble, size) in self.sizes().into_iter().enumerate() {
                    let score = self.score(pool, ensemble, variant)?;
                    points.push((size as f64, score.mean, score.std));
                }
            } else if let Some(place) = parameter(pipeline(record, pool), x).and_then(as_number) {
                let score = self.score(pool, self.ensemble.unwrap_or_default(), variant)?;
                points.push((place, score.mean, score.std));
            }
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(points)
    }

    fn line_name(&self, group: &str, pool: usize) -> String {
        let pools = &self.results.protocol.pools;
        match (self.pools.len(), group) {
            (1, "") => pools[pool].name.clone(),
            (1, group) => group.to_string(),
            (_, "") => pools[pool].name.clone(),
            (_, group) => format!("{}, {group}", pools[pool].name),
        }
    }

    /// The metric over two parameters, as means over the pools.
    pub fn grid(&self, options: &Options) -> Result<Grid, Failure> {
        let x = self.axis("--x", options.x.as_deref(), options, &[])?;
        let y = self.axis("--y", options.y.as_deref(), options, &[&x])?;
        let groups = self.groups(&[&x, &y], options)?;
        let is_grid = |group: &&Group<'_>| group.variants.len() > 1;
        let mut grids = groups.iter().filter(is_grid);
        let group = match (grids.next(), grids.next()) {
            (Some(only), None) => only,
            (None, _) => {
                let reason = format!("no variants differ only in {x} and {y}");
                return Err(not_to_plot(self.folder, reason));
            }
            (Some(_), Some(_)) => {
                let known = groups.iter().filter(is_grid).map(|g| g.name.clone()).collect();
                let path = self.folder.to_path_buf();
                return Err(Failure::Choose { path, option: "--variant", known });
            }
        };
        let value = |record: &VariantRecord, key: &str| {
            parameter(pipeline(record, self.pools[0]), key).cloned()
        };
        let columns = sorted(group.variants.iter().filter_map(|(_, record)| value(record, &x)));
        let rows = sorted(group.variants.iter().filter_map(|(_, record)| value(record, &y)));
        let mut cells = vec![vec![None; columns.len()]; rows.len()];
        for &(variant, record) in &group.variants {
            let place = value(record, &x).zip(value(record, &y));
            let Some((across, down)) = place else { continue };
            let column = columns.iter().position(|value| *value == across);
            let row = rows.iter().position(|value| *value == down);
            if let Some((row, column)) = row.zip(column) {
                cells[row][column] = Some(self.mean(self.ensemble.unwrap_or_default(), variant)?);
            }
        }
        let text = |values: &[Value]| values.iter().map(Value::to_string).collect();
        let (columns, rows) = (text(&columns), text(&rows));
        let title = match self.pools.len() {
            1 => self.title(),
            several => format!("{}, mean of {several} pools", self.title()),
        };
        Ok(Grid { title, x, y, columns, rows, cells })
    }

    /// The parameter of an axis: the given one, or the only one that varies.
    fn axis(
        &self,
        option: &'static str,
        given: Option<&str>,
        options: &Options,
        taken: &[&str],
    ) -> Result<String, Failure> {
        let mut known: Vec<String> = self.varied(options)?;
        known.retain(|key| !taken.contains(&key.as_str()));
        if self.results.protocol.ensembles.len() > 1 && option == "--x" {
            known.push(SIZE.into());
        }
        match (given, known.as_slice()) {
            (Some(given), _) if known.iter().any(|key| key == given) => Ok(given.to_string()),
            (Some(given), _) => {
                let what = "varied parameter";
                Err(Failure::Unknown { what, name: given.to_string(), known })
            }
            (None, [only]) => Ok(only.clone()),
            (None, []) if taken.is_empty() => {
                Err(not_to_plot(self.folder, "its variants do not vary a parameter"))
            }
            (None, []) => {
                let reason = format!(
                    "a grid needs two parameters, but its variants vary only {}; the figure curve \
                     shows one",
                    taken.join(", ")
                );
                Err(not_to_plot(self.folder, reason))
            }
            (None, _)
                if option == "--x"
                    && known.len() == 2
                    && options.y.is_none()
                    && taken.is_empty() =>
            {
                Ok(known[0].clone())
            }
            (None, _) => Err(Failure::Choose { path: self.folder.into(), option, known }),
        }
    }

    /// The variants that are shown.
    fn variants(&self, options: &Options) -> Result<Vec<(usize, &VariantRecord)>, Failure> {
        let all = &self.results.protocol.variants;
        let is_chosen = |record: &VariantRecord| {
            options.variant.as_ref().is_none_or(|name| record.recipe == *name)
        };
        let numbered = all.iter().enumerate();
        let chosen: Vec<_> = numbered.filter(|(_, record)| is_chosen(record)).collect();
        match &options.variant {
            Some(name) if chosen.is_empty() => {
                let mut known: Vec<String> = all.iter().map(|v| v.recipe.clone()).collect();
                known.dedup();
                Err(Failure::Unknown { what: "variant", name: name.clone(), known })
            }
            _ => Ok(chosen),
        }
    }

    /// The parameters with several values within one recipe, in the order of the pipeline.
    fn varied(&self, options: &Options) -> Result<Vec<String>, Failure> {
        let (variants, pool) = (self.variants(options)?, self.pools[0]);
        let mut keys: Vec<String> = Vec::new();
        for (at, (_, one)) in variants.iter().enumerate() {
            for (_, other) in variants[..at].iter().filter(|(_, v)| v.recipe == one.recipe) {
                let (one, other) = (pipeline(one, pool), pipeline(other, pool));
                for key in parameters(one) {
                    let both = parameter(one, &key).zip(parameter(other, &key));
                    if both.is_some_and(|(a, b)| a != b) && !keys.contains(&key) {
                        keys.push(key);
                    }
                }
            }
        }
        Ok(keys)
    }

    /// The variants by recipe and by the values of the parameters that are not on an axis.
    fn groups(&self, axes: &[&str], options: &Options) -> Result<Vec<Group<'_>>, Failure> {
        let (variants, varied) = (self.variants(options)?, self.varied(options)?);
        let others: Vec<&String> =
            varied.iter().filter(|key| !axes.contains(&key.as_str())).collect();
        let mut recipes: Vec<&str> = variants.iter().map(|(_, v)| v.recipe.as_str()).collect();
        recipes.dedup();
        let mut groups: Vec<Group<'_>> = Vec::new();
        for (number, record) in variants {
            let pipeline = pipeline(record, self.pools[0]);
            let value = |key: &&&String| Some(format!("{key} {}", parameter(pipeline, key)?));
            let mut words: Vec<String> = others.iter().filter_map(|key| value(&key)).collect();
            if recipes.len() > 1 {
                words.insert(0, record.recipe.clone());
            }
            let name = words.join(", ");
            match groups.iter_mut().find(|group| group.name == name) {
                Some(group) => group.variants.push((number, record)),
                None => groups.push(Group { name, variants: vec![(number, record)] }),
            }
        }
        Ok(groups)
    }
}

/// The parts of a variant for a pool.
fn pipeline(record: &VariantRecord, pool: usize) -> &PipelineRecord {
    record.pipelines.get(pool).unwrap_or(&record.pipelines[0])
}

/// The names of all parameters, as `stage.parameter`.
fn parameters(pipeline: &PipelineRecord) -> Vec<String> {
    let of = |(stage, part): (&String, &enclust::core::Part)| {
        part.values.keys().map(|key| format!("{stage}.{key}")).collect::<Vec<_>>()
    };
    pipeline.iter().flat_map(of).collect()
}

fn parameter<'a>(pipeline: &'a PipelineRecord, key: &str) -> Option<&'a Value> {
    let (stage, parameter) = key.split_once('.')?;
    pipeline.get(stage)?.values.get(parameter)
}

fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        _ => None,
    }
}

/// Each value once, numbers by size and others in the order of their occurrence.
fn sorted(values: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    if found.iter().all(|value| as_number(value).is_some()) {
        let number = |value: &Value| as_number(value).unwrap_or_default();
        found.sort_by(|a, b| number(a).total_cmp(&number(b)));
    }
    found
}
