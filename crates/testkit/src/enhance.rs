//! The laws of [`Enhance`].

use enclust_core::{
    Claims, Confident, Enhance, Enhanced, Ensemble, Microclusters, Problem, Shape, Similarity,
};

use crate::first_look::FirstLook;
use crate::generate::{co_association, degenerate, planted};
use crate::law::{Subject, THREADS, bits, distance, similarity_bytes, with_threads, worst_pair};
use crate::rearrange::rearrangements;

/// Checks all laws for an enhancer, with and without confident pairs, including similarities with
/// only one group.
///
/// - The result has the same groups and is in [0, 1].
/// - The [claims](Enhance::claims) of the enhancer hold: fixed entries keep their value, and the
///   optimum of the self-enhancement problem has zero gradient on its free entries.
/// - Permuting the samples permutes the result, and grouping equal samples changes nothing,
///   within the claimed accuracy.
/// - Results are bitwise equal in repeated calls and for any number of threads, and the report
///   agrees with them.
/// - If it iterates, each iteration has the quantities that it provides, and a stopping rule from
///   outside ends it.
/// - Starting at an earlier result leads to the same result and needs no more iterations.
/// - An enhancer that states that it is the identity returns its input; any other one states a
///   footprint that covers its result.
///
/// ```
/// enclust_testkit::enhance::conformance(&enclust_core::NoEnhancement);
/// ```
///
/// # Panics
///
/// If a law is broken. The message names the law.
pub fn conformance(enhance: &dyn Enhance<f64>) {
    let subject = Subject::new("enhancer", enhance.name());
    let claims = enhance.claims();
    for (name, ensemble) in ensembles() {
        let microclusters = Microclusters::of(&ensemble);
        let shape = Shape::of::<f64>(&microclusters);
        let similarity = co_association(&microclusters);
        for (pairs, confident) in [
            ("confident pairs", confident(&similarity)),
            ("pairs that are free inside groups", between_groups(&similarity)),
            ("no confident pairs", Confident::none(similarity.len())),
        ] {
            let problem = Problem::new(&similarity, &confident).expect("sound pairs");
            let case = format!("{name}, {pairs}");
            let trial = Trial { subject: &subject, enhance, case };
            trial.run(&problem, &claims);
            trial.symmetries(&problem, claims.accuracy);
            trial.footprint(&shape, &similarity);
        }
    }
}

fn ensembles() -> Vec<(&'static str, Ensemble)> {
    let mut out = degenerate();
    out.push(("structure", planted(60, 10, 4, 0.15, 8)));
    out.push(("many equal rows", planted(60, 4, 3, 0.1, 14)));
    out.push(("noise", planted(30, 6, 3, 1.0, 9)));
    out
}

/// The same pairs between groups only: two samples of one group are neither joined nor fixed.
fn between_groups(similarity: &Similarity<f64>) -> Confident<f64> {
    let n = similarity.len();
    let mut between = confident(similarity);
    (between.within, between.fixed_within) = (vec![0.0; n], vec![false; n]);
    between
}

/// Pairs that at least 7 of 10 clusterings join, fixed to their values.
fn confident(similarity: &Similarity<f64>) -> Confident<f64> {
    let n = similarity.len();
    let row = |p: usize| similarity.row(p).iter().zip(p + 1..).map(move |(&v, q)| (p, q, v));
    let between = (0..n).flat_map(row).filter(|(.., v)| *v >= 0.7);
    let mut confident = Confident::from_pairs(similarity, between).expect("pairs of the groups");
    confident.within = similarity.within().to_vec();
    confident.fixed_within = vec![true; n];
    confident
}

struct Trial<'a> {
    subject: &'a Subject,
    enhance: &'a dyn Enhance<f64>,
    case: String,
}

