//! Invariance of all methods of the registry, and of all compositions of its parts, under
//! names, order, threads, precision and grouping.

use std::cell::Cell;

use enclust::core::{
    BoxedPipeline, Ctx, Ensemble, Error, Fit, Fitted, Method, Microclusters, Part, Partition,
    PipelineSpec, Problem, Question, Real, Registry, Similarity,
};
use enclust::metrics::Contingency;
use enclust::registry::standard;
use enclust_testkit::generate::{ensembles, ensembles_with_missing, planted, renumbered, shuffled};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// The tolerance for sums computed in different orders.
const ROUNDING: f64 = 1e-10;
/// Similarities this close count as tied.
const TIE: f64 = 1e-9;

// ---------------------------------------------------------------------------
// The methods.

struct Recipe<S> {
    spec: PipelineSpec,
    pipeline: BoxedPipeline<S>,
    /// Whether its evidence is learned for one k. Rounding errors may change the course of the
    /// learning, so laws that hold up to rounding do not apply.
    learns: bool,
}

/// All methods, and all compatible choices of parts.
fn specs() -> Vec<PipelineSpec> {
    let registry = standard::<f64>();
    let mut specs: Vec<_> = registry.presets().iter().map(|p| p.spec.clone()).collect();
    for represent in registry.ca.names() {
        for (enhance, confidence) in
            [("none", "none"), ("admm", "threshold"), ("exact", "threshold")]
        {
            for consensus in registry.consensus.names() {
                // It reads a similarity like `spectral`, with which all enhancements are tried.
                if consensus == "balanced" && enhance != "none" {
                    continue;
                }
                let plain = PipelineSpec::plain(Part::named(represent), Part::named(consensus));
                let spec = plain.enhanced(Part::named(confidence), Part::named(enhance));
                match registry.pipeline(&spec) {
                    Ok(_) => specs.push(spec),
                    Err(Error::KindMismatch { .. }) => {}
                    Err(e) => panic!("{e}"),
                }
            }
        }
    }
    specs
}

/// Pipelines with a fixed number of iterations, so that the same iterates are compared: a rule
/// on relative steps may depend on a variable that is zero up to rounding errors.
fn recipes<S: Real>(registry: &Registry<S>) -> Vec<Recipe<S>> {
    let build = |mut spec: PipelineSpec| {
        match spec.enhance.name.as_str() {
            "none" => {}
            // Rounding changes the path of conjugate gradients, but not the solution.
            "exact" => {
                let tolerance = if S::NAME == "f32" { 1e-5 } else { 1e-12 };
                spec.enhance = spec.enhance.set("tolerance", tolerance);
            }
            _ => spec.stop = Some(Part::named("iterations").set("limit", 25)),
        }
        // A few iterations test as much as hundreds would, for each of the many compositions.
        if spec.ca.name.starts_with("rsec") {
            spec.ca = spec.ca.set("max_iterations", 8);
        }
        let learns = registry.ca.build(&spec.ca).unwrap().reads_k();
        Recipe { pipeline: registry.pipeline(&spec).unwrap(), spec, learns }
    };
    specs().into_iter().map(build).collect()
}

impl<S: Real> Recipe<S> {
    /// The fit; `None` if the parts do not support missing labels.
    fn fit(&self, e: &Ensemble) -> Option<Fit<S>> {
        match self.pipeline.fit(e, &Question::clusters(few_clusters(e)), &Ctx::default()) {
            Err(Error::Unsupported { .. }) if e.has_missing() => None,
            fit => Some(fit.unwrap()),
        }
    }

    /// Whether merges are counted in whole numbers, so that ties are exact.
    fn is_exact(&self, e: &Ensemble) -> bool {
        self.spec.ca.name == "eac" && self.spec.enhance.name == "none" && !e.has_missing()
    }
}

#[test]
fn every_compatible_composition_is_tried() {
    // Eight similarities, three choices of enhancement and five consensus functions; two
    // bipartite graphs, one graph of clusters and one embedding.
    let compositions = specs().len() - standard::<f64>().presets().len();
    assert!(compositions >= 8 * 3 * 5 + 4, "{compositions}");
}

// ---------------------------------------------------------------------------
// Comparing.

