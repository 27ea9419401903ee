//! Published values on the authors' pools and draws.
//!
//! The pools are not part of the project. The variable `ENCLUST_POOLS` gives the folder that
//! contains them; without it, these checks are skipped with a message.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use enclust::core::{
    BoxedPipeline, Ca, Confidence, Ctx, Enhance, Method, Microclusters, Part, PipelineSpec,
    Problem, Question, Similarity,
};
use enclust::enhance::{Exact, Storage, Threshold};
use enclust::metrics::Scores;
use enclust::registry::{DEFAULT_BACKEND, standard};
use enclust_experiment::{PaperDraws, Summary};
use enclust_io::{Pool, read_pool};

const RUNS: usize = 20;
const ENSEMBLE: usize = 20;

fn pools() -> Option<PathBuf> {
    let folder = std::env::var_os("ENCLUST_POOLS").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: ENCLUST_POOLS is not set, the authors' pools are not here");
    }
    folder
}

fn load(dataset: &str) -> Option<Pool> {
    let path = pools()?.join(format!("{dataset}.mat"));
    Some(read_pool(&path).unwrap_or_else(|e| panic!("{e}")))
}

/// ARI of each of the paper's draws at the true number of clusters.
fn scores(pool: &Pool, method: &BoxedPipeline<f64>) -> Vec<f64> {
    let truth = pool.truth.as_ref().expect("the pools carry their truth");
    let registry = standard::<f64>();
    let backend = registry.backend.build(&Part::named(DEFAULT_BACKEND)).unwrap();
    let iterations = AtomicUsize::new(0);
    let draws = PaperDraws::new(pool.ensemble.clusterings(), ENSEMBLE, 1).unwrap().take(RUNS);
    let scores = draws
        .map(|columns| {
            let ensemble = pool.ensemble.select(&columns).unwrap();
            let outcome = method.run(&ensemble, truth.clusters(), &Ctx::new(&*backend)).unwrap();
            iterations.fetch_add(outcome.report.iterations, Ordering::Relaxed);
            Scores::of(truth, &outcome.partition).unwrap().ari
        })
        .collect();
    let mean = iterations.load(Ordering::Relaxed) as f64 / RUNS as f64;
    println!("{}: {mean:.1} iterations on average", enclust::core::Component::name(method));
    scores
}

fn preset(name: &str) -> PipelineSpec {
    standard::<f64>().preset(name).unwrap().spec.clone()
}

/// Mean and sample standard deviation to three decimals, as published.
#[test]
fn lwea_equals_the_published_table() {
    let method = standard().pipeline(&preset("lwea")).unwrap();
    for (dataset, mean, std) in [
        ("Ecoli", "0.430", "0.030"),
        ("Aggregation", "0.928", "0.096"),
        ("UMIST", "0.348", "0.038"),
        ("SPF", "0.084", "0.018"),
        ("Caltech20", "0.367", "0.033"),
        ("FCT", "0.130", "0.016"),
        ("Texture", "0.705", "0.045"),
    ] {
        let Some(pool) = load(dataset) else { return };
        let summary = Summary::of(&scores(&pool, &method)).unwrap();
        println!(
            "LWEA {dataset}: {:.4} ± {:.4}, published {mean} ± {std}",
            summary.mean, summary.std
        );
        assert_eq!(
            (format!("{:.3}", summary.mean).as_str(), format!("{:.3}", summary.std).as_str()),
            (mean, std),
            "{dataset}"
        );
    }
}

/// Means of an independent transcription of the authors' program on the same
/// draws, within 0.003.
#[test]
fn admm_agrees_with_reference_runs() {
    let registry = standard::<f64>();
    for (dataset, alpha, lambda, mean) in [
        ("Ecoli", 0.8, 0.4, 0.489),
        ("Ecoli", 0.75, 0.01, 0.755),
        ("Ecoli", 0.75, 0.05, 0.721),
        ("Aggregation", 0.8, 0.4, 0.989),
        ("UMIST", 0.8, 0.4, 0.367),
        ("SPF", 0.8, 0.4, 0.103),
        ("Caltech20", 0.8, 0.4, 0.416),
        ("FCT", 0.8, 0.4, 0.168),
        ("Texture", 0.8, 0.4, 0.712),
    ] {
        let Some(pool) = load(dataset) else { return };
        let mut spec = preset("ec-cms-admm");
        spec.confidence = spec.confidence.set("alpha", alpha);
        spec.enhance = spec.enhance.set("lambda", lambda);
        let began = std::time::Instant::now();
        let summary = Summary::of(&scores(&pool, &registry.pipeline(&spec).unwrap())).unwrap();
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "EC-CMS (Admm) {dataset} α {alpha} λ {lambda}: {:.4} ± {:.4}, reference {mean}; {seconds:.1} s",
            summary.mean, summary.std
        );
        assert!(
            (summary.mean - mean).abs() <= 0.003,
            "{dataset} at α {alpha}, λ {lambda}: {:.4}",
            summary.mean
        );
    }
}

/// ‖X − Y‖ over the samples, off the diagonal, and the largest difference.
fn distance(x: &Similarity<f64>, y: &Similarity<f64>) -> (f64, f64) {
    let sizes = x.grouping().sizes();
    let (mut square, mut largest) = (0.0, 0.0_f64);
    for p in 0..x.len() {
        for (at, (a, b)) in x.row(p).iter().zip(y.row(p)).enumerate() {
            square += 2.0 * (sizes[p] * sizes[p + 1 + at]) as f64 * (a - b).powi(2);
            largest = largest.max((a - b).abs());
        }
    }
    (square.sqrt(), largest)
}

