//! Representative label rows.

use enclust_ca::ensemble_cluster_index;
use enclust_core::{
    Bytes, Component, Ctx, Footprint, MISSING, Microclusters, NoReduction, Range, Real, Reduce,
    Reduced, Result, RunSize, Shape, choice, part,
};

use crate::fixed_point::whole_weights;
use crate::modes::move_to_modes;
use crate::nearest::{Index, NONE, Nearest};
use crate::start::spread_out;

/// Runs with at most this many rows are not reduced by default.
const SMALL_ENOUGH: usize = 20_000;

/// The number of rows that are left by default.
const USUAL_ROWS: usize = 10_000;

/// θ of the cluster index, as recommended for LWCA.
const THETA: f64 = 0.4;

choice! {
    /// How much a base cluster counts that a row and a landmark share.
    pub enum RowWeights {
        /// By its [reliability](enclust_ca::ensemble_cluster_index).
        Eci = "eci",
        /// All alike.
        Equal = "equal",
    }
}

part! {
    /// Representative rows, to which all other rows are assigned.
    ///
    /// # Problem
    ///
    /// At most p rows, the landmarks, stand for all n' distinct label rows:
    ///
    /// 1. p rows are drawn, in steps. A row of size r is drawn with a probability in proportion to
    ///    r gˢ, where s is `spread` and the gap g is the share of its weight that it does not share
    ///    with any row drawn in earlier steps. Rows that are unlike all others are thus more often
    ///    landmarks of their own.
    /// 2. Every row is assigned to the landmark with which it shares most weight, that is, the sum
    ///    of the weights of the base clusters that contain both.
    /// 3. Every landmark moves to the mode of its rows: in each clustering, the label that most of
    ///    their samples have. Steps 2 and 3 are repeated a few times and end with step 2.
    ///
    /// The samples of a row follow its landmark. The later stages compute with the landmarks and
    /// the sums of the sizes, and are exact for this reduced ensemble. If p is at least n', no row
    /// changes.
    ///
    /// A row with missing labels is assigned by the labels that it has. Rows without any label are
    /// one group of their own, which no similarity distinguishes from separate rows. A row that
    /// shares nothing with any landmark follows the first one, and the run warns about it.
    ///
    /// # Parameters
    ///
    /// `rows` (p), `spread`, `rounds`, `weights`, and `refine`: whether, after a cut, each sample moves to the
    /// cluster to which its own label row has the highest mean similarity.
    ///
    /// # Complexity
    ///
    /// O(n' m² + T n' l) time for T rounds, where l is the number of landmarks in the m base
    /// clusters of a row, about p Σ 1/K over the numbers of clusters K; O(n' + p m) numbers.
    ///
    /// # Determinism and ties
    ///
    /// The landmarks depend on the seed of the run and on the order of the samples, but not on the
    /// number of threads. Weights are rounded to whole numbers, so ties are exact. The landmark that
    /// was larger at the start wins a tie.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_core::{Ctx, Ensemble, Microclusters, Reduce};
    /// use enclust_reduce::Landmarks;
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 2, 2], [0, 0, 0, 1, 1, 2]])?;
    /// let rows = Microclusters::of(&e);
    /// assert_eq!(rows.len(), 4);
    /// let reduced = Landmarks::default().reduce(&rows, 2, &Ctx::<f64>::default())?;
    /// assert_eq!(reduced.microclusters.len(), 2);
    /// assert_eq!(reduced.microclusters.grouping().sizes().iter().sum::<usize>(), 6);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// None; it is k-modes on label rows with weighted overlaps (Z. Huang, "Extensions to the
    /// k-means algorithm for clustering large data sets with categorical values", 1998).
    pub struct Landmarks("landmarks", "representative label rows, to which all others are assigned") {
        /// p: the largest number of rows that are left. Auto is 10,000 if a run of more than 20,000
        /// rows holds a value for every pair of rows; all other runs are not reduced.
        pub rows: Option<usize> = None, in Range::AtLeast(1.0);
        /// How much more often rows are drawn that no earlier landmark resembles; with 0, rows are drawn
        /// by their sizes alone.
        pub spread: f64 = 2.0, in Range::AtLeast(0.0), tried [0, 1, 2, 4, 8];
        /// How often the landmarks move.
        pub rounds: usize = 3, in Range::Any;
        /// How much a shared base cluster counts: eci, by its reliability, or equal.
        pub weights: RowWeights = RowWeights::Eci, in Range::Any;
        /// Whether each sample moves, after a cut, to the cluster to which its own label row is most
        /// similar.
        pub refine: bool = false, in Range::Any;
    }
}