fn check<T: std::fmt::Debug>(cases: u32, strategy: impl Strategy<Value = T>, law: impl Fn(&T)) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    let outcome = TestRunner::new(config).run(&strategy, |value| {
        law(&value);
        Ok(())
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
}

fn any_ensembles() -> impl Strategy<Value = Ensemble> {
    prop_oneof![ensembles(12, 7, 3), ensembles_with_missing(10, 7, 3)]
}

fn cut(fitted: &dyn Fitted<f64>, k: usize) -> Partition {
    fitted.cut(k, &Ctx::default()).unwrap()
}

/// The k for evidence that is learned for one k.
fn few_clusters(e: &Ensemble) -> usize {
    Microclusters::of(e).len().min(3)
}

fn cuts<S: Real>(fit: &Fit<S>, up_to: usize, ctx: &Ctx<'_, S>) -> Vec<Partition> {
    let ks = fit.clusters.map_or(1..=fit.fitted.largest_k().min(up_to), |k| k..=k);
    ks.map(|k| fit.cut(k, ctx).unwrap()).collect()
}

fn matrix<S: Real>(fit: &Fit<S>) -> Option<Vec<f64>> {
    fit.evidence.as_similarity().map(expanded)
}

fn expanded<S: Real>(similarity: &Similarity<S>) -> Vec<f64> {
    similarity.to_matrix().into_iter().map(S::wide).collect()
}

#[track_caller]
fn close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len());
    let apart = a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(apart <= tolerance, "{what}: similarities are {apart:e} apart");
}

// ---------------------------------------------------------------------------
// Ties.

/// The numbers of clusters at which the cut of a linkage does not depend on which tied pair is
/// joined first; `None` for other consensus functions.
///
/// If the pairs tied for the next merge form cliques, there is no choice: all of them are
/// joined, in some order, before any other pair. Otherwise no further cut is determined.
fn unambiguous(similarity: &Similarity<f64>, consensus: &Part) -> Vec<usize> {
    if !is_linkage(consensus) {
        return Vec::new();
    }
    let of_groups = consensus.values.get("weighting") == Some(&"groups".into());
    let (n, matrix) = (similarity.grouping().samples(), similarity.to_matrix());
    let objects = if of_groups { similarity.len() } else { n };
    let first = similarity.grouping().first_members();
    let value = |i: usize, j: usize| {
        if of_groups { matrix[first[i] * n + first[j]] } else { matrix[i * n + j] }
    };
    let mut clusters: Vec<Vec<usize>> = (0..objects).map(|i| vec![i]).collect();
    let mut certain = Vec::new();
    while clusters.len() > 1 {
        let link = |a: usize, b: usize| linkage(&consensus.name, &clusters[a], &clusters[b], value);
        let Some(homes) = tied_cliques(clusters.len(), link) else { break };
        clusters = united(&clusters, &homes);
        certain.push(clusters.len());
    }
    certain
}

fn is_linkage(consensus: &Part) -> bool {
    ["average", "complete", "single"].contains(&consensus.name.as_str())
}

fn linkage(name: &str, a: &[usize], b: &[usize], value: impl Fn(usize, usize) -> f64) -> f64 {
    let pairs = a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j))).map(|(i, j)| value(i, j));
    match name {
        "complete" => pairs.fold(f64::INFINITY, f64::min),
        "single" => pairs.fold(0.0, f64::max),
        _ => pairs.sum::<f64>() / (a.len() * b.len()) as f64,
    }
}

/// For each cluster, the first cluster of its clique, if the pairs with the largest similarity
/// form cliques.
fn tied_cliques(clusters: usize, link: impl Fn(usize, usize) -> f64) -> Option<Vec<usize>> {
    let pairs = || (0..clusters).flat_map(|b| (0..b).map(move |a| (a, b)));
    let top = pairs().map(|(a, b)| link(a, b)).fold(0.0, f64::max);
    let tied = |a: usize, b: usize| link(a, b) >= top - TIE;
    let homes: Vec<usize> =
        (0..clusters).map(|b| (0..b).find(|&a| tied(a, b)).unwrap_or(b)).collect();
    pairs().all(|(a, b)| tied(a, b) == (homes[a] == homes[b])).then_some(homes)
}

