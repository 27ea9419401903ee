//! Stopping rules: which records end a run and which do not.

use std::sync::Arc;
use std::time::Duration;

use enclust_core::{
    AllOf, AnyOf, AuthorsRule, Change, Component, IterationLimit, KktResidual, NoState,
    ObjectiveChange, PaperRule, Partition, Quantities, Record, Result, Similarity, State, Status,
    SteadyLabels, Stop, Target, TimeLimit,
};

fn record(iteration: usize, changes: &[(f64, f64)]) -> Record {
    let changes = changes.iter().map(|&(step, scale)| Change::new("X", step, scale)).collect();
    Record::of(iteration).with_changes(changes)
}

fn said(rule: &dyn Stop, record: &Record) -> Option<Status> {
    rule.start().check(record, &NoState).unwrap()
}

fn limit(limit: usize) -> Arc<IterationLimit> {
    Arc::new(IterationLimit::default().limit(limit))
}

#[test]
fn the_authors_rule_takes_plain_ratios_and_the_paper_squared_ones() {
    let step = record(5, &[(0.05, 1.0), (0.001, 1.0)]);
    assert_eq!(said(&AuthorsRule::default(), &step), None);
    assert_eq!(said(&PaperRule::default(), &step), Some(Status::Converged));
    let tiny = record(5, &[(0.0099, 1.0)]);
    assert_eq!(said(&AuthorsRule::default(), &tiny), Some(Status::Converged));
    // Strictly below ε for the authors' rule, at most ε for the paper's.
    let edge = AuthorsRule::default().epsilon(0.5);
    assert_eq!(said(&edge, &record(5, &[(0.5, 1.0)])), None);
    let edge = PaperRule::default().epsilon(0.25);
    assert_eq!(said(&edge, &record(5, &[(0.5, 1.0)])), Some(Status::Converged));
}

#[test]
fn zero_over_zero_and_nan_never_converge() {
    let odd = [
        record(1, &[(0.0, 0.0), (0.0, 1.0)]),
        record(1, &[(1.0, 0.0)]),
        record(1, &[(f64::NAN, 1.0)]),
        record(1, &[]),
        record(1, &[(0.0, 0.0)]).with_objective(f64::NAN).with_residual(f64::NAN),
    ];
    let rules: [&dyn Stop; 4] = [
        &AuthorsRule::default(),
        &PaperRule::default(),
        &KktResidual::default(),
        &ObjectiveChange::default(),
    ];
    for rule in rules {
        for record in &odd {
            let mut check = rule.start();
            assert_eq!(check.check(record, &NoState), Ok(None), "{} on {record:?}", rule.name());
            assert_eq!(
                check.check(record, &NoState),
                Ok(None),
                "{} on {record:?} again",
                rule.name()
            );
        }
    }
}

#[test]
fn a_variable_that_stays_zero_has_not_moved() {
    let rules: [&dyn Stop; 2] = [&AuthorsRule::default(), &PaperRule::default()];
    for rule in rules {
        assert_eq!(said(rule, &record(1, &[(0.0, 0.0), (0.0, 1.0)])), None);
        assert_eq!(said(rule, &record(2, &[(0.0, 0.0), (0.0, 1.0)])), Some(Status::Converged));
        assert_eq!(said(rule, &record(2, &[(1e-30, 0.0)])), None);
    }
}

#[test]
fn objective_change_needs_two_iterations() {
    let rule = ObjectiveChange::default().tolerance(1e-3);
    let at = |v: f64| Record::default().with_objective(v);
    let mut check = rule.start();
    assert_eq!(check.check(&at(10.0), &NoState), Ok(None));
    assert_eq!(check.check(&at(9.0), &NoState), Ok(None));
    assert_eq!(check.check(&at(8.9999), &NoState), Ok(Some(Status::Converged)));
    // A second run starts with a new state.
    assert_eq!(said(&rule, &at(8.9999)), None);
}

