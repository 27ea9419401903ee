//! The exact optimum, as the solution of one sparse symmetric positive definite system.
//!
//! `system` contains the equations and their islands: sets of groups between which nothing is
//! fixed. `between` solves the blocks between islands by alternating directions, and `inside` those
//! inside them by the conjugate gradient method of `enclust-linalg`, for which `operator` applies
//! the equations and `preconditioner` approximates their inverse. `refine` runs both in single or
//! double precision and adds the corrections to the result. `residual` and `certificate` compute
//! the residual and the error bounds of a result, `order` is the order of the groups, `tiles` is
//! the memory layout of matrices, and `transpose` transposes tiles. All products with the graph
//! and all solves are kernels of the backend.

mod between;
mod certificate;
#[cfg(test)]
mod fused;
mod inside;
mod memory;
mod operator;
mod order;
mod preconditioner;
mod refine;
mod residual;
mod system;
mod tiles;
mod transpose;

use std::sync::Arc;

use enclust_core::{
    Backend, Claims, Component, Condensed, Ctx, Enhance, Enhanced, Error, Footprint, KktResidual,
    Problem, Quantities, Range, Real, Record, Result, Shape, Similarity, Stage, Status, choice,
    part,
};

use crate::lambda_scale::LambdaScale;
use crate::objective::{LAMBDA_RANGE, norm, objective, relative};
use certificate::certificate;
use refine::{Progress, Refinement};
use system::System;

choice! {
    /// The precision in which [`Exact`] iterates. The certificate does not depend on it, because
    /// the residual of the result is always computed in double precision.
    pub enum Storage {
        /// Single precision if the condition of the system allows it; double precision if single
        /// precision makes no further progress.
        Automatic = "automatic",
        /// Half the memory and time per iteration.
        Single = "single",
        /// For systems with very large groups or a very small λ.
        Double = "double",
    }
}

