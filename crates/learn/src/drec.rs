//! Dense representation ensemble clustering.

use enclust_core::{
    Bytes, Ca, Ctx, Footprint, Mat, Microclusters, Question, Range, Real, Represented, Result,
    Shape, part,
};
use enclust_linalg::{lower_gram, multiply};

use crate::low_rank_affinity::LowRankAffinity;
use crate::modes::Modes;

const NAME: &str = "drec";

part! {
    /// Affinity of dense representations, in which every group is a combination of all groups.
    ///
    /// # Problem
    ///
    /// X has one row per base cluster and one column per group, with 1 if the group is in the
    /// cluster. The method searches Z with a small value of ‖X − XZ‖₂,₁ + λ‖Z‖², where the
    /// first norm is the sum of the lengths of the columns. It solves XᵀX Z + λ Z diag(e) = XᵀX
    /// a fixed number of times, with eⱼ = 1 at first and then twice the length of column j of
    /// the error. The rows of the left singular vectors of Z are scaled by the square roots of
    /// the singular values and then to unit length; the similarity of two groups is the fourth
    /// power of the cosine between their rows.
    ///
    /// With X = U diag(s) Vᵀ the solution is Z = V F with Fᵢⱼ = Vⱼᵢ sᵢ² / (sᵢ² + λeⱼ), so one
    /// decomposition of X serves all solves, and the decomposition of Z reduces to that of the
    /// small F.
    ///
    /// Each group counts once, independently of its number of samples.
    ///
    /// # Parameters
    ///
    /// `lambda` (λ) and `reweightings`, the number of solves.
    ///
    /// # Complexity
    ///
    /// O(q³ + n' q² + n'² q) time for q = min(n', base clusters); n'²/2 + 4 n' q numbers.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the ensemble and the backend, not on the number of threads.
    /// All computations are in double precision. Singular values of X below 10⁻⁵·⁵ of the
    /// largest are treated as zero.
    ///
    /// # Errors
    ///
    /// Missing labels are [unsupported](enclust_core::Error::Unsupported). The weight of a
    /// clustering acts as its multiplicity.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_core::{Ctx, Ensemble, Microclusters, Ca, Question};
    /// use enclust_learn::Drec;
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 2, 3]])?;
    /// let drec = Drec::default().lambda(10.0);
    /// let evidence = drec.build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?;
    /// let s = evidence.as_similarity().unwrap();
    /// assert!(s.between(0, 1) > 10.0 * s.between(0, 2));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// J. Zhou, H. Zheng, L. Pan, "Ensemble clustering based on dense representation",
    /// Neurocomputing 2019. The implementation follows the authors' program, which accompanies
    /// a manuscript version.
    pub struct Drec("drec", "affinity of dense representations (DREC)") {
        /// λ: weight of ‖Z‖² relative to the error. The authors published no default, and the
        /// results depend strongly on it.
        pub lambda: f64 = 1.0, in Range::Positive, tried [1e-3, 0.01, 0.1, 1, 10, 100, 1000];
        /// Number of solves of the reweighted problem; 1 is plain ridge regression.
        pub reweightings: usize = 5, in Range::AtLeast(1.0);
    }
}

impl Drec {
    /// λeⱼ of the last solve.
    fn penalties(&self, modes: &Modes) -> Vec<f64> {
        let lambda = self.lambda;
        let mut penalties = vec![lambda; modes.vectors.rows()];
        for _ in 1..self.reweightings {
            let errors = error_lengths(modes, &penalties);
            penalties = errors.into_iter().map(|length| lambda * 2.0 * length).collect();
        }
        penalties
    }
}

impl<S: Real> Ca<S> for Drec {
    fn build(
        &self,
        microclusters: &Microclusters,
        _question: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        let backend = ctx.backend().in_double();
        let once = vec![1.0; microclusters.len()];
        let modes = Modes::of(NAME, microclusters, &once, backend)?;
        let factor = representation(&modes, &self.penalties(&modes));
        let eigen = backend.eigh(lower_gram(backend, factor.view()).view())?;
        // The memory of the factor is reused for the left singular vectors.
        let mut vectors = factor;
        multiply(backend, 1.0, modes.vectors.view(), eigen.vectors.view(), 0.0, &mut vectors);
        drop(modes);
        let values: Vec<f64> = eigen.values.iter().map(|square| square.max(0.0).sqrt()).collect();
        let affinity = LowRankAffinity::new(&vectors, &values);
        Ok(affinity.similarity(microclusters.grouping(), backend)?.into())
    }

    /// The decomposition of the incidences, the factor and its transpose, its Gram matrix and
    /// the decomposition of that; then the directions and the affinities.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let rank = Modes::most(shape);
        let tall = shape.in_double().vector() * rank as u64;
        let square = shape.in_double().with_groups(rank).square();
        let homes = shape.each_group(size_of::<usize>()) * shape.clusterings as u64;
        let solving = (Modes::bytes(shape) + homes).max(tall * 3 + square * 4);
        let finishing = tall + square + LowRankAffinity::bytes(shape, rank);
        let similarity = shape.similarity();
        Footprint::new(similarity, finishing.max(solving - similarity) + Bytes(64) * rank as u64)
    }
}

/// The length of each column of X − XZ for the Z of these penalties.
fn error_lengths(modes: &Modes, penalties: &[f64]) -> Vec<f64> {
    let mut squares = vec![0.0; penalties.len()];
    for (i, &s2) in modes.squares.iter().enumerate() {
        for ((sum, v), penalty) in squares.iter_mut().zip(modes.vectors.col(i)).zip(penalties) {
            let missed = v * penalty / (s2 + penalty);
            *sum += s2 * missed * missed;
        }
    }
    squares.into_iter().map(f64::sqrt).collect()
}

/// Fᵀ: one row per group.
fn representation(modes: &Modes, penalties: &[f64]) -> Mat<f64> {
    let share = |i: usize, j: usize| modes.squares[i] / (modes.squares[i] + penalties[j]);
    let (n, rank) = (modes.vectors.rows(), modes.vectors.cols());
    Mat::from_fn(n, rank, |j, i| modes.vectors[(j, i)] * share(i, j))
}
