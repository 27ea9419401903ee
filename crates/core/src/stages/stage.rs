//! The stages of a run and their names.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// A stage of a run.
///
/// The [key](Stage::key) of a stage is its name on the command line, in study files, in records
/// and in messages. The [noun](Stage::noun) is the word for a part of that stage in a sentence.
///
/// ```
/// use enclust_core::Stage;
///
/// assert_eq!(Stage::Ca.key(), "ca");
/// assert_eq!(Stage::Ca.noun(), "representation");
/// assert_eq!("consensus".parse(), Ok(Stage::Consensus));
/// let old = "finish".parse::<Stage>().unwrap_err();
/// assert_eq!(old.to_string(), "\"finish\" is now called \"consensus\"");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stage {
    /// Merging of equal rows of labels. This stage has no choice of parts.
    Microclusters,
    /// The reduction of the label rows of large ensembles: [`Reduce`](crate::Reduce).
    Reduce,
    /// The representation of the ensemble, usually a co-association matrix: [`Ca`](crate::Ca).
    Ca,
    /// The consensus of the similarity before enhancement, for comparison. This stage has no
    /// choice of parts.
    Plain,
    /// The selection of confident pairs: [`Confidence`](crate::Confidence).
    Confidence,
    /// The enhancement of the similarity: [`Enhance`](crate::Enhance).
    Enhance,
    /// The rule that stops an iteration: [`Stop`](crate::Stop).
    Stop,
    /// The consensus function: [`Consensus`](crate::Consensus).
    Consensus,
    /// The cut of the consensus into a number of clusters. This stage has no choice of parts.
    Cut,
    /// The linear algebra: [`Backend`](crate::Backend).
    Backend,
    /// The precision in which numbers are stored: [`Real`](crate::Real).
    Precision,
}

impl Stage {
    /// All stages, in the order of the data.
    pub const ALL: [Stage; 11] = [
        Stage::Microclusters,
        Stage::Reduce,
        Stage::Ca,
        Stage::Plain,
        Stage::Confidence,
        Stage::Enhance,
        Stage::Stop,
        Stage::Consensus,
        Stage::Cut,
        Stage::Backend,
        Stage::Precision,
    ];

    /// The stages of a pipeline whose parts have parameters, in the order of the data.
    pub const PIPELINE: [Stage; 6] = [
        Stage::Reduce,
        Stage::Ca,
        Stage::Confidence,
        Stage::Enhance,
        Stage::Stop,
        Stage::Consensus,
    ];

    /// The name of the stage.
    pub const fn key(self) -> &'static str {
        match self {
            Stage::Microclusters => "microclusters",
            Stage::Reduce => "reduce",
            Stage::Ca => "ca",
            Stage::Plain => "plain",
            Stage::Confidence => "confidence",
            Stage::Enhance => "enhance",
            Stage::Stop => "stop",
            Stage::Consensus => "consensus",
            Stage::Cut => "cut",
            Stage::Backend => "backend",
            Stage::Precision => "precision",
        }
    }

    /// The word for a part of this stage in a sentence.
    pub const fn noun(self) -> &'static str {
        match self {
            Stage::Microclusters => "merging of equal rows",
            Stage::Reduce => "reduction",
            Stage::Ca => "representation",
            Stage::Plain => "plain consensus",
            Stage::Confidence => "confidence rule",
            Stage::Enhance => "enhancer",
            Stage::Stop => "stopping rule",
            Stage::Consensus => "consensus function",
            Stage::Cut => "cut",
            Stage::Backend => "backend",
            Stage::Precision => "precision",
        }
    }

    /// The stage and one of its parts, as in messages: `enhance (exact)`.
    pub fn of(self, component: &str) -> String {
        match component {
            "" => self.to_string(),
            component => format!("{self} ({component})"),
        }
    }

    /// The stage that had this name in an earlier version.
    pub fn renamed(name: &str) -> Option<Stage> {
        match name {
            "represent" | "representation" => Some(Stage::Ca),
            "confidence-rule" | "confidence_rule" => Some(Stage::Confidence),
            "finish" => Some(Stage::Consensus),
            _ => None,
        }
    }
}

/// The [key](Stage::key).
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.key())
    }
}

impl FromStr for Stage {
    type Err = Error;

    /// The stage with this key.
    ///
    /// # Errors
    ///
    /// [`Error::Renamed`] for a name from an earlier version, [`Error::UnknownStage`] for any
    /// other name.
    fn from_str(name: &str) -> Result<Self, Error> {
        let stage = Stage::ALL.into_iter().find(|stage| stage.key() == name);
        stage.ok_or_else(|| match Stage::renamed(name) {
            Some(now) => Error::Renamed { old: name.to_string(), new: now.key().to_string() },
            None => Error::UnknownStage { name: name.to_string() },
        })
    }
}