part! {
    /// The global optimum of the self-enhancement problem, with a certificate.
    ///
    /// # Problem
    ///
    /// Solves the problem in [`objective`](crate::objective). Its bounds are never active, so the
    /// optimum is the solution of one linear system on the free entries (T1 in `docs/theory.md`):
    /// the Laplacian of the product graph H □ H plus λ, with the fixed entries as boundary
    /// values. Groups that no chain of fixed pairs connects form different islands, and each block
    /// of the matrix, between two islands or inside one, is a system of its own (T4). Blocks
    /// between islands contain no fixed entries and are solved by alternating directions with
    /// complete factors of the shifted Laplacian. Blocks inside are solved by the conjugate
    /// gradient method; its preconditioner is one step of alternating directions with an
    /// incomplete factor (`docs/performance.md` lists the alternatives that were tried).
    ///
    /// # Parameters
    ///
    /// `lambda`, `scale`, `tolerance`, `storage` and `limit`. With [`LambdaScale::Degree`], the
    /// reported objective is divided by the mean degree. The norm of the residual divided by λ‖A‖
    /// bounds the relative distance to the optimum (T5); `tolerance` is the upper limit of this
    /// bound. The default is the loosest value at which the labels were equal to those at 1e-10
    /// on the authors' pools (`docs/performance.md`). A [starting point](Problem::start) over the
    /// same groups is used.
    ///
    /// # Complexity
    ///
    /// An iteration costs O(n' · entries of H) time. The number of steps between islands grows
    /// with the logarithm of L/λ, where L is the largest degree. Memory is at most four and a half
    /// n' × n' matrices, in single precision unless the condition of the system is too large for
    /// it.
    ///
    /// # Determinism and ties
    ///
    /// Tiles have a fixed size and sums have a fixed order, so the result does not depend on the
    /// number of threads.
    ///
    /// # Certificate
    ///
    /// The certificate is computed from the returned matrix, including rounding errors; see
    /// [`Certificate`](enclust_core::Certificate).
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if an edge of H, between groups or inside one, is not fixed (the
    /// system is then coupled with the diagonal); [`Error::NotFinite`] if the arithmetic
    /// overflows. A run that does not converge is not an error; the
    /// [`Status`](enclust_core::Status) of the report states it.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_core::{Confidence, Ctx, Enhance, Ensemble, Microclusters, Problem, Ca, Question};
    /// use enclust_ca::Lwca;
    /// use enclust_enhance::{Exact, Threshold};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 1, 1, 2, 2]])?;
    /// let m = Microclusters::of(&e);
    /// let ctx = &Ctx::<f64>::default();
    /// let evidence = Lwca::default().build(&m, &Question::default(), ctx)?;
    /// let similarity = evidence.as_similarity().unwrap();
    /// let confident = Threshold::default().select(&m, similarity, ctx)?;
    /// let problem = Problem::new(similarity, &confident)?;
    /// let report = Exact::default().enhance(&problem, ctx)?.report;
    /// assert!(report.certificate.unwrap().relative_distance <= 1e-3);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// The problem: Y. Jia, S. Tao, R. Wang, Y. Wang, "Ensemble clustering via co-association
    /// matrix self-enhancement", TNNLS 2023. The system: `docs/theory.md`.
    pub struct Exact("exact", "the global optimum, certified") {
        /// λ: how strongly free entries are kept close to the given similarity.
        pub lambda: f64 = 0.4, in LAMBDA_RANGE, tried [0.001, 0.01, 0.05, 0.1, 0.4, 1, 10, 100];
        /// The unit of λ: absolute, as published, or degree, the mean degree of the confident pairs,
        /// so that listing all samples repeatedly changes nothing.
        pub scale: LambdaScale = LambdaScale::Absolute, in Range::Any;
        /// Upper bound on the distance to the optimum, relative to ‖A‖ (unused if another
        /// stopping rule is given).
        pub tolerance: f64 = 1e-3, in Range::Positive;
        /// The precision of the iteration.
        pub storage: Storage = Storage::Automatic, in Range::Any;
        /// Maximum number of iterations, under any stopping rule.
        pub limit: usize = 10_000, in Range::AtLeast(1.0);
    }
}

impl Exact {
    fn solve<S: Real, T: Real>(
        &self,
        problem: &Problem<'_, S>,
        system: &System,
        backend: &dyn Backend<T>,
        ctx: &Ctx<'_, S>,
    ) -> Result<Enhanced<S>> {
        let scale = self.lambda * norm(problem.similarity);
        let own = KktResidual::default().tolerance(self.tolerance);
        let target = problem.until.stop().unwrap_or(&own).target().residual.unwrap_or(0.0) * scale;
        let mut solve = Refinement::<S, T>::new(problem, system, backend);
        let step = |solve: &mut Refinement<'_, S, T>, iteration, needs: Quantities| {
            // The rule sees the bound that the certificate states, so "converged" never means
            // more than is proved.
            let rounding = solve.rounding();
            let progress = solve.step((target - rounding).max(0.0))?;
            let residual = relative(solve.norm() + rounding, scale);
            if !residual.is_finite() {
                return Err(Error::NotFinite { what: "the residual", iteration });
            }
            let record = Record::default().with_residual(residual);
            let exhausted = progress == Progress::Exhausted;
            let record = record.with_end(exhausted.then_some(Status::PrecisionLimit));
            if !needs.contains(Quantities::OBJECTIVE) {
                return Ok(record);
            }
            let now = current(problem, self.lambda, solve)?;
            Ok(record.with_objective(objective(problem, self.lambda, &now)))
        };
        let iteration = problem.iteration(self.name(), &own, self.limit);
        let now = |solve: &mut Refinement<'_, S, T>| current(problem, self.lambda, solve);
        let report = iteration.run(ctx, &mut solve, step, now)?;
        let (between, measure) = solve.finish();
        let similarity = complete(problem, self.lambda, between)?;
        let certificate = certificate(problem, system, &similarity, measure);
        Ok(Enhanced::new(similarity, report.with_certificate(certificate)))
    }

    /// Checks the memory if the solver switches to double precision, which the check before the
    /// run did not include.
    fn check_double<S: Real>(
        &self,
        problem: &Problem<'_, S>,
        ctx: &Ctx<'_, S>,
        automatic: bool,
    ) -> Result<()> {
        if !automatic {
            return Ok(());
        }
        let groups = problem.similarity.len();
        let needed = memory::footprint::<f64>(&Shape::ahead::<S>(0, 0, 0, groups)).total();
        let size = format!("n' = {groups} in double precision");
        let advice = "set storage to single, or raise lambda";
        ctx.require(&Stage::Enhance.of(self.name()), needed, &size, advice)
    }
}

/// The current similarity of a solve.
fn current<S: Real, T: Real>(
    problem: &Problem<'_, S>,
    lambda: f64,
    solve: &Refinement<'_, S, T>,
) -> Result<Similarity<S>> {
    complete(problem, lambda, solve.answer())
}

