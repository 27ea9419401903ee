//! An ablation that replaces one part at a time: `cargo run --release --example ablation`.
//!
//! Clusters two moons, which no run of k-means separates, from several pools of k-means. This is
//! a toy example of how parts are replaced: on other moons most rows are equal, and the value of
//! a part can be measured only on real data.

use enclust::generate::{KMeansPool, KMeansPoolParams};
use enclust::prelude::*;
use enclust_experiment::Summary;

const SAMPLES: usize = 240;

/// Two interlocking half circles with a little noise.
fn moons() -> Vec<f64> {
    let point = |i: usize| {
        let angle = std::f64::consts::PI * (i / 2) as f64 / (SAMPLES / 2) as f64;
        let radius = 0.7 + 0.6 * (i * 37 % 101) as f64 / 101.0;
        let (x, y) = (radius * angle.cos(), radius * angle.sin());
        if i.is_multiple_of(2) { [x, y] } else { [1.0 - x, 0.5 - y] }
    };
    (0..SAMPLES).flat_map(point).collect()
}

fn main() -> Result<(), Error> {
    let points = moons();
    let truth = Partition::from_labels((0..SAMPLES).map(|i| i % 2));
    let pool = |seed| {
        let params = KMeansPoolParams::default().size(20).seed(seed);
        KMeansPool::new(params)?.generate(&points, 2)
    };
    let ensembles: Vec<Ensemble> = (0..8).map(pool).collect::<Result<_, _>>()?;

    let paper =
        Pipeline::new(Lwca::default(), Threshold::default(), Admm::default(), Linkage::average())?;
    let no_laplacian = Admm::default().laplacian(false);
    let no_fixed = Admm::default().fixed(false);
    let rows: [(&str, Box<dyn Method<f64>>); 6] = [
        ("the paper's method", Box::new(paper.clone())),
        ("no enhancement", Box::new(paper.clone().with_enhance(NoEnhancement)?)),
        ("no Laplacian term", Box::new(paper.clone().with_enhance(no_laplacian)?)),
        ("no fixed entries", Box::new(paper.clone().with_enhance(no_fixed)?)),
        ("plain co-association", Box::new(paper.clone().with_ca(Eac)?)),
        ("spectral clustering", Box::new(paper.with_consensus(Spectral::default())?)),
    ];

    println!("{:<22} {:<20} ARI over {} ensembles", "", "parts", ensembles.len());
    let mut means = Vec::new();
    for (change, method) in &rows {
        let ari = |ensemble| {
            let outcome = method.run(ensemble, 2, &Ctx::default())?;
            Ok(Scores::of(&truth, &outcome.partition)?.ari)
        };
        let summary = Summary::of(&ensembles.iter().map(ari).collect::<Result<Vec<_>, Error>>()?)?;
        println!("{change:<22} {:<20} {summary}", method.name());
        means.push(summary.mean);
    }
    assert!(means[0] > means[1] && means[0] > means[2], "it is the Laplacian that helps here");
    Ok(())
}

#[test]
fn runs() -> Result<(), Error> {
    main()
}
