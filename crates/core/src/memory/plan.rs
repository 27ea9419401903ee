//! Checks the memory of all stages against the available memory and gives advice if it is not
//! enough.

use std::fmt;

use crate::error::{Error, Result};
use crate::memory::{Bytes, Footprint, Shape};
use crate::stages::stage::Stage;

/// The memory of one stage of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Need {
    /// The stage.
    pub stage: Stage,
    /// The part of the stage.
    pub component: String,
    /// Memory of earlier results that this stage or a later one still uses.
    pub held: Bytes,
    /// Memory of the stage itself.
    pub own: Footprint,
}

impl Need {
    pub(crate) fn new(stage: Stage, component: &str, held: Bytes, own: Footprint) -> Self {
        Need { stage, component: component.to_string(), held, own }
    }

    /// The peak of memory in use while the stage runs.
    pub fn peak(&self) -> Bytes {
        self.held + self.own.total()
    }

    /// An alternative part for the stage, in words.
    fn alternative(&self) -> Option<String> {
        let replaceable = Stage::PIPELINE.contains(&self.stage);
        replaceable.then(|| format!("another {}", self.stage.noun()))
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.stage.of(&self.component))
    }
}

/// [`Error::Memory`] if less memory is available. If the available memory is not known, this is
/// never an error.
pub(crate) fn require(
    place: &str,
    needed: Bytes,
    available: Option<Bytes>,
    size: &str,
    advice: &str,
) -> Result<()> {
    match available {
        Some(available) if needed > available => Err(Error::Memory {
            stage: place.to_string(),
            size: size.to_string(),
            needed,
            available,
            advice: vec![advice.to_string(), MORE.to_string()],
        }),
        _ => Ok(()),
    }
}

/// Advice that always helps.
const MORE: &str = "allow more memory";

/// The needs of a run; an error if its largest stage needs more memory than is available. `plan`
/// returns the needs of the stages at a shape; it is called for other shapes only to give advice.
pub(crate) fn check(
    plan: impl Fn(&Shape) -> Vec<Need>,
    shape: &Shape,
    limit: Option<Bytes>,
) -> Result<Vec<Need>> {
    let needs = plan(shape);
    let Some((worst, available)) = needs.iter().max_by_key(|need| need.peak()).zip(limit) else {
        return Ok(needs);
    };
    if worst.peak() <= available {
        return Ok(needs);
    }
    let advice = [
        in_single_precision(&plan, shape, worst, available),
        with_fewer_groups(&plan, shape, available),
        without(worst, &needs, available),
        Some(MORE.to_string()),
    ];
    Err(Error::Memory {
        stage: worst.to_string(),
        size: format!("n' = {}", shape.groups),
        needed: worst.peak(),
        available,
        advice: advice.into_iter().flatten().collect(),
    })
}

fn peak(needs: &[Need]) -> Bytes {
    needs.iter().map(Need::peak).max().unwrap_or_default()
}

/// Advice for a run in double precision in which the size of the numbers matters.
fn in_single_precision(
    plan: &impl Fn(&Shape) -> Vec<Need>,
    shape: &Shape,
    worst: &Need,
    available: Bytes,
) -> Option<String> {
    let single = size_of::<f32>();
    let needed = peak(&plan(&shape.clone().with_scalar(single)));
    let enough = if needed <= available { "" } else { ", not enough on its own" };
    let helps = shape.scalar > single && needed < worst.peak();
    helps.then(|| format!("use f32 ({needed}{enough})"))
}

/// The largest number of groups for which the memory is enough, if there is one.
fn with_fewer_groups(
    plan: &impl Fn(&Shape) -> Vec<Need>,
    shape: &Shape,
    available: Bytes,
) -> Option<String> {
    let fits = |groups: usize| peak(&plan(&shape.clone().with_groups(groups))) <= available;
    let fitting = largest(shape.groups, fits);
    let advice = || {
        format!(
            "use fewer or coarser base clusterings (n' = {fitting} distinct label rows would fit)"
        )
    };
    (fitting > 0).then(advice)
}

/// The largest number below a limit that fits, 0 if there is none.
pub(crate) fn largest(limit: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut fitting, mut too_many) = (0, limit);
    while too_many - fitting > 1 {
        let middle = fitting + (too_many - fitting) / 2;
        if fits(middle) { fitting = middle } else { too_many = middle }
    }
    fitting
}

/// Advice that is given only if the memory is enough for all other stages.
fn without(worst: &Need, needs: &[Need], available: Bytes) -> Option<String> {
    let others: Vec<Need> = needs.iter().filter(|need| *need != worst).cloned().collect();
    let others = peak(&others);
    let alternative = worst.alternative().filter(|_| others <= available)?;
    Some(format!("choose {alternative} (the other stages need {others})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A similarity, then a stage with this many squares as working memory.
    fn plan(squares: u64) -> impl Fn(&Shape) -> Vec<Need> {
        move |shape| {
            let similarity = shape.similarity();
            vec![
                Need::new(Stage::Ca, "eac", Bytes(0), Footprint::new(similarity, Bytes(0))),
                Need::new(
                    Stage::Enhance,
                    "greedy",
                    similarity,
                    Footprint::new(similarity, shape.square() * squares),
                ),
            ]
        }
    }

    fn refusal(squares: u64, shape: &Shape, available: u64) -> (String, Vec<String>) {
        let error = check(plan(squares), shape, Some(Bytes(available))).unwrap_err();
        let message = error.to_string();
        let Error::Memory { advice, .. } = error else { panic!("{error}") };
        (message, advice)
    }

    #[test]
    fn what_fits_passes_and_one_byte_less_does_not() {
        let shape = Shape::ahead::<f64>(100, 10, 5, 100);
        let needed = peak(&plan(3)(&shape));
        assert_eq!(needed, shape.similarity() * 2 + shape.square() * 3);
        assert!(check(plan(3), &shape, Some(needed)).is_ok());
        assert!(check(plan(3), &shape, None).is_ok());
        assert!(check(plan(3), &shape, Some(needed - Bytes(1))).is_err());
    }

    #[test]
    fn the_message_says_who_how_much_and_what_to_do() {
        let shape = Shape::ahead::<f64>(10_000, 10, 5, 10_000);
        let (message, _) = refusal(3, &shape, 2_000_000_000);
        assert_eq!(
            message,
            "enhance (greedy) needs 3.2 GB for n' = 10000, but 2.0 GB are available: \
             use f32 (1.6 GB), use fewer or coarser base clusterings (n' = 7905 distinct label \
             rows would fit), choose another enhancer (the other stages need 400.1 MB), or allow \
             more memory"
        );
        let (message, _) = refusal(3, &shape, 1_000_000_000);
        assert!(message.contains("use f32 (1.6 GB, not enough on its own)"), "{message}");
        let fitting = shape.clone().with_groups(7905);
        assert!(check(plan(3), &fitting, Some(Bytes(2_000_000_000))).is_ok());
        let larger = shape.with_groups(7906);
        assert!(check(plan(3), &larger, Some(Bytes(2_000_000_000))).is_err());
    }

    #[test]
    fn no_advice_that_would_not_help() {
        let shape = Shape::ahead::<f32>(10_000, 10, 5, 10_000);
        // The precision is already single; the similarity alone is too large.
        let (_, advice) = refusal(3, &shape, 100_000_000);
        assert_eq!(advice.len(), 2, "{advice:?}");
        assert!(advice[0].starts_with("use fewer"), "{advice:?}");
        // Nothing fits in zero memory.
        let (_, advice) = refusal(3, &shape, 0);
        assert_eq!(advice, ["allow more memory"]);
    }
}
