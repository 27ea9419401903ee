//! Time and memory of EC-CMS on synthetic ensembles of any size.
//!
//! ```text
//! cargo bench --bench synthetic -- 10000 1000000 1
//! ```
//!
//! Arguments: distinct points, samples, repetitions. The points lie in four dimensions
//! around 40 centres; each of 20 clusterings is the Voronoi diagram of some of them
//! (2 to √points cells), and every point represents samples / points samples. Prints: n, n',
//! entries of H per row, iterations, seconds of microclusters, representation, confidence,
//! enhancement, consensus, and of the whole run (the repetition with the best whole), peak
//! memory of the process in MB.

mod common;

use std::time::Instant;

use enclust::core::{Ca, Confidence, Ctx, Ensemble, Microclusters, Question};
use enclust::prelude::*;

use common::Random;

const CLUSTERINGS: usize = 20;

type Point = [f64; 4];

fn main() {
    let given = common::arguments();
    let numbers: Vec<usize> = given.iter().filter_map(|a| a.parse().ok()).collect();
    let [points, samples, repetitions] = numbers[..] else {
        println!("usage: synthetic POINTS SAMPLES REPETITIONS");
        return;
    };
    let ensemble = voronoi(points, samples);
    let (method, backend) = (common::method("ec-cms", 0.8, &[]), common::backend());
    let mut best: Option<(f64, String)> = None;
    for _ in 0..repetitions.max(1) {
        let began = Instant::now();
        let (fit, _) = common::fit_and_cut(&method, &ensemble, 40, &Ctx::new(&*backend));
        let whole = began.elapsed().as_secs_f64();
        let stages = fit.timings.iter().map(|(_, t)| format!("{:.4}", t.as_secs_f64()));
        let stages = stages.collect::<Vec<_>>().join(" ");
        let line = format!("{} {stages} {whole:.4}", fit.report.iterations);
        if best.as_ref().is_none_or(|b| whole < b.0) {
            best = Some((whole, line));
        }
    }
    let peak = common::peak_megabytes();
    let (groups, links) = graph(&ensemble);
    println!("{samples} {groups} {links:.1} {} {peak}", best.expect("one run").1);
}

/// n' and the entries of H per row.
fn graph(ensemble: &Ensemble) -> (usize, f64) {
    let micro = Microclusters::of(ensemble);
    let ctx = &Ctx::<f64>::default();
    let evidence = Eac.build(&micro, &Question::default(), ctx).expect("complete labels");
    let similarity = evidence.as_similarity().expect("a similarity");
    let confident = Threshold::default().select(&micro, similarity, ctx).expect("selects");
    (micro.len(), confident.graph.entries() as f64 / micro.len() as f64)
}

fn voronoi(points: usize, samples: usize) -> Ensemble {
    let mut random = Random(7);
    let centres: Vec<Point> = (0..40).map(|_| [(); 4].map(|()| random.unit())).collect();
    let positions: Vec<Point> = (0..points)
        .map(|i| {
            let centre = centres[i % centres.len()];
            centre.map(|c| c + 0.1 * (random.unit() + random.unit() + random.unit() - 1.5))
        })
        .collect();
    let columns: Vec<Vec<usize>> = (0..CLUSTERINGS)
        .map(|_| {
            let most = (points as f64).sqrt();
            let cells = 2 + (random.unit() * (most - 2.0)) as usize;
            let sites: Vec<Point> =
                (0..cells).map(|_| positions[(random.unit() * points as f64) as usize]).collect();
            positions.iter().map(|p| nearest(&sites, p)).collect()
        })
        .collect();
    Ensemble::from_keys(samples, CLUSTERINGS, |i, k| Some(columns[k][i % points]))
        .expect("not empty")
}

fn nearest(sites: &[Point], p: &Point) -> usize {
    let distance = |s: &Point| s.iter().zip(p).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let by_distance = |a: &usize, b: &usize| distance(&sites[*a]).total_cmp(&distance(&sites[*b]));
    (0..sites.len()).min_by(by_distance).expect("at least two sites")
}
