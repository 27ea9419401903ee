//! Norms over samples of variables and of their steps.

use enclust_core::{Change, Real};

/// Squared norms of a step and of the variable before the step.
#[derive(Clone, Copy, Default)]
pub struct Sums {
    /// Of the step.
    pub step: f64,
    /// Of the variable before it.
    pub scale: f64,
}

impl Sums {
    /// Adds one entry.
    pub fn add<S: Real>(&mut self, weight: f64, step: S, before: S) {
        self.step += weight * step.wide() * step.wide();
        self.scale += weight * before.wide() * before.wide();
    }

    /// Adds a column of entries.
    #[inline(always)]
    pub fn add_column<S: Real>(&mut self, weight: &[f64], step: &[S], before: &[S]) {
        self.step += weighted_squares(weight, step);
        self.scale += weighted_squares(weight, before);
    }

    pub fn total(parts: impl Iterator<Item = Sums>) -> Sums {
        let plus = |t: Sums, p: Sums| Sums { step: t.step + p.step, scale: t.scale + p.scale };
        parts.fold(Sums::default(), plus)
    }

    /// Norms below `noise` are rounding errors and are set to zero.
    pub fn change(self, name: &'static str, noise: f64) -> Change {
        let norm = |squares: f64| if squares.sqrt() < noise { 0.0 } else { squares.sqrt() };
        Change::new(name, norm(self.step), norm(self.scale))
    }
}

/// Σ w x², accumulated in eight independent sums for instruction-level parallelism.
#[inline(always)]
pub fn weighted_squares<S: Real>(weights: &[f64], values: &[S]) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    let (w, x) = (weights.chunks_exact(LANES), values.chunks_exact(LANES));
    let tail: f64 =
        w.remainder().iter().zip(x.remainder()).map(|(w, x)| w * x.wide() * x.wide()).sum();
    for (w, x) in w.zip(x) {
        for lane in 0..LANES {
            let v = x[lane].wide();
            lanes[lane] += w[lane] * v * v;
        }
    }
    lanes.iter().sum::<f64>() + tail
}

/// The number of ordered sample pairs that each entry of column q represents.
#[inline(always)]
pub fn pair_weights(sizes: &[f64], q: usize, out: &mut [f64]) {
    let r = sizes[q];
    out.iter_mut().zip(sizes).for_each(|(w, s)| *w = r * s);
    out[q] = r * (r - 1.0);
}
