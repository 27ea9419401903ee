//! A suite that accepts everything proves nothing. Each suite must fail for a component that
//! breaks a law, and must name the law.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use enclust_core::{
    Backend, Ca, Check, Claims, Component, Confidence, Confident, Consensus, Csr, Ctx, Dendrogram,
    Eigen, Enhance, Enhanced, Ensemble, Error, Evidence, Fit, Fitted, Footprint, Kind, Mat, MatMut,
    MatRef, Method, Microclusters, Partition, Problem, Quantities, Question, Record, Reference,
    Report, Represented, Result, Shape, Similarity, SpdSolve, State, Status, Stop, check_k,
};
use enclust_testkit::generate::co_association;
use enclust_testkit::{backend, ca, confidence, consensus, enhance, method, stop};

/// The message of the failed suite.
fn complaint(suite: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(suite)).expect_err("the suite must fail");
    panic.downcast_ref::<String>().cloned().expect("a message")
}

#[track_caller]
fn assert_names(complaint: &str, law: &str) {
    assert!(complaint.contains(law), "expected a complaint about \"{law}\", got: {complaint}");
}

macro_rules! component {
    ($($t:ident),*) => {$(
        #[derive(Debug)]
        struct $t;
        impl Component for $t {
            fn name(&self) -> &str {
                stringify!($t)
            }
        }
    )*};
}

// ---------------------------------------------------------------- backends

component!(ForgetsZeroBlocks, KeepsNan, TakesIndefinite, MixesEigenpairs);

/// Wrong only if the right factor has a long run of zeros.
impl Backend<f64> for ForgetsZeroBlocks {
    fn gemm(&self, alpha: f64, a: MatRef<f64>, b: MatRef<f64>, beta: f64, mut c: MatMut<f64>) {
        let rows = b.rows();
        let empty = rows > 300 && (0..rows - 64).any(|i| (i..i + 64).all(|k| b.at(k, 0) == 0.0));
        let (rows, cols, stride) = (c.rows(), c.cols(), c.stride());
        Reference.gemm(alpha, a, b, beta, MatMut::new(c.data(), rows, cols, stride));
        if empty {
            c.col(0)[0] += 0.5;
        }
    }
}

/// Computes 0 · C + αAB instead of overwriting.
impl Backend<f64> for KeepsNan {
    fn gemm(&self, alpha: f64, a: MatRef<f64>, b: MatRef<f64>, beta: f64, mut c: MatMut<f64>) {
        for j in 0..c.cols() {
            c.col(j).iter_mut().for_each(|v| *v *= beta);
        }
        Reference.gemm(alpha, a, b, 1.0, c);
    }
}

impl Backend<f64> for TakesIndefinite {
    fn gemm(&self, alpha: f64, a: MatRef<f64>, b: MatRef<f64>, beta: f64, c: MatMut<f64>) {
        Reference.gemm(alpha, a, b, beta, c);
    }

    fn factor_spd(&self, a: MatRef<f64>) -> Result<Box<dyn SpdSolve<f64>>> {
        Reference.factor_spd(a).or_else(|_| Reference.factor_spd(Mat::identity(a.rows()).view()))
    }
}

impl Backend<f64> for MixesEigenpairs {
    fn gemm(&self, alpha: f64, a: MatRef<f64>, b: MatRef<f64>, beta: f64, c: MatMut<f64>) {
        Reference.gemm(alpha, a, b, beta, c);
    }

    fn eigh(&self, a: MatRef<f64>) -> Result<Eigen<f64>> {
        let mut eigen = Reference.eigh(a)?;
        let n = a.rows();
        if n > 100 {
            for i in 0..n {
                eigen.vectors.data_mut().swap(i, (n - 1) * n + i);
            }
        }
        Ok(eigen)
    }
}

#[test]
fn backend_that_goes_wrong_on_zero_blocks() {
    let complaint = complaint(|| backend::conformance::<f64>(&ForgetsZeroBlocks));
    assert_names(&complaint, "a product equals its definition");
    assert_names(&complaint, "320 x 320 by 320 x 320");
}

#[test]
fn backend_that_keeps_nan() {
    let complaint = complaint(|| backend::conformance::<f64>(&KeepsNan));
    assert_names(&complaint, "beta = 0 overwrites");
}

#[test]
fn backend_that_takes_indefinite_matrices() {
    let complaint = complaint(|| backend::conformance::<f64>(&TakesIndefinite));
    assert_names(&complaint, "not positive definite is refused");
}

#[test]
fn backend_that_mixes_eigenpairs() {
    let complaint = complaint(|| backend::conformance::<f64>(&MixesEigenpairs));
    assert_names(&complaint, "AV = V diag(w)");
}

// ---------------------------------------------------------- stopping rules

