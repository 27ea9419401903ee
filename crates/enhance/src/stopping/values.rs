//! Rules on the value of the problem.

use enclust_core::{
    Check, Component, Convergence, Needs, ParamError, Parameters, Range, Record, Result, Status,
    parameters,
};

use super::Stateless;

parameters! {
    /// Parameters of [`KktResidual`] and [`ObjectiveChange`].
    pub struct ToleranceParams for "tolerance" {
        /// How small the quantity must be.
        pub tolerance: f64 = 1e-6, in Range::Positive;
    }
}

/// Stops when the optimality conditions hold to a relative tolerance
/// ([`kkt_residual`](crate::objective::kkt_residual)).
#[derive(Clone, Debug, Default)]
pub struct KktResidual {
    params: ToleranceParams,
}

impl KktResidual {
    /// Checks the parameters.
    pub fn new(params: ToleranceParams) -> Result<Self, ParamError> {
        params.validate()?;
        Ok(KktResidual { params })
    }
}

impl Component for KktResidual {
    fn name(&self) -> &str {
        "kkt"
    }
}

impl Convergence for KktResidual {
    fn needs(&self) -> Needs {
        Needs { residual: true, ..Needs::default() }
    }

    fn start(&self) -> Box<dyn Check> {
        let tolerance = self.params.tolerance;
        Box::new(Stateless(move |record: &Record| {
            record.residual.filter(|r| *r <= tolerance).map(|_| Status::Converged)
        }))
    }
}

/// Stops when the objective changes by less than a tolerance, relative to its
/// value, from one iteration to the next.
#[derive(Clone, Debug, Default)]
pub struct ObjectiveChange {
    params: ToleranceParams,
}

impl ObjectiveChange {
    /// Checks the parameters.
    pub fn new(params: ToleranceParams) -> Result<Self, ParamError> {
        params.validate()?;
        Ok(ObjectiveChange { params })
    }
}

impl Component for ObjectiveChange {
    fn name(&self) -> &str {
        "objective"
    }
}

impl Convergence for ObjectiveChange {
    fn needs(&self) -> Needs {
        Needs { objective: true, ..Needs::default() }
    }

    fn start(&self) -> Box<dyn Check> {
        let tolerance = self.params.tolerance;
        let mut previous: Option<f64> = None;
        Box::new(Stateless(move |record: &Record| {
            let now = record.objective?;
            let before = previous.replace(now)?;
            // Written so that NaN does not converge and an exact standstill at 0 does.
            ((now - before).abs() <= tolerance * now.abs()).then_some(Status::Converged)
        }))
    }
}
