//! Rules made of other rules.

use std::sync::Arc;

use enclust_core::{Check, Component, Convergence, Needs, Record, Status};

/// Stops as soon as one of several rules says so. When several do at once,
/// having converged outranks having hit a limit; otherwise the first one counts.
///
/// ```
/// use std::sync::Arc;
/// use enclust_core::{Convergence, Record, Status};
/// use enclust_enhance::{AnyOf, IterationLimit, KktResidual};
///
/// let rule = AnyOf::new(vec![Arc::new(IterationLimit::default()), Arc::new(KktResidual::default())]);
/// let mut check = rule.start();
/// let record = Record { iteration: 100, residual: Some(1e-9), ..Record::default() };
/// assert_eq!(check.check(&record), Some(Status::Converged));
/// ```
#[derive(Clone, Debug)]
pub struct AnyOf {
    rules: Vec<Arc<dyn Convergence>>,
    name: String,
}

/// Stops when all of several rules say so in the same iteration. If any of them
/// is a limit, so is the status. An empty list never stops.
#[derive(Clone, Debug)]
pub struct AllOf {
    rules: Vec<Arc<dyn Convergence>>,
    name: String,
}

impl AnyOf {
    /// Of these rules.
    pub fn new(rules: Vec<Arc<dyn Convergence>>) -> Self {
        AnyOf { name: joined("any", &rules), rules }
    }
}

impl AllOf {
    /// Of these rules.
    pub fn new(rules: Vec<Arc<dyn Convergence>>) -> Self {
        AllOf { name: joined("all", &rules), rules }
    }
}

fn joined(word: &str, rules: &[Arc<dyn Convergence>]) -> String {
    let names: Vec<&str> = rules.iter().map(|r| r.name()).collect();
    format!("{word}({})", names.join(", "))
}

impl Component for AnyOf {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Component for AllOf {
    fn name(&self) -> &str {
        &self.name
    }
}

fn needs_of(rules: &[Arc<dyn Convergence>]) -> Needs {
    rules.iter().fold(Needs::default(), |needs, r| needs.and(r.needs()))
}

impl Convergence for AnyOf {
    fn needs(&self) -> Needs {
        needs_of(&self.rules)
    }

    fn start(&self) -> Box<dyn Check> {
        Box::new(Together { checks: start_all(&self.rules), decide: any })
    }
}

impl Convergence for AllOf {
    fn needs(&self) -> Needs {
        needs_of(&self.rules)
    }

    fn start(&self) -> Box<dyn Check> {
        Box::new(Together { checks: start_all(&self.rules), decide: all })
    }
}

fn start_all(rules: &[Arc<dyn Convergence>]) -> Vec<Box<dyn Check>> {
    rules.iter().map(|r| r.start()).collect()
}

/// Asks every check in every iteration, so that each sees the whole run.
struct Together {
    checks: Vec<Box<dyn Check>>,
    decide: fn(&[Option<Status>]) -> Option<Status>,
}

impl Check for Together {
    fn check(&mut self, record: &Record) -> Option<Status> {
        let said: Vec<_> = self.checks.iter_mut().map(|c| c.check(record)).collect();
        (self.decide)(&said)
    }
}

fn any(said: &[Option<Status>]) -> Option<Status> {
    let converged = said.iter().flatten().find(|s| **s == Status::Converged);
    converged.or_else(|| said.iter().flatten().next()).copied()
}

fn all(said: &[Option<Status>]) -> Option<Status> {
    let statuses: Option<Vec<Status>> = said.iter().copied().collect();
    let statuses = statuses?;
    let limit = statuses.iter().find(|s| **s != Status::Converged);
    limit.or(statuses.first()).copied()
}
