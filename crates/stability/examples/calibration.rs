//! The tables of `docs/stability.md`: how often each rule finds a known number of clusters, how
//! often structure is called clear for data with and without clusters, and the choices of the
//! rules for the pools in the folder given by `ENCLUST_POOLS`.
//!
//! ```text
//! cargo run --release -p enclust-stability --example calibration -- draws|eac|lwea|pools
//! cargo run --release -p enclust-stability --example calibration -- judge [SEEDS [DATA]]
//! cargo run --release -p enclust-stability --example calibration -- judge-file FEATURES.csv [SEEDS]
//! ```
//!
//! `judge` compares simulated data with references without clusters, all or those named, such as
//! `uniform`; `judge-file` the features in a file.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use enclust_ca::{Eac, Lwca};
use enclust_consensus::Linkage;
use enclust_core::{Ctx, Ensemble, Method, Pipeline};
use enclust_generate::kmeans_pool;
use enclust_io::{read_features, read_pool};
use enclust_stability::{
    JudgeParams, Judgement, Rule, Stability, StabilityParams, Verdict, choose, judge, stability,
};
use enclust_testkit::features::{
    blobs, elongated_cloud, normal_cloud, overlapping_blobs, uniform_cube,
};
use enclust_testkit::generate::planted;

type Outcome<T> = Result<T, Box<dyn Error>>;

const RULES: [Rule; 5] = [Rule::Auto, Rule::Agreement, Rule::Pac, Rule::DeltaArea, Rule::Gap];
const REPETITIONS: u64 = 20;

/// Samples and base clusterings of a setting.
const SETTINGS: [(usize, usize); 5] = [(100, 20), (100, 200), (300, 50), (300, 200), (1000, 20)];

/// A function that makes ensembles from (samples, clusterings, seed), and the number of
/// clusters; 1 if there are none.
struct Case {
    name: String,
    clusters: usize,
    make: Box<dyn Fn(usize, usize, u64) -> enclust_core::Result<Ensemble>>,
}

fn main() -> Outcome<()> {
    let eac = Pipeline::plain(Eac, Linkage::average())?;
    let lwea = Pipeline::plain(Lwca::default(), Linkage::average())?;
    match std::env::args().nth(1).as_deref() {
        Some("draws") => draw_sizes(&eac),
        Some("eac") => known_k(&eac),
        Some("lwea") => known_k(&lwea),
        Some("pools") => {
            let folder = std::env::var_os("ENCLUST_POOLS").ok_or("ENCLUST_POOLS is not set")?;
            on_pools(&eac, Path::new(&folder))
        }
        Some("judge") => judged(&eac, seeds(2)?),
        Some("judge-file") => {
            let path = std::env::args().nth(2).ok_or("name a file of features")?;
            judged_file(&eac, Path::new(&path), seeds(3)?)
        }
        _ => Err("name a table: draws, eac, lwea, pools, judge or judge-file".into()),
    }
}

fn blob_cases() -> Vec<Case> {
    let shapes = [
        (2, 2, 4.0),
        (2, 2, 6.0),
        (3, 2, 4.0),
        (3, 2, 6.0),
        (4, 2, 4.0),
        (4, 2, 6.0),
        (6, 2, 4.0),
        (6, 2, 6.0),
        (4, 5, 5.0),
        (8, 5, 6.0),
    ];
    let case = |(k, d, apart)| Case {
        name: format!("{k} blobs, d = {d}, {apart} apart"),
        clusters: k,
        make: Box::new(move |n, m, seed| kmeans_pool(&blobs(k, n, d, apart, seed), d, m, seed)),
    };
    shapes.into_iter().map(case).collect()
}

fn empty_cases() -> Vec<Case> {
    let cube = |d| Case {
        name: format!("uniform, d = {d}"),
        clusters: 1,
        make: Box::new(move |n, m, seed| kmeans_pool(&uniform_cube(n, d, seed), d, m, seed)),
    };
    let cloud = |d| Case {
        name: format!("normal, d = {d}"),
        clusters: 1,
        make: Box::new(move |n, m, seed| kmeans_pool(&normal_cloud(n, d, seed), d, m, seed)),
    };
    let noise = Case {
        name: "labels at random".into(),
        clusters: 1,
        make: Box::new(|n, m, seed| Ok(planted(n, m, n.isqrt(), 1.0, seed))),
    };
    vec![cube(1), cube(2), cube(3), cloud(1), cloud(2), cloud(5), noise]
}