/// Compares the default tolerance with a solve to 1e-12 in double precision.
#[test]
fn exact_is_as_close_to_the_optimum_as_it_says() {
    let ctx = &Ctx::<f64>::default();
    for (dataset, draws) in [
        ("Ecoli", 20),
        ("Aggregation", 20),
        ("UMIST", 20),
        ("SPF", 20),
        ("Caltech20", 3),
        ("FCT", 1),
    ] {
        let Some(pool) = load(dataset) else { return };
        for columns in PaperDraws::new(100, ENSEMBLE, 1).unwrap().take(draws) {
            let micro = Microclusters::of(&pool.ensemble.select(&columns).unwrap());
            let evidence =
                enclust::ca::Lwca::default().build(&micro, &Question::default(), ctx).unwrap();
            let similarity = evidence.as_similarity().unwrap();
            let confident = Threshold::default().select(&micro, similarity, ctx).unwrap();
            let problem = Problem::new(similarity, &confident).unwrap();
            let tight = Exact::default().tolerance(1e-12).storage(Storage::Double);
            let optimum = tight.enhance(&problem, ctx).unwrap();
            let given = Exact::default().enhance(&problem, ctx).unwrap();
            let certificate = given.report.certificate.unwrap();
            let (norm, largest) = distance(&given.similarity, &optimum.similarity);
            assert!(norm <= certificate.distance, "{dataset}: {norm}, {certificate:?}");
            assert!(largest <= certificate.largest_distance, "{dataset}: {largest}");
        }
        println!("{dataset}: within its certificate in {draws} draws");
    }
}

/// Number of the 203 samples of Lung that SPCE matches, from the authors' stored results: one
/// row for each of ten ensembles of 20 clusterings, one column for each τ = 0, 0.1, …, 0.9.
const SPCE_ON_LUNG: [[usize; 10]; 10] = [
    [184, 184, 184, 181, 180, 178, 178, 166, 166, 165],
    [185, 185, 178, 178, 178, 175, 176, 159, 159, 152],
    [186, 186, 184, 182, 170, 173, 171, 141, 141, 136],
    [185, 185, 185, 184, 184, 179, 179, 134, 134, 134],
    [185, 183, 179, 179, 178, 174, 177, 172, 172, 170],
    [178, 187, 180, 178, 177, 177, 177, 176, 176, 138],
    [184, 184, 183, 181, 183, 177, 177, 171, 171, 113],
    [184, 186, 165, 181, 167, 180, 176, 158, 158, 121],
    [185, 185, 175, 181, 166, 159, 159, 142, 142, 139],
    [187, 185, 184, 182, 187, 168, 178, 118, 118, 97],
];

/// The same for TRCE with λ = 1e-5, 1e-4, …, 1e5, with samples weighed by the last clustering.
const TRCE_ON_LUNG: [[usize; 11]; 10] = [
    [170, 170, 170, 170, 171, 170, 175, 186, 141, 140, 139],
    [178, 178, 178, 151, 151, 150, 166, 159, 173, 138, 138],
    [185, 185, 185, 185, 185, 180, 185, 171, 138, 138, 139],
    [173, 185, 167, 184, 168, 162, 164, 186, 139, 139, 139],
    [159, 174, 174, 169, 168, 166, 166, 170, 139, 139, 139],
    [178, 177, 186, 168, 180, 149, 173, 164, 170, 158, 138],
    [160, 117, 185, 182, 164, 162, 165, 185, 139, 139, 139],
    [185, 185, 185, 183, 124, 120, 152, 161, 159, 139, 139],
    [169, 171, 171, 171, 171, 162, 168, 186, 139, 139, 139],
    [181, 183, 181, 126, 124, 138, 151, 160, 159, 139, 139],
];

/// Samples that a method matches on the e-th ensemble of Lung.
fn matched(pool: &Pool, ensemble: usize, spec: &PipelineSpec) -> usize {
    let truth = pool.truth.as_ref().expect("the pools carry their truth");
    let columns: Vec<usize> = (20 * ensemble..20 * (ensemble + 1)).collect();
    let drawn = pool.ensemble.select(&columns).unwrap();
    let method = standard::<f64>().pipeline(spec).unwrap();
    let found = method.run(&drawn, truth.clusters(), &Ctx::default()).unwrap().partition;
    let accuracy = Scores::of(truth, &found).unwrap().accuracy;
    (accuracy * truth.len() as f64).round() as usize
}

#[test]
fn spce_equals_the_authors_results_on_lung() {
    let Some(pool) = load("Lung") else { return };
    for (ensemble, row) in SPCE_ON_LUNG.iter().enumerate() {
        for (tenths, &wanted) in row.iter().enumerate() {
            let mut spec = preset("spce");
            spec.ca = spec.ca.set("tau", tenths as f64 / 10.0);
            let found = matched(&pool, ensemble, &spec);
            assert_eq!(found, wanted, "ensemble {}, tau {tenths}/10", ensemble + 1);
        }
    }
    println!("SPCE on Lung: 100 of 100 cells");
}

#[test]
fn trce_equals_the_authors_results_on_lung() {
    let Some(pool) = load("Lung") else { return };
    for (ensemble, row) in TRCE_ON_LUNG.iter().enumerate() {
        for (exponent, &wanted) in (-5..).zip(row) {
            let mut spec = preset("trce");
            spec.ca =
                spec.ca.set("lambda", 10.0_f64.powi(exponent)).set("last_clustering_weighs", true);
            let found = matched(&pool, ensemble, &spec);
            assert_eq!(found, wanted, "ensemble {}, lambda 1e{exponent}", ensemble + 1);
        }
    }
    println!("TRCE on Lung: 110 of 110 cells");
}
