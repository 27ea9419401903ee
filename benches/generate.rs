//! Time and quality of a pool of k-means.
//!
//! ```text
//! cargo bench --bench generate -- overlapping 20000 16 100 target/generate
//! ```
//!
//! Arguments: kind of features, samples, features, base clusterings, a folder. The features are
//! `uniform` in a cube, or blobs around 40 centres in it, `apart` or `overlapping`. Prints:
//! seconds, mean inertia. Writes the data for the comparison with other programs to the folder:
//! `features.f64` (little-endian doubles in row-major order) and `pool.txt` (number of clusters
//! and inertia of each clustering).

mod common;

use std::path::Path;
use std::time::Instant;

use enclust::core::Ensemble;
use enclust::generate::{KMeansPool, KMeansPoolParams};

use common::Random;

const HEAPS: usize = 40;

fn main() {
    let given = common::arguments();
    let [kind, samples, dimension, size, folder] = &given[..] else {
        println!("usage: generate uniform|apart|overlapping SAMPLES FEATURES SIZE FOLDER");
        return;
    };
    let [samples, dimension, size] =
        [samples, dimension, size].map(|number| number.parse().expect("a whole number"));
    let features = features(kind, samples, dimension);
    let pool = KMeansPool::new(KMeansPoolParams::default().size(size));
    let pool = pool.expect("valid");
    let began = Instant::now();
    let ensemble = pool.generate(&features, dimension).expect("runs");
    let seconds = began.elapsed().as_secs_f64();
    let inertias: Vec<f64> =
        (0..size).map(|b| inertia(&features, dimension, &ensemble, b)).collect();
    leave(Path::new(folder), &features, &ensemble, &inertias).expect("a folder to write to");
    println!("{seconds:.4} {:.2}", inertias.iter().sum::<f64>() / size as f64);
}

fn features(kind: &str, samples: usize, dimension: usize) -> Vec<f64> {
    let mut random = Random(7);
    // Standard deviation of a blob, in a cube of side 1.
    let spread = match kind {
        "apart" => 0.05,
        "overlapping" => 0.25,
        "uniform" => return (0..samples * dimension).map(|_| random.unit()).collect(),
        other => panic!("no kind of features is called {other}"),
    };
    let centres: Vec<f64> = (0..HEAPS * dimension).map(|_| random.unit()).collect();
    // The sum of twelve uniform numbers has variance 1.
    let mut bell = || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
    (0..samples * dimension).map(|at| centres[at % centres.len()] + spread * bell()).collect()
}

/// Squared distances of the samples to the mean of their cluster, added up.
fn inertia(features: &[f64], dimension: usize, ensemble: &Ensemble, clustering: usize) -> f64 {
    let labels = ensemble.column(clustering);
    let k = ensemble.clusters()[clustering];
    let (mut means, mut counts) = (vec![0.0; k * dimension], vec![0.0; k]);
    let rows = || features.chunks_exact(dimension).zip(labels.iter().map(|&l| l as usize));
    for (row, label) in rows() {
        counts[label] += 1.0;
        row.iter().enumerate().for_each(|(j, x)| means[label * dimension + j] += x);
    }
    let mean = |label: usize, j: usize| means[label * dimension + j] / counts[label];
    let squares = rows().flat_map(|(row, label)| {
        row.iter().enumerate().map(move |(j, x)| (x - mean(label, j)).powi(2))
    });
    squares.sum()
}

fn leave(
    folder: &Path,
    features: &[f64],
    ensemble: &Ensemble,
    inertias: &[f64],
) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let bytes: Vec<u8> = features.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(folder.join("features.f64"), bytes)?;
    let lines = ensemble.clusters().iter().zip(inertias).map(|(k, i)| format!("{k} {i}\n"));
    std::fs::write(folder.join("pool.txt"), lines.collect::<String>())
}
