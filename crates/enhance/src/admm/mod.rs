//! Algorithm 1 of the EC-CMS paper, at group size.
//!
//! `run` holds the variables and makes an iteration; `panel` does its work on a
//! few columns at a time; `blocks` is the inverse it applies; `memory` says what all
//! that takes.

mod blocks;
mod memory;
mod panel;
mod run;

use std::borrow::Cow;
use std::sync::Arc;

use enclust_core::{
    Component, Confident, Convergence, Ctx, Enhanced, Enhancer, Error, Footprint, Needs,
    ParamError, Parameters, Problem, Range, Real, Record, Result, Shape, iterate, parameters,
};

use crate::objective::{kkt_residual, objective};
use crate::stopping::{AuthorsRule, EpsilonParams};
use run::Run;

parameters! {
    /// Parameters of [`Admm`].
    pub struct AdmmParams for "admm" {
        /// λ: how closely the answer follows the given similarity where it is free.
        pub lambda: f64 = 0.4, in Range::Positive, tried [0.001, 0.01, 0.05, 0.1, 0.4, 1, 10, 100];
        /// γ₁: penalty on A = C + E.
        pub gamma1: f64 = 1.0, in Range::Positive;
        /// γ₂: penalty on C = F.
        pub gamma2: f64 = 1.0, in Range::Positive;
        /// ε of the authors' stopping rule (unused when another rule is given).
        pub epsilon: f64 = 1e-2, in Range::Positive;
        /// The last iteration to make, whatever the stopping rule says.
        pub limit: usize = 100, in Range::AtLeast(1.0);
        /// Whether the Laplacian term is there; false is the paper's first ablation.
        pub laplacian: bool = true, in Range::Any;
        /// Whether the entries of Ω are fixed; false is the paper's second ablation.
        pub fixed: bool = true, in Range::Any;
    }
}

/// The alternating direction method of multipliers of the EC-CMS paper.
///
/// **Problem.** The one in [`objective`](crate::objective), split as A = C + E,
/// C = F. Started and stopped as the authors' program does: C = E = F = Y₂ = 0,
/// Y₁ = A, ratios of plain norms below ε, at most 100 iterations. Returns the
/// symmetric part of C, cut to [0, 1]. It is an early-stopped iterate: at ε = 1e-2
/// it is some percent away from the optimum of the problem.
///
/// **Parameters.** See [`AdmmParams`]; any other [stopping rule](Enhancer::with_stop)
/// can be put in. A warm start is not used: the published method starts from zero.
///
/// **Complexity.** Iterate by iterate equal to the n × n algorithm, at the size n'
/// of the similarity (T3 in `docs/theory.md`). An iteration costs 2n' Σ c² for
/// components of H with c groups each; memory is seven n' × n' matrices at most.
///
/// **Determinism.** Panels of fixed width; the thread count changes no bit. Norms
/// within 64 units in the last place of ‖A‖ are rounding errors and count as zero.
///
/// **Degenerate input.** Where C settles by a constant factor in every iteration (one
/// clustering, or all alike) the relative step of a multiplier need never fall below ε;
/// such a run ends at the iteration limit, as it does in the authors' program.
///
/// **Errors.** [`Error::NotFinite`] if the arithmetic overflows. Not converging
/// is a [`Status`](enclust_core::Status) of the report.
///
/// ```
/// use enclust_core::{Confidence, Ctx, Enhancer, Ensemble, Microclusters, Problem, Represent, Status};
/// use enclust_ca::Lwca;
/// use enclust_enhance::{Admm, Threshold};
///
/// let e = Ensemble::from_columns(&[[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 1, 1, 2, 2]])?;
/// let m = Microclusters::of(&e);
/// let ctx = &mut Ctx::<f64>::default();
/// let evidence = Lwca::default().build(&m, ctx)?;
/// let similarity = evidence.as_similarity().unwrap();
/// let confident = Threshold::default().select(&m, similarity, ctx)?;
/// let problem = Problem { similarity, confident: &confident, start: None };
/// let enhanced = Admm::default().enhance(&problem, ctx)?;
/// assert_eq!(enhanced.report.status, Status::Converged);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// **Reference.** Y. Jia, S. Tao, R. Wang, Y. Wang, "Ensemble clustering via
/// co-association matrix self-enhancement", TNNLS 2023, Algorithm 1.
#[derive(Clone, Debug, Default)]
pub struct Admm {
    params: AdmmParams,
    stop: Option<Arc<dyn Convergence>>,
}