impl Landmarks {
    /// What assigns other rows to the landmarks that are left of an ensemble, in the numbers of its
    /// base clusters.
    pub fn nearest(&self, rows: &Microclusters, landmarks: &Microclusters) -> Nearest {
        let labels = (0..landmarks.len() as u32).flat_map(|p| row_of(landmarks, p)).collect();
        let weights = whole_weights(rows, &self.cluster_weights(rows));
        Nearest::new(labels, rows.cluster_offsets(), weights)
    }

    fn cluster_weights(&self, rows: &Microclusters) -> Vec<f64> {
        match self.weights {
            RowWeights::Eci => ensemble_cluster_index(rows, THETA),
            RowWeights::Equal => vec![1.0; rows.clusters().iter().sum()],
        }
    }

    /// Assigns all rows to landmarks that start at these labels, and moves the landmarks.
    fn settle<S: Real>(
        &self,
        rows: &Microclusters,
        labels: &mut [u32],
        weights: &[u32],
        ctx: &Ctx<'_, S>,
    ) -> Result<Vec<u32>> {
        let offsets = rows.cluster_offsets();
        let total = self.rounds as u64 + 1;
        let mut nearest = Index::new(labels, &offsets).nearest(rows, weights, ctx)?;
        for round in 0..self.rounds {
            ctx.progress("moving landmarks", round as u64 + 1, total)?;
            if !move_to_modes(rows, &nearest, labels) {
                break;
            }
            nearest = Index::new(labels, &offsets).nearest(rows, weights, ctx)?;
        }
        Ok(nearest)
    }
}

impl<S: Real> Reduce<S> for Landmarks {
    fn rows(&self, size: RunSize) -> Option<usize> {
        let usual = (size.all_pairs && size.groups > SMALL_ENOUGH).then_some(USUAL_ROWS);
        self.rows.or(usual).filter(|&rows| rows < size.groups)
    }

    fn reduce(&self, rows: &Microclusters, left: usize, ctx: &Ctx<'_, S>) -> Result<Reduced> {
        if left >= rows.len() {
            return NoReduction.reduce(rows, left, ctx);
        }
        let cluster_weights = self.cluster_weights(rows);
        let weights = whole_weights(rows, &cluster_weights);
        let (labelled, blank) = split_by_labels(rows);
        // The rows without any label are one of the rows that are left.
        let count = left.saturating_sub(usize::from(!blank.is_empty())).max(1).min(labelled.len());
        let drawn = spread_out(rows, &labelled, (count, self.spread), &weights, ctx)?;
        let mut labels: Vec<u32> = drawn.iter().flat_map(|&p| row_of(rows, p)).collect();
        let mut nearest = self.settle(rows, &mut labels, &weights, ctx)?;
        let unmatched = adopt(rows, &mut nearest, &labelled);
        if left == 1 {
            // There is no room for a row of their own.
            blank.iter().for_each(|&p| nearest[p as usize] = 0);
        } else if !blank.is_empty() {
            let own = (labels.len() / rows.clusterings()) as u32;
            labels.extend(vec![MISSING; rows.clusterings()]);
            blank.iter().for_each(|&p| nearest[p as usize] = own);
        }
        let refine_by = self.refine.then_some(cluster_weights);
        let reduced = Reduced::new(self.name(), rows, &nearest, &labels)?;
        Ok(reduced.with_unmatched(unmatched).refined_by(refine_by))
    }

    fn footprint(&self, shape: &Shape, rows: usize) -> Footprint {
        let landmarks = Bytes(rows as u64) * shape.clusterings as u64;
        // Candidates, their waiting times, those that are not drawn, the largest shared weight, and the
        // nearest landmark of each row with the weight it shares; the index of landmarks; votes for
        // labels, at most one per row and thread, in tables that may double.
        let rows_too = shape.each_group(4 + 16 + 16 + 4 + 8);
        let votes = shape.each_group(24 * 4) * shape.threads as u64;
        let clusters = Bytes(shape.clusters as u64) * 64;
        let overlaps = Bytes(shape.largest as u64) * shape.largest as u64 * 8;
        let working = rows_too
            + votes
            + clusters
            + landmarks * 24
            + (overlaps + Bytes(rows as u64) * 8) * shape.threads as u64;
        Footprint::new(Reduced::bytes(shape, rows), working)
    }
}

