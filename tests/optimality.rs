//! The enhancers that claim the optimum reach it, with every backend and in both precisions; the
//! work is done by the backend; and a backend that is slightly wrong is found out.

use std::sync::Arc;

use enclust::core::{
    Backend, Component, Confident, Csr, Ctx, Enhance, Enhanced, Grouping, Kernel, KktResidual,
    MatMut, MatRef, Metered, Part, Problem, Real, Reference, Similarity, SparseProduct,
    SparseSolve, Status, Usage, condensed_len,
};
use enclust::enhance::objective::{gradient, objective};
use enclust::enhance::{Admm, Exact, Storage};
use enclust::registry::{Precision, standard};
use enclust_testkit::generate::SplitMix;

/// Enough groups that the solvers take their sparse branches, in several panels of 64 columns.
const GROUPS: usize = 520;
const PANELS: u64 = GROUPS.div_ceil(64) as u64;
const LAMBDA: f64 = 0.8;

/// A similarity without structure over groups of one to three samples, and confident pairs that
/// form a few large trees with some extra edges.
struct Case<S> {
    similarity: Similarity<S>,
    confident: Confident<S>,
}

impl<S: Real> Case<S> {
    fn new() -> Self {
        let mut stream = SplitMix(42);
        let mut uniform = || stream.uniform();
        let sizes: Vec<u32> =
            (0..GROUPS as u32).flat_map(|p| vec![p; 1 + p as usize % 3]).collect();
        let grouping = Arc::new(Grouping::from_map(sizes).unwrap());
        // Multiples of 1/64 are exact in both precisions.
        let mut value = |low: f64| S::of(low + ((1.0 - low) * uniform() * 64.0).floor() / 64.0);
        let between = (0..condensed_len(GROUPS)).map(|_| value(0.0)).collect();
        let within = vec![S::of(0.75); GROUPS];
        let similarity = Similarity::new(grouping, between, within, vec![S::one(); GROUPS]);
        let similarity = similarity.unwrap();
        let mut upper: Vec<Vec<(u32, S)>> = vec![Vec::new(); GROUPS];
        for q in (1..GROUPS).filter(|q| q % 130 != 0) {
            let tree = q - q % 130;
            let mut parents = vec![tree + (q - tree - 1) / 2];
            if q % 11 == 0 && q - tree > 4 {
                parents.push(q - 3);
            }
            parents.dedup();
            parents.iter().for_each(|&p| upper[p].push((q as u32, value(0.75))));
        }
        upper.iter_mut().for_each(|row| row.sort_by_key(|e| e.0));
        let mut confident = Confident::none(GROUPS);
        confident.graph = Csr::symmetric_from_upper(upper);
        let edges: Vec<(usize, usize, S)> = (0..GROUPS)
            .flat_map(|p| confident.graph.iter_row(p).map(move |(q, h)| (p, q, h)))
            .collect();
        confident.fix(edges).unwrap();
        confident.within = vec![S::of(0.75); GROUPS];
        confident.fixed_within = vec![true; GROUPS];
        Case { similarity, confident }
    }

    fn problem(&self) -> Problem<'_, S> {
        Problem::new(&self.similarity, &self.confident).unwrap()
    }
}

fn backends<S: Precision>() -> Vec<Box<dyn Backend<S>>> {
    let table = standard::<S>().backend;
    table.names().into_iter().map(|name| table.build(&Part::named(name)).unwrap()).collect()
}

/// Why an answer is not the optimum within this tolerance, relative to the largest entry, 1.
fn complaint<S: Real>(
    problem: &Problem<'_, S>,
    c: &Similarity<S>,
    tolerance: f64,
) -> Option<String> {
    let fixed = &problem.confident.fixed;
    for p in 0..GROUPS {
        for (q, value) in fixed.iter_row(p) {
            let off = (c.between(p, q) - value).abs().wide();
            if off > tolerance {
                return Some(format!("the fixed entry ({p}, {q}) is off by {off:e}"));
            }
        }
    }
    let slope = gradient(problem, LAMBDA, c);
    for p in 0..GROUPS {
        for q in p + 1..GROUPS {
            let size = slope.between[(p, q)].abs();
            if fixed.get(p, q).is_none() && size > tolerance {
                return Some(format!("the gradient at the free entry ({p}, {q}) is {size:e}"));
            }
        }
    }
    a_better_neighbour(problem, c, tolerance)
}