component!(TakesNanAsConverged, TakesZeroOverZero);

impl Stop for TakesNanAsConverged {
    fn needs(&self) -> Quantities {
        Quantities::CHANGES
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(TakesNanAsConverged)
    }
}

impl Check for TakesNanAsConverged {
    fn check(&mut self, record: &Record, _: &dyn State) -> Result<Option<Status>> {
        // The maximum of NaNs, with the initial value minus infinity, is minus infinity.
        let most = record.changes.iter().map(|c| c.ratio()).fold(f64::NEG_INFINITY, f64::max);
        Ok((most < 1e-3).then_some(Status::Converged))
    }
}

impl Stop for TakesZeroOverZero {
    fn needs(&self) -> Quantities {
        Quantities::CHANGES
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(TakesZeroOverZero)
    }
}

impl Check for TakesZeroOverZero {
    fn check(&mut self, record: &Record, _: &dyn State) -> Result<Option<Status>> {
        let still = record.changes.iter().all(|c| c.step <= 1e-3 * c.scale);
        Ok((still && !record.changes.is_empty()).then_some(Status::Converged))
    }
}

#[derive(Debug, Default)]
struct CountsAcrossRuns(Arc<AtomicUsize>);

impl Component for CountsAcrossRuns {
    fn name(&self) -> &str {
        "counts-across-runs"
    }
}

impl Stop for CountsAcrossRuns {
    fn needs(&self) -> Quantities {
        Quantities::NONE
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(CountsAcrossRuns(Arc::clone(&self.0)))
    }
}

impl Check for CountsAcrossRuns {
    fn check(&mut self, _: &Record, _: &dyn State) -> Result<Option<Status>> {
        let seen = self.0.fetch_add(1, Ordering::Relaxed);
        Ok((seen % 70 == 69).then_some(Status::IterationLimit))
    }
}

#[test]
fn stopping_rule_that_takes_nan_as_converged() {
    let complaint = complaint(|| stop::conformance(&TakesNanAsConverged));
    assert_names(&complaint, "a NaN never ends a run as converged");
}

#[test]
fn stopping_rule_that_takes_zero_over_zero() {
    let complaint = complaint(|| stop::conformance(&TakesZeroOverZero));
    assert_names(&complaint, "a step of 0 from 0");
}

#[test]
fn stopping_rule_whose_checks_share_state() {
    let complaint = complaint(|| stop::conformance(&CountsAcrossRuns::default()));
    assert_names(&complaint, "each check starts afresh");
}

// ------------------------------------------------------ consensus functions

/// Average linkage from its definition, or a variant that joins samples by their index.
#[derive(Debug, Default)]
struct ByDefinition {
    loses_a_cluster: bool,
    takes_anything: bool,
    remembers: bool,
    hides_its_tree: bool,
    goes_by_index: bool,
    forgets_sizes: bool,
}

struct Chain {
    tree: Dendrogram,
    loses_a_cluster: bool,
    remembers: Option<AtomicUsize>,
}

impl Component for ByDefinition {
    fn name(&self) -> &str {
        "by-definition"
    }
}

impl Consensus<f64> for ByDefinition {
    fn accepts(&self) -> &[Kind] {
        &[Kind::Similarity]
    }

    fn makes_tree(&self) -> bool {
        !self.remembers && !self.hides_its_tree
    }

    fn fit(&self, evidence: &Evidence<f64>, _: &Ctx<f64>) -> Result<Box<dyn Fitted<f64>>> {
        let merges = match (evidence, self.takes_anything) {
            (Evidence::Similarity(s), _) if self.goes_by_index => in_order(s.grouping().samples()),
            (Evidence::Similarity(s), _) => average_linkage(s, self.forgets_sizes),
            (Evidence::Bipartite(b), true) => in_order(b.grouping.samples()),
            _ => return Err(Error::unsupported(self.name(), evidence.kind().to_string())),
        };
        Ok(Box::new(Chain {
            tree: Dendrogram::from_members(merges.len() + 1, &merges)?,
            loses_a_cluster: self.loses_a_cluster,
            remembers: self.remembers.then(AtomicUsize::default),
        }))
    }
}

fn in_order(samples: usize) -> Vec<(usize, usize, f64)> {
    (1..samples).map(|i| (0, i, i as f64)).collect()
}

