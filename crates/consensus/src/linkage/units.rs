//! Similarities as whole numbers, if they are quotients with a common denominator.

use enclust_core::{Real, Similarity};

/// The unit of similarities: 1 / denominator if a denominator is known, so that sums are exact;
/// otherwise 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    denominator: Option<f64>,
}

impl Units {
    pub fn of<S: Real>(similarity: &Similarity<S>) -> Self {
        // With a larger denominator, neighbouring multiples could not be distinguished in the
        // stored values.
        let exact = |d: &f64| *d < 0.25 / S::epsilon().wide();
        Units { denominator: similarity.denominator().filter(exact) }
    }

    /// The number of units of a similarity.
    pub fn count<S: Real>(self, similarity: S) -> f64 {
        match self.denominator {
            Some(d) => (similarity.wide() * d).round(),
            None => similarity.wide(),
        }
    }

    /// The height of a merge at this number of units.
    pub fn height(self, count: f64) -> f64 {
        1.0 - count / self.one()
    }

    /// The number of units of similarity 1, which has height 0.
    pub fn one(self) -> f64 {
        self.denominator.unwrap_or(1.0)
    }
}
