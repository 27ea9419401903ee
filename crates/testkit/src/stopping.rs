//! The laws of [`Convergence`].

use std::time::Duration;

use enclust_core::{Change, Convergence, Record, Status};

use crate::law::Subject;

/// Longer than any patience a rule may have.
const ITERATIONS: usize = 50;

/// Runs every law on a stopping rule.
///
/// - what is not a number never converges: NaN steps, scales, objectives and
///   residuals, alone or among tiny steps;
/// - neither does a record that says nothing, nor a step of 0 from 0 at the
///   first iteration;
/// - each check is independent of every other one the rule has started;
/// - the same records give the same answers, and the clock never makes a run
///   converge.
///
/// ```
/// use enclust_core::{Check, Component, Convergence, Needs, Record, Status};
///
/// /// Stops when every variable has moved by less than a thousandth.
/// #[derive(Debug)]
/// struct SmallSteps;
///
/// impl Component for SmallSteps {
///     fn name(&self) -> &str {
///         "small-steps"
///     }
/// }
///
/// impl Convergence for SmallSteps {
///     fn needs(&self) -> Needs {
///         Needs { changes: true, ..Needs::default() }
///     }
///     fn start(&self) -> Box<dyn Check> {
///         Box::new(SmallSteps)
///     }
/// }
///
/// impl Check for SmallSteps {
///     fn check(&mut self, record: &Record) -> Option<Status> {
///         let settled = !record.changes.is_empty() && record.changes.iter().all(|c| c.ratio() < 1e-3);
///         settled.then_some(Status::Converged)
///     }
/// }
///
/// enclust_testkit::stopping::conformance(&SmallSteps);
/// ```
///
/// # Panics
/// At the first broken law, naming it.
pub fn conformance(rule: &dyn Convergence) {
    let subject = Subject::new("stopping rule", rule.name());
    never_converges_without_numbers(&subject, rule);
    checks_are_independent(&subject, rule);
    answers_are_repeatable(&subject, rule);
}

type Run = Vec<Record>;

fn never_converges_without_numbers(subject: &Subject, rule: &dyn Convergence) {
    for (law, run) in hopeless_runs() {
        let converged = answers(rule, &run).iter().position(|a| *a == Some(Status::Converged));
        let case = converged.map_or(String::new(), |at| format!("converged at {:?}", run[at]));
        subject.law(law, converged.is_none(), case);
    }
}

/// Runs in which nothing says that the iteration has settled.
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
            vec![Record { iteration: 1, ..numbers(&[(0.0, 0.0); 3], Some(0.0), Some(nan)) }],
        ),
    ];
    // One NaN among tiny steps: a maximum taken carelessly does not see it.
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

fn checks_are_independent(subject: &Subject, rule: &dyn Convergence) {
    let run = run(falling);
    let alone = answers(rule, &run);
    let (mut first, mut second) = (rule.start(), rule.start());
    let interleaved: Vec<_> = run[..alone.len()]
        .iter()
        .map(|record| {
            first.check(&all_nan());
            second.check(record)
        })
        .collect();
    let law = "each check starts afresh and shares nothing with the others";
    subject.law(law, interleaved == alone, "two checks at work in turns");
    subject.law(law, answers(rule, &run) == alone, "a check started after others have ended");
}

fn answers_are_repeatable(subject: &Subject, rule: &dyn Convergence) {
    for (name, record) in [("falling", falling as fn(usize) -> Record), ("settled", settled)] {
        let quick = run(record);
        let slow = run(|t| Record { elapsed: Duration::from_secs(t as u64), ..record(t) });
        let (a, b) = (answers(rule, &quick), answers(rule, &quick));
        subject.law("the same records give the same answers", a == b, name);
        let hurried = a.iter().zip(answers(rule, &slow)).any(|(quick, slow)| {
            slow == Some(Status::Converged) && *quick != Some(Status::Converged)
        });
        subject.law("the clock never makes a run converge", !hurried, name);
    }
}

/// What a fresh check says to each record, up to the one that ends the run.
fn answers(rule: &dyn Convergence, run: &[Record]) -> Vec<Option<Status>> {
    let mut check = rule.start();
    let mut out = Vec::new();
    for record in run {
        let answer = check.check(record);
        out.push(answer);
        if answer.is_some() {
            break;
        }
    }
    out
}

fn run(record: impl Fn(usize) -> Record) -> Run {
    (1..=ITERATIONS).map(|t| Record { iteration: t, ..record(t) }).collect()
}

fn numbers(steps: &[(f64, f64)], objective: Option<f64>, residual: Option<f64>) -> Record {
    let changes = steps
        .iter()
        .zip(["x", "y", "z"])
        .map(|(&(step, scale), name)| Change { name, step, scale })
        .collect();
    Record { changes, objective, residual, ..Record::default() }
}

fn all_nan() -> Record {
    numbers(&[(f64::NAN, f64::NAN); 3], Some(f64::NAN), Some(f64::NAN))
}

/// Everything halves from iteration to iteration.
fn falling(iteration: usize) -> Record {
    let size = 0.5_f64.powi(iteration as i32);
    numbers(&[(size, 1.0); 3], Some(1.0 + size), Some(size))
}

/// Nothing moves any more.
fn settled(_: usize) -> Record {
    numbers(&[(0.0, 1.0); 3], Some(1.0), Some(0.0))
}
