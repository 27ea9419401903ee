//! Stopping rules on the residual and the objective.

use crate::compose::params::Range;
use crate::part;
use crate::run::quantities::Quantities;
use crate::run::report::{Record, Status};
use crate::stages::stop::{Check, Stop, Target};

part! {
    /// Stops when the optimality conditions hold to a relative tolerance.
    pub struct KktResidual("kkt", "optimality conditions met to a tolerance") {
        /// Upper bound on the relative residual.
        pub tolerance: f64 = 1e-6, in Range::Positive;
    }
}

impl Stop for KktResidual {
    fn needs(&self) -> Quantities {
        Quantities::RESIDUAL
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(|record: &Record| {
            record.residual.filter(|r| *r <= self.tolerance).map(|_| Status::Converged)
        })
    }

    fn target(&self) -> Target {
        Target::residual(self.tolerance)
    }
}

part! {
    /// Stops when the relative change of the objective between two iterations is below a tolerance.
    pub struct ObjectiveChange(
        "objective",
        "objective changes relatively by less than a tolerance"
    ) {
        /// Upper bound on the relative change.
        pub tolerance: f64 = 1e-6, in Range::Positive;
    }
}

impl Stop for ObjectiveChange {
    fn needs(&self) -> Quantities {
        Quantities::OBJECTIVE
    }

    fn start(&self) -> Box<dyn Check + '_> {
        let mut previous: Option<f64> = None;
        Box::new(move |record: &Record| {
            let now = record.objective?;
            let before = previous.replace(now)?;
            // With this form, NaN does not converge and a constant objective of 0 does.
            ((now - before).abs() <= self.tolerance * now.abs()).then_some(Status::Converged)
        })
    }
}
