//! Recipes whose variants differ by one or two parameters.

use std::collections::{BTreeMap, BTreeSet};

use enclust_core::Value;
use enclust_experiment::study::{PipelineRecord, Protocol};
use serde::Serialize;

/// A variant and what it consists of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariantPage {
    /// Its name.
    pub name: String,
    /// The name of its recipe.
    pub recipe: String,
    /// The part of every stage, and every parameter as `stage.parameter`, on the first pool.
    pub values: BTreeMap<String, Value>,
    /// What differs from the first variant.
    pub changed: Vec<String>,
}

/// A recipe with a grid.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sweep {
    /// The recipe.
    pub recipe: String,
    /// The parameters or stages that differ between its variants.
    pub parameters: Vec<String>,
    /// The indices of its variants.
    pub variants: Vec<usize>,
}

/// The variants of a study.
pub fn variants(protocol: &Protocol) -> Vec<VariantPage> {
    let flat: Vec<BTreeMap<String, Value>> = protocol
        .variants
        .iter()
        .map(|v| v.pipelines.first().map(flattened).unwrap_or_default())
        .collect();
    let page = |(at, variant): (usize, &enclust_experiment::study::VariantRecord)| VariantPage {
        name: variant.name.clone(),
        recipe: variant.recipe.clone(),
        changed: changed(&flat[0], &flat[at]),
        values: flat[at].clone(),
    };
    protocol.variants.iter().enumerate().map(page).collect()
}

/// Parts and parameters by name.
fn flattened(pipeline: &PipelineRecord) -> BTreeMap<String, Value> {
    let mut values = BTreeMap::new();
    for (stage, part) in pipeline {
        values.insert(stage.clone(), Value::Text(part.told()));
        for (parameter, value) in &part.values {
            values.insert(format!("{stage}.{parameter}"), value.clone());
        }
    }
    values
}

/// What differs from the base. The parameters of another part are not listed.
fn changed(base: &BTreeMap<String, Value>, here: &BTreeMap<String, Value>) -> Vec<String> {
    let other_part = |key: &str| {
        let stage = key.split('.').next().unwrap_or(key);
        stage != key && base.get(stage) != here.get(stage)
    };
    let keys: BTreeSet<&String> = base.keys().chain(here.keys()).collect();
    let differs = |key: &&&String| base.get(**key) != here.get(**key) && !other_part(key);
    let shown = |value: Option<&Value>| value.map_or("none".into(), text);
    let told =
        |key: &&String| format!("{key}: {} → {}", shown(base.get(*key)), shown(here.get(*key)));
    keys.iter().filter(differs).map(told).collect()
}

fn text(value: &Value) -> String {
    match value {
        Value::Text(value) => value.clone(),
        other => serde_json::to_value(other).unwrap_or_default().to_string(),
    }
}

/// The recipes whose variants differ by one or two parameters. A stage counts as one parameter,
/// whatever parameters its parts have.
pub fn sweeps(variants: &[VariantPage]) -> Vec<Sweep> {
    let mut recipes: Vec<(&str, Vec<usize>)> = Vec::new();
    for (at, variant) in variants.iter().enumerate() {
        match recipes.iter_mut().find(|(recipe, _)| *recipe == variant.recipe) {
            Some((_, own)) => own.push(at),
            None => recipes.push((&variant.recipe, vec![at])),
        }
    }
    let sweep = |(recipe, own): (&str, Vec<usize>)| {
        let varies = |key: &String| {
            own.iter().any(|&at| variants[at].values.get(key) != variants[own[0]].values.get(key))
        };
        let keys: BTreeSet<&String> =
            own.iter().flat_map(|&at| variants[at].values.keys()).collect();
        let stages: Vec<String> = keys
            .iter()
            .filter(|key| !key.contains('.') && varies(key))
            .map(|s| s.to_string())
            .collect();
        let of_other_part =
            |key: &str| stages.iter().any(|stage| key.split('.').next() == Some(stage));
        let parameters =
            keys.iter().filter(|key| key.contains('.') && varies(key) && !of_other_part(key));
        let parameters: Vec<String> =
            stages.iter().cloned().chain(parameters.map(|key| key.to_string())).collect();
        Sweep { recipe: recipe.to_string(), parameters, variants: own }
    };
    let sweeps = recipes.into_iter().filter(|(_, own)| own.len() > 1).map(sweep);
    sweeps.filter(|sweep| (1..=2).contains(&sweep.parameters.len())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(recipe: &str, values: &[(&str, Value)]) -> VariantPage {
        let values = values.iter().map(|(key, value)| (key.to_string(), value.clone())).collect();
        VariantPage { name: "v".into(), recipe: recipe.into(), values, changed: Vec::new() }
    }

    #[test]
    fn parameters_of_a_part_that_is_replaced_do_not_count() {
        let part = |name: &str| ("enhance", Value::Text(name.into()));
        let lambda = |value| ("enhance.lambda", Value::Float(value));
        let alpha = |value| ("confidence.alpha", Value::Float(value));
        let variants = [
            variant("grid", &[part("exact"), lambda(0.4), alpha(0.7)]),
            variant("grid", &[part("admm"), lambda(0.5), alpha(0.8)]),
            variant("one", &[part("exact"), lambda(0.1)]),
            variant("lambdas", &[part("exact"), lambda(0.1)]),
            variant("lambdas", &[part("exact"), lambda(0.2)]),
        ];
        let found = sweeps(&variants);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].parameters, ["enhance", "confidence.alpha"]);
        assert_eq!(
            (&found[1].parameters[..], &found[1].variants[..]),
            (&["enhance.lambda".to_string()][..], &[3, 4][..])
        );
    }

    #[test]
    fn changes_name_the_part_or_its_parameter() {
        let base =
            variant("a", &[("ca", Value::Text("lwca".into())), ("ca.theta", Value::Float(0.4))]);
        let part = variant("b", &[("ca", Value::Text("eac".into()))]);
        let value =
            variant("c", &[("ca", Value::Text("lwca".into())), ("ca.theta", Value::Float(0.8))]);
        assert_eq!(changed(&base.values, &part.values), ["ca: lwca → eac"]);
        assert_eq!(changed(&base.values, &value.values), ["ca.theta: 0.4 → 0.8"]);
        assert!(changed(&base.values, &base.values).is_empty());
    }
}