/// Always joins the two clusters with the highest mean similarity. With `forgets_sizes`, every
/// group counts as one sample.
fn average_linkage(s: &Similarity<f64>, forgets_sizes: bool) -> Vec<(usize, usize, f64)> {
    let (n, values, map) = (s.grouping().samples(), s.to_matrix(), s.grouping().map());
    let weight = |i: usize| {
        if forgets_sizes { 1.0 / s.grouping().sizes()[map[i] as usize] as f64 } else { 1.0 }
    };
    let mut clusters: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
    let mean = |a: &[usize], b: &[usize]| {
        let pairs = || a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j)));
        let total: f64 = pairs().map(|(i, j)| weight(i) * weight(j)).sum();
        pairs().map(|(i, j)| weight(i) * weight(j) * values[i * n + j]).sum::<f64>() / total
    };
    let mut merges = Vec::new();
    while clusters.len() > 1 {
        let pairs = (0..clusters.len()).flat_map(|a| (a + 1..clusters.len()).map(move |b| (a, b)));
        let valued = pairs.map(|(a, b)| (a, b, mean(&clusters[a], &clusters[b])));
        let (a, b, height) =
            valued.reduce(|best, next| if next.2 > best.2 { next } else { best }).unwrap();
        let gone = clusters.remove(b);
        merges.push((clusters[a][0], gone[0], 1.0 - height));
        clusters[a].extend(gone);
    }
    merges
}

impl Fitted<f64> for Chain {
    fn cut(&self, k: usize, _: &Ctx<f64>) -> Result<Partition> {
        check_k("by-definition", k, self.largest_k())?;
        if self.loses_a_cluster && k == 3 {
            return self.tree.cut(2);
        }
        let cut = self.tree.cut(k)?;
        let calls = self.remembers.as_ref().map_or(0, |c| c.fetch_add(1, Ordering::Relaxed));
        // Later cuts are reversed.
        let mut labels = cut.labels().to_vec();
        if calls > self.largest_k() {
            labels.reverse();
        }
        Ok(Partition::from_labels(labels))
    }

    fn largest_k(&self) -> usize {
        self.tree.samples()
    }

    fn dendrogram(&self) -> Option<&Dendrogram> {
        self.remembers.is_none().then_some(&self.tree)
    }
}

#[test]
fn consensus_that_is_sound() {
    consensus::conformance(&ByDefinition::default());
}

#[test]
fn consensus_that_loses_a_cluster() {
    let broken = ByDefinition { loses_a_cluster: true, ..ByDefinition::default() };
    assert_names(&complaint(|| consensus::conformance(&broken)), "exactly k clusters");
}

#[test]
fn consensus_that_takes_anything() {
    let broken = ByDefinition { takes_anything: true, ..ByDefinition::default() };
    assert_names(&complaint(|| consensus::conformance(&broken)), "not accepted is an error");
}

#[test]
fn consensus_that_cuts_by_index() {
    let broken = ByDefinition { goes_by_index: true, ..ByDefinition::default() };
    assert_names(&complaint(|| consensus::conformance(&broken)), "clear clusters are found");
}

#[test]
fn consensus_that_forgets_group_sizes() {
    let broken = ByDefinition { forgets_sizes: true, ..ByDefinition::default() };
    let complaint = complaint(|| consensus::conformance(&broken));
    assert_names(&complaint, "the order and the grouping of samples do not matter");
    assert_names(&complaint, "ungrouped");
    consensus::conformance_with(&broken, &consensus::Options::counting_groups());
}

#[test]
fn consensus_that_hides_its_tree() {
    let broken = ByDefinition { hides_its_tree: true, ..ByDefinition::default() };
    assert_names(
        &complaint(|| consensus::conformance(&broken)),
        "if and only if makes_tree() is true",
    );
}

#[test]
fn consensus_that_remembers_earlier_cuts() {
    let broken = ByDefinition { remembers: true, ..ByDefinition::default() };
    assert_names(&complaint(|| consensus::conformance(&broken)), "does not depend on earlier cuts");
}

// --------------------------------------------------------- representations

/// Plain co-association, modified by `spoil` (the value of a pair, computed from the
/// microclusters, the pair and its correct value).
struct CoAssociation<F> {
    spoil: F,
}

impl<F> std::fmt::Debug for CoAssociation<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CoAssociation")
    }
}

type Spoil = fn(&Microclusters, usize, usize, f64) -> f64;

impl Component for CoAssociation<Spoil> {
    fn name(&self) -> &str {
        "co-association"
    }
}

impl Ca<f64> for CoAssociation<Spoil> {
    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        _: &Ctx<f64>,
    ) -> Result<Represented<f64>> {
        if microclusters.weights().is_some() {
            return Err(Error::unsupported(self.name(), "weights"));
        }
        let sound = co_association::<f64>(microclusters);
        let n = sound.len();
        let pairs = (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q)));
        let between = pairs.zip(sound.condensed());
        let spoilt = between.map(|((p, q), &v)| (self.spoil)(microclusters, p, q, v)).collect();
        let (within, own) = (sound.within().to_vec(), sound.own().to_vec());
        Ok(Similarity::new(Arc::clone(sound.grouping()), spoilt, within, own)?.into())
    }
}

