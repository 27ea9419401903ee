//! Broken confident pairs and enhancers.

use std::sync::Arc;

use enclust_core::{
    Check, Claims, Component, Confidence, Confident, Csr, Ctx, Enhance, Enhanced, IterationLimit,
    Microclusters, Problem, Quantities, Record, Report, Result, Similarity, Status, Stop,
};
use enclust_testkit::{confidence, enhance, stop};

use crate::{assert_names, complaint, component};

component!(OneWayPairs, MovesFixedEntries, CountsThreads, ForgetsSizes, ReadsTheIndex, StartsBadly);

/// Pairs whose similarity is at least 0.6; `value` computes their weight in the graph from the
/// similarity and the pair.
struct ValuedPairs<F>(F);

impl<F> std::fmt::Debug for ValuedPairs<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ValuedPairs")
    }
}

type PairValue = fn(&Similarity<f64>, usize, usize) -> f64;

impl Component for ValuedPairs<PairValue> {
    fn name(&self) -> &str {
        "valued-pairs"
    }
}

impl Confidence<f64> for ValuedPairs<PairValue> {
    fn select(
        &self,
        _: &Microclusters,
        similarity: &Similarity<f64>,
        _: &Ctx<f64>,
    ) -> Result<Confident<f64>> {
        let n = similarity.len();
        let kept = |p: usize| (p + 1..n).filter(move |&q| similarity.between(p, q) >= 0.6);
        let upper = |value: &dyn Fn(usize, usize) -> f64| {
            let row = |p: usize| kept(p).map(|q| (q as u32, value(p, q))).collect();
            Csr::symmetric_from_upper((0..n).map(row).collect())
        };
        let mut confident = Confident::none(n);
        confident.graph = upper(&|p, q| (self.0)(similarity, p, q));
        confident.within = vec![1.0; n];
        confident.fixed = upper(&|p, q| similarity.between(p, q));
        confident.fixed_within = vec![true; n];
        Ok(confident)
    }
}

fn valued(value: PairValue) -> ValuedPairs<PairValue> {
    ValuedPairs(value)
}

#[test]
fn confident_pairs_that_are_sound() {
    confidence::conformance(&valued(|s, p, q| s.between(p, q)));
}

#[test]
fn confident_pairs_out_of_range() {
    let complaint = complaint(|| confidence::conformance(&valued(|_, _, _| 5.0)));
    assert_names(&complaint, "values of the graph lie in [0, 1]");
}

#[test]
fn confident_pairs_that_count_groups() {
    // The share of the groups instead of the share of the samples.
    let broken = valued(|s, _, _| 1.0 / s.len() as f64);
    let complaint = complaint(|| confidence::conformance(&broken));
    assert_names(&complaint, "grouping equal samples changes nothing");
    assert_names(&complaint, "graph, samples");
    confidence::conformance_with(&broken, &confidence::Options::counting_groups());
}

#[test]
fn confident_pairs_that_read_the_index() {
    let broken = valued(|s, p, q| if p == 0 { 0.5 } else { s.between(p, q) });
    let options = confidence::Options::counting_groups();
    let complaint = complaint(|| confidence::conformance_with(&broken, &options));
    assert_names(&complaint, "permuting samples permutes the pairs");
}

