//! Text form of parts and pipelines.

use std::fmt;
use std::str::FromStr;

use crate::compose::params::{Value, Values};
use crate::error::{Error, Result};
use crate::stages::stage::Stage;

/// The name of a part with the values of its parameters, as written in files and on command lines.
///
/// ```
/// use enclust_core::Part;
///
/// let part = Part::named("lwca").set("theta", 0.5);
/// assert_eq!(part.to_string(), "lwca(theta=0.5)");
/// let rule: Part = "any(kkt(tolerance=1e-4), iterations)".parse()?;
/// assert_eq!(rule.to_string(), "any(kkt(tolerance=0.0001), iterations)");
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// With the feature `serde` it is written as `{"name": …, "parameters": {…}}`. The name of a
/// combination of rules is its text on the command line: `any(kkt, iterations)`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "written::Written", try_from = "written::Written"))]
#[non_exhaustive]
pub struct Part {
    /// Its name in the registry.
    pub name: String,
    /// Parameters that differ from their defaults.
    pub values: Values,
    /// The parts that it combines, for stopping rules that combine others.
    pub of: Vec<Part>,
}

impl Part {
    /// A part with default parameters.
    pub fn named(name: impl Into<String>) -> Self {
        Part { name: name.into(), values: Values::new(), of: Vec::new() }
    }

    /// The same part with one parameter set.
    pub fn set(mut self, parameter: impl Into<String>, value: impl Into<Value>) -> Self {
        self.values.insert(parameter.into(), value.into());
        self
    }

    /// The same part with these values, which replace its own.
    pub fn with_values(self, values: Values) -> Self {
        Part { values, ..self }
    }

    /// The name of the part. For a combination of rules, the name lists the rules in it.
    ///
    /// ```
    /// use enclust_core::Part;
    ///
    /// let rule: Part = "any(kkt, iterations(limit=5))".parse()?;
    /// assert_eq!(rule.told(), "any(kkt, iterations(limit=5))");
    /// assert_eq!(Part::named("lwca").set("theta", 0.5).told(), "lwca");
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn told(&self) -> String {
        if self.of.is_empty() { self.name.clone() } else { self.to_string() }
    }

    /// Whether this is the part `none`.
    pub fn is_none(&self) -> bool {
        self.name == "none"
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let parts = self.of.iter().map(Part::to_string);
        let values = self.values.iter().map(|(k, v)| format!("{k}={v}"));
        let inside: Vec<String> = parts.chain(values).collect();
        match &inside[..] {
            [] => Ok(()),
            inside => write!(f, "({})", inside.join(", ")),
        }
    }
}

impl FromStr for Part {
    type Err = Error;

    /// Parses `name` or `name(parameter=value, …)`. A rule that combines others is written
    /// `any(rule, rule)`.
    ///
    /// # Errors
    ///
    /// [`Error::Syntax`] for anything else.
    fn from_str(text: &str) -> Result<Self> {
        let refused = |reason: &str| Error::Syntax { text: text.into(), reason: reason.into() };
        let text = text.trim();
        let (name, inside) = match text.split_once('(') {
            None => (text, ""),
            Some((name, rest)) => {
                let inside = rest.strip_suffix(')');
                (name.trim(), inside.ok_or_else(|| refused("a closing parenthesis is missing"))?)
            }
        };
        if name.is_empty() || name.contains([')', ',', '=']) {
            return Err(refused("there is no name"));
        }
        let mut part = Part::named(name);
        for item in items(inside).ok_or_else(|| refused("the parentheses do not match"))? {
            match item.split_once('=').filter(|(key, _)| !key.contains('(')) {
                Some((key, value)) if !key.trim().is_empty() && !value.trim().is_empty() => {
                    part.values.insert(key.trim().into(), Value::parse(value.trim()));
                }
                Some(_) => return Err(refused("a parameter needs a name and a value")),
                None => part.of.push(item.parse()?),
            }
        }
        Ok(part)
    }
}

/// Splits at commas outside parentheses; `None` if the parentheses do not match.
fn items(text: &str) -> Option<Vec<&str>> {
    let (mut items, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, sign) in text.char_indices() {
        match sign {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                items.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&text[start..]);
    let nothing = text.trim().is_empty();
    (depth == 0).then(|| if nothing { Vec::new() } else { items })
}

/// The serde form of a part.
#[cfg(feature = "serde")]
mod written {
    use super::{Part, Values};
    use crate::error::Error;

    #[derive(serde::Serialize, serde::Deserialize)]
    pub struct Written {
        name: String,
        parameters: Values,
    }

    impl From<Part> for Written {
        fn from(part: Part) -> Self {
            let name = part.told();
            let parameters = if part.of.is_empty() { part.values } else { Values::new() };
            Written { name, parameters }
        }
    }

    impl TryFrom<Written> for Part {
        type Error = Error;

        fn try_from(written: Written) -> Result<Self, Error> {
            let mut part: Part = written.name.parse()?;
            part.values.extend(written.parameters);
            Ok(part)
        }
    }
}

/// The parts of a pipeline by name. Backend and precision are included if they are part of the
/// question, as in an ablation.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PipelineSpec {
    /// The reduction of the label rows; `None` is the [usual](crate::Registry::usual_reduce) one of
    /// the registry.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub reduce: Option<Part>,
    /// The representation.
    pub ca: Part,
    /// The choice of confident pairs.
    pub confidence: Part,
    /// The enhancer.
    pub enhance: Part,
    /// A stopping rule that replaces the enhancer's own.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub stop: Option<Part>,
    /// The consensus function.
    pub consensus: Part,
    /// The backend, if one is named. [`Registry::pipeline`](crate::Registry::pipeline) does not
    /// read it, because a pipeline uses the backend of its context.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub backend: Option<Part>,
    /// The precision, `f32` or `f64`, if one is named.
    /// [`Registry::pipeline`](crate::Registry::pipeline) does not read it, because a registry has
    /// one precision.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub precision: Option<Part>,
}

