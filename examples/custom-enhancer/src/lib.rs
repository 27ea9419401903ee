//! An iterative enhancer of one's own, in a crate that needs `enclust-core`
//! alone.
//!
//! It supplies the mathematics of one step and measures what the stopping rule
//! and the observer read; `iterate` does what every iteration owes its
//! surroundings.

use std::sync::Arc;

use enclust_core::{
    Check, Component, Convergence, Ctx, Enhanced, Enhancer, Needs, ParamError, Parameters, Problem,
    Range, Real, Record, Registry, Result, Status, iterate, parameters,
};

mod step;

const NAME: &str = "diffusion";

parameters! {
    /// Parameters of [`Diffusion`].
    pub struct DiffusionParams for "diffusion" {
        /// t: how much a value takes over from the confident neighbours.
        pub damping: f64 = 0.5, in Range::Within(0.0, 0.95);
        /// How small the relative step must be (unused when another rule is given).
        pub tolerance: f64 = 1e-3, in Range::Positive;
        /// The last iteration to make, whatever the stopping rule says.
        pub limit: usize = 100, in Range::AtLeast(1.0);
    }
}

/// Every value drawn towards the mean over the confident neighbours.
///
/// **Problem.** C ← (1 − t) A + t (PC + CPᵀ) / 2, where P takes the mean over
/// the neighbours in H; a sample without any keeps its row of A. Entries in Ω
/// and the diagonal stay. A map that brings any two matrices together by the
/// factor t, so there is one fixed point, whatever the start.
///
/// **Complexity.** An iteration costs O(n' h) for h entries of H, at the size n'
/// of the similarity; it is the n × n iteration, step by step.
///
/// **Determinism.** The number of threads changes no bit.
///
/// ```
/// use enclust_core::{Confident, Csr, Ctx, Enhancer, Problem, Similarity};
/// use enclust_example_custom_enhancer::Diffusion;
///
/// // Samples 0 and 1 surely belong together; 2 is close to 1 alone.
/// let a = Similarity::from_matrix(3, &[1.0, 0.9, 0.0, 0.9, 1.0, 0.6, 0.0, 0.6, 1.0])?;
/// let pair = Csr::symmetric_from_upper(vec![vec![(1, 0.9)], vec![], vec![]]);
/// let confident = Confident { graph: pair.clone(), fixed: pair, ..Confident::none(3) };
/// let problem = Problem { similarity: &a, confident: &confident, start: None };
/// let c = Diffusion::default().enhance(&problem, &mut Ctx::default())?.similarity;
/// assert_eq!(c.between(0, 1), 0.9);
/// assert!(c.between(0, 2) > 0.1 && c.between(1, 2) < 0.6);
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Diffusion {
    params: DiffusionParams,
    stop: Option<Arc<dyn Convergence>>,
}

impl Diffusion {
    /// Checks the parameters.
    pub fn new(params: DiffusionParams) -> Result<Self, ParamError> {
        params.validate()?;
        Ok(Diffusion { params, stop: None })
    }
}

/// Adds [`Diffusion`] under its name.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.enhance.register::<DiffusionParams>(
        NAME,
        "damped diffusion over the confident pairs",
        |p| Ok(Box::new(Diffusion::new(p)?)),
    );
}

impl Component for Diffusion {
    fn name(&self) -> &str {
        NAME
    }
}

impl<S: Real> Enhancer<S> for Diffusion {
    fn enhance(&self, problem: &Problem<'_, S>, ctx: &mut Ctx<'_, S>) -> Result<Enhanced<S>> {
        let rule = self.stop.clone().unwrap_or_else(|| Arc::new(SmallStep(self.params.tolerance)));
        let given = problem.similarity;
        let start = problem.start.filter(|s| s.grouping() == given.grouping());
        let mut similarity = start.unwrap_or(given).clone();
        let degrees = step::degrees(problem);
        // `iterate` tells the observer and asks the rule; only the step is ours.
        let report = iterate(NAME, given.len(), &rule, self.params.limit, ctx, |_, _, needs| {
            let next = step::step(problem, &degrees, self.params.damping, &similarity)?;
            let changes = needs.changes.then(|| step::change(&similarity, &next));
            similarity = next;
            Ok(Record { changes: changes.into_iter().collect(), ..Record::default() })
        })?;
        Ok(Enhanced { similarity, report })
    }

    fn with_stop(&self, stop: Arc<dyn Convergence>) -> Result<Box<dyn Enhancer<S>>> {
        Ok(Box::new(Diffusion { params: self.params.clone(), stop: Some(stop) }))
    }
}

/// The rule it has when none is given.
#[derive(Clone, Debug)]
struct SmallStep(f64);

impl Component for SmallStep {
    fn name(&self) -> &str {
        "small step"
    }
}

impl Convergence for SmallStep {
    fn needs(&self) -> Needs {
        Needs { changes: true, ..Needs::default() }
    }

    fn start(&self) -> Box<dyn Check> {
        Box::new(self.clone())
    }
}

impl Check for SmallStep {
    fn check(&mut self, record: &Record) -> Option<Status> {
        record.changes.iter().any(|c| c.ratio() < self.0).then_some(Status::Converged)
    }
}
