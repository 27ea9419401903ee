//! Similarities as whole numbers, where they are quotients.

use enclust_core::{Real, Similarity};

/// What a similarity is counted in: whole multiples of 1 / denominator if one
/// is known, so that sums of them are exact, plain numbers otherwise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    denominator: Option<f64>,
}

impl Units {
    pub fn of<S: Real>(similarity: &Similarity<S>) -> Self {
        // A larger one could not be told from its neighbours in the values stored.
        let exact = |d: &f64| *d < 0.25 / S::epsilon().wide();
        Units { denominator: similarity.denominator().filter(exact) }
    }

    /// How many units a similarity has.
    pub fn count<S: Real>(self, similarity: S) -> f64 {
        match self.denominator {
            Some(d) => (similarity.wide() * d).round(),
            None => similarity.wide(),
        }
    }

    /// The height of a merge at so many units.
    pub fn height(self, count: f64) -> f64 {
        1.0 - count / self.one()
    }

    /// The units of similarity 1, at height 0.
    pub fn one(self) -> f64 {
        self.denominator.unwrap_or(1.0)
    }
}