fn united(clusters: &[Vec<usize>], homes: &[usize]) -> Vec<Vec<usize>> {
    let gathered = (0..clusters.len()).map(|home| {
        let members = (0..clusters.len()).filter(|&c| homes[c] == home);
        members.flat_map(|c| clusters[c].iter().copied()).collect::<Vec<_>>()
    });
    gathered.filter(|members| !members.is_empty()).collect()
}

/// The number of compared cuts and the number of all cuts.
#[derive(Default)]
struct Tally {
    compared: Cell<usize>,
    all: Cell<usize>,
}

impl Tally {
    fn count(&self, ks: &[usize], spec: &PipelineSpec, samples: usize) {
        if !is_linkage(&spec.consensus) {
            return;
        }
        let telling = ks.iter().filter(|&&k| 1 < k && k < samples).count();
        self.compared.set(self.compared.get() + telling);
        self.all.set(self.all.get() + samples.saturating_sub(2));
    }

    /// Checks that enough cuts were compared in spite of ties.
    #[track_caller]
    fn at_least(&self, share: f64) {
        let (compared, all) = (self.compared.get(), self.all.get());
        println!("{compared} of {all} cuts were compared");
        assert!(compared as f64 >= share * all as f64, "{compared} of {all} cuts were compared");
    }
}

#[test]
fn cliques_of_ties_leave_no_choice() {
    let s = |m: &[f64]| Similarity::from_matrix(3, m).unwrap();
    let average = Part::named("average");
    let clique = s(&[1.0, 0.5, 0.5, 0.5, 1.0, 0.5, 0.5, 0.5, 1.0]);
    assert_eq!(unambiguous(&clique, &average), [1]);
    let path = s(&[1.0, 0.5, 0.2, 0.5, 1.0, 0.5, 0.2, 0.5, 1.0]);
    assert_eq!(unambiguous(&path, &average), [0; 0]);
    let distinct = s(&[1.0, 0.5, 0.2, 0.5, 1.0, 0.4, 0.2, 0.4, 1.0]);
    assert_eq!(unambiguous(&distinct, &average), [2, 1]);
}

// ---------------------------------------------------------------------------
// The laws.

/// Labels given as words instead of numbers give the same ensemble.
#[test]
fn names_of_clusters_do_not_matter_to_an_ensemble() {
    let columns = proptest::collection::vec(proptest::collection::vec(0..5_i64, 9), 1..6);
    check(100, (columns, any::<u64>()), |(columns, seed)| {
        let names = shuffled(5, *seed);
        let word = |label: &i64| format!("cluster {}", names[*label as usize]);
        let words: Vec<Vec<String>> =
            columns.iter().map(|c| c.iter().map(word).collect()).collect();
        let far = |label: &i64| (names[*label as usize] as i64 - 2) * 1_000_000_007;
        let numbers: Vec<Vec<i64>> = columns.iter().map(|c| c.iter().map(far).collect()).collect();
        let plain = Ensemble::from_columns(columns).unwrap();
        assert_eq!(Ensemble::from_columns(&words).unwrap(), plain);
        assert_eq!(Ensemble::from_columns(&numbers).unwrap(), plain);
    });
}

/// The results do not depend on the numbers of the clusters either.
#[test]
fn numbers_of_clusters_do_not_matter_to_the_stages() {
    let recipes = recipes(&standard::<f64>());
    let similarities = |r: &&Recipe<f64>| {
        !r.learns
            && r.pipeline
                .fit(&planted(9, 4, 3, 0.2, 1), &Question::default(), &Ctx::default())
                .is_ok_and(|f| matrix(&f).is_some())
    };
    let recipes: Vec<&Recipe<f64>> = recipes.iter().filter(similarities).collect();
    check(12, (ensembles(12, 7, 3), any::<u64>()), |(e, seed)| {
        for recipe in &recipes {
            let (spec, name) = (&recipe.spec, format!("{:?}", recipe.spec));
            let (similarity, fitted) = by_stages(spec, &Microclusters::of(e));
            let (again, renamed) = by_stages(spec, &renumbered(&Microclusters::of(e), *seed));
            close(&expanded(&again), &expanded(&similarity), ROUNDING, &name);
            for k in unambiguous(&similarity, &spec.consensus) {
                assert_eq!(cut(&*renamed, k), cut(&*fitted, k), "{name}, k = {k}");
            }
        }
    });
}

