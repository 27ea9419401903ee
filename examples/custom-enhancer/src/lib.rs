//! An iterative enhancer of one's own, in a crate that needs `enclust-core` alone.
//!
//! It is written with dense matrices at the size n' of the groups and supplies one step;
//! [`Problem::fixed_point`] is the loop, which keeps the fixed entries, asks the stopping rule and
//! tells the observer.

use enclust_core::prelude::*;

part! {
    /// PageRank diffusion: two samples are alike if random walks from them, over the confident
    /// pairs, meet samples that are alike.
    ///
    /// # Problem
    /// C ← (1 − t) A + t P C Pᵀ, where P is the random walk on H; a sample without a neighbour in H
    /// stays where it is. Entries in Ω keep their value. The fixed point is the similarity of
    /// where two walks stop that go on with probability t.
    ///
    /// # Complexity
    /// Two products of n' × n' matrices an iteration. It is the n × n iteration, step by step.
    ///
    /// # Determinism
    /// The number of threads changes no bit.
    ///
    /// ```
    /// use enclust_core::prelude::*;
    /// use enclust_example_custom_enhancer::PageRank;
    ///
    /// // Samples 0 and 1 surely belong together; 2 is close to 1 alone.
    /// let a = Similarity::from_matrix(3, &[1.0, 0.9, 0.0, 0.9, 1.0, 0.6, 0.0, 0.6, 1.0])?;
    /// let confident = Confident::from_pairs(&a, [(0, 1, 0.9)])?;
    /// let problem = Problem::new(&a, &confident)?;
    /// let c = PageRank::default().enhance(&problem, &Ctx::default())?.similarity;
    /// assert_eq!(c.between(0, 1), 0.9);
    /// assert!(c.between(0, 2) > 0.1 && c.between(1, 2) < 0.6);
    /// # Ok::<(), Error>(())
    /// ```
    pub struct PageRank("pagerank", "damped random walks over the confident pairs") {
        /// t: the probability that a walk goes on.
        pub damping: f64 = 0.5, in Range::Within(0.0, 0.95);
        /// How small the relative step must be (unused when another rule is given).
        pub tolerance: f64 = 1e-4, in Range::Positive;
        /// The last iteration to make, whatever the stopping rule says.
        pub limit: usize = 500, in Range::AtLeast(1.0);
    }
}

/// Adds [`PageRank`] under its name.
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

    /// The map brings matrices together by the factor t in a norm that weighs samples by their
    /// degrees; ten stands for how much that may differ from the plain norm.
    fn claims(&self) -> Claims {
        Claims::default().with_accuracy(10.0 * self.tolerance / (1.0 - self.damping))
    }

    fn stop_parameters(&self) -> &[&'static str] {
        &["tolerance"]
    }
}

/// The rows of H, each divided by its sum; a walk without a way out stays.
fn walk<S: Real>(links: &Mat<S>) -> Mat<S> {
    let n = links.rows();
    let degree: Vec<S> = (0..n).map(|p| (0..n).map(|q| links[(p, q)]).sum()).collect();
    Mat::from_fn(n, n, |p, q| match degree[p] {
        d if d > S::zero() => links[(p, q)] / d,
        _ => S::of(f64::from(u8::from(p == q))),
    })
}
