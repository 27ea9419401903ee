//! The laws of [`Stop`].

use std::cell::Cell;
use std::time::Duration;

use enclust_core::{Change, Partition, Record, Result, Similarity, State, Status, Stop};

use crate::law::Subject;

/// Longer than the patience of any rule.
const ITERATIONS: usize = 50;
/// Longer than the default limit of any rule.
const FOR_EVER: usize = 20_000;

/// Checks all laws for a stopping rule.
///
/// - NaN never converges: NaN in steps, scales, objectives and residuals, alone or among tiny
///   steps.
/// - Neither does an empty record, nor a step of 0 from 0 in the first iteration.
/// - Neither do labels that change in every iteration.
/// - The rule is met eventually if nothing changes, the residual is 0 and the labels stay the
///   same, after many iterations and hours.
/// - Each check is independent of all other checks of the rule.
/// - The same records give the same results, and the clock never makes a run converge.
///
/// ```
/// use enclust_core::{Check, Quantities, Record, Status, Stop, part};
///
/// part! {
///     /// Stops when the relative step of every variable is below 1/1000.
///     pub struct SmallSteps("small-steps", "every relative step below a thousandth");
/// }
///
/// impl Stop for SmallSteps {
///     fn needs(&self) -> Quantities {
///         Quantities::CHANGES
///     }
///     fn start(&self) -> Box<dyn Check + '_> {
///         Box::new(|record: &Record| {
///             let settled = !record.changes.is_empty()
///                 && record.changes.iter().all(|c| c.ratio() < 1e-3);
///             settled.then_some(Status::Converged)
///         })
///     }
/// }
///
/// enclust_testkit::stop::conformance(&SmallSteps);
/// ```
///
/// # Panics
///
/// If a law is broken. The message names the law.
pub fn conformance(rule: &dyn Stop) {
    let subject = Subject::new("stopping rule", rule.name());
    never_converges_without_numbers(&subject, rule);
    is_met_at_last(&subject, rule);
    checks_are_independent(&subject, rule);
    answers_are_repeatable(&subject, rule);
}

type Run = Vec<Record>;

fn never_converges_without_numbers(subject: &Subject, rule: &dyn Stop) {
    for (law, run) in hopeless_runs() {
        let converged = answers(rule, &run).iter().position(|a| *a == Some(Status::Converged));
        let case = converged.map_or(String::new(), |at| format!("converged at {:?}", run[at]));
        subject.law(law, converged.is_none(), case);
    }
}

/// Runs without any sign of convergence.
fn hopeless_runs() -> Vec<(&'static str, Run)> {
    let nan = f64::NAN;
    let nan_law = "a NaN never ends a run as converged";
    let mut runs = vec![
        (nan_law, run(|_| numbers(&[(nan, nan), (nan, nan)], Some(nan), Some(nan)))),
        (nan_law, run(|_| numbers(&[(nan, 1.0), (nan, 1.0)], Some(nan), Some(nan)))),
        (nan_law, run(|_| numbers(&[(0.0, nan), (0.0, nan)], Some(nan), Some(nan)))),
        (nan_law, run(|t| if t == 1 { falling(t) } else { all_nan() })),
        ("a record that says nothing never ends a run as converged", run(|_| Record::default())),
        (
            "a step of 0 from 0 at the first iteration is not convergence",
            vec![numbered(1, numbers(&[(0.0, 0.0); 3], Some(0.0), Some(nan)))],
        ),
    ];
    // One NaN among tiny steps, which a careless maximum does not detect.
    for bad in 0..3 {
        runs.push((
            nan_law,
            run(|_| {
                let mut steps = [(1e-300, 1.0); 3];
                steps[bad].0 = nan;
                numbers(&steps, Some(nan), Some(nan))
            }),
        ));
    }
    runs
}

/// A rule that is never met would let its enhancer run to the limit.
fn is_met_at_last(subject: &Subject, rule: &dyn Stop) {
    let mut check = rule.start();
    let state = Labels::steady();
    let met = (1..=FOR_EVER).any(|t| {
        let record = settled(t).with_elapsed(Duration::from_secs(3600 * t as u64));
        let record = numbered(t, record);
        matches!(check.check(&record, &state), Ok(Some(_)))
    });
    subject.law("the rule is met eventually", met, format!("not within {FOR_EVER} iterations"));
}