fn spoilt(spoil: Spoil) -> CoAssociation<Spoil> {
    CoAssociation { spoil }
}

#[test]
fn representation_that_is_sound() {
    ca::conformance(&spoilt(|_, _, _, v| v));
}

#[test]
fn representation_that_favours_the_first_sample() {
    let broken = spoilt(|_, p, _, v| if p == 0 { v / 2.0 } else { v });
    let options = ca::Options { counts_samples: false };
    let complaint = complaint(|| ca::conformance_with(&broken, &options));
    assert_names(&complaint, "permuting samples permutes the values");
}

#[test]
fn representation_that_favours_the_first_clustering() {
    let broken = spoilt(|m, p, q, v| if m.label(p, 0) == m.label(q, 0) { v } else { v / 2.0 });
    let complaint = complaint(|| ca::conformance(&broken));
    assert_names(&complaint, "order of clusterings matters to rounding only");
}

#[test]
fn representation_that_counts_groups_once() {
    let once = spoilt(|m, _, _, v| v / m.len() as f64);
    let complaint = complaint(|| ca::conformance(&once));
    assert_names(&complaint, "grouping equal samples changes nothing");
    ca::conformance_with(&once, &ca::Options { counts_samples: false });
}

#[test]
fn representation_that_depends_on_threads() {
    let broken = spoilt(|_, _, _, v| v / rayon::current_num_threads() as f64);
    let complaint = complaint(|| ca::conformance(&broken));
    assert_names(&complaint, "number of threads");
}

component!(StatesNothing);

impl Ca<f64> for StatesNothing {
    fn build(
        &self,
        microclusters: &Microclusters,
        question: &Question,
        ctx: &Ctx<f64>,
    ) -> Result<Represented<f64>> {
        spoilt(|_, _, _, v| v).build(microclusters, question, ctx)
    }

    fn footprint(&self, _: &Shape) -> Footprint {
        Footprint::default()
    }
}

#[test]
fn representation_that_understates_its_memory() {
    let complaint = complaint(|| ca::conformance(&StatesNothing));
    assert_names(&complaint, "the footprint covers the result");
}

// ---------------------------------------- confident pairs and enhancers

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
    let (within, own) = (a.within().to_vec(), a.own().to_vec());
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

// ---------------------------------------------------------------- methods

/// The first k − 1 samples alone and the rest together, with an error that depends on the variant.
#[derive(Debug)]
enum Splits {
    Soundly,
    WithoutTheLast,
    AnotherEachTime(AtomicUsize),
    ByThreads,
    IntoAnything,
    ReadingK,
}

impl Component for Splits {
    fn name(&self) -> &str {
        "splits"
    }
}

impl Method<f64> for Splits {
    fn fit(&self, ensemble: &Ensemble, _: &Question, ctx: &Ctx<'_, f64>) -> Result<Fit<f64>> {
        let similarity = co_association(&Microclusters::of(ensemble));
        let all = ensemble.samples();
        let (samples, turn) = match self {
            Splits::WithoutTheLast => (all - 1, 0),
            Splits::AnotherEachTime(turn) => (all, turn.fetch_add(1, Ordering::Relaxed)),
            Splits::ByThreads => (all, ctx.threads()),
            _ => (all, 0),
        };
        let checked = !matches!(self, Splits::IntoAnything);
        Ok(Fit::new(similarity.into(), Box::new(Split { samples, turn, checked })))
    }

    fn reads_k(&self) -> bool {
        matches!(self, Splits::ReadingK)
    }
}

struct Split {
    samples: usize,
    turn: usize,
    checked: bool,
}

impl Fitted<f64> for Split {
    fn cut(&self, k: usize, _: &Ctx<'_, f64>) -> Result<Partition> {
        if self.checked {
            check_k("splits", k, self.samples)?;
        }
        let label = |i: usize| (i + self.turn).min(k.max(1) - 1);
        Ok(Partition::from_labels((0..self.samples).map(label)))
    }

    fn largest_k(&self) -> usize {
        self.samples
    }
}

#[test]
fn broken_methods_are_caught() {
    method::conformance(&Splits::Soundly);
    for (broken, law) in [
        (Splits::WithoutTheLast, "a partition contains all samples"),
        (Splits::AnotherEachTime(AtomicUsize::new(0)), "a run is a fit and a cut"),
        (Splits::ByThreads, "the number of threads changes nothing"),
        (Splits::IntoAnything, "an impossible number of clusters is an error"),
        (Splits::ReadingK, "a method needs k if and only if it reads k"),
    ] {
        assert_names(&complaint(|| method::conformance(&broken)), law);
    }
}
