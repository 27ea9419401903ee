//! Stopping rules.

mod combine;
mod limits;
mod ratios;
mod values;

pub use combine::{AllOf, AnyOf};
pub use limits::{IterationLimit, IterationLimitParams, TimeLimit, TimeLimitParams};
pub use ratios::{AuthorsRule, EpsilonParams, PaperRule};
pub use values::{KktResidual, ObjectiveChange, ToleranceParams};

use enclust_core::{Convergence, Table};

/// Adds every rule that has a name.
pub fn register(table: &mut Table<dyn Convergence>) {
    table.register::<EpsilonParams>(
        "authors",
        "every relative step below epsilon, as in the authors' program",
        |p| Ok(Box::new(AuthorsRule::new(p)?)),
    );
    table.register::<EpsilonParams>(
        "paper",
        "every squared relative step at most epsilon, as printed in the paper",
        |p| Ok(Box::new(PaperRule::new(p)?)),
    );
    table.register::<ToleranceParams>("kkt", "optimality conditions met to a tolerance", |p| {
        Ok(Box::new(KktResidual::new(p)?))
    });
    table.register::<ToleranceParams>(
        "objective",
        "objective changes relatively by less than a tolerance",
        |p| Ok(Box::new(ObjectiveChange::new(p)?)),
    );
    table.register::<IterationLimitParams>("iterations", "a number of iterations", |p| {
        Ok(Box::new(IterationLimit::new(p)?))
    });
    table.register::<TimeLimitParams>("time", "a number of seconds", |p| {
        Ok(Box::new(TimeLimit::new(p)?))
    });
}

/// A check that remembers nothing but a function of the record.
struct Stateless<F>(F);

impl<F: FnMut(&enclust_core::Record) -> Option<enclust_core::Status>> enclust_core::Check
    for Stateless<F>
{
    fn check(&mut self, record: &enclust_core::Record) -> Option<enclust_core::Status> {
        (self.0)(record)
    }
}
