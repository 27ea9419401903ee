//! Stopping rules that combine other rules.

use std::sync::Arc;

use crate::error::Result;
use crate::run::iterate::State;
use crate::run::quantities::Quantities;
use crate::run::report::{Record, Status};
use crate::stages::component::Component;
use crate::stages::stop::{Check, Stop, Target};

/// Stops as soon as one of several rules is met. If several are met at once, a converged status
/// takes precedence over a limit; otherwise the first rule determines the status.
///
/// By name it is written `any(kkt, iterations(limit=50))`.
///
/// ```
/// use std::sync::Arc;
/// use enclust_core::{AnyOf, IterationLimit, KktResidual, NoState, Record, Status, Stop};
///
/// let rule = AnyOf::new(vec![Arc::new(IterationLimit::default()), Arc::new(KktResidual::default())]);
/// let mut check = rule.start();
/// let record = Record::of(100).with_residual(1e-9);
/// assert_eq!(check.check(&record, &NoState)?, Some(Status::Converged));
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AnyOf {
    rules: Vec<Arc<dyn Stop>>,
    name: String,
}

/// Stops when all of several rules are met in the same iteration. If any of them is a limit, the
/// status is that limit. An empty list never stops.
///
/// By name it is written `all(kkt, labels)`.
#[derive(Clone, Debug)]
pub struct AllOf {
    rules: Vec<Arc<dyn Stop>>,
    name: String,
}

impl AnyOf {
    /// The name of the combination.
    pub const NAME: &'static str = "any";

    /// Any of these rules.
    pub fn new(rules: Vec<Arc<dyn Stop>>) -> Self {
        AnyOf { name: joined(Self::NAME, &rules), rules }
    }
}

impl AllOf {
    /// The name of the combination.
    pub const NAME: &'static str = "all";

    /// All of these rules.
    pub fn new(rules: Vec<Arc<dyn Stop>>) -> Self {
        AllOf { name: joined(Self::NAME, &rules), rules }
    }
}

fn joined(word: &str, rules: &[Arc<dyn Stop>]) -> String {
    let names: Vec<&str> = rules.iter().map(|r| r.name()).collect();
    format!("{word}({})", names.join(", "))
}

impl Component for AnyOf {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&self) -> Result<()> {
        self.rules.iter().try_for_each(|rule| rule.check())
    }
}

impl Component for AllOf {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&self) -> Result<()> {
        self.rules.iter().try_for_each(|rule| rule.check())
    }
}

fn needs_of(rules: &[Arc<dyn Stop>]) -> Quantities {
    rules.iter().fold(Quantities::NONE, |needs, rule| needs | rule.needs())
}

fn target_of(rules: &[Arc<dyn Stop>], loosest: bool) -> Target {
    rules.iter().fold(Target::default(), |target, rule| target.merged(rule.target(), loosest))
}

impl Stop for AnyOf {
    fn needs(&self) -> Quantities {
        needs_of(&self.rules)
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(Together { checks: start_all(&self.rules), decide: any })
    }

    /// The loosest target, which is met first.
    fn target(&self) -> Target {
        target_of(&self.rules, true)
    }
}

impl Stop for AllOf {
    fn needs(&self) -> Quantities {
        needs_of(&self.rules)
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(Together { checks: start_all(&self.rules), decide: all })
    }

    /// The strictest target, which is met last.
    fn target(&self) -> Target {
        target_of(&self.rules, false)
    }
}

fn start_all(rules: &[Arc<dyn Stop>]) -> Vec<Box<dyn Check + '_>> {
    rules.iter().map(|rule| rule.start()).collect()
}

/// Calls every check in every iteration, so that each check sees the whole run.
struct Together<'a> {
    checks: Vec<Box<dyn Check + 'a>>,
    decide: fn(&[Option<Status>]) -> Option<Status>,
}

impl Check for Together<'_> {
    fn check(&mut self, record: &Record, state: &dyn State) -> Result<Option<Status>> {
        let said: Result<Vec<_>> =
            self.checks.iter_mut().map(|check| check.check(record, state)).collect();
        Ok((self.decide)(&said?))
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