#[test]
fn order_of_clusterings_matters_to_rounding_only() {
    let recipes = recipes(&standard::<f64>());
    let tally = Tally::default();
    check(40, (any_ensembles(), any::<u64>()), |(e, seed)| {
        let other = e.select(&shuffled(e.clusterings(), *seed)).unwrap();
        for recipe in recipes.iter().filter(|r| !r.learns) {
            let Some(fit) = recipe.fit(e) else { continue };
            let Some(similarity) = fit.evidence.as_similarity() else { continue };
            let (name, again) = (format!("{:?}", recipe.spec), recipe.fit(&other).unwrap());
            close(&matrix(&again).unwrap(), &expanded(similarity), ROUNDING, &name);
            let ks = unambiguous(similarity, &recipe.spec.consensus);
            tally.count(&ks, &recipe.spec, e.samples());
            for k in ks {
                assert_eq!(cut(&*again.fitted, k), cut(&*fit.fitted, k), "{name}, k = {k}");
            }
        }
    });
    tally.at_least(0.3);
}

#[test]
fn order_of_clusterings_never_matters_to_exact_counts() {
    let recipes = recipes(&standard::<f64>());
    check(100, (ensembles(12, 7, 3), any::<u64>()), |(e, seed)| {
        let other = e.select(&shuffled(e.clusterings(), *seed)).unwrap();
        for recipe in recipes.iter().filter(|r| r.is_exact(e)) {
            let (fit, again) = (recipe.fit(e).unwrap(), recipe.fit(&other).unwrap());
            assert_eq!(fit.dendrogram(), again.dendrogram());
        }
    });
}

#[test]
fn permuting_samples_permutes_the_answer() {
    let recipes = recipes(&standard::<f64>());
    let tally = Tally::default();
    check(40, (any_ensembles(), any::<u64>()), |(e, seed)| {
        let n = e.samples();
        let order = shuffled(n, *seed);
        let other = e.rearranged(&order).unwrap();
        for recipe in recipes.iter().filter(|r| !r.learns) {
            let Some(fit) = recipe.fit(e) else { continue };
            let Some(similarity) = fit.evidence.as_similarity() else { continue };
            let (name, again) = (format!("{:?}", recipe.spec), recipe.fit(&other).unwrap());
            let before = expanded(similarity);
            let pairs = order.iter().flat_map(|&i| order.iter().map(move |&j| i * n + j));
            let expected: Vec<f64> = pairs.map(|at| before[at]).collect();
            close(&matrix(&again).unwrap(), &expected, ROUNDING, &name);
            let ks = unambiguous(similarity, &recipe.spec.consensus);
            tally.count(&ks, &recipe.spec, n);
            for k in ks {
                let expected = cut(&*fit.fitted, k).rearranged(&order);
                assert_eq!(cut(&*again.fitted, k), expected, "{name}, k = {k}");
            }
        }
    });
    tally.at_least(0.3);
}

/// Embeddings are cut by k-means, and graphs of clusters by rotations, from random starts. The
/// starts do not depend on the order of the samples, so that the labels are the same even if no
/// clusters are clear.
#[test]
fn the_order_of_samples_does_not_matter_to_random_starts() {
    let recipes = recipes(&standard::<f64>());
    let methods = ["lwb", "ptb", "pcs", "drec", "lwca", "incidence", "lce"];
    let seeded = |r: &&Recipe<f64>| {
        let learned = r.learns || r.spec.enhance.name == "admm";
        !learned && methods.contains(&r.spec.ca.name.as_str())
    };
    let seeded: Vec<_> = recipes.iter().filter(seeded).collect();
    for seed in 0..4 {
        let e = planted(150, 8, 6, 0.55, seed);
        let order = shuffled(150, seed);
        let other = e.rearranged(&order).unwrap();
        for recipe in &seeded {
            let (fit, again) = (recipe.fit(&e).unwrap(), recipe.fit(&other).unwrap());
            if fit.dendrogram().is_none() {
                let expected = cut(&*fit.fitted, 6).rearranged(&order);
                assert_eq!(cut(&*again.fitted, 6), expected, "{:?}, seed {seed}", recipe.spec);
            }
        }
    }
}

