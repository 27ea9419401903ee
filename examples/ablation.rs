//! Every part swapped, in every combination: `cargo run --release --example ablation`.
//!
//! The data are two moons, which no run of k-means tells apart, clustered from a pool of k-means
//! clusterings. They show how parts are swapped, not what a part is worth: that depends on the
//! data. `examples/ablation.toml` is the same study as a file, for pools of your own.

use std::collections::BTreeMap;

use enclust::core::{Metered, Part, PipelineSpec, Registry, Stage};
use enclust::generate::{KMeansPool, KMeansPoolParams};
use enclust::prelude::*;

const SAMPLES: usize = 240;

/// The parts to combine. The enhancer comes first, because it decides whether there are confident
/// pairs and a stopping rule to swap.
const PARTS: [(Stage, &[&str]); 6] = [
    (Stage::Enhance, &["none", "admm", "exact"]),
    (Stage::Ca, &["eac", "lwca"]),
    (Stage::Confidence, &["none", "threshold", "two-sided"]),
    (Stage::Stop, &["authors", "kkt", "labels"]),
    (Stage::Consensus, &["average", "spectral"]),
    (Stage::Backend, &["reference", "mixed"]),
];

/// Two half circles that reach into each other, slightly blurred.
fn moons() -> Vec<f64> {
    let point = |i: usize| {
        let angle = std::f64::consts::PI * (i / 2) as f64 / (SAMPLES / 2) as f64;
        let radius = 0.7 + 0.6 * (i * 37 % 101) as f64 / 101.0;
        let (x, y) = (radius * angle.cos(), radius * angle.sin());
        if i.is_multiple_of(2) { [x, y] } else { [1.0 - x, 0.5 - y] }
    };
    (0..SAMPLES).flat_map(point).collect()
}

/// Every combination of the parts, as names.
fn combinations(registry: &Registry<f64>) -> Result<Vec<PipelineSpec>, Error> {
    let mut specs = vec![registry.preset("ec-cms")?.spec.clone()];
    for (stage, names) in PARTS {
        let mut next = Vec::new();
        for spec in &specs {
            for name in names {
                let mut swapped = spec.clone();
                registry.swap(&mut swapped, stage, Part::named(*name))?;
                next.push(swapped);
            }
        }
        specs = next;
    }
    Ok(specs)
}

fn main() -> Result<(), Error> {
    let truth = Partition::from_labels((0..SAMPLES).map(|i| i % 2));
    let params = KMeansPoolParams::default().size(20).seed(1);
    let ensemble = KMeansPool::new(params)?.generate(&moons(), 2)?;
    let registry = standard::<f64>();
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    println!("  ARI  calls of the backend  parts");
    for spec in combinations(&registry)? {
        let pipeline = match registry.pipeline(&spec) {
            Ok(pipeline) => pipeline,
            Err(reason) => {
                *refused.entry(reason.to_string()).or_default() += 1;
                continue;
            }
        };
        let backend = registry.backend.build(spec.backend.as_ref().expect("one is named"))?;
        let metered = Metered::new(&*backend);
        let outcome = pipeline.run(&ensemble, 2, &Ctx::new(&metered))?;
        let ari = Scores::of(&truth, &outcome.partition)?.ari;
        let calls: u64 = metered.usage().kernels.iter().map(|used| used.calls).sum();
        println!("{ari:>5.3}  {calls:>20}  {spec}");
    }
    println!("\nLeft out, because the parts do not fit together:");
    for (reason, count) in &refused {
        println!("{count:>3} combinations: {reason}");
    }
    assert!(refused.keys().any(|reason| reason.contains("authors")), "exact has no such figures");
    Ok(())
}

#[test]
fn runs() -> Result<(), Error> {
    main()
}