impl<S: Real> Enhance<S> for Exact {
    fn enhance(&self, problem: &Problem<'_, S>, ctx: &Ctx<'_, S>) -> Result<Enhanced<S>> {
        self.check()?;
        let confident = self.scale.in_unit(problem);
        let problem = &problem.with_confident(&confident);
        let (single, double) = (ctx.backend().in_single(), ctx.backend().in_double());
        let system = System::new(self.name(), problem, self.lambda, double)?;
        let automatic = self.storage == Storage::Automatic;
        let suffices = self.storage == Storage::Single || single_suffices(&system);
        if self.storage == Storage::Double || !suffices {
            self.check_double(problem, ctx, automatic)?;
            return self.solve::<S, f64>(problem, &system, double, ctx);
        }
        let enhanced = self.solve::<S, f32>(problem, &system, single, ctx)?;
        if !automatic || enhanced.report.status != Status::PrecisionLimit {
            return Ok(enhanced);
        }
        // Single precision was not enough; its result is the starting point.
        self.check_double(problem, ctx, automatic)?;
        let so_far = problem.with_start(Some(&enhanced.similarity));
        let mut refined = self.solve::<S, f64>(&so_far, &system, double, ctx)?;
        refined.report.iterations += enhanced.report.iterations;
        Ok(refined)
    }

    fn provides(&self) -> Option<Quantities> {
        Some(Quantities::RESIDUAL | Quantities::OBJECTIVE | Quantities::ITERATE)
    }

    fn claims(&self) -> Claims {
        match self.scale {
            LambdaScale::Absolute => Claims::optimum(self.lambda, self.tolerance),
            // The λ of the optimum depends on the problem.
            LambdaScale::Degree => Claims::default().with_accuracy(self.tolerance),
        }
        .with_fixed_within(0.0)
    }

    fn stop_parameters(&self) -> &[&'static str] {
        &["tolerance"]
    }

    fn footprint(&self, shape: &Shape) -> Footprint {
        match self.storage {
            Storage::Double => memory::footprint::<f64>(shape),
            // If double precision is needed, its memory is checked at that point.
            Storage::Single | Storage::Automatic => memory::footprint::<f32>(shape),
        }
    }
}

/// Whether to iterate in single precision: its rounding errors, multiplied by the condition of
/// the system, must be well below one. Up to 1/1000 they have no effect. Up to 1/100 refinement
/// also converges but needs about 50 % more iterations, which pays off only if double precision
/// takes gigabytes.
fn single_suffices(system: &System) -> bool {
    const LARGE: usize = 8192;
    let allowed = if system.len() < LARGE { 1e-3 } else { 1e-2 };
    f64::from(f32::EPSILON) * system.equations.largest_diagonal()
        < allowed * system.equations.lambda
}

/// Completes the matrix between groups by the optimal values on its diagonal blocks.
///
/// Free entries between groups do not depend on these values, because edges are fixed. On the
/// diagonal, C_ii = (λA_ii + 2 Σ_k h_ik C_ik) / (λ + 2d_i). Fixed pairs inside a group keep their
/// value; pairs that are not fixed are not edges, and the same equation holds for them.
fn complete<S: Real>(
    problem: &Problem<'_, S>,
    lambda: f64,
    between: Condensed<Vec<S>>,
) -> Result<Similarity<S>> {
    let (given, confident) = (problem.similarity, problem.confident);
    let sizes = given.grouping().sizes();
    // Σ h C and Σ h over the samples of other groups.
    let pulls = |p: usize| {
        confident.graph.iter_row(p).fold((0.0, 0.0), |(pull, degree), (q, h)| {
            let weight = sizes[q] as f64 * h.wide();
            (pull + weight * between[(p, q)].wide(), degree + weight)
        })
    };
    let optimal = |given: f64, (pull, degree): (f64, f64)| {
        S::of(((lambda * given + 2.0 * pull) / (lambda + 2.0 * degree)).clamp(0.0, 1.0))
    };
    let within = |p: usize| {
        let given = given.within()[p];
        // A group of one sample contains no pairs.
        let kept = confident.fixed_within[p] || sizes[p] == 1;
        if kept { given } else { optimal(given.wide(), pulls(p)) }
    };
    let own = |p: usize| {
        let inside = (sizes[p] as f64 - 1.0) * confident.within[p].wide();
        let (pull, degree) = pulls(p);
        let pulled = pull + inside * given.within()[p].wide();
        optimal(given.own()[p].wide(), (pulled, degree + inside))
    };
    let groups = 0..sizes.len();
    let (within, own) = (groups.clone().map(within).collect(), groups.map(own).collect());
    Similarity::new(Arc::clone(given.grouping()), between.into_values(), within, own)
}
