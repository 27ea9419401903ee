//! The standard stopping rules.

mod combine;
mod labels;
mod limits;
mod ratios;
mod values;

pub use combine::{AllOf, AnyOf};
pub use labels::SteadyLabels;
pub use limits::{IterationLimit, TimeLimit};
pub use ratios::{AuthorsRule, PaperRule};
pub use values::{KktResidual, ObjectiveChange};

use crate::compose::table::Table;
use crate::stages::stop::Stop;

/// Adds every rule that is not a combination; `any(…)` and `all(…)` combine them.
pub(crate) fn register(table: &mut Table<dyn Stop>) {
    table.add::<AuthorsRule>();
    table.add::<PaperRule>();
    table.add::<KktResidual>();
    table.add::<ObjectiveChange>();
    table.add::<SteadyLabels>();
    table.add::<IterationLimit>();
    table.add::<TimeLimit>();
}
