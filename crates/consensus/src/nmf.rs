//! Consensus by a non-negative factorisation of the co-association.

use std::sync::Arc;

use enclust_core::{
    Bytes, Consensus, Ctx, Evidence, Fitted, Footprint, Grouping, Kind, Partition, Range, Real,
    Result, Shape, Stage, Watch, Weighting, check_k, part,
};
use rayon::prelude::*;

use crate::embedding::multiplicities;
use crate::label_kmeans::{Distance, FittedRows, LabelRows, one_start};

const NAME: &str = "nmf";
/// What is reported while the rounds run.
const DOING: &str = "factorising the co-association";
/// Number that is added to the memberships of a start, so that none of them is 0.
const OFFSET: f64 = 0.2;
/// Smaller denominators are replaced by this.
const FLOOR: f64 = 1e-300;
/// Number of parts in which rows are summed. It does not depend on the number of threads, so that
/// sums do not either.
const PARTS: usize = 8;

part! {
    /// Factors the co-association into memberships: Q S Qᵀ with non-negative Q and S.
    ///
    /// # Problem
    ///
    /// Let M be the co-association matrix of the samples. Find non-negative matrices Q (one row of k
    /// memberships per sample) and S (k × k) with QᵀQ = I such that ‖M − Q S Qᵀ‖² is small. A sample
    /// belongs to the cluster of its largest membership. In each round, with all operations by
    /// entries,
    ///
    /// ```text
    /// Q ← Q √( M Q S / (Q Qᵀ M Q S) ),    S ← S √( QᵀM Q / (QᵀQ S QᵀQ) ).
    /// ```
    ///
    /// M is never formed: with the label rows X of the graph, M Q is X (Xᵀ Q). Rounds end when the
    /// part of the objective that depends on Q and S changes by less than 10⁻⁶ of itself. Of several
    /// starts, each from one start of k-means of the label rows, the one with the least objective is
    /// kept.
    ///
    /// The weight of a link acts as a multiplicity, as for [`Kcc`](crate::Kcc). The computation runs
    /// on groups, weighted by their sizes: samples of a group have the same memberships in every
    /// round. The weighted variant of the method, which also learns weights of the clusterings, is not
    /// offered.
    ///
    /// # Parameters
    ///
    /// `weighting`, `replicates`, `max_iterations` and `tolerance`.
    ///
    /// # Complexity
    ///
    /// O(n' m k + n' k²) time per round, n' (m + k) + N k numbers for N base clusters. There is no
    /// n' × n' matrix.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the graph, k and the seed, not on the number of threads. The lowest
    /// number wins among equal memberships. The problem is not convex: rounds lower the objective and
    /// end at a stationary point. Clusters without samples are dropped, so there may be fewer than k.
    ///
    /// # Errors
    ///
    /// [`Error::ClusterCount`](enclust_core::Error::ClusterCount) if k is 0 or larger than n';
    /// [`Error::KindMismatch`](enclust_core::Error::KindMismatch) for other evidence;
    /// [`Error::Unsupported`](enclust_core::Error::Unsupported) for weights that are negative or not
    /// finite.
    ///
    /// # Example
    ///
    /// ```
    /// use std::sync::Arc;
    /// use enclust_consensus::Nmf;
    /// use enclust_core::{Bipartite, Consensus, Csr, Ctx, Grouping};
    ///
    /// let row = |a, b| vec![(a, 1.0), (b, 1.0)];
    /// let weights = Csr::from_rows(4, vec![row(0, 2), row(0, 2), row(1, 3), row(1, 3)]);
    /// let graph = Bipartite::new(Arc::new(Grouping::singletons(4)), weights)?;
    /// let ctx = Ctx::default();
    /// let fitted = Nmf::default().fit(&graph.into(), &ctx)?;
    /// assert_eq!(fitted.cut(2, &ctx)?.labels(), &[0, 0, 1, 1]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// T. Li, C. Ding, M. I. Jordan, *Solving consensus and semi-supervised clustering problems using
    /// nonnegative matrix factorization*, ICDM 2007. Written from the formulae; no program of the
    /// authors is known.
    pub struct Nmf("nmf", "non-negative factors of the co-association") {
        /// What counts as one object.
        pub weighting: Weighting = Weighting::Samples, in Range::Any;
        /// Number of starts; the best result is kept.
        pub replicates: usize = 5, in Range::AtLeast(1.0);
        /// Maximum number of rounds per start.
        pub max_iterations: usize = 200, in Range::AtLeast(1.0);
        /// Relative change of the objective below which rounds end.
        pub tolerance: f64 = 1e-6, in Range::Positive;
    }
}