/// The rows with at least one label, and those without any.
fn split_by_labels(rows: &Microclusters) -> (Vec<u32>, Vec<u32>) {
    let all = 0..rows.len() as u32;
    if !rows.has_missing() {
        return (all.collect(), Vec::new());
    }
    all.partition(|&p| (0..rows.clusterings()).any(|k| rows.label(p as usize, k) != MISSING))
}

/// The labels of a row.
pub(crate) fn row_of(rows: &Microclusters, p: u32) -> impl Iterator<Item = u32> + '_ {
    (0..rows.clusterings()).map(move |k| rows.label(p as usize, k))
}

/// Gives rows that share nothing with any landmark to the first one, and returns the number of
/// their samples.
fn adopt(rows: &Microclusters, nearest: &mut [u32], labelled: &[u32]) -> usize {
    let mut samples = 0;
    for &p in labelled {
        if nearest[p as usize] == NONE {
            nearest[p as usize] = 0;
            samples += rows.grouping().sizes()[p as usize];
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use enclust_core::Ensemble;
    use enclust_testkit::generate::{ensembles, ensembles_with_missing, planted, shuffled};
    use proptest::prelude::*;

    use super::*;

    /// The definition: compares every row with every landmark.
    fn nearest_by_definition(rows: &Microclusters, labels: &[u32], weights: &[u32]) -> Vec<u32> {
        let (m, offsets) = (rows.clusterings(), rows.cluster_offsets());
        let shared = |p: usize, landmark: &[u32]| -> u32 {
            let same = |&k: &usize| rows.label(p, k) != MISSING && rows.label(p, k) == landmark[k];
            (0..m).filter(same).map(|k| weights[offsets[k] + landmark[k] as usize]).sum()
        };
        let nearest = |p: usize| {
            let sums: Vec<u32> = labels.chunks_exact(m).map(|row| shared(p, row)).collect();
            let most = sums.iter().copied().max().unwrap_or(0);
            let first = sums.iter().position(|&sum| sum == most && sum > 0);
            first.map_or(NONE, |l| l as u32)
        };
        (0..rows.len()).map(nearest).collect()
    }

    /// The definition: counts the samples of each landmark one by one.
    fn modes_by_definition(rows: &Microclusters, nearest: &[u32], labels: &[u32]) -> Vec<u32> {
        let m = rows.clusterings();
        let votes = |l: usize, k: usize, label: u32| -> usize {
            let mine = |&p: &usize| nearest[p] == l as u32 && rows.label(p, k) == label;
            (0..rows.len()).filter(mine).map(|p| rows.grouping().sizes()[p]).sum()
        };
        let mode = |at: usize| {
            let (l, k, current) = (at / m, at % m, labels[at]);
            let mut best = current;
            for label in 0..rows.clusters()[k] as u32 {
                let most = if best == MISSING { 0 } else { votes(l, k, best) };
                if votes(l, k, label) > most {
                    best = label;
                }
            }
            best
        };
        (0..labels.len()).map(mode).collect()
    }

    fn drawn(rows: &Microclusters, labelled: &[u32], count: usize, seed: u64) -> Vec<u32> {
        let weights = whole_weights(rows, &Landmarks::default().cluster_weights(rows));
        let ctx = Ctx::<f64>::default().with_seed(seed);
        spread_out(rows, labelled, (count, 2.0), &weights, &ctx).unwrap()
    }

    fn labels_of(rows: &Microclusters, landmarks: &[u32]) -> Vec<u32> {
        landmarks.iter().flat_map(|&p| row_of(rows, p)).collect()
    }

    fn check_steps(ensemble: &Ensemble, count: usize, seed: u64) {
        let rows = Microclusters::of(ensemble);
        let weights = whole_weights(&rows, &Landmarks::default().cluster_weights(&rows));
        let (labelled, _) = split_by_labels(&rows);
        let mut labels = labels_of(&rows, &drawn(&rows, &labelled, count, seed));
        for _ in 0..3 {
            let index = Index::new(&labels, &rows.cluster_offsets());
            let nearest = index.nearest(&rows, &weights, &Ctx::<f64>::default()).unwrap();
            assert_eq!(nearest, nearest_by_definition(&rows, &labels, &weights));
            let expected = modes_by_definition(&rows, &nearest, &labels);
            let changed = move_to_modes(&rows, &nearest, &mut labels);
            assert!(changed || labels == expected);
            assert_eq!(labels, expected);
        }
    }

    proptest! {
        #[test]
        fn steps_equal_the_definitions(e in ensembles(60, 6, 4), count in 1..20_usize, seed in 0..99_u64) {
            check_steps(&e, count, seed);
        }

        #[test]
        fn steps_equal_the_definitions_with_missing_labels(
            e in ensembles_with_missing(60, 6, 4), count in 1..20_usize, seed in 0..99_u64
        ) {
            check_steps(&e, count, seed);
        }

        /// Given the landmarks, permuting the samples permutes the groups. The number of a landmark
        /// decides ties, so the landmarks keep their numbers.
        #[test]
        fn given_the_landmarks_the_order_of_the_samples_does_not_matter(
            e in ensembles(60, 6, 4), count in 1..20_usize, seed in 0..99_u64
        ) {
            let rows = Microclusters::of(&e);
            let (labelled, _) = split_by_labels(&rows);
            let landmarks = drawn(&rows, &labelled, count, seed);
            let firsts = rows.grouping().first_members();
            let samples: Vec<usize> = landmarks.iter().map(|&p| firsts[p as usize]).collect();
            let order = shuffled(e.samples(), seed);
            let moved = Microclusters::of(&e.rearranged(&order).unwrap());
            let place = |sample: &usize| order.iter().position(|i| i == sample).unwrap();
            let same: Vec<u32> =
                samples.iter().map(|sample| moved.grouping().map()[place(sample)]).collect();
            let settled = |rows: &Microclusters, landmarks: &[u32]| {
                let part = Landmarks::default().rounds(0);
                let weights = whole_weights(rows, &part.cluster_weights(rows));
                let mut labels = labels_of(rows, landmarks);
                let nearest = part.settle(rows, &mut labels, &weights, &Ctx::<f64>::default());
                nearest.unwrap()
            };
            let (before, after) = (settled(&rows, &landmarks), settled(&moved, &same));
            for (i, &sample) in order.iter().enumerate() {
                let old = before[rows.grouping().map()[sample] as usize];
                prop_assert_eq!(after[moved.grouping().map()[i] as usize], old);
            }
        }
    }

    #[test]
    fn rows_without_any_label_are_one_group() {
        let rows = [[Some(0), Some(0)], [None, None], [Some(0), Some(1)], [None, None]];
        let rows = Microclusters::of(&Ensemble::from_rows(&rows).unwrap());
        assert_eq!(rows.len(), 4);
        let reduced = Landmarks::default().reduce(&rows, 2, &Ctx::<f64>::default()).unwrap();
        assert_eq!(reduced.microclusters.grouping().map(), [0, 1, 0, 1]);
        assert_eq!(reduced.microclusters.label(1, 0), MISSING);
        assert_eq!(reduced.report.unmatched, 0);
    }

    #[test]
    fn rows_that_share_nothing_are_counted() {
        let e = Ensemble::from_columns(&[[0, 0, 0, 1, 2], [0, 0, 0, 1, 2]]).unwrap();
        let rows = Microclusters::of(&e);
        let reduced = Landmarks::default().reduce(&rows, 1, &Ctx::<f64>::default()).unwrap();
        let largest = reduced.microclusters.label(0, 0);
        let own = rows.grouping().sizes()[largest as usize];
        assert_eq!(reduced.report.unmatched, 5 - own);
    }

    #[test]
    fn only_large_runs_that_hold_all_pairs_are_reduced_by_default() {
        let left = |part: &Landmarks, groups, all_pairs| {
            Reduce::<f64>::rows(part, RunSize::new(groups, all_pairs))
        };
        let auto = Landmarks::default();
        assert_eq!(left(&auto, 20_000, true), None);
        assert_eq!(left(&auto, 20_001, true), Some(10_000));
        assert_eq!(left(&auto, 10_000_000, false), None);
        let given = Landmarks::default().rows(Some(50));
        assert_eq!((left(&given, 51, false), left(&given, 50, true)), (Some(50), None));
    }

    #[test]
    fn another_seed_draws_other_landmarks() {
        let rows = Microclusters::of(&planted(300, 12, 5, 0.3, 1));
        let reduced = |seed| {
            let ctx = Ctx::<f64>::default().with_seed(seed);
            Landmarks::default().rounds(0).reduce(&rows, 20, &ctx).unwrap().microclusters
        };
        assert_eq!(reduced(1), reduced(1));
        assert_ne!(reduced(1), reduced(2));
    }
}
