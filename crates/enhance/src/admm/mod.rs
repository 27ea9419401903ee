//! Algorithm 1 of the EC-CMS paper, over groups.
//!
//! Start with `run`: the state and one iteration on it. `panel` computes an iteration for a few
//! columns at a time, in the steps `update_c`, `update_e` and `update_f`. `blocks` is the inverse
//! that the first of them applies, `variable` a matrix of the iteration, `norms` the size of its
//! steps, and `memory` states the memory of a run.

mod blocks;
mod memory;
mod norms;
mod panel;
mod run;
mod update_c;
mod update_e;
mod update_f;
mod variable;

use std::borrow::Cow;

use enclust_core::{
    AuthorsRule, Claims, Component, Confident, Ctx, Enhance, Enhanced, Error, Footprint, Problem,
    Quantities, Range, Real, Record, Result, Shape, part,
};

use crate::lambda_scale::LambdaScale;
use crate::objective::{LAMBDA_RANGE, kkt_residual, objective};
use run::Run;

part! {
    /// The alternating direction method of multipliers of the EC-CMS paper.
    ///
    /// # Problem
    ///
    /// Solves the problem in [`objective`](crate::objective), split as A = C + E, C = F. The
    /// starting point and the stopping rule are those of the authors' program: C = E = F = Y₂ =
    /// 0, Y₁ = A, ratios of plain norms below ε, at most 100 iterations. The result is the
    /// symmetric part of C, clipped to [0, 1]. It is an iterate that was stopped early: at ε =
    /// 1e-2 it differs by some percent from the optimum of the problem.
    ///
    /// # Parameters
    ///
    /// `lambda`, `scale`, `gamma1`, `gamma2`, `epsilon`, `limit`, `laplacian` and `fixed`. The stopping
    /// rule can be replaced by [another one](Problem::with_stop). A warm start is ignored,
    /// because the published method starts from zero.
    ///
    /// # Complexity
    ///
    /// Every iterate equals that of the n × n algorithm, but has the size n' of the similarity
    /// (T3 in `docs/theory.md`). An iteration costs 2n' Σ c² operations for components of H with
    /// c groups each; memory is at most seven n' × n' matrices.
    ///
    /// # Determinism and ties
    ///
    /// Panels have a fixed width, so the result does not depend on the number of threads. Norms
    /// below 64 units in the last place of ‖A‖ are rounding errors and count as zero.
    ///
    /// # Degenerate input
    ///
    /// If C changes by a constant factor in every iteration (one clustering, or several equal
    /// ones), the relative step of a multiplier may never be below ε. Such a run ends at the
    /// iteration limit, as it does in the authors' program.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] if the arithmetic overflows. A run that does not converge is not an
    /// error; the [`Status`](enclust_core::Status) of the report states it.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_core::{Confidence, Ctx, Enhance, Ensemble, Microclusters, Problem, Ca, Status, Question};
    /// use enclust_ca::Lwca;
    /// use enclust_enhance::{Admm, Threshold};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 1, 1, 2, 2]])?;
    /// let m = Microclusters::of(&e);
    /// let ctx = &Ctx::<f64>::default();
    /// let evidence = Lwca::default().build(&m, &Question::default(), ctx)?;
    /// let similarity = evidence.as_similarity().unwrap();
    /// let confident = Threshold::default().select(&m, similarity, ctx)?;
    /// let problem = Problem::new(similarity, &confident)?;
    /// let enhanced = Admm::default().enhance(&problem, ctx)?;
    /// assert_eq!(enhanced.report.status, Status::Converged);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// Y. Jia, S. Tao, R. Wang, Y. Wang, "Ensemble clustering via co-association matrix
    /// self-enhancement", TNNLS 2023, Algorithm 1.
    pub struct Admm("admm", "Algorithm 1 of the EC-CMS paper") {
        /// λ: how strongly free entries are kept close to the given similarity.
        pub lambda: f64 = 0.4, in LAMBDA_RANGE, tried [0.001, 0.01, 0.05, 0.1, 0.4, 1, 10, 100];
        /// The unit of λ and of both penalties: absolute, as published, or degree, the mean degree
        /// of the confident pairs.
        pub scale: LambdaScale = LambdaScale::Absolute, in Range::Any;
        /// γ₁: penalty on A = C + E.
        pub gamma1: f64 = 1.0, in LAMBDA_RANGE;
        /// γ₂: penalty on C = F.
        pub gamma2: f64 = 1.0, in LAMBDA_RANGE;
        /// ε of the authors' stopping rule (unused if another rule is given).
        pub epsilon: f64 = 1e-2, in Range::Positive;
        /// Maximum number of iterations, under any stopping rule.
        pub limit: usize = 100, in Range::AtLeast(1.0);
        /// Whether the Laplacian term is included; false is the first ablation of the paper.
        pub laplacian: bool = true, in Range::Any;
        /// Whether the entries of Ω are fixed; false is the second ablation of the paper.
        pub fixed: bool = true, in Range::Any;
    }
}

