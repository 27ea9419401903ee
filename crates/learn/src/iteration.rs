//! The stopping rules of learners.

use enclust_core::{Check, Component, Quantities, Record, Status, Stop, Target};

/// Met when the residual of an iteration is below a tolerance: the largest violation of a
/// constraint, or the distance of a graph from having k components.
#[derive(Debug)]
pub(crate) struct Feasible {
    /// The rule is met when the residual is below this value.
    pub tolerance: f64,
}

impl Component for Feasible {
    fn name(&self) -> &str {
        "feasible"
    }
}

impl Stop for Feasible {
    fn needs(&self) -> Quantities {
        Quantities::RESIDUAL
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(|record: &Record| {
            let met = record.residual.is_some_and(|residual| residual < self.tolerance);
            met.then_some(Status::Converged)
        })
    }

    fn target(&self) -> Target {
        Target::residual(self.tolerance)
    }
}

/// The rule of learners that drive a graph towards k components: the residual is [`FOUND`] when
/// the graph has k components, and [`NOT_FOUND`] before.
pub(crate) const COMPONENTS: Feasible = Feasible { tolerance: NOT_FOUND };
/// The residual of a graph with k components.
pub(crate) const FOUND: f64 = 0.0;
/// The residual of any other graph.
pub(crate) const NOT_FOUND: f64 = 1.0;
