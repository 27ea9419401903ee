//! A sweep over λ: every solve from scratch, and each solve from the previous solutions.
//!
//! ```text
//! ENCLUST_POOLS=… cargo bench --bench sweep -- 20 LS
//! ```
//!
//! Arguments: number of points from λ = 0.01 to 1, evenly spaced in their logarithm;
//! data sets. Prints one line per data set: name, seconds and iterations from scratch, seconds
//! and iterations along the path, the worst certificate of either.

mod common;

use std::time::Instant;

use enclust::core::{Ca, Confidence, Ctx, Enhance, Enhanced, Microclusters, Problem, Question};
use enclust::prelude::*;
use enclust_enhance::{Exact, ExactPath};

fn main() {
    let given = common::arguments();
    let [points, datasets @ ..] = given.as_slice() else {
        println!("usage: sweep POINTS DATASET…");
        return;
    };
    let points: usize = points.parse().expect("a number of points");
    let lambdas: Vec<f64> =
        (0..points).map(|i| 0.01 * 100_f64.powf(i as f64 / (points - 1) as f64)).collect();
    datasets.iter().for_each(|dataset| sweep(dataset, &lambdas));
}

fn sweep(dataset: &str, lambdas: &[f64]) {
    let (pool, _) = common::pool(dataset);
    let micro = Microclusters::of(&common::draws(&pool).next().expect("endless"));
    let ctx = &Ctx::<f64>::default();
    let evidence =
        Lwca::default().build(&micro, &Question::default(), ctx).expect("complete labels");
    let similarity = evidence.as_similarity().expect("a similarity");
    let confident = Threshold::default().select(&micro, similarity, ctx).expect("selects");
    let problem = Problem::new(similarity, &confident).unwrap();
    let mut cold = Measured::new();
    for &lambda in lambdas {
        let exact = Exact::default().lambda(lambda);
        cold.add(&exact.enhance(&problem, ctx).expect("solves"));
    }
    let cold = cold.line();
    let mut path = ExactPath::new(Exact::default());
    let mut warm = Measured::new();
    let each = |_, enhanced| {
        warm.add(&enhanced);
        Ok(())
    };
    path.sweep(&problem, lambdas, ctx, each).expect("solves");
    println!("{dataset} {cold} {}", warm.line());
}

/// The measurements of a sweep.
struct Measured {
    began: Instant,
    iterations: usize,
    worst: f64,
}

impl Measured {
    fn new() -> Self {
        Measured { began: Instant::now(), iterations: 0, worst: 0.0 }
    }

    fn add(&mut self, enhanced: &Enhanced<f64>) {
        self.iterations += enhanced.report.iterations;
        let certificate = enhanced.report.certificate.as_ref().expect("certified");
        self.worst = self.worst.max(certificate.relative_distance);
    }

    /// Seconds, iterations, worst certificate.
    fn line(&self) -> String {
        let seconds = self.began.elapsed().as_secs_f64();
        format!("{seconds:.3} {} {:.2e}", self.iterations, self.worst)
    }
}
