//! Control of the weight that drives a graph towards c components.

use crate::laplacian::{Points, Spectrum};

/// If the sum of the c smallest eigenvalues is above this value, there are fewer than c
/// components.
const TOO_FEW: f64 = 1e-9;
/// If the sum of the c + 1 smallest eigenvalues is below this value, there are more than c
/// components.
const TOO_MANY: f64 = 1e-11;

/// The weight of the rank term, which is doubled while a learned graph has fewer than c
/// components and halved when it has more. SPCE and TRCE use this rule.
#[derive(Clone, Debug)]
pub(crate) struct RankController {
    /// The weight.
    pub weight: f64,
    /// The coordinates used by the rank term: the smallest eigenvectors of a Laplacian.
    pub points: Points,
}

impl RankController {
    /// Starts with weight 1.
    pub fn new(points: Points) -> Self {
        RankController { weight: 1.0, points }
    }

    /// Updates the weight from the spectrum of the newest graph. Returns whether the graph has
    /// exactly c components, except in the first iteration. If it has more, the coordinates of
    /// the previous graph are kept.
    pub fn update(&mut self, spectrum: Spectrum, c: usize, iteration: usize) -> bool {
        let Spectrum { values, points } = spectrum;
        let first: f64 = values.iter().take(c).sum();
        // If c is the number of samples, there cannot be more components.
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
