//! Rules on relative steps.

use enclust_core::{
    Change, Check, Component, Convergence, Needs, ParamError, Parameters, Range, Record, Result,
    Status, parameters,
};

use super::Stateless;

parameters! {
    /// Parameters of [`AuthorsRule`] and [`PaperRule`].
    pub struct EpsilonParams for "relative step" {
        /// ε: how small the relative step of every variable must be.
        pub epsilon: f64 = 1e-2, in Range::Positive;
    }
}

/// The rule of the authors' program: ‖Xₖ₊₁ − Xₖ‖ / ‖Xₖ‖ < ε for every variable.
///
/// In the first iteration a ratio of 0/0, as several are, does not count as small.
/// Later on it does: a variable that is zero and stays zero has not moved. (In the
/// authors' program it is not a number and runs into the iteration limit; that
/// takes data on which the multiplier Y₂ stays exactly zero.)
#[derive(Clone, Debug, Default)]
pub struct AuthorsRule {
    params: EpsilonParams,
}

/// The rule printed in the paper: the *squared* ratio at most ε.
#[derive(Clone, Debug, Default)]
pub struct PaperRule {
    params: EpsilonParams,
}

impl AuthorsRule {
    /// Checks the parameters.
    pub fn new(params: EpsilonParams) -> Result<Self, ParamError> {
        params.validate()?;
        Ok(AuthorsRule { params })
    }
}

impl PaperRule {
    /// Checks the parameters.
    pub fn new(params: EpsilonParams) -> Result<Self, ParamError> {
        params.validate()?;
        Ok(PaperRule { params })
    }
}

impl Component for AuthorsRule {
    fn name(&self) -> &str {
        "authors"
    }
}

impl Component for PaperRule {
    fn name(&self) -> &str {
        "paper"
    }
}

const CHANGES: Needs = Needs { changes: true, objective: false, residual: false };

impl Convergence for AuthorsRule {
    fn needs(&self) -> Needs {
        CHANGES
    }

    fn start(&self) -> Box<dyn Check> {
        let epsilon = self.params.epsilon;
        every_change(move |c| c.ratio() < epsilon)
    }
}

impl Convergence for PaperRule {
    fn needs(&self) -> Needs {
        CHANGES
    }

    fn start(&self) -> Box<dyn Check> {
        let epsilon = self.params.epsilon;
        every_change(move |c| c.ratio() * c.ratio() <= epsilon)
    }
}

/// Converged when there are changes and all are small, or from zero to zero
/// after the first iteration.
fn every_change(small: impl Fn(&Change) -> bool + 'static) -> Box<dyn Check> {
    Box::new(Stateless(move |record: &Record| {
        let still = |c: &Change| record.iteration > 1 && c.step == 0.0 && c.scale == 0.0;
        let met = !record.changes.is_empty() && record.changes.iter().all(|c| small(c) || still(c));
        met.then_some(Status::Converged)
    }))
}