impl<S: Real> Consensus<S> for Nmf {
    fn accepts(&self) -> &[Kind] {
        &[Kind::Bipartite]
    }

    fn fit(&self, evidence: &Evidence<S>, _: &Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>> {
        let graph = evidence.bipartite_for(NAME)?;
        let sizes = multiplicities(self.weighting, &graph.grouping);
        let rows = LabelRows::new(NAME, graph, &sizes, Distance::Category)?;
        let grouping = Arc::clone(&graph.grouping);
        Ok(Box::new(Factors { rows, grouping, params: self.clone() }))
    }

    fn gives_exactly_k(&self) -> bool {
        false
    }

    /// The rows; in addition, the making of them, or a start and its factors.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let k = shape.clusters_ahead().min(shape.groups);
        let cut = factors_bytes(shape.groups, shape.clusters, k);
        let start = FittedRows::cut_ahead_bytes(shape);
        let making = FittedRows::making_bytes(shape);
        Footprint::new(FittedRows::result_bytes(shape), making.max(start.max(cut)))
    }
}

/// Memberships and M Q, sums over rows in parts, and labels.
fn factors_bytes(groups: usize, clusters: usize, k: usize) -> Bytes {
    let rows = Bytes(groups as u64) * (8 * (2 * k + 4)) as u64;
    rows + Bytes(clusters as u64) * (8 * k * (PARTS + 2)) as u64 + Bytes(64 * 8) * (k * k) as u64
}

/// Label rows that are cut by a factorisation.
struct Factors {
    rows: LabelRows,
    grouping: Arc<Grouping>,
    params: Nmf,
}

impl<S: Real> Fitted<S> for Factors {
    fn cut(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Partition> {
        let groups = self.grouping.len();
        check_k(NAME, k, groups)?;
        ctx.require(
            &Stage::Cut.of(NAME),
            factors_bytes(groups, self.rows.columns(), k),
            &format!("k = {k} of n' = {groups}"),
            "request fewer clusters",
        )?;
        let (seed, watch) = (ctx.seed(), ctx.watch());
        let labels = ctx.install(|_| self.best_labels(k, seed, watch))??;
        Ok(self.grouping.lift(&self.rows.in_given_order(&labels)))
    }

    fn largest_k(&self) -> usize {
        self.grouping.len()
    }
}

impl Factors {
    /// The labels of the start with the least objective, the first one among equals.
    fn best_labels(&self, k: usize, seed: u64, watch: Watch<'_>) -> Result<Vec<u32>> {
        let Nmf { replicates, max_iterations, tolerance, .. } = self.params;
        let mut best: Option<(f64, Vec<u32>)> = None;
        for start in 0..replicates {
            watch.progress(DOING, start as u64, replicates as u64)?;
            let labels =
                one_start(&self.rows, k, max_iterations, (seed, start as u64), watch)?.labels;
            let mut state = Memberships::of(&self.rows, &labels, k);
            let objective = state.improve(max_iterations, tolerance, watch)?;
            if best.as_ref().is_none_or(|(least, _)| objective < *least) {
                best = Some((objective, state.labels()));
            }
        }
        Ok(best.map(|(_, labels)| labels).unwrap_or_default())
    }
}

/// Q and S, and products with them. Small matrices are stored by rows.
struct Memberships<'a> {
    rows: &'a LabelRows,
    k: usize,
    /// One row per group.
    q: Vec<f64>,
    s: Vec<f64>,
    /// M Q.
    mq: Vec<f64>,
}

impl<'a> Memberships<'a> {
    /// The memberships of a partition, with columns of unit length, and a little of all others.
    fn of(rows: &'a LabelRows, labels: &[u32], k: usize) -> Self {
        let mut q = vec![OFFSET; rows.len() * k];
        labels.iter().zip(q.chunks_exact_mut(k)).for_each(|(&l, row)| row[l as usize] += 1.0);
        let mut squares = vec![0.0; k];
        for (row, weight) in q.chunks_exact(k).zip(rows.weights()) {
            squares.iter_mut().zip(row).for_each(|(sum, x)| *sum += weight * x * x);
        }
        for row in q.chunks_exact_mut(k) {
            row.iter_mut().zip(&squares).for_each(|(x, s)| *x /= s.sqrt().max(FLOOR));
        }
        let mut state = Memberships { rows, k, mq: vec![0.0; q.len()], q, s: Vec::new() };
        state.multiply();
        state.s = state.inner(&state.q, &state.mq);
        state
    }

