//! How strongly a graph is pushed to fall into c components.

use crate::laplacian::{Points, Spectrum};

/// Sums of eigenvalues above this mean fewer than c components, …
const TOO_FEW: f64 = 1e-9;
/// … and a sum with one more below this means more than c.
const TOO_MANY: f64 = 1e-11;

/// The weight of the rank term, doubled while a learned graph has fewer than c components
/// and halved when it has more. The rule of SPCE and TRCE.
#[derive(Clone, Debug)]
pub(crate) struct RankController {
    /// The weight.
    pub weight: f64,
    /// The coordinates that the rank term reads: smallest eigenvectors of a Laplacian.
    pub points: Points,
}

impl RankController {
    /// Starts with weight 1.
    pub fn new(points: Points) -> Self {
        RankController { weight: 1.0, points }
    }

    /// Takes in the spectrum of the newest graph; whether the graph has exactly c
    /// components, after the first iteration. With too many the coordinates stay those of
    /// the graph before.
    pub fn update(&mut self, spectrum: Spectrum, c: usize, iteration: usize) -> bool {
        let Spectrum { values, points } = spectrum;
        let first: f64 = values.iter().take(c).sum();
        // As many components as samples cannot be too many.
        let next = values.get(c).copied().unwrap_or(f64::INFINITY);
        if first + next < TOO_MANY {
            self.weight /= 2.0;
            return false;
        }
        self.points = points;
        if first > TOO_FEW {
            self.weight *= 2.0;
            return false;
        }
        iteration > 1
    }
}