impl PipelineSpec {
    /// A representation and a consensus function, without enhancement.
    pub fn plain(ca: Part, consensus: Part) -> Self {
        let none = Part::named("none");
        let (reduce, stop, backend, precision) = (None, None, None, None);
        let (confidence, enhance) = (none.clone(), none);
        PipelineSpec { reduce, ca, confidence, enhance, stop, consensus, backend, precision }
    }

    /// The same with a confidence rule and an enhancer.
    pub fn enhanced(self, confidence: Part, enhance: Part) -> Self {
        PipelineSpec { confidence, enhance, ..self }
    }

    /// The same with a stopping rule.
    pub fn stopped(self, stop: Part) -> Self {
        PipelineSpec { stop: Some(stop), ..self }
    }

    /// The same with a reduction of the label rows.
    pub fn reduced(self, reduce: Part) -> Self {
        PipelineSpec { reduce: Some(reduce), ..self }
    }

    /// The parts by stage, in the order of the data. Reduction, stopping rule, backend and precision are
    /// included only if they are named.
    pub fn parts(&self) -> Vec<(Stage, &Part)> {
        Stage::ALL.into_iter().filter_map(|s| Some((s, self.part(s)?))).collect()
    }

    /// The part of a stage; `None` if the stage has none.
    pub fn part(&self, stage: Stage) -> Option<&Part> {
        match stage {
            Stage::Reduce => self.reduce.as_ref(),
            Stage::Ca => Some(&self.ca),
            Stage::Confidence => Some(&self.confidence),
            Stage::Enhance => Some(&self.enhance),
            Stage::Stop => self.stop.as_ref(),
            Stage::Consensus => Some(&self.consensus),
            Stage::Backend => self.backend.as_ref(),
            Stage::Precision => self.precision.as_ref(),
            _ => None,
        }
    }

    /// A mutable reference to the part of a stage; `None` if the stage has none.
    pub fn part_mut(&mut self, stage: Stage) -> Option<&mut Part> {
        match stage {
            Stage::Reduce => self.reduce.as_mut(),
            Stage::Ca => Some(&mut self.ca),
            Stage::Confidence => Some(&mut self.confidence),
            Stage::Enhance => Some(&mut self.enhance),
            Stage::Stop => self.stop.as_mut(),
            Stage::Consensus => Some(&mut self.consensus),
            Stage::Backend => self.backend.as_mut(),
            Stage::Precision => self.precision.as_mut(),
            _ => None,
        }
    }

    /// Sets the part of a stage and replaces the current one.
    /// [`Registry::swap`](crate::Registry::swap) also keeps the parameters that both parts have.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for a stage whose part cannot be chosen.
    pub fn put(&mut self, stage: Stage, part: Part) -> Result<()> {
        match stage {
            Stage::Reduce => self.reduce = Some(part),
            Stage::Stop => self.stop = Some(part),
            Stage::Backend => self.backend = Some(part),
            Stage::Precision => self.precision = Some(part),
            stage => match self.part_mut(stage) {
                Some(place) => *place = part,
                None => return Err(Error::unsupported("a pipeline", format!("a {stage} part"))),
            },
        }
        Ok(())
    }

    /// Sets a parameter by its full name, `stage.parameter`.
    ///
    /// ```
    /// use enclust_core::{Part, PipelineSpec};
    ///
    /// let mut spec = PipelineSpec::plain(Part::named("lwca"), Part::named("average"));
    /// spec.set("ca.theta", 0.5)?;
    /// assert_eq!(spec.ca.to_string(), "lwca(theta=0.5)");
    /// assert!(spec.set("theta", 0.5).is_err());
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of parsing a [`Stage`]; [`Error::Unsupported`] if the stage has no part.
    /// Whether the part has such a parameter is checked when it is built.
    pub fn set(&mut self, path: &str, value: impl Into<Value>) -> Result<()> {
        let (stage, parameter) = path.split_once('.').unwrap_or((path, ""));
        let stage: Stage = stage.parse()?;
        let unset = || {
            Error::unsupported(
                "the pipeline",
                format!("{path}, because it has no {}", stage.noun()),
            )
        };
        match self.part_mut(stage) {
            Some(part) if !part.of.is_empty() => {
                let what = format!("{path}: write the parameter inside {part}");
                return Err(Error::unsupported("a combined rule", what));
            }
            Some(part) => part.values.insert(parameter.to_string(), value.into()),
            None => return Err(unset()),
        };
        Ok(())
    }
}

/// All parts of a run whose rows are not reduced: `lwca + threshold + exact + average`.
impl fmt::Display for PipelineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |stage: Stage, part: &Part| stage != Stage::Reduce && !part.is_none();
        let parts = self.parts().into_iter().filter(|&(stage, part)| shown(stage, part));
        f.write_str(&parts.map(|(_, part)| part.to_string()).collect::<Vec<_>>().join(" + "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_they_are_written() {
        for text in ["lwca", "lwca(theta=0.5)", "any(kkt, all(labels(patience=2), authors))"] {
            assert_eq!(text.parse::<Part>().unwrap().to_string(), text);
        }
        let spaced: Part = " iterations ( limit = 5 ) ".parse().unwrap();
        assert_eq!(spaced, Part::named("iterations").set("limit", 5_i64));
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in ["", "(", "any(kkt", "kkt)", "any(kkt,)", "kkt(=1)", "kkt(tolerance=)", "a=b"] {
            assert!(matches!(text.parse::<Part>(), Err(Error::Syntax { .. })), "{text}");
        }
    }
}
