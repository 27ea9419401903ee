//! What must-links taken from the truth change: the table of section 3.6 of `docs/theory.md`.
//!
//! ```text
//! pip install scikit-learn
//! python -c 'import numpy, sklearn.datasets as d
//! for name in "wine", "breast_cancer":
//!     x, y = getattr(d, "load_" + name)(return_X_y=True)
//!     numpy.savetxt(name + ".csv", numpy.c_[x, y], delimiter=",", fmt="%.10g")'
//! cp crates/cli/data/digits.csv .
//! ENCLUST_POOLS=… cargo bench --bench must_links -- 20 5,20,100 \
//!     ec-cms,ec-cms/consensus=spectral,lwea digits.csv wine.csv breast_cancer.csv Ecoli
//! ```
//!
//! Arguments: number of draws, numbers of pairs, methods (as for the bench `orders`), data. Data
//! are features with the class in the last column (`NAME.csv`; `NAME.csv@scaled` scales them to
//! unit variance), of which a k-means pool of 100 clusterings is made, or one of the authors'
//! pools. Each draw takes 20 of the 100 clusterings as the paper does, and random pairs of samples
//! of one class. Prints for each method, data set and number of pairs: mean ARI without and with
//! the pairs, the mean of the differences and its standard error.

mod common;

use enclust::core::{BoxedPipeline, Constraints, Ctx, Ensemble, Partition, PipelineSpec};
use enclust::generate::{KMeansPool, KMeansPoolParams, Scale};
use enclust::metrics::Scores;
use enclust::registry::standard;
use enclust_experiment::PaperDraws;

fn main() {
    let given = common::arguments();
    let [draws, pairs, methods, datasets @ ..] = given.as_slice() else {
        println!("usage: must_links DRAWS PAIRS,… METHOD,… DATA…");
        return;
    };
    let draws = draws.parse().expect("a number of draws");
    let pairs: Vec<usize> = pairs.split(',').map(|word| word.parse().expect("a count")).collect();
    println!("data | method | pairs | without | with | difference | standard error");
    println!("---|---|---|---|---|---|---");
    for dataset in datasets {
        let data = Data::read(dataset);
        for words in methods.split(',') {
            let spec = common::spec(words);
            let without = data.scores(&spec, draws, 0);
            for &count in &pairs {
                let with = data.scores(&spec, draws, count);
                line(&[dataset, words], count, &without, &with);
            }
        }
    }
}

fn line(names: &[&str], count: usize, without: &[f64], with: &[f64]) {
    let differences: Vec<f64> = with.iter().zip(without).map(|(a, b)| a - b).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let middle = mean(&differences);
    let squares: f64 = differences.iter().map(|d| (d - middle).powi(2)).sum();
    let error = (squares / (differences.len() * (differences.len() - 1)) as f64).sqrt();
    println!(
        "{} | {count} | {:.4} | {:.4} | {middle:+.4} | {error:.4}",
        names.join(" | "),
        mean(without),
        mean(with),
    );
}

struct Data {
    pool: Ensemble,
    truth: Partition,
}

impl Data {
    fn read(name: &str) -> Self {
        let (file, scale) = match name.strip_suffix("@scaled") {
            Some(file) => (file, Scale::UnitVariance),
            None => (name, Scale::None),
        };
        if !file.ends_with(".csv") {
            let (pool, truth) = common::pool(file);
            return Data { pool: pool.ensemble, truth };
        }
        let text = std::fs::read_to_string(file).expect("a readable file");
        // A header is not a row of numbers.
        let numbers = |line: &str| line.split(',').map(|cell| cell.parse().ok()).collect();
        let rows: Vec<Vec<f64>> = text.lines().filter_map(numbers).collect();
        let dimension = rows[0].len() - 1;
        let features: Vec<f64> = rows.iter().flat_map(|row| &row[..dimension]).copied().collect();
        let generator = KMeansPool::new(KMeansPoolParams::default().scale(scale)).expect("valid");
        Data {
            pool: generator.generate(&features, dimension).expect("features"),
            truth: Partition::from_labels(rows.iter().map(|row| row[dimension].to_bits())),
        }
    }

    /// The ARI of each draw, with this many must-links.
    fn scores(&self, spec: &PipelineSpec, draws: usize, count: usize) -> Vec<f64> {
        let columns = PaperDraws::new(self.pool.clusterings(), 20, 1).expect("valid").take(draws);
        let backend = common::backend();
        let score = |(draw, columns): (usize, Vec<usize>)| {
            let ensemble = self.pool.select(&columns).expect("columns of the pool");
            let known = Constraints::new(self.truth.len(), &self.pairs(draw, count), &[]);
            let method: BoxedPipeline<f64> = standard().pipeline(spec).expect("valid");
            let method = method.with_constraints(known.expect("no contradictions"));
            let (k, ctx) = (self.truth.clusters(), Ctx::new(&*backend));
            let (_, found) = common::fit_and_cut(&method, &ensemble, k, &ctx);
            Scores::of(&self.truth, &found).expect("the same samples").ari
        };
        columns.enumerate().map(score).collect()
    }

    /// Random pairs of samples of one class.
    fn pairs(&self, draw: usize, count: usize) -> Vec<(usize, usize)> {
        let mut random = common::Random((1000 * draw + count) as u64);
        let mut sample = || (random.unit() * self.truth.len() as f64) as usize;
        let labels = self.truth.labels();
        let mut pairs = Vec::with_capacity(count);
        while pairs.len() < count {
            let (i, j) = (sample(), sample());
            if i != j && labels[i] == labels[j] {
                pairs.push((i, j));
            }
        }
        pairs
    }
}
