//! Figures of `enclust stability --json`.

use std::path::Path;

use enclust_figures::{Line, Lines};
use serde_json::Value;

use super::{not_to_plot, read_json};
use crate::failure::Failure;

/// The levels, one for each number of clusters.
fn levels(path: &Path) -> Result<Vec<Value>, Failure> {
    let json = read_json(path)?;
    let levels = json.get("levels").and_then(Value::as_array).cloned().unwrap_or_default();
    if levels.is_empty() {
        let reason = "not the output of enclust stability --json";
        return Err(not_to_plot(path, reason));
    }
    Ok(levels)
}

/// The cumulative distribution of the consensus of pairs, a line for each number of clusters.
pub fn cdf(path: &Path) -> Result<Lines, Failure> {
    let line = |level: &Value| {
        let steps = level["cdf"].as_array().map_or(&[][..], Vec::as_slice);
        let point = |step: &Value| Some((step[0].as_f64()?, step[1].as_f64()?, 0.0));
        Line::new(format!("k = {}", level["k"]), steps.iter().filter_map(point))
    };
    Ok(Lines {
        x: "consensus".into(),
        y: "share of pairs".into(),
        logarithmic: false,
        steps: true,
        lines: levels(path)?.iter().map(line).collect(),
    })
}

/// Agreement and PAC over the number of clusters.
pub fn by_k(path: &Path) -> Result<Lines, Failure> {
    let levels = levels(path)?;
    let line = |name: &str, key: &str| {
        let point = |level: &Value| Some((level["k"].as_f64()?, level[key].as_f64()?, 0.0));
        Line::new(name, levels.iter().filter_map(point))
    };
    let lines = vec![line("agreement of draws", "agreement"), line("PAC", "pac")];
    let (x, y) = ("number of clusters".into(), String::new());
    Ok(Lines { x, y, logarithmic: false, steps: false, lines })
}