impl Admm {
    /// Checks the parameters.
    pub fn new(params: AdmmParams) -> Result<Self, ParamError> {
        params.validate()?;
        Ok(Admm { params, stop: None })
    }

    /// The same with another stopping rule in place of the authors'. The
    /// iteration limit stays.
    pub fn stopping_by(self, stop: impl Convergence + 'static) -> Self {
        Admm { stop: Some(Arc::new(stop)), ..self }
    }

    /// One iteration, and what someone reads of it.
    fn step<S: Real>(
        &self,
        run: &mut Run<'_, S>,
        problem: &Problem<'_, S>,
        ctx: &Ctx<'_, S>,
        (iteration, needs): (usize, Needs),
    ) -> Result<Record> {
        let mut record = Record { changes: run.step(ctx), ..Record::default() };
        if record.changes.iter().any(|c| !(c.step.is_finite() && c.scale.is_finite())) {
            return Err(Error::NotFinite { what: "an iterate of ADMM", iteration });
        }
        if needs.objective || needs.residual {
            let c = run.answer(problem)?;
            let lambda = self.params.lambda;
            record.objective = needs.objective.then(|| objective(problem, lambda, &c));
            record.residual = needs.residual.then(|| kkt_residual(problem, lambda, &c));
        }
        Ok(record)
    }

    /// Φ = 0 without the Laplacian term, Ω = ∅ without fixed entries.
    fn ablated<'a, S: Real>(&self, confident: &'a Confident<S>) -> Cow<'a, Confident<S>> {
        let mut confident = Cow::Borrowed(confident);
        let none = Confident::none(confident.within.len());
        if !self.params.laplacian {
            let given = confident.to_mut();
            (given.graph, given.within) = (none.graph, none.within);
        }
        if !self.params.fixed {
            let given = confident.to_mut();
            (given.fixed, given.fixed_within) = (none.fixed, none.fixed_within);
        }
        confident
    }

    fn rule(&self) -> Result<Arc<dyn Convergence>> {
        Ok(match &self.stop {
            Some(rule) => Arc::clone(rule),
            None => Arc::new(AuthorsRule::new(EpsilonParams { epsilon: self.params.epsilon })?),
        })
    }
}

impl Component for Admm {
    fn name(&self) -> &str {
        "admm"
    }
}

impl<S: Real> Enhancer<S> for Admm {
    fn enhance(&self, problem: &Problem<'_, S>, ctx: &mut Ctx<'_, S>) -> Result<Enhanced<S>> {
        problem.confident.check(problem.similarity.len())?;
        let confident = &self.ablated(problem.confident);
        let problem = &Problem { confident, ..*problem };
        let mut run = Run::new(&self.params, problem, ctx)?;
        let size = problem.similarity.len();
        let (rule, limit) = (self.rule()?, self.params.limit);
        let report = iterate(self.name(), size, &rule, limit, ctx, |ctx, iteration, needs| {
            self.step(&mut run, problem, ctx, (iteration, needs))
        })?;
        Ok(Enhanced { similarity: run.answer(problem)?, report })
    }

    fn footprint(&self, shape: &Shape) -> Footprint {
        // The authors' rule reads what an iteration knows anyway.
        let rule = self.stop.as_ref().map_or(Needs::default(), |stop| stop.needs());
        memory::footprint(shape, rule.and(shape.needs))
    }

    fn with_stop(&self, stop: Arc<dyn Convergence>) -> Result<Box<dyn Enhancer<S>>> {
        Ok(Box::new(Admm { params: self.params.clone(), stop: Some(stop) }))
    }
}
