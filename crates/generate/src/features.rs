//! A feature matrix, checked and scaled.

use std::borrow::Cow;

use enclust_core::{Error, Result, choice};

choice! {
    /// Scaling of the features.
    pub enum Scale {
        /// No scaling: features with large values dominate.
        None = "none",
        /// Each feature is shifted and scaled to mean 0 and variance 1. A constant feature
        /// becomes 0.
        UnitVariance = "unit-variance",
    }
}

/// n samples with d features each, in row-major order.
pub(crate) struct Features<'a> {
    values: Cow<'a, [f64]>,
    pub samples: usize,
    pub dimension: usize,
}

impl<'a> Features<'a> {
    pub fn new(values: &'a [f64], dimension: usize, scale: Scale) -> Result<Self> {
        if dimension == 0 || values.is_empty() {
            return Err(Error::Empty { what: "set of features" });
        }
        let samples = values.len() / dimension;
        Error::check_size("numbers in the feature matrix", samples * dimension, values.len())?;
        if let Some(at) = values.iter().position(|x| !x.is_finite()) {
            let (sample, feature) = (at / dimension, at % dimension);
            return Err(Error::Feature { sample, feature, value: values[at] });
        }
        let values = match scale {
            Scale::None => Cow::Borrowed(values),
            Scale::UnitVariance => Cow::Owned(unit_variance(values, dimension)?),
        };
        Ok(Features { values, samples, dimension })
    }

    /// The submatrix with these rows and columns, in the given order.
    pub fn part(&self, rows: &Subset, columns: &Subset) -> Cow<'_, [f64]> {
        if rows.is_all() && columns.is_all() {
            return Cow::Borrowed(&self.values);
        }
        let row = |i: usize| &self.values[i * self.dimension..][..self.dimension];
        let entries = |i| columns.iter().map(move |j| row(i)[j]);
        rows.iter().flat_map(entries).collect()
    }
}

/// The features after scaling, in row-major order with `dimension` features per sample.
///
/// # Errors
///
/// [`Error::Empty`] without features, [`Error::Size`] if they do not form a matrix,
/// [`Error::Feature`] for a value that is not finite, [`Error::NotFinite`] if a variance is too
/// large.
pub fn scaled(features: &[f64], dimension: usize, scale: Scale) -> Result<Cow<'_, [f64]>> {
    Ok(Features::new(features, dimension, scale)?.values)
}

/// A subset of the numbers from 0 to `of` (exclusive), in ascending order.
pub(crate) struct Subset {
    of: usize,
    /// `None` for all numbers.
    kept: Option<Vec<usize>>,
}

impl Subset {
    pub fn all(of: usize) -> Self {
        Subset { of, kept: None }
    }

    pub fn some(of: usize, mut kept: Vec<usize>) -> Self {
        kept.sort_unstable();
        Subset { of, kept: Some(kept) }
    }

    pub fn is_all(&self) -> bool {
        self.kept.is_none()
    }

    pub fn len(&self) -> usize {
        self.kept.as_ref().map_or(self.of, Vec::len)
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).map(|i| self.kept.as_ref().map_or(i, |kept| kept[i]))
    }

    /// The complement.
    pub fn rest(&self) -> Subset {
        let mut inside = vec![false; self.of];
        self.iter().for_each(|i| inside[i] = true);
        Subset::some(self.of, (0..self.of).filter(|&i| !inside[i]).collect())
    }
}

/// How one feature is scaled to mean 0 and variance 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// The mean of the feature.
    pub mean: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

impl Scaling {
    /// The scaled value; 0 for a constant feature.
    pub fn apply(self, x: f64) -> f64 {
        // The rounding error of a constant feature does not count as variation.
        let constant = self.deviation <= 1e-13 * self.mean.abs();
        if constant { 0.0 } else { (x - self.mean) / self.deviation }
    }
}

/// The scaling of each feature.
pub(crate) fn scaling(values: &[f64], dimension: usize) -> Result<Vec<Scaling>> {
    let samples = (values.len() / dimension) as f64;
    let of_feature = |feature: usize| {
        let column = || values.iter().skip(feature).step_by(dimension);
        let mean = column().map(|x| x / samples).sum::<f64>();
        let variance = column().map(|x| (x - mean) * (x - mean) / samples).sum::<f64>();
        let deviation = variance.sqrt();
        if !deviation.is_finite() {
            return Err(Error::NotFinite { what: "the variance of a feature", iteration: 0 });
        }
        Ok(Scaling { mean, deviation })
    };
    (0..dimension).map(of_feature).collect()
}

/// The features scaled in this way.
pub(crate) fn scaled_by(values: &[f64], scaling: &[Scaling]) -> Vec<f64> {
    values.iter().zip(scaling.iter().cycle()).map(|(&x, scaling)| scaling.apply(x)).collect()
}

fn unit_variance(values: &[f64], dimension: usize) -> Result<Vec<f64>> {
    Ok(scaled_by(values, &scaling(values, dimension)?))
}