impl Trial<'_> {
    fn run(&self, problem: &Problem<'_, f64>, claims: &Claims) {
        let enhanced = self.enhance(problem, 1);
        self.well_formed(problem.similarity, &enhanced.similarity);
        if let Some(tolerance) = claims.fixed_within {
            self.keeps_fixed(problem.confident, &enhanced.similarity, tolerance);
        }
        if let Some(lambda) = claims.optimum {
            self.is_optimal(problem, lambda, &enhanced.similarity, claims.accuracy);
        }
        for threads in THREADS {
            let again = self.enhance(problem, threads);
            let same = values(&again.similarity) == values(&enhanced.similarity)
                && again.report.status == enhanced.report.status
                && again.report.iterations == enhanced.report.iterations;
            self.law("the number of threads changes nothing", same, format!("{threads} threads"));
        }
        let warm = problem.with_start(Some(&enhanced.similarity));
        let warm = self.enhance(&warm, 1);
        self.well_formed(problem.similarity, &warm.similarity);
        let law = "a start at an earlier answer leads to the same answer";
        let (found, expected) = (warm.similarity.to_matrix(), enhanced.similarity.to_matrix());
        self.near(law, problem.similarity, (&found, &expected), claims.accuracy);
        let (warm, cold) = (warm.report.iterations, enhanced.report.iterations);
        let law = "a start at an earlier answer takes no more iterations";
        self.law(law, warm <= cold, format!("{warm} where a cold start takes {cold}"));
        if let Some(provided) = self.enhance.provides() {
            let look = FirstLook::at(provided);
            let looked = self.enhance(&problem.with_stop(Some(&look)), 1);
            look.judge(self.subject, Some(&looked.report), &self.case);
        }
        if self.enhance.is_identity() {
            let same = &enhanced.similarity == problem.similarity;
            self.law("the identity changes nothing", same, "");
        }
    }

    fn symmetries(&self, problem: &Problem<'_, f64>, accuracy: f64) {
        let (similarity, confident) = (problem.similarity, problem.confident);
        let expected = self.enhance(problem, 1).similarity.to_matrix();
        for (how, moved) in rearrangements(similarity.grouping(), 22) {
            let given = moved.similarity(similarity);
            let pairs = moved.confident(confident, similarity);
            let again = Problem::new(&given, &pairs).expect("sound pairs");
            let found = self.enhance(&again, 1).similarity.to_matrix();
            let law = "the order and the grouping of samples do not matter";
            let trial = Trial { case: format!("{}, {how}", self.case), ..*self };
            trial.near(law, similarity, (&found, &moved.matrix(&expected)), accuracy);
        }
    }

    /// Compares two results, each of which may differ from the exact one by the accuracy.
    fn near(
        &self,
        law: &str,
        given: &Similarity<f64>,
        (found, expected): (&[f64], &[f64]),
        accuracy: f64,
    ) {
        let norm =
            |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
        let apart = norm(&mut found.iter().zip(expected).map(|(x, y)| x - y));
        let allowed = (2.0 * accuracy + 1e-10) * norm(&mut given.to_matrix().into_iter());
        let (_, pair) = worst_pair(given.grouping().samples(), found, expected);
        self.law(law, apart <= allowed, format!("{apart} apart, {allowed} allowed; worst: {pair}"));
    }

    /// A pipeline does not request a copy from the identity.
    fn footprint(&self, shape: &Shape, similarity: &Similarity<f64>) {
        if !self.enhance.is_identity() {
            let stated = self.enhance.footprint(shape);
            self.subject.covers(stated, similarity_bytes(similarity), &self.case);
        }
    }

    fn well_formed(&self, before: &Similarity<f64>, after: &Similarity<f64>) {
        let same = after.grouping() == before.grouping();
        self.law("the answer keeps the groups", same, "another grouping came out");
        let all = after.condensed().iter().chain(after.within()).chain(after.own());
        let outside = all.copied().find(|v| !(0.0..=1.0).contains(v));
        self.law("the answer lies in [0, 1]", outside.is_none(), format!("{outside:?}"));
    }

    fn keeps_fixed(&self, confident: &Confident<f64>, after: &Similarity<f64>, tolerance: f64) {
        for p in 0..after.len() {
            for (q, value) in confident.fixed.iter_row(p) {
                let moved = distance(&[after.between(p, q)], &[value]);
                let law = "fixed entries keep their value";
                self.law(law, moved <= tolerance, format!("entry ({p}, {q}) moved by {moved}"));
            }
        }
    }

    /// ‖ΦC + CΦ + λ(C − A)‖ on the free entries, over the samples, is at most λ‖A‖ times the
    /// accuracy. The distance to the optimum is then at most the accuracy (T5 of the theory).
    fn is_optimal(
        &self,
        problem: &Problem<'_, f64>,
        lambda: f64,
        answer: &Similarity<f64>,
        accuracy: f64,
    ) {
        let (a, c) = (problem.similarity.to_matrix(), answer.to_matrix());
        let n = answer.grouping().samples();
        let (h, fixed) = pairs_of_samples(problem);
        let degree: Vec<f64> = h.chunks(n).map(|row| row.iter().sum()).collect();
        let slope = |i: usize, j: usize| {
            let pulled: f64 =
                (0..n).map(|k| h[i * n + k] * c[k * n + j] + h[j * n + k] * c[i * n + k]).sum();
            (degree[i] + degree[j] + lambda) * c[i * n + j] - pulled - lambda * a[i * n + j]
        };
        let free = (0..n * n).filter(|&at| !fixed[at]).map(|at| slope(at / n, at % n));
        let squares: f64 = free.map(|slope| slope * slope).sum();
        let norm = a.iter().map(|v| v * v).sum::<f64>().sqrt();
        let (found, allowed) = (squares.sqrt(), lambda * norm * (accuracy + 1e-10));
        let law = "the optimum has no gradient on its free entries";
        self.law(law, found <= allowed, format!("its norm is {found}, {allowed} allowed"));
    }

    fn enhance(&self, problem: &Problem<'_, f64>, threads: usize) -> Enhanced<f64> {
        let answer = with_threads(threads, |ctx| self.enhance.enhance(problem, ctx));
        self.subject.succeeds("every sound problem has an answer", answer, &self.case)
    }

    fn law(&self, law: &str, holds: bool, detail: impl std::fmt::Display) {
        self.subject.law(law, holds, format!("{}: {detail}", self.case));
    }
}

fn values(similarity: &Similarity<f64>) -> Vec<u64> {
    bits(similarity.condensed().iter().chain(similarity.within()).chain(similarity.own()))
}

/// H over the samples and a flag for each pair that is fixed, in row-major order.
fn pairs_of_samples(problem: &Problem<'_, f64>) -> (Vec<f64>, Vec<bool>) {
    let (confident, map) = (problem.confident, problem.similarity.grouping().map());
    let places = (0..map.len()).flat_map(|i| (0..map.len()).map(move |j| (i, j)));
    let pair = |(i, j): (usize, usize)| match (map[i] as usize, map[j] as usize) {
        _ if i == j => (0.0, false),
        (p, q) if p == q => (confident.within[p], confident.fixed_within[p]),
        (p, q) => (confident.graph.get(p, q).unwrap_or(0.0), confident.fixed.get(p, q).is_some()),
    };
    places.map(pair).unzip()
}
