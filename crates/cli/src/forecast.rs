//! Predicts when an iteration will reach its target.

use enclust::core::{Record, Target};

/// Prediction of the number of iterations.
///
/// The measure that decreases with the iterations (residual or step) is modelled as exp(−c tᵖ):
/// p = 1 is the linear convergence of conjugate gradients, p near 0 the slow final phase of
/// ADMM, which decreases like a power of t. c and p are computed from three values: at the
/// current iteration, at half and at a quarter of it.
#[derive(Clone, Debug, Default)]
pub struct Forecast {
    /// The value of the measure at which the stopping rule stops.
    goal: Option<f64>,
    /// The iteration at which the rule stops, if it counts iterations.
    end: Option<f64>,
    /// The iteration limit.
    limit: f64,
    measures: Vec<f64>,
}

/// Fewer iterations are not enough for a prediction.
const ENOUGH: usize = 8;

impl Forecast {
    /// For an iteration with this target and this limit.
    pub fn new(target: Target, limit: usize) -> Self {
        Forecast {
            goal: target.residual.or(target.step).filter(|x| *x > 0.0),
            end: target.iterations.map(|iterations| iterations as f64),
            limit: limit as f64,
            measures: Vec::new(),
        }
    }

    /// Records an iteration and returns the predicted number of the last one, if possible.
    pub fn last(&mut self, record: &Record) -> Option<u64> {
        let end = match self.goal {
            Some(goal) => self.reached(record, goal),
            None => self.end,
        };
        Some(end?.min(self.limit).ceil() as u64)
    }

    fn reached(&mut self, record: &Record, goal: f64) -> Option<f64> {
        self.measures.push(measure(record)?);
        let now = self.measures.len();
        let at = |t: usize| self.measures[t - 1];
        let values = || [at(now / 4), at(now / 2), at(now)];
        (now >= ENOUGH).then(values).and_then(|values| reach(now as f64, values, goal))
    }
}

/// The measure that decreases during the iteration.
pub fn measure(record: &Record) -> Option<f64> {
    let step = || record.changes.iter().map(|change| change.ratio()).reduce(f64::max);
    record.residual.or_else(step).filter(|x| x.is_finite() && *x > 0.0)
}

/// The t at which exp(−c tᵖ) through the values at t/4, t/2 and t reaches the goal.
fn reach(t: f64, [quarter, half, now]: [f64; 3], goal: f64) -> Option<f64> {
    if now <= goal {
        return Some(t);
    }
    let (before, lately) = ((quarter / half).ln(), (half / now).ln());
    if !(before > 0.0 && lately > 0.0) {
        return None;
    }
    // From t/2 to t the exponent decreases 2ᵖ times as much as from t/4 to t/2.
    let p = (lately / before).log2().clamp(0.05, 1.0);
    let fall = lately / (1.0 - 0.5_f64.powf(p));
    Some(t * (1.0 + (now / goal).ln() / fall).powf(1.0 / p))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forecast(measure: impl Fn(f64) -> f64, t: f64, goal: f64) -> Option<f64> {
        reach(t, [measure(t / 4.0), measure(t / 2.0), measure(t)], goal)
    }

    #[test]
    fn a_steady_rate_is_followed_exactly() {
        let found = forecast(|t| (-0.1 * t).exp(), 40.0, (-10.0_f64).exp()).unwrap();
        assert!((found - 100.0).abs() < 1e-9, "{found}");
    }

    #[test]
    fn a_power_is_followed_closely() {
        let found = forecast(|t| 1.0 / t, 25.0, 0.01).unwrap();
        assert!((80.0..120.0).contains(&found), "{found}");
    }

    #[test]
    fn rules_that_count_are_taken_at_their_word_and_limits_are_kept() {
        let tenth = |target: Target| {
            let mut forecast = Forecast::new(target, 50);
            let record = |t: i32| Record::default().with_residual(0.9_f64.powi(t));
            (1..=10).map(|t| forecast.last(&record(t))).last().flatten()
        };
        assert_eq!(tenth(Target::residual(1e-9)), Some(50), "197 iterations would be needed");
        assert_eq!(tenth(Target::iterations(30)), Some(30));
        assert_eq!(tenth(Target::residual(0.3)), Some(12));
        assert_eq!(tenth(Target::default()), None);
    }

    #[test]
    fn no_forecast_where_nothing_falls() {
        assert_eq!(forecast(|_| 1.0, 40.0, 0.1), None);
        assert_eq!(forecast(|t| t, 40.0, 0.1), None);
        assert_eq!(forecast(|_| 0.1, 40.0, 0.1), Some(40.0), "there already");
    }
}
