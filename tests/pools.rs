//! The published figures, on the authors' own pools and draws.
//!
//! The pools are not part of the project. The variable `ENCLUST_POOLS` names the
//! folder that holds them; without it these checks say that they were skipped.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use enclust::core::{
    BoxedPipeline, Confidence, Ctx, Enhancer, Method, Microclusters, Part, PipelineSpec, Problem,
    Represent, Similarity,
};
use enclust::enhance::{Exact, ExactParams, Storage, Threshold};
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
            let outcome =
                method.run(&ensemble, truth.clusters(), &mut Ctx::new(&*backend)).unwrap();
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

/// Mean and sample standard deviation to three decimals, as printed.
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

/// At the default tolerance, against a solve to 1e-12 in double precision.
#[test]
fn exact_is_as_close_to_the_optimum_as_it_says() {
    let ctx = &mut Ctx::<f64>::default();
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
            let evidence = enclust::ca::Lwca::default().build(&micro, ctx).unwrap();
            let similarity = evidence.as_similarity().unwrap();
            let confident = Threshold::default().select(&micro, similarity, ctx).unwrap();
            let problem = Problem { similarity, confident: &confident, start: None };
            let tight = ExactParams {
                tolerance: 1e-12,
                storage: Storage::Double,
                ..ExactParams::default()
            };
            let optimum = Exact::new(tight).unwrap().enhance(&problem, ctx).unwrap();
            let given = Exact::default().enhance(&problem, ctx).unwrap();
            let certificate = given.report.certificate.unwrap();
            let (norm, largest) = distance(&given.similarity, &optimum.similarity);
            assert!(norm <= certificate.distance, "{dataset}: {norm}, {certificate:?}");
            assert!(largest <= certificate.largest_distance, "{dataset}: {largest}");
        }
        println!("{dataset}: within its certificate in {draws} draws");
    }
}
