//! The quantities that an iteration can compute.

use std::fmt;
use std::ops::BitOr;

/// A set of quantities of an iteration: those that it provides, or those that a rule or an
/// observer needs. An iteration computes only the quantities that are needed.
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
    /// The empty set.
    pub const NONE: Quantities = Quantities(0);
    /// The step of each variable: [`Record::changes`](crate::Record::changes).
    pub const CHANGES: Quantities = Quantities(1);
    /// The value of the objective: [`Record::objective`](crate::Record::objective).
    pub const OBJECTIVE: Quantities = Quantities(2);
    /// The residual of the optimality conditions: [`Record::residual`](crate::Record::residual).
    pub const RESIDUAL: Quantities = Quantities(4);
    /// The current similarity: [`State::similarity`](crate::State::similarity).
    pub const ITERATE: Quantities = Quantities(8);
    /// The partition that the pipeline would return now: [`State::labels`](crate::State::labels).
    /// An enhancer that provides the iterate also provides the labels in a pipeline that is run
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

    /// The union of both sets.
    pub const fn and(self, other: Quantities) -> Quantities {
        Quantities(self.0 | other.0)
    }

    /// The quantities in this set that are not in the other.
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

/// Text form: "the objective and the residual".
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