fn study(
    method: &dyn Method<f64>,
    ensemble: &Ensemble,
    params: &StabilityParams,
) -> enclust_core::Result<Stability> {
    stability(method, ensemble, 2..=15, params, &Ctx::default())
}

/// The effect of the size of a draw on the stability of noise.
fn draw_sizes(method: &dyn Method<f64>) -> Outcome<()> {
    println!(
        "## The best agreement over k = 2..15, by the size of a draw (median of 20, largest)\n"
    );
    println!("| 100 samples, 200 clusterings | 5 | 10 | 20 | 100 |\n|---|---|---|---|---|");
    let blobs = ["4 blobs, d = 2, 6 apart", "6 blobs, d = 2, 4 apart"];
    let chosen = [&blobs[..], &["uniform, d = 1", "uniform, d = 2", "normal, d = 2"]].concat();
    let cases = blob_cases().into_iter().chain(empty_cases());
    for case in cases.filter(|case| chosen.contains(&case.name.as_str())) {
        print!("| {} |", case.name);
        for take in [5, 10, 20, 100] {
            let params = StabilityParams::default().take(Some(take));
            let mut best = Vec::new();
            for seed in 0..REPETITIONS {
                let found = study(method, &(case.make)(100, 200, seed)?, &params)?;
                best.push(found.levels.iter().map(|l| l.agreement).fold(-1.0, f64::max));
            }
            best.sort_by(f64::total_cmp);
            print!(" {:.2}, {:.2} |", best[best.len() / 2], best[best.len() - 1]);
        }
        println!();
    }
    Ok(())
}

/// How often k is found and structure is called clear, in each setting.
fn known_k(method: &dyn Method<f64>) -> Outcome<()> {
    println!(
        "\n## {}: right k by rule, and clear verdicts, of {REPETITIONS} runs per setting",
        method.name()
    );
    let settings: Vec<String> = SETTINGS.iter().map(|(n, m)| format!("{n} × {m}")).collect();
    println!("\nSettings (samples × clusterings): {}\n", settings.join(", "));
    println!(
        "| data | auto | agreement | pac | delta-area | gap | clear |\n|---|---|---|---|---|---|---|"
    );
    for case in blob_cases().into_iter().chain(empty_cases()) {
        let (mut right, mut clear) = ([0; RULES.len()], [0; SETTINGS.len()]);
        for (setting, &(n, m)) in SETTINGS.iter().enumerate() {
            for seed in 0..REPETITIONS {
                let ensemble = (case.make)(n, m, seed)?;
                let found = study(method, &ensemble, &StabilityParams::default())?;
                for (count, rule) in right.iter_mut().zip(RULES) {
                    *count += usize::from(choose(&found, rule)?.k == case.clusters);
                }
                clear[setting] +=
                    usize::from(choose(&found, Rule::Auto)?.verdict == Verdict::Clear);
            }
        }
        let rights = right.map(|count| match case.clusters {
            1 => "–".to_string(),
            _ => format!("{} %", 100 * count / (SETTINGS.len() * REPETITIONS as usize)),
        });
        println!(
            "| {} | {} | {} |",
            case.name,
            rights.join(" | "),
            clear.map(|c| c.to_string()).join(", ")
        );
    }
    Ok(())
}