    /// Rounds until the objective hardly changes; the objective without ‖M‖².
    fn improve(&mut self, limit: usize, tolerance: f64, watch: Watch<'_>) -> Result<f64> {
        let mut objective = self.objective();
        for _ in 0..limit {
            watch.checkpoint(DOING)?;
            self.update_q();
            self.multiply();
            self.update_s();
            let next = self.objective();
            let settled = (objective - next).abs() <= tolerance * next.abs();
            objective = next;
            if settled {
                break;
            }
        }
        Ok(objective)
    }

    /// M Q = X (Xᵀ R Q) for the sizes R of the groups.
    fn multiply(&mut self) {
        let (rows, k, q) = (self.rows, self.k, &self.q);
        let part = rows.len().div_ceil(PARTS).max(1);
        let sums = |at: usize| {
            let mut sums = vec![0.0; rows.columns() * k];
            for i in at * part..rows.len().min((at + 1) * part) {
                let (columns, values, scale) = rows.point(i);
                let (weight, own) = (rows.weights()[i] * scale, &q[i * k..][..k]);
                for (&a, x) in columns.iter().zip(values) {
                    let sum = sums[a as usize * k..][..k].iter_mut();
                    sum.zip(own).for_each(|(sum, q)| *sum += weight * x * q);
                }
            }
            sums
        };
        let parts: Vec<Vec<f64>> =
            (0..rows.len().div_ceil(part)).into_par_iter().map(sums).collect();
        let mut parts = parts.into_iter();
        let mut sums = parts.next().unwrap_or_default();
        parts.for_each(|part| sums.iter_mut().zip(part).for_each(|(sum, s)| *sum += s));
        self.mq.par_chunks_mut(k).enumerate().for_each(|(i, out)| {
            let (columns, values, scale) = rows.point(i);
            out.fill(0.0);
            for (&a, x) in columns.iter().zip(values) {
                let sums = &sums[a as usize * k..][..k];
                out.iter_mut().zip(sums).for_each(|(out, s)| *out += scale * x * s);
            }
        });
    }

    /// Aᵀ R B for two matrices with one row per group.
    fn inner(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let k = self.k;
        let mut out = vec![0.0; k * k];
        let rows = a.chunks_exact(k).zip(b.chunks_exact(k)).zip(self.rows.weights());
        for ((a, b), weight) in rows {
            for (out, a) in out.chunks_exact_mut(k).zip(a) {
                out.iter_mut().zip(b).for_each(|(out, b)| *out += weight * a * b);
            }
        }
        out
    }

    fn update_q(&mut self) {
        let k = self.k;
        let projected = product(&self.inner(&self.q, &self.mq), &self.s, k);
        let (s, mq) = (&self.s, &self.mq);
        self.q.par_chunks_mut(k).zip(mq.par_chunks(k)).for_each(|(q, mq)| {
            let (above, below) = (row_product(mq, s, k), row_product(q, &projected, k));
            q.iter_mut().zip(above.iter().zip(below)).for_each(|(q, (a, b))| *q *= ratio(*a, b));
        });
    }

    fn update_s(&mut self) {
        let above = self.inner(&self.q, &self.mq);
        let gram = self.inner(&self.q, &self.q);
        let below = product(&product(&gram, &self.s, self.k), &gram, self.k);
        self.s.iter_mut().zip(above.iter().zip(below)).for_each(|(s, (a, b))| *s *= ratio(*a, b));
    }

    /// ‖M − Q S Qᵀ‖² − ‖M‖² = tr(S G S G) − 2 tr(S QᵀM Q) with G = QᵀQ.
    fn objective(&self) -> f64 {
        let k = self.k;
        let gram = product(&self.s, &self.inner(&self.q, &self.q), k);
        let squared = product(&gram, &gram, k);
        let linear = product(&self.s, &self.inner(&self.q, &self.mq), k);
        (0..k).map(|j| squared[j * k + j] - 2.0 * linear[j * k + j]).sum()
    }

    /// The largest membership of each row, the first one among equals.
    fn labels(&self) -> Vec<u32> {
        let largest = |row: &[f64]| {
            (0..self.k).reduce(|best, j| if row[j] > row[best] { j } else { best }).unwrap_or(0)
        };
        self.q.chunks_exact(self.k).map(|row| largest(row) as u32).collect()
    }
}

/// √(a / b), and 0 if a is 0.
fn ratio(a: f64, b: f64) -> f64 {
    if a > 0.0 { (a / b.max(FLOOR)).sqrt() } else { 0.0 }
}

