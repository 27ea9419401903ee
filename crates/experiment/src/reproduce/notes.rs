//! Known reasons for deviating cells.

use serde::Deserialize;

use super::row::Row;
use crate::error::StudyError;

const NOTES: &str = include_str!("../../studies/notes.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Notes {
    note: Vec<Note>,
}

/// The reason why some cells deviate from the published values. A field that is not given
/// matches everything.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Tables to which the note applies.
    pub tables: Option<Vec<String>>,
    /// Methods to which the note applies, without values of grids.
    pub methods: Option<Vec<String>>,
    /// Data sets to which the note applies.
    pub datasets: Option<Vec<String>>,
    /// Metrics to which the note applies.
    pub metrics: Option<Vec<String>>,
    /// The reason.
    pub reason: String,
}

impl Note {
    /// All notes, in the order in which they are tried.
    ///
    /// # Errors
    /// [`StudyError::Syntax`] if the file is not well-formed.
    pub fn all() -> Result<Vec<Note>, StudyError> {
        let notes: Result<Notes, _> = toml::from_str(NOTES);
        notes.map(|n| n.note).map_err(|e| StudyError::Syntax {
            file: "studies/notes.toml".into(),
            line: e.span().map_or(1, |s| NOTES[..s.start].matches('\n').count() + 1),
            column: 1,
            message: e.message().to_string(),
        })
    }

    /// Whether the note applies to a cell.
    pub fn covers(&self, row: &Row) -> bool {
        let has = |names: &Option<Vec<String>>, name: &str| {
            names.as_ref().is_none_or(|names| names.iter().any(|n| n == name))
        };
        let method = row.method.split(' ').next().unwrap_or_default();
        has(&self.tables, &row.table)
            && has(&self.methods, method)
            && has(&self.datasets, &row.dataset)
            && has(&self.metrics, &row.metric)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_well_formed_and_say_something() {
        for note in Note::all().unwrap() {
            assert!(!note.reason.trim().is_empty() && !note.reason.contains('\n'));
            assert!(note.methods.is_some() || note.tables.is_some(), "{note:?}");
        }
    }

    #[test]
    fn what_is_left_open_matches_anything() {
        let note = Note {
            tables: None,
            methods: Some(vec!["eac".into()]),
            datasets: Some(vec!["Ecoli".into()]),
            metrics: Some(vec!["ari".into()]),
            reason: "why".into(),
        };
        let of = |method: &str, dataset: &str, metric: &str| {
            Row::new(method.into(), dataset.into(), metric.into(), 0.0, None)
        };
        let row = |method, dataset| of(method, dataset, "ari");
        assert!(note.covers(&row("eac", "Ecoli")) && note.covers(&row("eac size=10", "Ecoli")));
        assert!(!note.covers(&row("eac", "UMIST")) && !note.covers(&row("lwea", "Ecoli")));
        assert!(!note.covers(&of("eac", "Ecoli", "nmi")));
    }
}
