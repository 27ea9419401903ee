//! Common code of the benchmark programs.
#![allow(dead_code, reason = "each program uses a part of it")]

use std::path::PathBuf;

use enclust::core::{
    Backend, BoxedPipeline, Ctx, Ensemble, Fit, Method, Part, Partition, PipelineSpec, Question,
};
use enclust::registry::{DEFAULT_BACKEND, standard};
use enclust_experiment::PaperDraws;
use enclust_io::{Pool, read_pool};

/// The arguments of the program, without the flags that cargo adds.
pub fn arguments() -> Vec<String> {
    std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect()
}

/// One of the authors' pools, with its truth; ends the program with a message if
/// `ENCLUST_POOLS` is not set.
pub fn pool(dataset: &str) -> (Pool, Partition) {
    let Some(folder) = std::env::var_os("ENCLUST_POOLS").map(PathBuf::from) else {
        println!("skipped: ENCLUST_POOLS is not set");
        std::process::exit(0);
    };
    let pool = read_pool(folder.join(format!("{dataset}.mat"))).expect("a readable pool");
    let truth = pool.truth.clone().expect("pools carry their truth");
    (pool, truth)
}

/// The paper's draws of 20 clusterings, one after the other.
pub fn draws(pool: &Pool) -> impl Iterator<Item = Ensemble> + '_ {
    let draws = PaperDraws::new(pool.ensemble.clusterings(), 20, 1).expect("valid");
    draws.map(|columns| pool.ensemble.select(&columns).expect("columns of the pool"))
}

/// The fastest backend of this build.
pub fn backend() -> Box<dyn Backend<f64>> {
    standard::<f64>().backend.build(&Part::named(DEFAULT_BACKEND)).expect("known")
}

/// Fits a method and cuts it into k clusters, without the comparison with the result before
/// enhancement that [`Method::run`] adds.
pub fn fit_and_cut(
    method: &BoxedPipeline<f64>,
    ensemble: &Ensemble,
    k: usize,
    ctx: &Ctx<'_, f64>,
) -> (Fit<f64>, Partition) {
    let fit = method.fit(ensemble, &Question::clusters(k), ctx).expect("runs");
    let partition = fit.cut(k, ctx).expect("a possible k");
    (fit, partition)
}

/// A method by name, with parameters of its confidence part and its enhancer. The confidence part
/// is as published.
pub fn method(preset: &str, alpha: f64, enhancer: &[(&str, f64)]) -> BoxedPipeline<f64> {
    let registry = standard::<f64>();
    let mut spec = registry.preset(preset).expect("known").spec.clone();
    if spec.confidence.name == "threshold" {
        spec.confidence = spec.confidence.set("alpha", alpha).set("giant", 1);
    }
    for &(name, value) in enhancer {
        spec.enhance = spec.enhance.set(name, value);
    }
    registry.pipeline(&spec).expect("valid")
}

/// A method by name, possibly with parts that replace its own:
/// `lwgp/consensus=tcut(replicates=3)`.
pub fn spec(words: &str) -> PipelineSpec {
    let registry = standard::<f64>();
    let mut words = words.split('/');
    let name = words.next().expect("a name");
    let mut spec = registry.preset(name).expect("known").spec.clone();
    for word in words {
        let (stage, part) = word.split_once('=').expect("STAGE=PART");
        let stage = stage.parse().expect("a stage");
        registry.swap(&mut spec, stage, part.parse().expect("a part")).expect("known");
    }
    spec
}

/// The peak memory of this process in MB; 0 if the system does not report it.
pub fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse().ok()).unwrap_or(0_u64) / 1024
}

/// SplitMix64: the same data on every machine.
pub struct Random(pub u64);

impl Random {
    /// A number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
