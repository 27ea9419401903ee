//! The figures and the times of all runs.

use enclust_experiment::Summary;
use enclust_experiment::study::{Results, RunRow};
use serde::Serialize;

use crate::part::Part;

/// More rows would make the page too large.
const MOST_ROWS: usize = 40_000;

/// The rows of `runs.csv`, column by column. Names are numbers in the lists of names.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AllRuns<'a> {
    /// The names of the pools.
    pub pools: Vec<&'a str>,
    /// The names of the variants.
    pub variants: Vec<&'a str>,
    /// The names of the metrics.
    pub metrics: Vec<String>,
    /// The pool of each row.
    pub pool: Vec<usize>,
    /// Number of clusterings of the ensemble.
    pub size: Vec<usize>,
    /// The run, counted from 1.
    pub run: Vec<usize>,
    /// The variant.
    pub variant: Vec<usize>,
    /// Number of clusters.
    pub k: Vec<Option<usize>>,
    /// The metric.
    pub metric: Vec<usize>,
    /// The value.
    pub value: Vec<f64>,
}

/// The time of a variant on the ensembles of one pool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost<'a> {
    /// The pool.
    pub pool: &'a str,
    /// Number of clusterings of the ensembles.
    pub size: usize,
    /// The variant.
    pub variant: &'a str,
    /// Mean seconds of a run.
    pub mean: f64,
    /// Sample standard deviation over the runs.
    pub std: f64,
}

impl<'a> AllRuns<'a> {
    /// The rows, if they are not too many.
    pub fn of(rows: &[RunRow<'a>]) -> Part<Self> {
        if rows.len() > MOST_ROWS {
            return Part::missing(format!(
                "The study has {} figures of single runs, which are too many for this page. They are in \
                 runs.csv in the folder of the results.",
                rows.len()
            ));
        }
        let mut all = AllRuns::default();
        for row in rows {
            all.pool.push(place(&mut all.pools, row.pool));
            all.size.push(row.size);
            all.run.push(row.run);
            all.variant.push(place(&mut all.variants, row.variant));
            all.k.push(row.k);
            all.metric.push(place(&mut all.metrics, row.metric.clone()));
            all.value.push(row.value);
        }
        Part::Here(all)
    }
}

/// The position of a name in a list, to which it is added if it is new.
fn place<T: PartialEq>(names: &mut Vec<T>, name: T) -> usize {
    match names.iter().position(|known| *known == name) {
        Some(at) => at,
        None => {
            names.push(name);
            names.len() - 1
        }
    }
}

/// Pool, size and variant.
type Key<'a> = (&'a str, usize, &'a str);

/// The mean times of the variants with finished runs.
pub fn costs<'a>(results: &'a Results) -> Vec<Cost<'a>> {
    let mut times: Vec<(Key<'a>, Vec<f64>)> = Vec::new();
    for row in results.timings().iter().filter(|row| row.stage == "total") {
        let key = (row.pool, row.size, row.variant);
        match times.iter_mut().find(|(known, _)| *known == key) {
            Some((_, seconds)) => seconds.push(row.seconds),
            None => times.push((key, vec![row.seconds])),
        }
    }
    let cost = |((pool, size, variant), seconds): (Key<'a>, Vec<f64>)| {
        let Summary { mean, std, .. } = Summary::of(&seconds).ok()?;
        Some(Cost { pool, size, variant, mean, std })
    };
    times.into_iter().filter_map(cost).collect()
}