/// The order of the clusterings changes only roundings, which do not matter if there are clear
/// clusters.
#[test]
fn neither_order_matters_to_embeddings_of_clear_clusters() {
    let recipes = recipes(&standard::<f64>());
    for seed in 0..5 {
        let e = planted(40, 10, 3, 0.08, seed);
        let (samples, clusterings) = (shuffled(40, seed), shuffled(10, seed));
        let other = e.select(&clusterings).unwrap().rearranged(&samples).unwrap();
        // The clusters of DREC are not clear at its default, and which of its equally distant samples
        // exceed the limit of a cluster is decided by rounding.
        let clear =
            |r: &&Recipe<f64>| (&*r.spec.ca.name, &*r.spec.consensus.name) != ("drec", "balanced");
        for recipe in recipes.iter().filter(|r| !r.learns).filter(clear) {
            let (fit, again) = (recipe.fit(&e).unwrap(), recipe.fit(&other).unwrap());
            if fit.dendrogram().is_none() {
                let expected = cut(&*fit.fitted, 3).rearranged(&samples);
                assert_eq!(cut(&*again.fitted, 3), expected, "{:?}, seed {seed}", recipe.spec);
            }
        }
    }
}

#[test]
fn number_of_threads_changes_no_label() {
    let recipes = recipes(&standard::<f64>());
    check(10, any_ensembles(), |e| {
        for recipe in recipes.iter().filter(|r| r.fit(e).is_some()) {
            let labels = |threads: usize| {
                let (question, ctx) =
                    (Question::clusters(few_clusters(e)), Ctx::default().with_threads(threads));
                let fit = recipe.pipeline.fit(e, &question, &ctx).unwrap();
                cuts(&fit, 4, &ctx)
            };
            assert_eq!(labels(1), labels(2), "{:?}", recipe.spec);
        }
    });
}

#[test]
fn number_of_threads_changes_no_label_of_several_hundred_samples() {
    let e = planted(300, 10, 5, 0.3, 1);
    for recipe in recipes(&standard::<f64>()) {
        let run = |threads: usize| {
            let ctx = Ctx::default().with_threads(threads);
            recipe.pipeline.run(&e, 5, &ctx).unwrap().partition
        };
        assert_eq!(run(1), run(2), "{:?}", recipe.spec);
    }
}

/// For more than 400 groups, learners compute only a few eigenvectors, from a start that
/// depends on the seed.
#[test]
fn number_of_threads_changes_nothing_learned_from_many_groups() {
    let e = planted(450, 12, 5, 0.4, 1);
    assert!(Microclusters::of(&e).len() > 400);
    let recipes = recipes(&standard::<f64>());
    let methods = recipes.iter().take(standard::<f64>().presets().len()).filter(|r| r.learns);
    assert_eq!(methods.clone().count(), 4);
    for recipe in methods {
        let run = |threads: usize| {
            let ctx = Ctx::default().with_threads(threads);
            recipe.pipeline.fit(&e, &Question::clusters(5), &ctx).unwrap().evidence
        };
        assert_eq!(run(1), run(2), "{:?}", recipe.spec);
    }
}

#[test]
fn single_and_double_precision_agree() {
    let (single, double) = (recipes(&standard::<f32>()), recipes(&standard::<f64>()));
    check(40, any_ensembles(), |e| {
        for (single, double) in single.iter().zip(&double).filter(|r| !r.1.learns) {
            let (Some(narrow), Some(wide)) = (single.fit(e), double.fit(e)) else { continue };
            let name = format!("{:?}", double.spec);
            if let (Some(narrow), Some(wide)) = (matrix(&narrow), matrix(&wide)) {
                close(&narrow, &wide, 1e-4, &name);
            }
        }
    });
}

/// Runs the stages of a pipeline one after the other on given groups.
fn by_stages(spec: &PipelineSpec, m: &Microclusters) -> (Similarity<f64>, Box<dyn Fitted<f64>>) {
    let (registry, ctx) = (standard::<f64>(), &Ctx::default());
    let evidence =
        registry.ca.build(&spec.ca).unwrap().build(m, &Question::default(), ctx).unwrap();
    let similarity = evidence.as_similarity().unwrap();
    let confidence = registry.confidence.build(&spec.confidence).unwrap();
    let confident = confidence.select(m, similarity, ctx).unwrap();
    let problem = Problem::new(similarity, &confident).unwrap();
    let enhancer = registry.enhance.build(&spec.enhance).unwrap();
    let stop = spec.stop.as_ref().map(|stop| registry.stopping_rule(stop).unwrap());
    let problem = problem.with_stop(stop.as_deref());
    let enhanced = enhancer.enhance(&problem, ctx).unwrap().similarity;
    let consensus = registry.consensus.build(&spec.consensus).unwrap();
    let fitted = consensus.fit(&enhanced.clone().into(), ctx).unwrap();
    (enhanced, fitted)
}

