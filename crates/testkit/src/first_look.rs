//! The contract between an iteration and its stopping rule.

use std::sync::Mutex;

use enclust_core::{Check, Component, Quantities, Record, Report, Result, State, Status, Stop};

use crate::law::Subject;

/// A rule that needs everything an iteration provides, is met in the first iteration and
/// remembers which quantities that iteration had.
#[derive(Debug)]
pub(crate) struct FirstLook {
    needs: Quantities,
    seen: Mutex<Option<Quantities>>,
}

impl FirstLook {
    /// A rule for an iteration that provides these quantities.
    pub(crate) fn at(provided: Quantities) -> Self {
        FirstLook { needs: provided, seen: Mutex::new(None) }
    }

    /// Checks that the rule was called, had what it needs and ended the iteration.
    pub(crate) fn judge(&self, subject: &Subject, report: Option<&Report>, case: &str) {
        let law = "a stopping rule from outside ends the iteration";
        // This status comes from the rule, because no part limits its own time.
        let ended = report.map(|r| (r.iterations, r.status));
        let expected = Some((1, Status::TimeLimit));
        subject.law(law, ended == expected, format!("{case}: {ended:?}"));
        let seen = self.seen.lock().expect("no check panics").unwrap_or_default();
        let law = "each iteration has what is provided";
        let missing = self.needs.without(seen);
        subject.law(law, missing.is_empty(), format!("{case}: without {missing}"));
    }
}

impl Component for FirstLook {
    fn name(&self) -> &str {
        "first-look"
    }
}

impl Stop for FirstLook {
    fn needs(&self) -> Quantities {
        self.needs
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(Look(self))
    }
}

struct Look<'a>(&'a FirstLook);

impl Check for Look<'_> {
    fn check(&mut self, record: &Record, state: &dyn State) -> Result<Option<Status>> {
        let present = [
            (Quantities::CHANGES, !record.changes.is_empty()),
            (Quantities::OBJECTIVE, record.objective.is_some()),
            (Quantities::RESIDUAL, record.residual.is_some()),
            (Quantities::ITERATE, state.similarity().is_ok()),
        ];
        let seen = present.iter().filter(|(_, there)| *there);
        let seen = seen.fold(Quantities::NONE, |all, (quantity, _)| all | *quantity);
        *self.0.seen.lock().expect("no check panics") = Some(seen);
        Ok(Some(Status::TimeLimit))
    }
}