/// The choices of the rules for real pools.
fn on_pools(method: &dyn Method<f64>, folder: &Path) -> Outcome<()> {
    println!("\n## Pools, {}, k = 2..15\n", method.name());
    println!(
        "| pool | classes | auto | agreement | pac | delta-area | gap | agreement there | verdict | seconds |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut files: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    files.sort_by_key(|file| file.path());
    for path in files.iter().map(|file| file.path()) {
        let pool = read_pool(&path)?;
        let clock = Instant::now();
        let found = study(method, &pool.ensemble, &StabilityParams::default())?;
        let seconds = clock.elapsed().as_secs_f64();
        let choices = RULES.map(|rule| choose(&found, rule)).into_iter();
        let choices = choices.collect::<enclust_core::Result<Vec<_>>>()?;
        let ks: Vec<String> = choices.iter().map(|choice| choice.k.to_string()).collect();
        let auto = &choices[0];
        let agreement = found.levels[auto.k - 2].agreement;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let classes = pool.truth.map_or(0, |truth| truth.clusters());
        println!(
            "| {name} | {classes} | {} | {agreement:.3} | {} | {seconds:.1} |",
            ks.join(" | "),
            auto.verdict
        );
    }
    Ok(())
}

/// The number of seeds, from an argument.
fn seeds(position: usize) -> Outcome<u64> {
    Ok(std::env::args().nth(position).map_or(Ok(REPETITIONS), |text| text.parse())?)
}

/// Compares features with their references, k = 2..20, pools of 100 clusterings.
fn judgement(
    method: &dyn Method<f64>,
    features: &[f64],
    dimension: usize,
    seed: u64,
) -> enclust_core::Result<Judgement> {
    let make = |features: &[f64], seed| kmeans_pool(features, dimension, 100, seed);
    let ctx = Ctx::default().with_seed(1000 * seed);
    judge(method, features, dimension, &make, 2..=20, &JudgeParams::default(), &ctx)
}

/// Simulated features with this number of clusters from (samples, dimension, seed).
type Simulated = (&'static str, usize, fn(usize, usize, u64) -> Vec<f64>);

/// How often the number of clusters is right for simulated data.
fn judged(method: &dyn Method<f64>, seeds: u64) -> Outcome<()> {
    const ERROR: f64 = 0.02;
    let cases: [Simulated; 6] = [
        ("3 blobs", 3, |n, d, seed| overlapping_blobs(3, n, d, ERROR, seed).0),
        ("5 blobs", 5, |n, d, seed| overlapping_blobs(5, n, d, ERROR, seed).0),
        ("8 blobs", 8, |n, d, seed| overlapping_blobs(8, n, d, ERROR, seed).0),
        ("uniform", 1, uniform_cube),
        ("normal", 1, normal_cloud),
        ("elongated", 1, elongated_cloud),
    ];
    println!("| data | n | d | right | answers | smallest and largest margin | seconds |");
    println!("|---|---|---|---|---|---|---|");
    let wanted = std::env::args().nth(3);
    let wanted = |name: &str| wanted.as_ref().is_none_or(|wanted| wanted == name);
    for (name, clusters, make) in cases.into_iter().filter(|(name, ..)| wanted(name)) {
        for (n, d) in [500, 2000].into_iter().flat_map(|n| [2, 10, 50].map(|d| (n, d))) {
            let clock = Instant::now();
            let found = (0..seeds).map(|seed| judgement(method, &make(n, d, seed), d, seed));
            let found = found.collect::<enclust_core::Result<Vec<_>>>()?;
            let seconds = clock.elapsed().as_secs_f64() / seeds as f64;
            let right = found.iter().filter(|judgement| judgement.k() == clusters).count();
            let (answers, margins) = (answers(&found), margins(&found));
            println!(
                "| {name} | {n} | {d} | {right}/{seeds} | {answers} | {margins} | {seconds:.1} |"
            );
        }
    }
    Ok(())
}

fn judged_file(method: &dyn Method<f64>, path: &Path, seeds: u64) -> Outcome<()> {
    let features = read_features(path)?;
    let found = (0..seeds)
        .map(|seed| judgement(method, &features.values, features.dimension, seed))
        .collect::<enclust_core::Result<Vec<_>>>()?;
    println!("{}: {} ({})", path.display(), answers(&found), margins(&found));
    Ok(())
}

/// The answers and how often each was given.
fn answers(found: &[Judgement]) -> String {
    let mut counts = std::collections::BTreeMap::new();
    found.iter().for_each(|judgement| *counts.entry(judgement.k()).or_insert(0) += 1);
    let counts: Vec<String> = counts.iter().map(|(k, count)| format!("{k} ({count})")).collect();
    counts.join(", ")
}

/// The range of agreement at the guess minus that of the references.
fn margins(found: &[Judgement]) -> String {
    let margins: Vec<f64> = (found.iter().filter_map(Judgement::at_guess))
        .map(|level| level.agreement - level.reference_agreement)
        .collect();
    let smallest = margins.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = margins.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{smallest:.2}, {largest:.2}")
}