impl Admm {
    /// One iteration and its record.
    fn step<S: Real>(
        &self,
        run: &mut Run<'_, S>,
        problem: &Problem<'_, S>,
        ctx: &Ctx<'_, S>,
        (iteration, needs): (usize, Quantities),
    ) -> Result<Record> {
        let changes = run.step(ctx);
        if changes.iter().any(|c| !(c.step.is_finite() && c.scale.is_finite())) {
            return Err(Error::NotFinite { what: "an iterate of ADMM", iteration });
        }
        let record = Record::default().with_changes(changes);
        let (objective_read, residual_read) =
            (needs.contains(Quantities::OBJECTIVE), needs.contains(Quantities::RESIDUAL));
        if !objective_read && !residual_read {
            return Ok(record);
        }
        let (c, lambda) = (run.answer(problem)?, self.lambda);
        let record = record.with_objective(objective_read.then(|| objective(problem, lambda, &c)));
        Ok(record.with_residual(residual_read.then(|| kkt_residual(problem, lambda, &c))))
    }

    /// Φ = 0 without the Laplacian term, Ω = ∅ without fixed entries.
    fn ablated<'a, S: Real>(&self, confident: &'a Confident<S>) -> Cow<'a, Confident<S>> {
        let mut confident = Cow::Borrowed(confident);
        let none = Confident::none(confident.within.len());
        if !self.laplacian {
            let given = confident.to_mut();
            (given.graph, given.within) = (none.graph, none.within);
        }
        if !self.fixed {
            let given = confident.to_mut();
            (given.fixed, given.fixed_within) = (none.fixed, none.fixed_within);
        }
        confident
    }
}

impl<S: Real> Enhance<S> for Admm {
    fn enhance(&self, problem: &Problem<'_, S>, ctx: &Ctx<'_, S>) -> Result<Enhanced<S>> {
        self.check()?;
        let confident = self.scale.in_unit(problem);
        let confident = &self.ablated(&confident);
        let problem = &problem.with_confident(confident);
        let run = Run::new(self, problem, ctx)?;
        let own = AuthorsRule::default().epsilon(self.epsilon);
        problem.iterate(
            (self.name(), &own, self.limit),
            ctx,
            run,
            |run, iteration, needs| self.step(run, problem, ctx, (iteration, needs)),
            |run| run.answer(problem),
        )
    }

    fn provides(&self) -> Option<Quantities> {
        let numbers = Quantities::CHANGES | Quantities::OBJECTIVE | Quantities::RESIDUAL;
        Some(numbers | Quantities::ITERATE)
    }

    /// An iterate that was stopped early has its fixed entries only to within some percent.
    fn claims(&self) -> Claims {
        if self.fixed {
            Claims::default().with_fixed_within(5.0 * self.epsilon)
        } else {
            Claims::default().with_free_entries()
        }
    }

    fn stop_parameters(&self) -> &[&'static str] {
        &["epsilon"]
    }

    fn footprint(&self, shape: &Shape) -> Footprint {
        memory::footprint(shape)
    }
}