/// One step of diffusion: every free value becomes the mean of its row over the neighbours in H,
/// each with its `weight`.
fn diffused(problem: &Problem<f64>, weight: impl Fn(usize) -> f64) -> Result<Enhanced<f64>> {
    let (a, h) = (problem.similarity, problem.confident);
    let n = a.len();
    let value = |p: usize, q: usize| if p == q { a.within()[p] } else { a.between(p, q) };
    let mean = |p: usize, q: usize| {
        let own = [(p, h.within[p] * (weight(p) - 1.0).max(0.0) + 1.0)];
        let partners = h.graph.iter_row(p).map(|(s, v)| (s, v * weight(s))).chain(own);
        let (sum, total) =
            partners.fold((0.0, 0.0), |(sum, total), (s, w)| (sum + w * value(s, q), total + w));
        sum / total
    };
    let new = |p: usize, q: usize| {
        h.fixed.get(p, q).unwrap_or_else(|| (0.5 * (mean(p, q) + mean(q, p))).clamp(0.0, 1.0))
    };
    let between = (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q))).map(|(p, q)| new(p, q));
    let inside = |p: usize| if h.fixed_within[p] { a.within()[p] } else { mean(p, p) };
    let (within, own) = ((0..n).map(inside).collect(), a.own().to_vec());
    let similarity = Similarity::new(Arc::clone(a.grouping()), between.collect(), within, own)?;
    Ok(Enhanced::new(similarity, Report::direct("diffused")))
}

impl Enhance<f64> for ForgetsSizes {
    fn enhance(&self, problem: &Problem<f64>, _: &Ctx<f64>) -> Result<Enhanced<f64>> {
        diffused(problem, |_| 1.0)
    }
}

impl Enhance<f64> for ReadsTheIndex {
    fn enhance(&self, problem: &Problem<f64>, _: &Ctx<f64>) -> Result<Enhanced<f64>> {
        diffused(problem, |p| 1.0 + p as f64)
    }
}

/// Halves its starting point.
impl Enhance<f64> for StartsBadly {
    fn enhance(&self, problem: &Problem<f64>, _: &Ctx<f64>) -> Result<Enhanced<f64>> {
        match problem.start {
            Some(start) => scaled(start, 0.5),
            None => scaled(problem.similarity, 1.0),
        }
    }
}

component!(Diffusion, MovesEverything, ClaimsTheOptimum, NeverFires);

/// Changes fixed entries, and states that it does.
impl Enhance<f64> for MovesEverything {
    fn enhance(&self, problem: &Problem<f64>, _: &Ctx<f64>) -> Result<Enhanced<f64>> {
        scaled(problem.similarity, 0.5)
    }

    fn claims(&self) -> Claims {
        Claims::default().with_free_entries()
    }
}

/// One step of diffusion is not the optimum.
impl Enhance<f64> for ClaimsTheOptimum {
    fn enhance(&self, problem: &Problem<f64>, ctx: &Ctx<f64>) -> Result<Enhanced<f64>> {
        Diffusion.enhance(problem, ctx)
    }

    fn claims(&self) -> Claims {
        Claims::optimum(0.4, 1e-3)
    }
}

#[test]
fn enhancer_that_claims_the_optimum() {
    let complaint = complaint(|| enhance::conformance(&ClaimsTheOptimum));
    assert_names(&complaint, "the optimum has no gradient on its free entries");
}

impl Stop for NeverFires {
    fn needs(&self) -> Quantities {
        Quantities::RESIDUAL
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(|record: &Record| record.residual.filter(|r| *r < 0.0).map(|_| Status::Converged))
    }
}

#[test]
fn stopping_rule_that_never_fires() {
    let complaint = complaint(|| stop::conformance(&NeverFires));
    assert_names(&complaint, "the rule is met eventually");
}

impl Enhance<f64> for Diffusion {
    fn enhance(&self, problem: &Problem<f64>, _: &Ctx<f64>) -> Result<Enhanced<f64>> {
        diffused(problem, |p| problem.similarity.grouping().sizes()[p] as f64)
    }
}

#[test]
fn enhancer_that_is_sound() {
    enhance::conformance(&Diffusion);
}

#[test]
fn enhancer_that_forgets_group_sizes() {
    let complaint = complaint(|| enhance::conformance(&ForgetsSizes));
    assert_names(&complaint, "the order and the grouping of samples do not matter");
    assert_names(&complaint, "worst: samples");
}

#[test]
fn enhancer_that_reads_the_index() {
    let complaint = complaint(|| enhance::conformance(&ReadsTheIndex));
    assert_names(&complaint, "the order and the grouping of samples do not matter");
}