/// A feasible direction in which the objective falls further than the tolerance explains.
fn a_better_neighbour<S: Real>(
    problem: &Problem<'_, S>,
    c: &Similarity<S>,
    tolerance: f64,
) -> Option<String> {
    let here = objective(problem, LAMBDA, c);
    for seed in 0..4 {
        let mut stream = SplitMix(seed);
        let mut squares = 0.0;
        let mut moved = c.condensed().to_vec();
        let mut at = 0;
        for p in 0..GROUPS {
            for q in p + 1..GROUPS {
                let step = 0.02 * (stream.uniform() - 0.5);
                let next = (moved[at].wide() + step).clamp(0.0, 1.0);
                if problem.confident.fixed.get(p, q).is_none() {
                    squares += (next - moved[at].wide()).powi(2);
                    moved[at] = S::of(next);
                }
                at += 1;
            }
        }
        let (within, own) = (c.within().to_vec(), c.own().to_vec());
        let moved = Similarity::new(Arc::clone(c.grouping()), moved, within, own).unwrap();
        let rise = objective(problem, LAMBDA, &moved) - here;
        // Strong convexity: at the optimum, the objective rises by λ/2 times the squared
        // distance at least; every entry stands for two sample pairs or more.
        let least = LAMBDA * squares - tolerance * 18.0 * (at as f64 * squares).sqrt();
        if rise < least {
            return Some(format!("direction {seed} rises by {rise:e} instead of {least:e}"));
        }
    }
    None
}

fn exact<S: Real>(tolerance: f64, backend: &dyn Backend<S>, case: &Case<S>) -> Enhanced<S> {
    let solver = Exact::default().lambda(LAMBDA).tolerance(tolerance);
    solver.enhance(&case.problem(), &Ctx::new(backend)).unwrap()
}

fn admm<S: Real>(tolerance: f64, backend: &dyn Backend<S>, case: &Case<S>) -> Enhanced<S> {
    let rule = KktResidual::default().tolerance(tolerance);
    let problem = case.problem();
    let problem = problem.with_stop(Some(&rule));
    let solver = Admm::default().lambda(LAMBDA).limit(600);
    solver.enhance(&problem, &Ctx::new(backend)).unwrap()
}

/// ‖X − Y‖ over the samples.
fn apart<S: Real, T: Real>(x: &Similarity<S>, y: &Similarity<T>) -> f64 {
    let (x, y) = (x.to_matrix(), y.to_matrix());
    x.iter().zip(&y).map(|(x, y)| (x.wide() - y.wide()).powi(2)).sum::<f64>().sqrt()
}

/// The optimum to twelve digits, by a solve that shares neither precision nor backend.
fn reference_optimum() -> (Similarity<f64>, f64) {
    let case = Case::<f64>::new();
    let solver = Exact::default().lambda(LAMBDA).tolerance(1e-12).storage(Storage::Double);
    let enhanced = solver.enhance(&case.problem(), &Ctx::default()).unwrap();
    let certified = enhanced.report.certificate.unwrap().distance;
    (enhanced.similarity, certified)
}

/// Runs both enhancers with every backend.
fn optima<S: Precision>(tolerance: f64) {
    let case = Case::<S>::new();
    let (optimum, certified) = reference_optimum();
    for backend in backends::<S>() {
        let name = format!("{} in {}", backend.name(), S::NAME);
        let enhanced = exact(tolerance, &*backend, &case);
        assert_eq!(enhanced.report.status, Status::Converged, "exact, {name}");
        // The largest degree is about 20: the gradient is that much larger than the distance.
        let slack = 100.0 * tolerance;
        assert_eq!(complaint(&case.problem(), &enhanced.similarity, slack), None, "exact, {name}");
        let distance = apart(&enhanced.similarity, &optimum);
        let bound = enhanced.report.certificate.unwrap().distance;
        assert!(
            distance <= bound + certified,
            "exact, {name}: {distance:e} from the optimum, {bound:e} certified"
        );
        let enhanced = admm(tolerance, &*backend, &case);
        assert_eq!(enhanced.report.status, Status::Converged, "admm, {name}");
        assert_eq!(complaint(&case.problem(), &enhanced.similarity, slack), None, "admm, {name}");
    }
}

#[test]
fn every_backend_reaches_the_optimum_in_double_precision() {
    optima::<f64>(1e-9);
}

#[test]
fn every_backend_reaches_the_optimum_in_single_precision() {
    optima::<f32>(1e-4);
}

fn metered<S: Real>(
    backend: &dyn Backend<S>,
    solve: impl Fn(&dyn Backend<S>) -> Enhanced<S>,
) -> (Usage, u64) {
    let meter = Metered::new(backend);
    let enhanced = solve(&meter);
    (meter.usage(), enhanced.report.iterations as u64)
}

