//! What an iteration can tell, and what is asked of it.

use std::fmt;
use std::ops::BitOr;

/// A set of quantities that an iteration computes: those it provides, or those that a rule or an
/// observer needs. An iteration computes what is needed and nothing else.
///
/// ```
/// use enclust_core::Quantities;
///
/// let needed = Quantities::OBJECTIVE | Quantities::RESIDUAL;
/// assert!(needed.contains(Quantities::RESIDUAL));
/// assert_eq!(needed.without(Quantities::RESIDUAL).to_string(), "the objective");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Quantities(u8);

impl Quantities {
    /// None.
    pub const NONE: Quantities = Quantities(0);
    /// The step of each variable: [`Record::changes`](crate::Record::changes).
    pub const CHANGES: Quantities = Quantities(1);
    /// The value of the objective: [`Record::objective`](crate::Record::objective).
    pub const OBJECTIVE: Quantities = Quantities(2);
    /// The residual of the optimality conditions: [`Record::residual`](crate::Record::residual).
    pub const RESIDUAL: Quantities = Quantities(4);
    /// The similarity as it stands: [`State::similarity`](crate::State::similarity).
    pub const ITERATE: Quantities = Quantities(8);
    /// The partition that the pipeline would give now: [`State::labels`](crate::State::labels).
    /// An enhancer that provides the iterate provides the labels inside a pipeline that is run
    /// for one number of clusters.
    pub const LABELS: Quantities = Quantities(16);

    const NAMED: [(Quantities, &'static str); 5] = [
        (Quantities::CHANGES, "the steps of its variables"),
        (Quantities::OBJECTIVE, "the objective"),
        (Quantities::RESIDUAL, "the residual"),
        (Quantities::ITERATE, "the similarity of each iteration"),
        (Quantities::LABELS, "the labels of each iteration"),
    ];

    /// Whether all of these are in the set.
    pub const fn contains(self, other: Quantities) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// What is in one set or the other.
    pub const fn and(self, other: Quantities) -> Quantities {
        Quantities(self.0 | other.0)
    }

    /// What is in this set and not in the other.
    pub const fn without(self, other: Quantities) -> Quantities {
        Quantities(self.0 & !other.0)
    }
}

impl BitOr for Quantities {
    type Output = Quantities;
    fn bitor(self, other: Quantities) -> Quantities {
        self.and(other)
    }
}

/// In words: "the objective and the residual".
impl fmt::Display for Quantities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Self::NAMED.iter().filter(|(quantity, _)| self.contains(*quantity));
        let words: Vec<&str> = named.map(|(_, word)| *word).collect();
        match &words[..] {
            [] => f.write_str("nothing"),
            [one] => f.write_str(one),
            [some @ .., last] => write!(f, "{} and {last}", some.join(", ")),
        }
    }
}
