//! Published values.

use serde::Deserialize;

use super::tables::PaperTable;
use crate::error::StudyError;

/// A value published in the paper.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Published {
    pub table: String,
    pub method: String,
    pub dataset: String,
    pub metric: String,
    pub mean: f64,
    pub std: Option<f64>,
}

/// All published values of a table.
pub(super) fn published(table: &PaperTable) -> Result<Vec<Published>, StudyError> {
    let read = csv::Reader::from_reader(table.published.as_bytes());
    read.into_deserialize().collect::<Result<_, _>>().map_err(|e: csv::Error| {
        let line = e.position().map_or(0, |p| p.line() as usize);
        let file = format!("studies/published/{}.csv", table.name);
        StudyError::Syntax { file, line, column: 1, message: e.to_string() }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_figure_belongs_to_its_table_once() {
        for table in PaperTable::ALL {
            let all = published(table).unwrap();
            assert!(all.iter().all(|p| p.table == table.name && p.mean.is_finite()));
            let cells: BTreeSet<_> =
                all.iter().map(|p| (&p.method, &p.dataset, &p.metric)).collect();
            assert_eq!(cells.len(), all.len(), "{}", table.name);
        }
    }
}
