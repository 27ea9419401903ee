//! Data without clusters that have the size and the covariance of given data.

use enclust_core::{Ctx, Mat, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The distribution of the coordinates of a reference along the principal axes of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One normal cluster.
    Normal,
    /// A box with sharp edges.
    Uniform,
}

impl Shape {
    pub(crate) const ALL: [Shape; 2] = [Shape::Normal, Shape::Uniform];

    /// A random number with mean 0 and variance 1.
    fn number(self, rng: &mut ChaCha8Rng) -> f64 {
        let mut unit = || rng.random::<f64>();
        match self {
            // Box and Muller; 1 − u is positive, so that its logarithm is finite.
            Shape::Normal => {
                let radius = (-2.0 * (1.0 - unit()).ln()).sqrt();
                radius * (std::f64::consts::TAU * unit()).cos()
            }
            Shape::Uniform => (unit() - 0.5) * 12.0_f64.sqrt(),
        }
    }
}

/// The principal axes of data, each as long as the standard deviation along it.
pub(crate) struct PrincipalAxes {
    /// One axis per row; as many columns as features.
    axes: Mat<f64>,
    samples: usize,
}

impl PrincipalAxes {
    /// The axes of samples in row-major order with `dimension` features each.
    ///
    /// They are the eigenvectors of the smaller one of the covariance matrix of the features and
    /// the Gram matrix of the samples, so that many features cost no more than many samples.
    pub(crate) fn of(features: &[f64], dimension: usize, ctx: &Ctx<'_, f64>) -> Result<Self> {
        let samples = features.len() / dimension;
        let centred = centred(features, dimension);
        let few_features = dimension <= samples;
        let (left, right) = (centred.view(), centred.view().transposed());
        let gram = if few_features { ctx.product(right, left)? } else { ctx.product(left, right)? };
        let eigen = ctx.backend().eigh(gram.view())?;
        let vectors = eigen.vectors.view().transposed();
        let share = 1.0 / (samples as f64).sqrt();
        let axes = if few_features {
            let length = |j: usize| eigen.values[j].max(0.0).sqrt() * share;
            Mat::from_fn(dimension, dimension, |j, feature| length(j) * vectors.at(j, feature))
        } else {
            let axes = ctx.product(vectors, left)?;
            Mat::from_fn(samples, dimension, |j, feature| share * axes[(j, feature)])
        };
        Ok(PrincipalAxes { axes, samples })
    }

    /// As many samples as the data have, in row-major order, with mean 0.
    pub(crate) fn reference(
        &self,
        shape: Shape,
        seed: u64,
        ctx: &Ctx<'_, f64>,
    ) -> Result<Vec<f64>> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut coordinates = Mat::zeros(self.axes.rows(), self.samples);
        coordinates.data_mut().iter_mut().for_each(|x| *x = shape.number(&mut rng));
        // The transposed product: its columns are the samples.
        let points = ctx.product(self.axes.view().transposed(), coordinates.view())?;
        Ok(points.data().to_vec())
    }
}

/// The data with the mean of each feature subtracted, one row per sample.
fn centred(features: &[f64], dimension: usize) -> Mat<f64> {
    let samples = features.len() / dimension;
    let mut mean = vec![0.0; dimension];
    for row in features.chunks_exact(dimension) {
        mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / samples as f64);
    }
    Mat::from_fn(samples, dimension, |i, j| features[i * dimension + j] - mean[j])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The covariance matrix of features in row-major order.
    fn covariance(features: &[f64], dimension: usize) -> Mat<f64> {
        let centred = centred(features, dimension);
        let samples = centred.rows() as f64;
        let entry = |a: usize, b: usize| {
            centred.col(a).iter().zip(centred.col(b)).map(|(x, y)| x * y / samples).sum()
        };
        Mat::from_fn(dimension, dimension, entry)
    }

    fn correlated(samples: usize) -> Vec<f64> {
        let noise = enclust_testkit::features::normal_cloud(samples, 2, 3);
        noise.chunks(2).flat_map(|x| [3.0 * x[0] + 7.0, x[0] + x[1], -x[1]]).collect()
    }

    #[test]
    fn references_have_the_covariance_of_the_data() {
        let data = correlated(3000);
        let axes = PrincipalAxes::of(&data, 3, &Ctx::default()).unwrap();
        let expected = covariance(&data, 3);
        for shape in Shape::ALL {
            let found = covariance(&axes.reference(shape, 5, &Ctx::default()).unwrap(), 3);
            let worst = expected.zip(&found, |a, b| (a - b).abs());
            assert!(worst.data().iter().all(|&d| d < 0.5), "{shape:?}: {found:?}, {expected:?}");
        }
    }

    #[test]
    fn many_features_give_the_same_axes_as_few() {
        // Twelve features that repeat three: the covariance of the three is twelve times that.
        let few = correlated(8);
        let many: Vec<f64> = few.chunks(3).flat_map(|row| row.repeat(4)).collect();
        let product = |axes: &PrincipalAxes, features: usize| {
            Mat::from_fn(features, features, |a, b| {
                (0..axes.axes.rows()).map(|j| axes.axes[(j, a)] * axes.axes[(j, b)]).sum::<f64>()
            })
        };
        let of =
            |data: &[f64], d| product(&PrincipalAxes::of(data, d, &Ctx::default()).unwrap(), d);
        let (few, many) = (of(&few, 3), of(&many, 12));
        for (a, b) in (0..12).flat_map(|a| (0..12).map(move |b| (a, b))) {
            assert!((many[(a, b)] - few[(a % 3, b % 3)]).abs() < 1e-9, "{a} {b}");
        }
    }

    #[test]
    fn coordinates_have_mean_zero_and_variance_one() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for shape in Shape::ALL {
            let numbers: Vec<f64> = (0..20_000).map(|_| shape.number(&mut rng)).collect();
            let mean = |f: &dyn Fn(f64) -> f64| numbers.iter().map(|&x| f(x)).sum::<f64>() / 2e4;
            assert!(mean(&|x| x).abs() < 0.03, "{shape:?}");
            assert!((mean(&|x| x * x) - 1.0).abs() < 0.05, "{shape:?}");
            let fourth = if shape == Shape::Normal { 3.0 } else { 1.8 };
            assert!((mean(&|x| x.powi(4)) - fourth).abs() < 0.2, "{shape:?}");
        }
    }
}