/// Between the four islands of 130 groups, `Exact` solves twice per panel and step with the factor of
/// every island, but for the six panels inside an island not with that of this island. Inside an
/// island it multiplies once and solves twice per panel and iteration. For each residual that it
/// computes anew, it multiplies once per panel.
#[test]
fn exact_does_its_work_on_the_backend() {
    let case = Case::<f64>::new();
    for backend in backends::<f64>() {
        let (usage, iterations) = metered(&*backend, |backend| exact(1e-6, backend, &case));
        let steps = usage.prepared(Kernel::SparseFactor) / 4;
        assert!(steps > 5 && iterations > steps + 5, "{steps} steps of {iterations}");
        let solves = usage.calls(Kernel::SparseFactor);
        assert_eq!(solves, 2 * steps * (4 * PANELS - 6), "{}", backend.name());
        let solves = usage.calls(Kernel::IncompleteFactor);
        let panels = 4 * 130_u64.div_ceil(64);
        assert!(solves > 0 && solves <= 2 * (iterations - steps) * panels, "{usage}");
        let residuals = usage.calls(Kernel::SparseProduct) - solves / 2;
        assert_eq!(residuals % PANELS, 0, "{}", backend.name());
        assert!((2..=10).contains(&(residuals / PANELS)), "{residuals} products for residuals");
        assert_eq!(usage.kernels.len(), 3, "{usage}");
    }
}

/// `Admm` solves once per panel, iteration and component of H. All components are large, so none
/// is inverted.
#[test]
fn admm_does_its_work_on_the_backend() {
    let case = Case::<f64>::new();
    for backend in backends::<f64>() {
        let (usage, iterations) = metered(&*backend, |backend| admm(1e-2, backend, &case));
        let components = usage.prepared(Kernel::SparseFactor);
        assert_eq!(components, 4, "{}", backend.name());
        let solves = usage.calls(Kernel::SparseFactor);
        assert_eq!(solves, iterations * PANELS * components, "{}", backend.name());
        assert_eq!(usage.kernels.len(), 1, "{usage}");
    }
}

/// What a broken backend does wrong: its results of one kernel are too large by this share.
#[derive(Debug)]
struct Off {
    kernel: Kernel,
    share: f64,
}

impl Component for Off {
    fn name(&self) -> &str {
        "off"
    }
}

impl Off {
    fn factor(&self, kernel: Kernel) -> f64 {
        if kernel == self.kernel { 1.0 + self.share } else { 1.0 }
    }
}

struct Scaled<T: ?Sized>(Box<T>, f64);

impl<S: Real> SparseProduct<S> for Scaled<dyn SparseProduct<S>> {
    fn multiply(&self, x: &[S], y: &mut [S], width: usize) {
        self.0.multiply(x, y, width);
        y.iter_mut().for_each(|v| *v *= S::of(self.1));
    }
}

impl<S: Real> SparseSolve<S> for Scaled<dyn SparseSolve<S>> {
    fn solve_panel(&self, b: &mut [S], width: usize) {
        self.0.solve_panel(b, width);
        b.iter_mut().for_each(|v| *v *= S::of(self.1));
    }
}

impl<S: Real> Backend<S> for Off {
    fn gemm(&self, alpha: S, a: MatRef<'_, S>, b: MatRef<'_, S>, beta: S, c: MatMut<'_, S>) {
        Reference.gemm(alpha, a, b, beta, c);
    }

    fn sparse(&self, a: Csr<S>) -> Box<dyn SparseProduct<S>> {
        Box::new(Scaled(Reference.sparse(a), self.factor(Kernel::SparseProduct)))
    }

    fn factor_sparse(
        &self,
        a: &Csr<S>,
        most: usize,
    ) -> enclust::core::Result<Option<Box<dyn SparseSolve<S>>>> {
        let factor = Reference.factor_sparse(a, most)?;
        let off = self.factor(Kernel::SparseFactor);
        Ok(factor.map(|factor| Box::new(Scaled(factor, off)) as Box<dyn SparseSolve<S>>))
    }

    fn in_single(&self) -> &dyn Backend<f32> {
        self
    }

    fn in_double(&self) -> &dyn Backend<f64> {
        self
    }
}

#[test]
fn a_product_off_by_a_hundredth_is_found_out() {
    let case = Case::<f64>::new();
    let honest = Off { kernel: Kernel::SparseProduct, share: 0.0 };
    let right = exact(1e-9, &honest, &case);
    assert_eq!(complaint(&case.problem(), &right.similarity, 1e-7), None);
    let broken = Off { kernel: Kernel::SparseProduct, share: 1e-2 };
    let wrong = exact(1e-9, &broken, &case);
    assert!(complaint(&case.problem(), &wrong.similarity, 1e-7).is_some());
}

#[test]
fn a_solve_off_by_a_hundredth_is_found_out() {
    let case = Case::<f64>::new();
    let broken = Off { kernel: Kernel::SparseFactor, share: 1e-2 };
    let wrong = admm(1e-9, &broken, &case);
    assert_ne!(wrong.report.status, Status::Converged);
    assert!(complaint(&case.problem(), &wrong.similarity, 1e-7).is_some());
}
