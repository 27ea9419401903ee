//! Warnings about the data and the result, with the options that help.

use enclust::core::{Ensemble, Warning, ensemble_warnings};
use serde::Serialize;

use crate::console::Console;
use crate::selection::Selection;

/// A warning in a record.
#[derive(Clone, Debug, Serialize)]
pub struct WarningRecord {
    #[serde(flatten)]
    pub warning: Warning,
    /// The requested number of clusters, if the warning is about that result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// The warning as a sentence, and what helps.
    pub message: String,
}

impl WarningRecord {
    /// A warning about the data or about the result for k clusters.
    pub fn new(warning: Warning, k: Option<usize>) -> Self {
        let message = match advice(&warning) {
            Some(advice) => format!("{warning}; {advice}"),
            None => warning.to_string(),
        };
        WarningRecord { warning, k, message }
    }

    /// Warnings about the clusterings, which are numbered as in the pool, from 1.
    pub fn of_ensemble(ensemble: &Ensemble, selection: &Selection) -> Vec<Self> {
        let of_pool = |warning: Warning| {
            let warning = warning.renumbered(|k| selection.columns[k] - 1);
            let record = WarningRecord::new(warning.clone(), None);
            WarningRecord { warning: warning.renumbered(|k| k + 1), ..record }
        };
        ensemble_warnings(ensemble).into_iter().map(of_pool).collect()
    }
}

/// Prints warnings, with the number of clusters if there are several results.
pub fn print(warnings: &[WarningRecord], console: &Console) {
    let several = warnings.iter().filter_map(|w| w.k).collect::<std::collections::BTreeSet<_>>();
    for WarningRecord { k, message, .. } in warnings {
        match k.filter(|_| several.len() > 1) {
            Some(k) => console.warn(format_args!("k = {k}: {message}")),
            None => console.warn(message),
        }
    }
}

/// What helps, in options of the command.
fn advice(warning: &Warning) -> Option<&'static str> {
    match warning {
        Warning::Unlabelled { .. }
        | Warning::Constant { .. }
        | Warning::AllDifferent { .. }
        | Warning::AgreesWithNone { .. } => Some("--columns selects other clusterings"),
        Warning::LooksLikeDistance => Some("convert it first, for example to 1 - distance"),
        Warning::MoreClustersThanRows { .. } => Some("choose a smaller --k"),
        Warning::OneLargeCluster { .. } => {
            Some("compare with other methods (--method, `enclust list method`)")
        }
        Warning::NothingEnhanced => Some("lower --alpha, or use --enhance none"),
        Warning::Percolates { .. } => {
            Some("--set confidence.giant=1 enhances all the same, as published")
        }
        Warning::Collapsed(_) => Some("use --enhance none"),
        _ => None,
    }
}
