//! Enhancement guided by similar and dissimilar pairs.

mod blocks;

use std::sync::Arc;

use enclust_core::{
    Bytes, Change, Claims, Condensed, Ctx, Enhance, Enhanced, Footprint, IterationLimit, Mat,
    Problem, Quantities, Range, Real, Record, Result, Shape, Similarity, Status, part,
};
use enclust_linalg::{leading_eigenpairs, multiply};

use self::blocks::{Block, Marks};

const NAME: &str = "sdgca";
/// By how much the penalty grows in every iteration, and its limits.
const GROWTH: f64 = 1.1;
const FIRST_PENALTY: f64 = 1.0;
const LARGEST_PENALTY: f64 = 1e6;
/// The seed of a similar pair of value v is SEED + (1 − SEED) v.
const SEED: f64 = 0.8;

part! {
    /// Spreads similar and dissimilar pairs along a graph, and moves the similarity towards them.
    ///
    /// # Problem
    ///
    /// Let L be the Laplacian of the graph H of confident pairs. Two symmetric matrices with entries in
    /// [0, 1] are sought: S, which is 0.8 + Aᵢⱼ/5 on the similar pairs Ω, and D, which is the degree of
    /// dissimilarity on the dissimilar pairs. They shall make tr(S L Sᵀ) + tr(D L Dᵀ) + tr(S D) small:
    /// both vary little along the graph, and a pair is either similar or dissimilar. With g = S − D,
    /// the result is 1 − (1 − g)(1 − Aᵢⱼ) where g ≥ 0, and (1 + g) Aᵢⱼ otherwise.
    ///
    /// **The problem is not convex** where L has eigenvalues below 1/2: the result is defined by the
    /// published iteration, whose growing penalty ends it, and not by an optimum. There is no
    /// certificate. Entries of Ω seed the iteration and do not keep their value.
    ///
    /// Each iteration solves (2L + 2μ) for S and D, clips them, and raises μ by a tenth, from 1 to 10⁶.
    /// It runs on groups: all iterates are constant between groups and within a group, except for the
    /// diagonal, and the operator is reduced to the groups and to one number for differences inside
    /// each of them, which gives the iterates of the n × n iteration.
    ///
    /// Without any pairs, the result is the similarity, up to rounding. The authors' program subtracts
    /// the least value of all pairs from the similar ones, which is 0 unless all pairs are similar; this
    /// is not done here.
    ///
    /// # Parameters
    ///
    /// `tolerance` for the steps of S and D and their distances from their clipped forms, as absolute
    /// Frobenius norms over the samples, so that more samples need more iterations; and `limit`.
    ///
    /// # Complexity
    ///
    /// One decomposition of an n' × n' matrix, and four products of such matrices in each iteration;
    /// about twelve n' × n' matrices. The authors' program inverts a matrix of n × n in each iteration.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the problem and the backend, not on the number of threads. Starting
    /// points are ignored, because the path of the iteration defines the result.
    ///
    /// # Errors
    ///
    /// [`Error::NoConvergence`](enclust_core::Error::NoConvergence) if the eigenvectors of the graph are
    /// not found.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_core::{Confident, Ctx, Enhance, Problem, Similarity};
    /// use enclust_enhance::Sdgca;
    ///
    /// let a = Similarity::from_matrix(3, &[1.0, 0.9, 0.1, 0.9, 1.0, 0.8, 0.1, 0.8, 1.0])?;
    /// let pairs = Confident::from_pairs(&a, [(0, 1, 0.9), (1, 2, 0.8)])?;
    /// let enhanced = Sdgca::default().enhance(&Problem::new(&a, &pairs)?, &Ctx::default())?;
    /// // Samples 0 and 2 have a similar neighbour in common.
    /// assert!(enhanced.similarity.between(0, 2) > 0.5);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// X. Zhang, Y. Jia, M. Song, R. Wang, *Similarity and dissimilarity guided co-association matrix
    /// construction for ensemble clustering*, TKDE 2025 (arXiv 2411.00904).
    pub struct Sdgca("sdgca", "spreading of similar and dissimilar pairs, not convex (SDGCA)") {
        /// Norm of steps and of distances below which the iteration ends.
        pub tolerance: f64 = 1e-3, in Range::Positive;
        /// Maximum number of iterations.
        pub limit: usize = 300, in Range::AtLeast(1.0);
    }
}