/// The product of two k × k matrices.
fn product(a: &[f64], b: &[f64], k: usize) -> Vec<f64> {
    a.chunks_exact(k).flat_map(|row| row_product(row, b, k)).collect()
}

/// The product of a row with a k × k matrix.
fn row_product(row: &[f64], matrix: &[f64], k: usize) -> Vec<f64> {
    let mut out = vec![0.0; k];
    for (x, entries) in row.iter().zip(matrix.chunks_exact(k)) {
        out.iter_mut().zip(entries).for_each(|(out, m)| *out += x * m);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclust_core::{Ensemble, Microclusters};
    use enclust_testkit::generate::{bipartite, ensembles, planted};
    use proptest::prelude::*;

    type Dense = Vec<Vec<f64>>;

    fn times(a: &Dense, b: &Dense) -> Dense {
        let entry = |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, r)| x * r[j]).sum();
        a.iter().map(|row| (0..b[0].len()).map(|j| entry(row, j)).collect()).collect()
    }

    fn transposed(a: &Dense) -> Dense {
        (0..a[0].len()).map(|j| a.iter().map(|row| row[j]).collect()).collect()
    }

    fn scaled(x: &Dense, above: &Dense, below: &Dense) -> Dense {
        let entry = |i: usize, j: usize| x[i][j] * ratio(above[i][j], below[i][j]);
        (0..x.len()).map(|i| (0..x[0].len()).map(|j| entry(i, j)).collect()).collect()
    }

    /// m times the co-association of the samples.
    fn counts(e: &Ensemble) -> Dense {
        let shared = |i: usize, j: usize| {
            (0..e.clusterings()).filter(|&k| e.column(k)[i] == e.column(k)[j]).count() as f64
        };
        (0..e.samples()).map(|i| (0..e.samples()).map(|j| shared(i, j)).collect()).collect()
    }

    fn rows(m: &Microclusters) -> LabelRows {
        let sizes: Vec<f64> = m.grouping().sizes().iter().map(|&r| r as f64).collect();
        LabelRows::new("test", &bipartite::<f64>(m), &sizes, Distance::Category).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// The rounds on groups are those of the formulae on the samples, iterate by iterate.
        #[test]
        fn rounds_follow_the_formulae(e in ensembles(12, 5, 3), k in 1..4_usize, rounds in 1..6_usize) {
            let m = Microclusters::of(&e);
            let (k, rows) = (k.min(m.len()), rows(&m));
            let labels: Vec<u32> = (0..m.len()).map(|p| (p % k) as u32).collect();
            let mut state = Memberships::of(&rows, &labels, k);
            let place = rows.in_given_order(&(0..m.len() as u32).collect::<Vec<_>>());
            let of_samples = |values: &[f64]| -> Dense {
                let map = m.grouping().map().iter();
                map.map(|&p| values[place[p as usize] * k..][..k].to_vec()).collect()
            };
            let (mut q, given) = (of_samples(&state.q), counts(&e));
            let mut s: Dense = times(&times(&transposed(&q), &given), &q);
            for _ in 0..rounds {
                let mqs = times(&times(&given, &q), &s);
                q = scaled(&q, &mqs, &times(&q, &times(&transposed(&q), &mqs)));
                let (above, gram) = (times(&times(&transposed(&q), &given), &q), times(&transposed(&q), &q));
                s = scaled(&s, &above, &times(&times(&gram, &s), &gram));
                state.update_q();
                state.multiply();
                state.update_s();
            }
            for (found, expected) in of_samples(&state.q).concat().iter().zip(q.concat()) {
                prop_assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
            let fitted = times(&times(&q, &s), &transposed(&q)).concat();
            let squares = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>();
            let given = given.concat();
            let error = squares(&mut given.iter().zip(&fitted).map(|(m, f)| m - f));
            let expected = error - squares(&mut given.iter().copied());
            prop_assert!((state.objective() - expected).abs() < 1e-8 * (1.0 + expected.abs()));
        }
    }

    #[test]
    fn rounds_lower_the_objective() {
        let m = Microclusters::of(&planted(80, 10, 4, 0.2, 3));
        let rows = rows(&m);
        let labels: Vec<u32> = (0..m.len()).map(|p| (p % 4) as u32).collect();
        let mut state = Memberships::of(&rows, &labels, 4);
        let before = state.objective();
        assert!(state.improve(100, 1e-9, Watch::default()).unwrap() < before);
    }
}
