//! The optimum itself: one sparse symmetric positive definite system.
//!
//! `system` is the operator, `solve` the conjugate gradients, `tiles` how the
//! matrices lie in memory.

mod solve;
mod system;
mod tiles;

use std::sync::Arc;

use enclust_core::{
    Certificate, Component, Convergence, Ctx, Enhanced, Enhancer, Error, ParamError, Parameters,
    Problem, Range, Real, Record, Report, Result, Similarity, iterate, parameters,
};

use crate::objective::{norm, objective, relative};
use crate::stopping::{KktResidual, ToleranceParams};
use solve::Solve;
use system::System;

parameters! {
    /// Parameters of [`Exact`].
    pub struct ExactParams for "exact" {
        /// λ: how closely the answer follows the given similarity where it is free.
        pub lambda: f64 = 0.4, in Range::Positive;
        /// How close to the optimum the answer must be, relative to ‖A‖ (unused when another stopping rule is given).
        pub tolerance: f64 = 1e-4, in Range::Positive;
        /// The last iteration to make, whatever the stopping rule says.
        pub limit: usize = 10_000, in Range::AtLeast(1.0);
    }
}

/// The global optimum of the self-enhancement problem, with a certificate.
///
/// **Problem.** The one in [`objective`](crate::objective). Its bounds are never
/// active, so the optimum solves one linear system on the free entries (T1 in
/// `docs/theory.md`): the Laplacian of the product graph H □ H plus λ, with the fixed
/// entries as boundary values. It is solved by conjugate gradients, preconditioned
/// by the diagonal, with products by the sparse H alone.
///
/// **Parameters.** See [`ExactParams`]. The residual of the system divided by λ‖A‖
/// bounds the relative distance to the optimum (T5); `tolerance` is that bound. A
/// [start](Problem::start) over the same groups is used.
///
/// **Complexity.** An iteration costs O(n' · entries of H) time; three and a half
/// n' × n' matrices.
///
/// **Determinism.** Tiles of fixed size, sums in order: the thread count changes no
/// bit.
///
/// **Certificate.** Computed anew from the matrix that is returned, rounding errors
/// included; see [`Certificate`].
///
/// **Errors.** [`Error::Unsupported`] if an edge of H is not fixed (the system then
/// couples with the diagonal); [`Error::NotFinite`] if the arithmetic overflows. Not
/// converging is a [`Status`](enclust_core::Status) of the report.
///
/// ```
/// use enclust_core::{Confidence, Ctx, Enhancer, Ensemble, Microclusters, Problem, Represent};
/// use enclust_ca::Lwca;
/// use enclust_enhance::{Exact, Threshold};
///
/// let e = Ensemble::from_columns(&[[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 1, 1, 2, 2]])?;
/// let m = Microclusters::of(&e);
/// let ctx = &mut Ctx::<f64>::default();
/// let evidence = Lwca::default().build(&m, ctx)?;
/// let similarity = evidence.as_similarity().unwrap();
/// let confident = Threshold::default().select(&m, similarity, ctx)?;
/// let problem = Problem { similarity, confident: &confident, start: None };
/// let report = Exact::default().enhance(&problem, ctx)?.report;
/// assert!(report.certificate.unwrap().relative_distance <= 1e-4);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// **Reference.** The problem: Y. Jia, S. Tao, R. Wang, Y. Wang, "Ensemble
/// clustering via co-association matrix self-enhancement", TNNLS 2023. The system:
/// `docs/theory.md`.
#[derive(Clone, Debug, Default)]
pub struct Exact {
    params: ExactParams,
    stop: Option<Arc<dyn Convergence>>,
}

impl Exact {
    /// Checks the parameters.
    pub fn new(params: ExactParams) -> Result<Self, ParamError> {
        params.validate()?;
        Ok(Exact { params, stop: None })
    }

    fn rule(&self) -> Result<Arc<dyn Convergence>> {
        Ok(match &self.stop {
            Some(rule) => Arc::clone(rule),
            None => {
                Arc::new(KktResidual::new(ToleranceParams { tolerance: self.params.tolerance })?)
            }
        })
    }

    fn certificate<S: Real>(
        &self,
        problem: &Problem<'_, S>,
        solve: Solve<S>,
        answer: &Similarity<S>,
    ) -> Certificate {
        let lambda = self.params.lambda;
        let (residual, largest) = solve.true_residual(problem.similarity, answer);
        Certificate {
            relative_distance: relative(residual / lambda, norm(problem.similarity)),
            distance: residual / lambda,
            largest_distance: largest / lambda,
            objective: objective(problem, lambda, answer),
            objective_gap: residual * residual / (2.0 * lambda),
        }
    }
}

impl Component for Exact {
    fn name(&self) -> &str {
        "exact"
    }
}

impl<S: Real> Enhancer<S> for Exact {
    fn enhance(&self, problem: &Problem<'_, S>, ctx: &mut Ctx<'_, S>) -> Result<Enhanced<S>> {
        problem.confident.check(problem.similarity.len())?;
        let scale = self.params.lambda * norm(problem.similarity);
        let system = System::new(self.name(), problem, self.params.lambda)?;
        let mut solve = Solve::new(system, problem);
        let (rule, limit) = (self.rule()?, self.params.limit);
        let report = iterate(
            self.name(),
            problem.similarity.len(),
            &rule,
            limit,
            ctx,
            |_, iteration, needs| {
                solve.step();
                let residual = relative(solve.residual(), scale);
                if !residual.is_finite() {
                    return Err(Error::NotFinite { what: "the residual", iteration });
                }
                let value = || answer(problem, self.params.lambda, &solve);
                let objective = match needs.objective {
                    true => Some(objective(problem, self.params.lambda, &value()?)),
                    false => None,
                };
                Ok(Record { residual: Some(residual), objective, ..Record::default() })
            },
        )?;
        let similarity = answer(problem, self.params.lambda, &solve)?;
        let certificate = Some(self.certificate(problem, solve, &similarity));
        Ok(Enhanced { similarity, report: Report { certificate, ..report } })
    }

    fn with_stop(&self, stop: Arc<dyn Convergence>) -> Result<Box<dyn Enhancer<S>>> {
        Ok(Box::new(Exact { params: self.params.clone(), stop: Some(stop) }))
    }
}

/// The matrix between groups, with the within-values as they are and the diagonal
/// that is optimal for it: C_ii = (λA_ii + 2 Σ_k h_ik C_ik) / (λ + 2d_i).
fn answer<S: Real>(
    problem: &Problem<'_, S>,
    lambda: f64,
    solve: &Solve<S>,
) -> Result<Similarity<S>> {
    let (given, confident) = (problem.similarity, problem.confident);
    let sizes = given.grouping().sizes();
    let between = solve.between(problem);
    let value = |p: usize, q: usize| {
        between[enclust_core::condensed_index(sizes.len(), p.min(q), p.max(q))].wide()
    };
    let own = |p: usize| {
        let inside = (sizes[p] as f64 - 1.0) * confident.within[p].wide();
        let (mut pull, mut degree) = (inside * given.within()[p].wide(), inside);
        for (q, h) in confident.graph.iter_row(p) {
            let weight = sizes[q] as f64 * h.wide();
            pull += weight * value(p, q);
            degree += weight;
        }
        let optimal = (lambda * given.own()[p].wide() + 2.0 * pull) / (lambda + 2.0 * degree);
        S::of(optimal.clamp(0.0, 1.0))
    };
    let own = (0..sizes.len()).map(own).collect();
    Similarity::new(Arc::clone(given.grouping()), between, given.within().to_vec(), own)
}
