//! Selection of a part of a table.

use enclust_core::Registry;

use super::members::{AVERAGE, BEST};
use super::published::published;
use super::tables::PaperTable;
use crate::error::StudyError;
use crate::study::PoolEntry;
use crate::study::Study;

/// A part of a table; `None` selects everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Names of pools; pools that are not in the table are allowed.
    pub datasets: Option<Vec<String>>,
    /// Names of methods.
    pub methods: Option<Vec<String>>,
    /// Number of runs.
    pub runs: Option<usize>,
}

/// The selected part of a table.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The study, restricted to the request.
    pub study: Study,
    /// Requested rows about base clusterings.
    pub members: Vec<String>,
    /// Methods of the table that this version does not have.
    pub skipped: Vec<String>,
}

impl PaperTable {
    /// Restricts the study of the table to a request. Methods that this version does not have
    /// are skipped, unless they are requested by name.
    ///
    /// # Errors
    /// [`StudyError::NotInTable`] for a method that the table does not have,
    /// [`StudyError::NotAvailable`] for one that this version does not have.
    pub fn select(
        &self,
        request: &Request,
        registry: &Registry<f64>,
    ) -> Result<Selection, StudyError> {
        let mut study = Study::parse(self.study, &format!("studies/{}.toml", self.name))?;
        let unavailable = study.unavailable(registry);
        let scored = published(self)?.iter().any(|p| p.method == AVERAGE);
        let mut known: Vec<String> = study.recipe_names();
        known.extend([AVERAGE, BEST].iter().filter(|_| scored).map(ToString::to_string));
        let here: Vec<String> =
            known.iter().filter(|name| !unavailable.contains(name)).cloned().collect();
        if let Some(methods) = &request.methods {
            self.check(methods, &known, &here)?;
        }
        let asked = |name: &&String| request.methods.as_ref().is_none_or(|m| m.contains(name));
        let (members, only) = here
            .iter()
            .filter(asked)
            .cloned()
            .partition(|name| [AVERAGE, BEST].contains(&name.as_str()));
        study.only = Some(only);
        study.runs = request.runs.unwrap_or(study.runs);
        if let Some(datasets) = &request.datasets {
            study.pools = datasets.iter().cloned().map(PoolEntry::from).collect();
        }
        let skipped = if request.methods.is_none() { unavailable } else { Vec::new() };
        Ok(Selection { study, members, skipped })
    }

    fn check(
        &self,
        methods: &[String],
        known: &[String],
        here: &[String],
    ) -> Result<(), StudyError> {
        for method in methods {
            let method = method.clone();
            if !known.contains(&method) {
                let (table, known) = (self.name, known.to_vec());
                return Err(StudyError::NotInTable { table, method, known });
            }
            if !here.contains(&method) {
                return Err(StudyError::NotAvailable { method, available: here.to_vec() });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use enclust::registry::standard;

    use super::*;

    fn select(methods: Option<&[&str]>) -> Result<Selection, StudyError> {
        let methods = methods.map(|m| m.iter().map(ToString::to_string).collect());
        let request = Request { methods, runs: Some(3), ..Request::default() };
        PaperTable::named("ari")?.select(&request, &standard())
    }

    #[test]
    fn methods_are_those_asked_for() {
        let selection = select(Some(&["lwea", "base-best"])).unwrap();
        assert_eq!(selection.study.only, Some(vec!["lwea".to_string()]));
        assert_eq!(selection.members, ["base-best"]);
        assert_eq!(selection.study.runs, 3);
        assert!(selection.skipped.is_empty());
    }

    #[test]
    fn unknown_and_unavailable_methods_are_told_apart() {
        let unknown = select(Some(&["lwae"])).unwrap_err();
        assert!(matches!(unknown, StudyError::NotInTable { .. }), "{unknown}");
        let skipped = select(None).unwrap().skipped;
        for method in &skipped {
            let error = select(Some(&[method])).unwrap_err();
            assert!(matches!(error, StudyError::NotAvailable { .. }), "{error}");
        }
    }
}