#[test]
fn microclusters_give_what_the_samples_give() {
    let recipes = recipes(&standard::<f64>());
    let counting = |r: &&Recipe<f64>| ["eac", "lwca"].contains(&r.spec.ca.name.as_str());
    let tally = Tally::default();
    check(60, any_ensembles(), |e| {
        for recipe in recipes.iter().filter(counting) {
            let (spec, name) = (&recipe.spec, format!("{:?}", recipe.spec));
            let (merged, groups) = by_stages(spec, &Microclusters::of(e));
            let (full, samples) = by_stages(spec, &Microclusters::singletons(e));
            close(&expanded(&merged), &expanded(&full), ROUNDING, &name);
            if recipe.is_exact(e) {
                assert_eq!(groups.dendrogram(), samples.dendrogram(), "{name}");
            }
            let ks = unambiguous(&full, &spec.consensus);
            tally.count(&ks, spec, e.samples());
            for k in ks {
                assert_eq!(cut(&*groups, k), cut(&*samples, k), "{name}, k = {k}");
            }
        }
    });
    tally.at_least(0.3);
}

// ---------------------------------------------------------------------------
// The rule that stops the published method.

fn published() -> BoxedPipeline<f64> {
    let registry = standard::<f64>();
    registry.pipeline(&registry.preset("ec-cms-admm").unwrap().spec).unwrap()
}

#[test]
fn neither_order_matters_to_the_number_of_iterations() {
    for seed in 0..20 {
        let e = planted(40, 10, 4, 0.25, seed);
        let other = e.select(&shuffled(10, seed)).unwrap().rearranged(&shuffled(40, seed)).unwrap();
        let iterations = |e| {
            published().fit(e, &Question::default(), &Ctx::default()).unwrap().report.iterations
        };
        assert_eq!(iterations(&e), iterations(&other), "seed {seed}");
    }
}

/// Here C stays symmetric and within its bounds, so the second multiplier is zero up to
/// rounding errors, and its relative step is noise.
#[test]
fn rounding_does_not_decide_when_to_stop() {
    let e = Ensemble::from_columns(&[[0, 0, 0], [0, 1, 1], [0, 1, 1]]).unwrap();
    let spec = standard::<f64>().preset("ec-cms-admm").unwrap().spec.clone();
    let (merged, _) = by_stages(&spec, &Microclusters::of(&e));
    let (full, _) = by_stages(&spec, &Microclusters::singletons(&e));
    close(&expanded(&merged), &expanded(&full), ROUNDING, "ec-cms-admm");
}

// ---------------------------------------------------------------------------
// The order of the samples, for whole methods. A method whose score depends on the order of the
// file could pass all laws about its parts.

/// Clusters of different sizes with noisy labels: sample i is in cluster `truth(i)`.
fn blurred(seed: u64) -> (Ensemble, Vec<usize>) {
    let truth: Vec<usize> = (0..90).map(|i| [0, 0, 0, 1, 1, 2, 2, 2, 3][i % 9]).collect();
    let noise = planted(90, 14, 4, 1.0, seed);
    let coins = planted(90, 14, 10, 1.0, seed + 1000);
    let label = |i: usize, k: usize| match coins.column(k)[i] {
        0..3 => noise.column(k)[i],
        _ => truth[i] as u32,
    };
    (Ensemble::from_keys(90, 14, |i, k| Some(label(i, k))).unwrap(), truth)
}

/// Methods without random initialisation.
const DETERMINISTIC: [&str; 15] = [
    "eac",
    "lwea",
    "pta-al",
    "pta-cl",
    "pta-sl",
    "ecpcs-hc",
    "spce",
    "trce",
    "ec-cms",
    "ec-cms-admm",
    "weac",
    "cts",
    "asrs",
    "nwca",
    "sdgca",
];

