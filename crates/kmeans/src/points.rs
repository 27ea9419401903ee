//! Weighted points, checked.

use enclust_core::{Error, ParamError, Range, Result};

/// The rows of a matrix, each with a weight.
pub struct Points<'a> {
    pub coordinates: &'a [f64],
    pub dimension: usize,
    pub weights: Vec<f64>,
}

impl<'a> Points<'a> {
    pub fn new(coordinates: &'a [f64], dimension: usize, weights: Option<&[f64]>) -> Result<Self> {
        if dimension == 0 {
            return Err(Error::Empty { what: "set of coordinates" });
        }
        let n = coordinates.len() / dimension;
        Error::check_size("coordinates of the points", n * dimension, coordinates.len())?;
        if !coordinates.iter().all(|x| x.is_finite()) {
            return Err(Error::NotFinite { what: "a coordinate", iteration: 0 });
        }
        let weights = weights.map_or_else(|| vec![1.0; n], <[f64]>::to_vec);
        Error::check_size("weights of the points", n, weights.len())?;
        if let Some(w) = weights.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
            return Err(Error::Param(ParamError::OutOfRange {
                component: "kmeans",
                parameter: "weights",
                value: w.to_string(),
                range: Range::Positive.to_string(),
            }));
        }
        Ok(Points { coordinates, dimension, weights })
    }

    pub fn len(&self) -> usize {
        self.weights.len()
    }

    #[inline(always)]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.coordinates[i * self.dimension..][..self.dimension]
    }

    /// A generous bound on the relative error of a computed distance, which grows with the
    /// number of squares that are added.
    pub fn slack(&self) -> f64 {
        (self.dimension as f64 + 16.0) * f64::EPSILON
    }
}

/// Four independent sums, so that an addition does not have to wait for the previous one.
#[inline(always)]
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    const WIDTH: usize = 4;
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<WIDTH>(), b.as_chunks::<WIDTH>());
    let mut sums = [0.0; WIDTH];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..WIDTH {
            sums[lane] += (a[lane] - b[lane]) * (a[lane] - b[lane]);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| (x - y) * (x - y)).sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}
