//! The model of a result, by which `enclust assign` labels new rows.

use std::collections::HashSet;

use enclust::core::{Assignment, Contingency, Ensemble, MISSING, Microclusters, Partition};
use enclust::registry::Precision;
use enclust_io::{ClusterNames, Model};

use super::data::Data;
use super::plan::Plan;
use super::{ClusterArgs, Cut};
use crate::failure::Failure;
use crate::recipe::wrong;
use crate::record::ModelRecord;

/// A model and how far it repeats the result.
pub struct Saved {
    pub model: Model,
    pub record: ModelRecord,
}

impl ClusterArgs {
    /// The model of the only result, if it is to be saved.
    pub(super) fn model<S: Precision>(
        &self,
        plan: &Plan<S>,
        data: &Data<S>,
        cuts: &[Cut],
    ) -> Result<Option<Saved>, Failure> {
        let pool = (&data.ensemble, &data.selection, &data.cluster_names);
        let (Some(_), [cut], (Some(ensemble), Some(selection), Some(names))) =
            (&self.outputs.save_model, cuts, pool)
        else {
            return Ok(None);
        };
        let ca = plan.registry.ca.build(&plan.spec.ca).map_err(wrong)?;
        let Some(weights) = ca.as_cluster_weights() else { return Ok(None) };
        let microclusters = Microclusters::of(ensemble);
        let weights = weights.cluster_weights(&microclusters);
        let positions: Vec<usize> = selection.columns.iter().map(|column| column - 1).collect();
        let named = data.columns.as_ref().filter(|names| are_different(names));
        let model = Model {
            assignment: Assignment::new(&microclusters, &weights, &cut.partition)?,
            cluster_names: positions.iter().map(|&at| names[at].clone()).collect(),
            columns: named.map(|names| positions.iter().map(|&at| names[at].clone()).collect()),
            positions,
            pool_columns: selection.pool,
            noise: self.input.noise,
            representation: plan.spec.ca.told(),
        };
        let record = repeated(&model, ensemble, &cut.partition)?;
        Ok(Some(Saved { model, record }))
    }
}

/// Columns cannot be matched by names that occur twice.
fn are_different(names: &[String]) -> bool {
    let mut seen = HashSet::new();
    names.iter().all(|name| seen.insert(name))
}

/// Assigns the training rows as if they were new.
fn repeated(
    model: &Model,
    ensemble: &Ensemble,
    partition: &Partition,
) -> Result<ModelRecord, Failure> {
    let rows = ensemble.samples();
    let mut labels = Vec::with_capacity(rows);
    let mut row = vec![MISSING; ensemble.clusterings()];
    for sample in 0..rows {
        for (b, (cell, names)) in row.iter_mut().zip(&model.cluster_names).enumerate() {
            *cell = as_if_new(ensemble.column(b)[sample], names);
        }
        labels.push(model.assignment.assign(&row)?.label);
    }
    let both = labels.iter().zip(partition.labels()).zip(ensemble.row_counts());
    let same = both.filter(|((one, other), _)| one == other);
    let kept: usize = same.map(|(_, count)| count).sum();
    let samples = ensemble.total();
    let ari = Contingency::of(&Partition::from_labels(labels), partition)?.ari();
    Ok(ModelRecord { samples, kept, share: kept as f64 / samples as f64, ari })
}

/// The number of a label as in a file of new rows: a base cluster without a name has no match.
fn as_if_new(label: u32, ClusterNames { names, .. }: &ClusterNames) -> u32 {
    match names.get(label as usize) {
        Some(None) => Assignment::OTHER,
        _ => label,
    }
}