#[test]
fn limits_say_which_they_are() {
    let late = Record::of(7).with_elapsed(Duration::from_secs(3));
    assert_eq!(said(&*limit(7), &late), Some(Status::IterationLimit));
    assert_eq!(said(&*limit(8), &late), None);
    let time = TimeLimit::default().seconds(3.0);
    assert_eq!(said(&time, &late), Some(Status::TimeLimit));
}

#[test]
fn any_prefers_convergence_and_all_waits_for_the_last() {
    let kkt: Arc<dyn Stop> = Arc::new(KktResidual::default());
    let good = Record::of(9).with_residual(0.0);
    let bad = Record::of(9).with_residual(1.0);
    let any = AnyOf::new(vec![limit(5), Arc::clone(&kkt)]);
    assert_eq!(said(&any, &good), Some(Status::Converged));
    assert_eq!(said(&any, &bad), Some(Status::IterationLimit));
    assert_eq!(said(&any, &Record::of(1).with_residual(1.0)), None);
    let all = AllOf::new(vec![limit(5), kkt]);
    assert_eq!(said(&all, &bad), None);
    assert_eq!(said(&all, &good), Some(Status::IterationLimit));
    assert_eq!(said(&AllOf::new(vec![]), &good), None);
    assert_eq!(all.name(), "all(iterations, kkt)");
    assert_eq!(all.needs(), Quantities::RESIDUAL);
}

#[test]
fn rules_refuse_senseless_parameters() {
    assert!(AuthorsRule::default().epsilon(0.0).check().is_err());
    assert!(PaperRule::default().epsilon(f64::NAN).check().is_err());
    assert!(KktResidual::default().tolerance(-1.0).check().is_err());
    assert!(ObjectiveChange::default().tolerance(f64::INFINITY).check().is_err());
    assert!(IterationLimit::default().limit(0).check().is_err());
    assert!(TimeLimit::default().seconds(0.0).check().is_err());
}

/// The labels of each check, in order.
struct Labels(std::cell::Cell<usize>, Vec<[usize; 3]>);

impl State for Labels {
    fn similarity(&self) -> Result<Similarity<f64>> {
        NoState.similarity()
    }

    fn labels(&self) -> Result<Partition> {
        let asked = self.0.replace(self.0.get() + 1);
        Ok(Partition::from_labels(self.1[asked.min(self.1.len() - 1)]))
    }
}

#[test]
fn labels_must_stay_for_as_many_checks_as_patience_says() {
    let (a, b) = ([0, 0, 1], [0, 1, 1]);
    let ends = |rule: SteadyLabels, labels: Vec<[usize; 3]>| {
        let state = Labels(Default::default(), labels);
        let mut check = rule.start();
        (1..50).find(|&t| check.check(&Record::of(t), &state).unwrap().is_some())
    };
    assert_eq!(ends(SteadyLabels::default(), vec![a]), Some(4));
    assert_eq!(ends(SteadyLabels::default().patience(1), vec![a, b, a, b, b]), Some(5));
    // Renamed clusters are the same labels.
    assert_eq!(ends(SteadyLabels::default().patience(1), vec![a, [5, 5, 2]]), Some(2));
    assert_eq!(ends(SteadyLabels::default().patience(2).every(5), vec![b, a]), Some(20));
    assert!(SteadyLabels::default().start().check(&Record::of(1), &NoState).is_err());
}

#[test]
fn targets_of_combined_rules_are_the_loosest_or_the_strictest() {
    let rules = || -> Vec<Arc<dyn Stop>> {
        vec![
            Arc::new(KktResidual::default().tolerance(1e-3)),
            Arc::new(KktResidual::default().tolerance(1e-6)),
            limit(5),
            limit(9),
        ]
    };
    let (any, all) = (AnyOf::new(rules()).target(), AllOf::new(rules()).target());
    assert_eq!((any.residual, any.iterations), (Some(1e-3), Some(5)));
    assert_eq!((all.residual, all.iterations), (Some(1e-6), Some(9)));
    assert_eq!(AuthorsRule::default().target(), Target::step(1e-2));
}