#[test]
fn enhancer_that_starts_badly() {
    let complaint = complaint(|| enhance::conformance(&StartsBadly));
    assert_names(&complaint, "a start at an earlier answer leads to the same answer");
}

impl Confidence<f64> for OneWayPairs {
    fn select(
        &self,
        _: &Microclusters,
        similarity: &Similarity<f64>,
        _: &Ctx<f64>,
    ) -> Result<Confident<f64>> {
        let n = similarity.len();
        let mut rows = vec![Vec::new(); n];
        if n > 1 {
            rows[0].push((1, 0.5));
        }
        let mut confident = Confident::none(n);
        confident.graph = Csr::from_rows(n, rows);
        Ok(confident)
    }
}

/// The similarity with all values scaled.
fn scaled(similarity: &Similarity<f64>, factor: f64) -> Result<Enhanced<f64>> {
    let times = |values: &[f64]| values.iter().map(|v| v * factor).collect();
    let [between, within, own] =
        [similarity.condensed(), similarity.within(), similarity.own()].map(times);
    let similarity = Similarity::new(Arc::clone(similarity.grouping()), between, within, own)?;
    Ok(Enhanced::new(similarity, Report::direct("scaled")))
}

impl Enhance<f64> for MovesFixedEntries {
    fn enhance(&self, problem: &Problem<f64>, _: &Ctx<f64>) -> Result<Enhanced<f64>> {
        scaled(problem.similarity, 0.5)
    }
}

impl Enhance<f64> for CountsThreads {
    fn enhance(&self, problem: &Problem<f64>, _: &Ctx<f64>) -> Result<Enhanced<f64>> {
        scaled(problem.similarity, 1.0 - 1e-9 * rayon::current_num_threads() as f64)
    }
}

#[test]
fn confident_pairs_that_go_one_way() {
    let complaint = complaint(|| confidence::conformance(&OneWayPairs));
    assert_names(&complaint, "pairs are symmetric");
}

#[test]
fn enhancer_that_moves_fixed_entries() {
    let complaint = complaint(|| enhance::conformance(&MovesFixedEntries));
    assert_names(&complaint, "fixed entries keep their value");
    enhance::conformance(&MovesEverything);
}

#[test]
fn enhancer_that_depends_on_threads() {
    let complaint = complaint(|| enhance::conformance(&CountsThreads));
    assert_names(&complaint, "number of threads");
}

component!(IgnoresTheRule, RecordsNothing);

impl Enhance<f64> for IgnoresTheRule {
    fn enhance(&self, problem: &Problem<f64>, _: &Ctx<f64>) -> Result<Enhanced<f64>> {
        scaled(problem.similarity, 1.0)
    }

    fn provides(&self) -> Option<Quantities> {
        Some(Quantities::NONE)
    }
}

impl Enhance<f64> for RecordsNothing {
    fn enhance(&self, problem: &Problem<f64>, ctx: &Ctx<f64>) -> Result<Enhanced<f64>> {
        let at_once = IterationLimit::default().limit(1);
        let step = |_: &mut Similarity<f64>, _: usize, _: Quantities| Ok(Record::default());
        let start = problem.similarity.clone();
        problem.iterate((self.name(), &at_once, 1), ctx, start, step, |c| Ok(c.clone()))
    }

    fn provides(&self) -> Option<Quantities> {
        Some(Quantities::OBJECTIVE | Quantities::ITERATE)
    }
}

#[test]
fn enhancer_that_ignores_the_stopping_rule() {
    let complaint = complaint(|| enhance::conformance(&IgnoresTheRule));
    assert_names(&complaint, "a stopping rule from outside ends the iteration");
}

#[test]
fn enhancer_that_does_not_record_what_it_provides() {
    let complaint = complaint(|| enhance::conformance(&RecordsNothing));
    assert_names(&complaint, "without the objective");
}
