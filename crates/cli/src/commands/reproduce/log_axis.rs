//! A logarithmic axis of whole decades.

use super::times::Time;

/// From one power of ten to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogAxis {
    low: i32,
    high: i32,
}

/// Shorter times cannot be measured.
const SHORTEST: f64 = 1e-6;

impl LogAxis {
    /// The shortest axis that contains all times.
    pub fn of(times: &[Time<'_>]) -> Self {
        let all = times.iter().flat_map(|time| [Some(time.here), time.published]).flatten();
        let decades: Vec<f64> = all.map(|seconds| seconds.max(SHORTEST).log10()).collect();
        let low = decades.iter().copied().fold(f64::INFINITY, f64::min).floor();
        let high = decades.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil();
        if low.is_finite() && high.is_finite() {
            LogAxis { low: low as i32, high: (high as i32).max(low as i32 + 1) }
        } else {
            LogAxis { low: 0, high: 1 }
        }
    }

    /// Number of decades.
    pub fn decades(&self) -> usize {
        (self.high - self.low) as usize
    }

    /// The position of a time in decades from the low end.
    pub fn position(&self, seconds: f64) -> f64 {
        (seconds.max(SHORTEST).log10() - f64::from(self.low)).max(0.0)
    }

    /// The powers of ten on the axis as text.
    pub fn labels(&self) -> Vec<String> {
        (self.low..=self.high)
            .map(|power| match power {
                ..0 => format!("{:.*}", power.unsigned_abs() as usize, 10_f64.powi(power)),
                _ => format!("{:.0}", 10_f64.powi(power)),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(seconds: &[f64]) -> LogAxis {
        let time = |&here| Time { method: "m", dataset: "d", here, published: None };
        LogAxis::of(&seconds.iter().map(time).collect::<Vec<_>>())
    }

    #[test]
    fn the_axis_holds_every_time_between_whole_decades() {
        let axis = axis(&[0.02, 3.0, 700.0]);
        assert_eq!(axis.labels(), ["0.01", "0.1", "1", "10", "100", "1000"]);
        assert_eq!(axis.decades(), 5);
        assert!((axis.position(1.0) - 2.0).abs() < 1e-12);
        assert!((axis.position(0.01)).abs() < 1e-12 && axis.position(700.0) < 5.0);
    }

    #[test]
    fn there_is_an_axis_for_anything() {
        assert_eq!(axis(&[]).decades(), 1);
        assert_eq!(axis(&[10.0]).decades(), 1);
        assert_eq!(axis(&[0.0]).labels()[0], "0.000001");
    }
}