fn checks_are_independent(subject: &Subject, rule: &dyn Stop) {
    let run = run(falling);
    let alone = answers(rule, &run);
    let (mut first, mut second) = (rule.start(), rule.start());
    let state = Labels::changing();
    let interleaved: Vec<_> = run[..alone.len()]
        .iter()
        .map(|record| {
            let _ = first.check(&all_nan(), &Labels::changing());
            second.check(record, &state).ok().flatten()
        })
        .collect();
    let law = "each check starts afresh and shares nothing with the others";
    subject.law(law, interleaved == alone, "two checks at work in turns");
    subject.law(law, answers(rule, &run) == alone, "a check started after others have ended");
}

fn answers_are_repeatable(subject: &Subject, rule: &dyn Stop) {
    for (name, record) in [("falling", falling as fn(usize) -> Record), ("settled", settled)] {
        let quick = run(record);
        let slow = run(|t| record(t).with_elapsed(Duration::from_secs(t as u64)));
        let (a, b) = (answers(rule, &quick), answers(rule, &quick));
        subject.law("the same records give the same answers", a == b, name);
        let hurried = a.iter().zip(answers(rule, &slow)).any(|(quick, slow)| {
            slow == Some(Status::Converged) && *quick != Some(Status::Converged)
        });
        subject.law("the clock never makes a run converge", !hurried, name);
    }
}

/// The result of a new check for each record, up to the one that ends the run.
fn answers(rule: &dyn Stop, run: &[Record]) -> Vec<Option<Status>> {
    let mut check = rule.start();
    let state = Labels::changing();
    let mut out = Vec::new();
    for record in run {
        let answer = check.check(record, &state).ok().flatten();
        out.push(answer);
        if answer.is_some() {
            break;
        }
    }
    out
}

fn run(record: impl Fn(usize) -> Record) -> Run {
    (1..=ITERATIONS).map(|t| numbered(t, record(t))).collect()
}

fn numbered(iteration: usize, mut record: Record) -> Record {
    record.iteration = iteration;
    record
}

fn numbers(steps: &[(f64, f64)], objective: Option<f64>, residual: Option<f64>) -> Record {
    let changes = steps
        .iter()
        .zip(["x", "y", "z"])
        .map(|(&(step, scale), name)| Change::new(name, step, scale))
        .collect();
    Record::default().with_changes(changes).with_objective(objective).with_residual(residual)
}

fn all_nan() -> Record {
    numbers(&[(f64::NAN, f64::NAN); 3], Some(f64::NAN), Some(f64::NAN))
}

/// All values are halved in each iteration.
fn falling(iteration: usize) -> Record {
    let size = 0.5_f64.powi(iteration as i32);
    numbers(&[(size, 1.0); 3], Some(1.0 + size), Some(size))
}

/// Nothing changes.
fn settled(_: usize) -> Record {
    numbers(&[(0.0, 1.0); 3], Some(1.0), Some(0.0))
}

/// Labels that stay the same, or that change with every call.
struct Labels {
    asked: Cell<usize>,
    change: bool,
}

impl Labels {
    fn steady() -> Self {
        Labels { asked: Cell::new(0), change: false }
    }

    fn changing() -> Self {
        Labels { asked: Cell::new(0), change: true }
    }

    /// The number of calls, if the labels depend on it.
    fn age(&self) -> usize {
        self.asked.set(self.asked.get() + 1);
        if self.change { self.asked.get() } else { 0 }
    }
}

impl State for Labels {
    fn similarity(&self) -> Result<Similarity<f64>> {
        let value = 0.5 + 0.4 * (self.age() as f64).sin();
        Similarity::from_matrix(2, &[1.0, value, value, 1.0])
    }

    fn labels(&self) -> Result<Partition> {
        let age = self.age();
        Ok(Partition::from_labels((0..20).map(|i| age >> i & 1)))
    }
}