impl<S: Real> Enhance<S> for Sdgca {
    fn enhance(&self, problem: &Problem<'_, S>, ctx: &Ctx<'_, S>) -> Result<Enhanced<S>> {
        let run = ctx.install(|ctx| Run::new(problem, ctx))??;
        let own = IterationLimit::default().limit(self.limit);
        let step = |run: &mut Run, _: usize, _: Quantities| {
            let changes = ctx.install(|ctx| run.step(ctx))??;
            let settled = changes.iter().all(|change| change.step < self.tolerance);
            Ok(Record::default()
                .with_changes(changes)
                .with_end(settled.then_some(Status::Converged)))
        };
        let rule = (NAME, &own as &dyn enclust_core::Stop, self.limit);
        problem.iterate(rule, ctx, run, step, |run| run.answer(problem.similarity))
    }

    fn provides(&self) -> Option<Quantities> {
        Some(Quantities::CHANGES | Quantities::ITERATE)
    }

    /// Nothing is fixed and nothing is optimal; a step decides about the last iteration.
    fn claims(&self) -> Claims {
        Claims::default().with_free_entries().with_accuracy(self.tolerance)
    }

    fn stop_parameters(&self) -> &[&'static str] {
        &["tolerance", "limit"]
    }

    /// The similarity; six variables, the eigenvectors, and four matrices for their products, or the
    /// decomposition.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let wide = shape.in_double();
        Footprint::new(shape.similarity(), wide.square() * 12 + wide.vector() * 24 + Bytes(1024))
    }
}

/// The variables of one run.
struct Run {
    sizes: Vec<f64>,
    similar: Marks,
    dissimilar: Marks,
    /// The eigenvectors and eigenvalues of the Laplacian of the groups.
    vectors: Mat<f64>,
    values: Vec<f64>,
    /// The eigenvalue of differences inside each group.
    inside: Vec<f64>,
    penalty: f64,
    s: Block,
    d: Block,
    clipped_s: Block,
    clipped_d: Block,
    multiplier_s: Block,
    multiplier_d: Block,
}

impl Run {
    fn new<S: Real>(problem: &Problem<'_, S>, ctx: &Ctx<'_, S>) -> Result<Self> {
        let (a, pairs) = (problem.similarity, problem.confident);
        let sizes: Vec<f64> = a.grouping().sizes().iter().map(|&r| r as f64).collect();
        let n = sizes.len();
        let seed = |v: S| SEED + (1.0 - SEED) * v.wide();
        let within = (0..n).map(|p| pairs.fixed_within[p].then(|| seed(a.within()[p]))).collect();
        let similar = Marks::of(&pairs.fixed, seed, within, Some(1.0));
        let dissimilar = match &pairs.dissimilar {
            Some(far) => Marks::of(far, |v: S| v.wide(), vec![None; n], None),
            None => Marks::none(n),
        };
        let mut laplacian = Mat::zeros(n, n);
        let mut inside = vec![0.0; n];
        for p in 0..n {
            for (q, h) in pairs.graph.iter_row(p) {
                let h = h.wide();
                laplacian[(p, q)] = -h * (sizes[p] * sizes[q]).sqrt();
                laplacian[(p, p)] += h * sizes[q];
            }
            inside[p] = laplacian[(p, p)] + sizes[p] * pairs.within[p].wide();
        }
        let eigen = leading_eigenpairs(&laplacian, n, &ctx.in_double())?;
        let zeros = || Block::zeros(n);
        Ok(Run {
            sizes,
            similar,
            dissimilar,
            vectors: eigen.vectors,
            values: eigen.values,
            inside,
            penalty: FIRST_PENALTY,
            s: zeros(),
            d: zeros(),
            clipped_s: zeros(),
            clipped_d: zeros(),
            multiplier_s: zeros(),
            multiplier_d: zeros(),
        })
    }

