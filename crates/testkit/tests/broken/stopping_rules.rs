//! Broken stopping rules.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use enclust_core::{Check, Component, Quantities, Record, Result, State, Status, Stop};
use enclust_testkit::stop;

use crate::{assert_names, complaint, component};

component!(TakesNanAsConverged, TakesZeroOverZero);

impl Stop for TakesNanAsConverged {
    fn needs(&self) -> Quantities {
        Quantities::CHANGES
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(TakesNanAsConverged)
    }
}

impl Check for TakesNanAsConverged {
    fn check(&mut self, record: &Record, _: &dyn State) -> Result<Option<Status>> {
        // The maximum of NaNs, with the initial value minus infinity, is minus infinity.
        let most = record.changes.iter().map(|c| c.ratio()).fold(f64::NEG_INFINITY, f64::max);
        Ok((most < 1e-3).then_some(Status::Converged))
    }
}

impl Stop for TakesZeroOverZero {
    fn needs(&self) -> Quantities {
        Quantities::CHANGES
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(TakesZeroOverZero)
    }
}

impl Check for TakesZeroOverZero {
    fn check(&mut self, record: &Record, _: &dyn State) -> Result<Option<Status>> {
        let still = record.changes.iter().all(|c| c.step <= 1e-3 * c.scale);
        Ok((still && !record.changes.is_empty()).then_some(Status::Converged))
    }
}

#[derive(Debug, Default)]
struct CountsAcrossRuns(Arc<AtomicUsize>);

impl Component for CountsAcrossRuns {
    fn name(&self) -> &str {
        "counts-across-runs"
    }
}

impl Stop for CountsAcrossRuns {
    fn needs(&self) -> Quantities {
        Quantities::NONE
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(CountsAcrossRuns(Arc::clone(&self.0)))
    }
}

impl Check for CountsAcrossRuns {
    fn check(&mut self, _: &Record, _: &dyn State) -> Result<Option<Status>> {
        let seen = self.0.fetch_add(1, Ordering::Relaxed);
        Ok((seen % 70 == 69).then_some(Status::IterationLimit))
    }
}

#[test]
fn stopping_rule_that_takes_nan_as_converged() {
    let complaint = complaint(|| stop::conformance(&TakesNanAsConverged));
    assert_names(&complaint, "a NaN never ends a run as converged");
}

#[test]
fn stopping_rule_that_takes_zero_over_zero() {
    let complaint = complaint(|| stop::conformance(&TakesZeroOverZero));
    assert_names(&complaint, "a step of 0 from 0");
}

#[test]
fn stopping_rule_whose_checks_share_state() {
    let complaint = complaint(|| stop::conformance(&CountsAcrossRuns::default()));
    assert_names(&complaint, "each check starts afresh");
}
