//! An iterative enhancer of one's own, in a crate that needs `enclust-core` alone.
//!
//! It supplies the mathematics of one step and measures what the stopping rule and the observer
//! read; the loop itself is that of the library.

use enclust_core::{
    AuthorsRule, Claims, Component, Ctx, Enhance, Enhanced, Problem, Quantities, Range, Real,
    Record, Registry, Result, part,
};

mod step;

part! {
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
    /// use enclust_core::{Confident, Csr, Ctx, Enhance, Problem, Similarity};
    /// use enclust_example_custom_enhancer::Diffusion;
    ///
    /// // Samples 0 and 1 surely belong together; 2 is close to 1 alone.
    /// let a = Similarity::from_matrix(3, &[1.0, 0.9, 0.0, 0.9, 1.0, 0.6, 0.0, 0.6, 1.0])?;
    /// let mut confident = Confident::none(3);
    /// confident.graph = Csr::symmetric_from_upper(vec![vec![(1, 0.9)], vec![], vec![]]);
    /// confident.fixed = confident.graph.clone();
    /// let problem = Problem::new(&a, &confident)?;
    /// let c = Diffusion::default().enhance(&problem, &Ctx::default())?.similarity;
    /// assert_eq!(c.between(0, 1), 0.9);
    /// assert!(c.between(0, 2) > 0.1 && c.between(1, 2) < 0.6);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub struct Diffusion("diffusion", "damped diffusion over the confident pairs") {
        /// t: how much a value takes over from the confident neighbours.
        pub damping: f64 = 0.5, in Range::Within(0.0, 0.95);
        /// How small the relative step must be (unused when another rule is given).
        pub tolerance: f64 = 1e-3, in Range::Positive;
        /// The last iteration to make, whatever the stopping rule says.
        pub limit: usize = 100, in Range::AtLeast(1.0);
    }
}

/// Adds [`Diffusion`] under its name.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.enhance.add::<Diffusion>();
}

impl<S: Real> Enhance<S> for Diffusion {
    fn enhance(&self, problem: &Problem<'_, S>, ctx: &Ctx<'_, S>) -> Result<Enhanced<S>> {
        let given = problem.similarity;
        let start = problem.start.filter(|s| s.grouping() == given.grouping());
        let degrees = step::degrees(problem);
        let own = AuthorsRule::default().epsilon(self.tolerance);
        problem.iterate(
            (self.name(), &own, self.limit),
            ctx,
            start.unwrap_or(given).clone(),
            |c, _, _| {
                let next = step::step(problem, &degrees, self.damping, c)?;
                let change = step::change(c, &next);
                *c = next;
                Ok(Record::default().with_changes(vec![change]))
            },
            |c| Ok(c.clone()),
        )
    }

    fn provides(&self) -> Option<Quantities> {
        Some(Quantities::CHANGES | Quantities::ITERATE)
    }

    /// A step below the tolerance is at most t/(1 − t) of it away from the fixed point.
    fn claims(&self) -> Claims {
        Claims::default().with_accuracy(self.tolerance * self.damping / (1.0 - self.damping))
    }

    fn stop_parameters(&self) -> &[&'static str] {
        &["tolerance"]
    }
}