    /// One iteration; the steps of S and D, and their distances from the clipped ones.
    fn step<S: Real>(&mut self, ctx: &Ctx<'_, S>) -> Result<Vec<Change>> {
        let mu = self.penalty;
        let right = Block::combined(mu, &self.clipped_s, &self.d, &self.multiplier_s);
        let next = self.solved(right, ctx)?;
        let step_s = next.distance(&self.s, &self.sizes);
        self.s = next;
        self.clipped_s.clip(&self.s, &self.multiplier_s, mu, &self.similar);

        let right = Block::combined(mu, &self.clipped_d, &self.s, &self.multiplier_d);
        let next = self.solved(right, ctx)?;
        let step_d = next.distance(&self.d, &self.sizes);
        self.d = next;
        self.clipped_d.clip(&self.d, &self.multiplier_d, mu, &self.dissimilar);

        self.multiplier_s.add_difference(mu, &self.s, &self.clipped_s);
        self.multiplier_d.add_difference(mu, &self.d, &self.clipped_d);
        self.penalty = (GROWTH * mu).min(LARGEST_PENALTY);
        let change = |name, step| Change::new(name, step, 1.0);
        Ok(vec![
            change("S", step_s),
            change("D", step_d),
            change("S - F1", self.s.distance(&self.clipped_s, &self.sizes)),
            change("D - F2", self.d.distance(&self.clipped_d, &self.sizes)),
        ])
    }

    /// X (2L + 2μ)⁻¹.
    fn solved<S: Real>(&self, x: Block, ctx: &Ctx<'_, S>) -> Result<Block> {
        let n = self.sizes.len();
        let (hatted, differences) = x.hatted(&self.sizes);
        let (backend, vectors) = (ctx.backend().in_double(), self.vectors.view());
        let mut rotated = Mat::zeros(n, n);
        multiply(backend, 1.0, hatted.view(), vectors, 0.0, &mut rotated);
        ctx.checkpoint("spreading similar pairs")?;
        for (j, value) in self.values.iter().enumerate() {
            let factor = (2.0 * (value.max(0.0) + self.penalty)).recip();
            rotated.col_mut(j).iter_mut().for_each(|x| *x *= factor);
        }
        let mut back = hatted;
        multiply(backend, 1.0, rotated.view(), vectors.transposed(), 0.0, &mut back);
        drop(rotated);
        let inside = self.inside.iter().zip(&differences);
        let differences = inside.map(|(l, d)| d / (2.0 * (l + self.penalty))).collect();
        Ok(Block::from_hatted(back, differences, &self.sizes))
    }

    /// The similarity moved by S − D.
    fn answer<S: Real>(&self, a: &Similarity<S>) -> Result<Similarity<S>> {
        let moved = |given: S, s: f64, d: f64| {
            let (g, given) = (s - d, given.wide());
            let value = if g > 0.0 { 1.0 - (1.0 - g) * (1.0 - given) } else { (1.0 + g) * given };
            S::of(value.clamp(0.0, 1.0))
        };
        let mean = |block: &Block, p: usize, q: usize| {
            let clip = |x: f64| x.clamp(0.0, 1.0);
            0.5 * (clip(block.square[(p, q)]) + clip(block.square[(q, p)]))
        };
        let value = |p, q, given| moved(given, mean(&self.s, p, q), mean(&self.d, p, q));
        let n = self.sizes.len();
        let between = Condensed::filled(n, |p, row| {
            row.iter_mut().zip(p + 1..).for_each(|(out, q)| *out = value(p, q, a.between(p, q)));
        });
        let within = (0..n).map(|p| value(p, p, a.within()[p])).collect();
        Similarity::new(Arc::clone(a.grouping()), between.into_values(), within, a.own().to_vec())
    }
}
