//! Stopping rules: what ends a run, and what must not.

use std::sync::Arc;
use std::time::Duration;

use enclust_core::{Change, Component, Convergence, Record, Status};
use enclust_enhance::{
    AllOf, AnyOf, AuthorsRule, EpsilonParams, IterationLimit, IterationLimitParams, KktResidual,
    ObjectiveChange, PaperRule, TimeLimit, TimeLimitParams, ToleranceParams,
};

fn record(iteration: usize, changes: &[(f64, f64)]) -> Record {
    let changes = changes.iter().map(|&(step, scale)| Change { name: "X", step, scale }).collect();
    Record { iteration, changes, ..Record::default() }
}

fn said(rule: &dyn Convergence, record: &Record) -> Option<Status> {
    rule.start().check(record)
}

fn limit(limit: usize) -> Arc<IterationLimit> {
    Arc::new(IterationLimit::new(IterationLimitParams { limit }).unwrap())
}

#[test]
fn the_authors_rule_takes_plain_ratios_and_the_paper_squared_ones() {
    let step = record(5, &[(0.05, 1.0), (0.001, 1.0)]);
    assert_eq!(said(&AuthorsRule::default(), &step), None);
    assert_eq!(said(&PaperRule::default(), &step), Some(Status::Converged));
    let tiny = record(5, &[(0.0099, 1.0)]);
    assert_eq!(said(&AuthorsRule::default(), &tiny), Some(Status::Converged));
    // Strictly below for the authors, at most for the paper.
    let edge = AuthorsRule::new(EpsilonParams { epsilon: 0.5 }).unwrap();
    assert_eq!(said(&edge, &record(5, &[(0.5, 1.0)])), None);
    let edge = PaperRule::new(EpsilonParams { epsilon: 0.25 }).unwrap();
    assert_eq!(said(&edge, &record(5, &[(0.5, 1.0)])), Some(Status::Converged));
}

#[test]
fn zero_over_zero_and_nan_never_converge() {
    let odd = [
        record(1, &[(0.0, 0.0), (0.0, 1.0)]),
        record(1, &[(1.0, 0.0)]),
        record(1, &[(f64::NAN, 1.0)]),
        record(1, &[]),
        Record {
            iteration: 1,
            objective: Some(f64::NAN),
            residual: Some(f64::NAN),
            ..record(1, &[(0.0, 0.0)])
        },
    ];
    let rules: [&dyn Convergence; 4] = [
        &AuthorsRule::default(),
        &PaperRule::default(),
        &KktResidual::default(),
        &ObjectiveChange::default(),
    ];
    for rule in rules {
        for record in &odd {
            let mut check = rule.start();
            assert_eq!(check.check(record), None, "{} on {record:?}", rule.name());
            assert_eq!(check.check(record), None, "{} on {record:?} again", rule.name());
        }
    }
}

#[test]
fn a_variable_that_stays_zero_has_not_moved() {
    let rules: [&dyn Convergence; 2] = [&AuthorsRule::default(), &PaperRule::default()];
    for rule in rules {
        assert_eq!(said(rule, &record(1, &[(0.0, 0.0), (0.0, 1.0)])), None);
        assert_eq!(said(rule, &record(2, &[(0.0, 0.0), (0.0, 1.0)])), Some(Status::Converged));
        assert_eq!(said(rule, &record(2, &[(1e-30, 0.0)])), None);
    }
}

#[test]
fn objective_change_needs_two_iterations() {
    let rule = ObjectiveChange::new(ToleranceParams { tolerance: 1e-3 }).unwrap();
    let at = |v| Record { objective: Some(v), ..Record::default() };
    let mut check = rule.start();
    assert_eq!(check.check(&at(10.0)), None);
    assert_eq!(check.check(&at(9.0)), None);
    assert_eq!(check.check(&at(8.9999)), Some(Status::Converged));
    // A second run starts afresh.
    assert_eq!(rule.start().check(&at(8.9999)), None);
}

#[test]
fn limits_say_which_they_are() {
    let late = Record { iteration: 7, elapsed: Duration::from_secs(3), ..Record::default() };
    assert_eq!(said(&*limit(7), &late), Some(Status::IterationLimit));
    assert_eq!(said(&*limit(8), &late), None);
    let time = TimeLimit::new(TimeLimitParams { seconds: 3.0 }).unwrap();
    assert_eq!(said(&time, &late), Some(Status::TimeLimit));
}

#[test]
fn any_prefers_convergence_and_all_waits_for_the_last() {
    let kkt: Arc<dyn Convergence> = Arc::new(KktResidual::default());
    let good = Record { iteration: 9, residual: Some(0.0), ..Record::default() };
    let bad = Record { iteration: 9, residual: Some(1.0), ..Record::default() };
    let any = AnyOf::new(vec![limit(5), Arc::clone(&kkt)]);
    assert_eq!(said(&any, &good), Some(Status::Converged));
    assert_eq!(said(&any, &bad), Some(Status::IterationLimit));
    assert_eq!(said(&any, &Record { iteration: 1, ..bad.clone() }), None);
    let all = AllOf::new(vec![limit(5), kkt]);
    assert_eq!(said(&all, &bad), None);
    assert_eq!(said(&all, &good), Some(Status::IterationLimit));
    assert_eq!(said(&AllOf::new(vec![]), &good), None);
    assert_eq!(all.name(), "all(iterations, kkt)");
    assert!(all.needs().residual && !all.needs().objective);
}

#[test]
fn rules_refuse_senseless_parameters() {
    assert!(AuthorsRule::new(EpsilonParams { epsilon: 0.0 }).is_err());
    assert!(PaperRule::new(EpsilonParams { epsilon: f64::NAN }).is_err());
    assert!(KktResidual::new(ToleranceParams { tolerance: -1.0 }).is_err());
    assert!(ObjectiveChange::new(ToleranceParams { tolerance: f64::INFINITY }).is_err());
    assert!(IterationLimit::new(IterationLimitParams { limit: 0 }).is_err());
    assert!(TimeLimit::new(TimeLimitParams { seconds: 0.0 }).is_err());
}
