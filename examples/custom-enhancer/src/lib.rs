//! A custom iterative enhancer, in a crate that depends only on `enclust-core`.
//!
//! It uses dense matrices over the n' groups and implements one step. [`Problem::fixed_point`] is
//! the loop, which keeps the fixed entries, checks the stopping rule and notifies the observer.

use enclust_core::prelude::*;

part! {
    /// PageRank diffusion: two samples are similar if random walks from them over the confident
    /// pairs end at similar samples.
    ///
    /// # Problem
    ///
    /// C ← (1 − t) A + t P C Pᵀ, where P is the random walk on H. A walk stays at a sample
    /// without neighbours in H. Entries in Ω keep their value. At the fixed point, the similarity
    /// of two samples is the expected similarity of the ends of two walks that continue with
    /// probability t.
    ///
    /// # Complexity
    ///
    /// Two products of n' × n' matrices per iteration. Every iterate equals that of the n × n
    /// iteration.
    ///
    /// # Determinism and ties
    ///
    /// The result does not depend on the number of threads.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_core::prelude::*;
    /// use enclust_example_custom_enhancer::PageRank;
    ///
    /// // Samples 0 and 1 are a confident pair; 2 is similar only to 1.
    /// let a = Similarity::from_matrix(3, &[1.0, 0.9, 0.0, 0.9, 1.0, 0.6, 0.0, 0.6, 1.0])?;
    /// let confident = Confident::from_pairs(&a, [(0, 1, 0.9)])?;
    /// let problem = Problem::new(&a, &confident)?;
    /// let c = PageRank::default().enhance(&problem, &Ctx::default())?.similarity;
    /// assert_eq!(c.between(0, 1), 0.9);
    /// assert!(c.between(0, 2) > 0.1 && c.between(1, 2) < 0.6);
    /// # Ok::<(), Error>(())
    /// ```
    pub struct PageRank("pagerank", "damped random walks over the confident pairs") {
        /// t: the probability that a walk continues.
        pub damping: f64 = 0.5, in Range::Within(0.0, 0.95);
        /// Upper bound on the relative step (unused if another rule is given).
        pub tolerance: f64 = 1e-4, in Range::Positive;
        /// Maximum number of iterations, under any stopping rule.
        pub limit: usize = 500, in Range::AtLeast(1.0);
    }
}

/// Adds [`PageRank`] to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.enhance.add::<PageRank>();
}

impl<S: Real> Enhance<S> for PageRank {
    fn enhance(&self, problem: &Problem<'_, S>, ctx: &Ctx<'_, S>) -> Result<Enhanced<S>> {
        let (given, walk) = (problem.similarity.square(), walk(&problem.links()));
        let (stay, go) = (S::of(1.0 - self.damping), S::of(self.damping));
        problem.fixed_point((self.name(), self.tolerance, self.limit), ctx, |c| {
            let one = ctx.product(walk.view(), c.view())?;
            let both = ctx.product(one.view(), walk.view().transposed())?;
            Ok(given.zip(&both, |a, c| stay * a + go * c))
        })
    }

    fn provides(&self) -> Option<Quantities> {
        Some(Quantities::CHANGES | Quantities::ITERATE)
    }

    /// The map is a contraction with factor t in a norm that weights samples by their degrees.
    /// The factor ten allows for the difference between this norm and the plain norm.
    fn claims(&self) -> Claims {
        Claims::default().with_accuracy(10.0 * self.tolerance / (1.0 - self.damping))
    }

    fn stop_parameters(&self) -> &[&'static str] {
        &["tolerance"]
    }
}

/// The rows of H, each divided by its sum; a walk without neighbours stays.
fn walk<S: Real>(links: &Mat<S>) -> Mat<S> {
    let n = links.rows();
    let degree: Vec<S> = (0..n).map(|p| (0..n).map(|q| links[(p, q)]).sum()).collect();
    Mat::from_fn(n, n, |p, q| match degree[p] {
        d if d > S::zero() => links[(p, q)] / d,
        _ => S::of(f64::from(u8::from(p == q))),
    })
}