#[test]
fn every_method_is_deterministic_or_seeded() {
    let registry = standard::<f64>();
    let names: Vec<&str> = registry.presets().iter().map(|p| p.name).collect();
    let known = |name: &&str| DETERMINISTIC.contains(name) || SEEDED.contains(name);
    assert!(names.iter().all(known), "{names:?}");
    assert_eq!(names.len(), DETERMINISTIC.len() + SEEDED.len());
}

#[test]
fn shuffling_the_samples_changes_no_label_of_methods_without_random_starts() {
    let registry = standard::<f64>();
    for name in DETERMINISTIC {
        let spec = &registry.preset(name).unwrap().spec;
        let method = registry.pipeline(spec).unwrap();
        let mut without_ties = 0;
        for seed in 0..12 {
            let (plain, _) = blurred(seed);
            // No weight is a sum of other weights, so no two similarities are tied.
            let weights = (0..14).map(|k| 1.0 + (k as f64 * 0.618_033_988_749_894_9).fract());
            let weighted = plain.clone().with_weights(weights.collect()).unwrap();
            let (e, fit) = match method.fit(&weighted, &Question::clusters(4), &Ctx::default()) {
                Err(Error::Unsupported { .. }) => {
                    let fit = method.fit(&plain, &Question::clusters(4), &Ctx::default()).unwrap();
                    (plain, fit)
                }
                fit => (weighted, fit.unwrap()),
            };
            let similarity = fit.evidence.as_similarity().unwrap();
            // A cut that depends on a tie is not determined; the components of a graph have no
            // ties.
            let linked = is_linkage(&spec.consensus);
            if linked && !unambiguous(similarity, &spec.consensus).contains(&4) {
                continue;
            }
            without_ties += 1;
            let order = shuffled(e.samples(), seed);
            let other = e.rearranged(&order).unwrap();
            let again = method.run(&other, 4, &Ctx::default()).unwrap().partition;
            let expected = fit.cut(4, &Ctx::default()).unwrap().rearranged(&order);
            assert_eq!(again, expected, "{name}, seed {seed}");
        }
        assert!(without_ties >= 6, "{name}: {without_ties} of 12 ensembles without ties");
    }
}

/// Methods that end in k-means or use an eigensolver with a random start.
const SEEDED: [&str; 15] = [
    "lwgp",
    "hbgf",
    "ptgp",
    "ecpcs-mc",
    "drec",
    "rsec-h",
    "rsec-z",
    "ec-cms-spectral",
    "lce",
    "kcc",
    "sec",
    "gp-mgla",
    "mcla",
    "cspa",
    "nmf",
];

/// The iteration of RSEC amplifies rounding errors, which depend on the order, so mean scores are
/// compared.
#[test]
fn shuffling_the_samples_moves_no_mean_score_of_seeded_methods() {
    const SEEDS: u64 = 20;
    let registry = standard::<f64>();
    for name in SEEDED {
        let mut spec = registry.preset(name).unwrap().spec.clone();
        spec.ca = match name {
            // With its default, it finds no structure here that could depend on the order.
            "drec" => spec.ca.set("lambda", 10.0),
            "rsec-h" | "rsec-z" => spec.ca.set("max_iterations", 8),
            _ => spec.ca,
        };
        let method = registry.pipeline(&spec).unwrap();
        let (e, truth) = blurred(3);
        let order = shuffled(e.samples(), 9);
        let scores = |e: &Ensemble, truth: &Partition| -> Vec<f64> {
            let score = |seed| {
                let ctx = &Ctx::default().with_seed(seed);
                let found = method.run(e, 4, ctx).unwrap().partition;
                Contingency::of(truth, &found).unwrap().ari()
            };
            (0..SEEDS).map(score).collect()
        };
        let truth = Partition::from_labels(truth);
        let before = scores(&e, &truth);
        let after = scores(&e.rearranged(&order).unwrap(), &truth.rearranged(&order));
        let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
        let variance =
            |x: &[f64]| x.iter().map(|v| (v - mean(x)).powi(2)).sum::<f64>() / (x.len() - 1) as f64;
        let error = ((variance(&before) + variance(&after)) / SEEDS as f64).sqrt();
        let (before, after) = (mean(&before), mean(&after));
        assert!(before > 0.5, "{name}: nothing to lose at a score of {before}");
        let moved = (before - after).abs();
        assert!(moved <= 2.0 * error + 1e-9, "{name}: {before} became {after}, error {error}");
    }
}
