//! Parts by name.

use std::fmt;
use std::sync::Arc;

use crate::backend::Backend;
use crate::component::Component;
use crate::confidence::Confidence;
use crate::consensus::Consensus;
use crate::convergence::Convergence;
use crate::enhancer::{Enhancer, NoEnhancement};
use crate::error::{Error, ParamError, Result};
use crate::params::{NoParams, ParamSpec, Parameters, Value, Values};
use crate::pipeline::{BoxedPipeline, Pipeline};
use crate::real::Real;
use crate::reference::Reference;
use crate::represent::Represent;

/// A component named with the values of its parameters, as files and command
/// lines write it.
///
/// ```
/// use enclust_core::Part;
///
/// let part = Part::named("lwca").set("theta", 0.5);
/// assert_eq!(part.to_string(), "lwca(theta=0.5)");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its name in the registry.
    pub name: String,
    /// Parameters that differ from their defaults.
    pub values: Values,
}

impl Part {
    /// A component with default parameters.
    pub fn named(name: impl Into<String>) -> Self {
        Part { name: name.into(), values: Values::new() }
    }

    /// With one parameter set.
    pub fn set(mut self, parameter: impl Into<String>, value: impl Into<Value>) -> Self {
        self.values.insert(parameter.into(), value.into());
        self
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.values.is_empty() {
            return Ok(());
        }
        let values: Vec<String> = self.values.iter().map(|(k, v)| format!("{k}={v}")).collect();
        write!(f, "({})", values.join(", "))
    }
}

/// The parts of a pipeline by name.
#[derive(Clone, Debug, PartialEq)]
pub struct PipelineSpec {
    /// The representation.
    pub represent: Part,
    /// The choice of confident pairs.
    pub confidence: Part,
    /// The enhancer.
    pub enhance: Part,
    /// A stopping rule in place of the enhancer's own.
    pub stop: Option<Part>,
    /// The consensus function.
    pub consensus: Part,
}

impl PipelineSpec {
    /// Representation and consensus, nothing enhanced.
    pub fn plain(represent: Part, consensus: Part) -> Self {
        let none = Part::named("none");
        PipelineSpec { represent, confidence: none.clone(), enhance: none, stop: None, consensus }
    }

    /// The stages as files and command lines name them, in the order of the data.
    pub const STAGES: [&'static str; 5] = ["ca", "confidence", "enhance", "stop", "finish"];

    /// The parts by stage, in the order of the data; a stopping rule only where one is named.
    pub fn parts(&self) -> Vec<(&'static str, &Part)> {
        let [ca, confidence, enhance, stop, finish] = Self::STAGES;
        let mut parts =
            vec![(ca, &self.represent), (confidence, &self.confidence), (enhance, &self.enhance)];
        parts.extend(self.stop.as_ref().map(|part| (stop, part)));
        parts.push((finish, &self.consensus));
        parts
    }

    /// The part at a stage; a stopping rule only where one is named.
    ///
    /// # Errors
    /// [`Error::UnknownComponent`] if there is no such stage or nothing stands there.
    pub fn part_mut(&mut self, stage: &str) -> Result<&mut Part> {
        let unknown = || Error::UnknownComponent {
            stage: "stage",
            name: stage.to_string(),
            known: Self::STAGES.map(String::from).to_vec(),
        };
        match stage {
            "ca" => Ok(&mut self.represent),
            "confidence" => Ok(&mut self.confidence),
            "enhance" => Ok(&mut self.enhance),
            "stop" => self.stop.as_mut().ok_or_else(unknown),
            "finish" => Ok(&mut self.consensus),
            _ => Err(unknown()),
        }
    }

    /// Sets a parameter by its full name, `stage.parameter`.
    ///
    /// ```
    /// use enclust_core::{Part, PipelineSpec};
    ///
    /// let mut spec = PipelineSpec::plain(Part::named("lwca"), Part::named("average"));
    /// spec.set("ca.theta", 0.5)?;
    /// assert_eq!(spec.represent.to_string(), "lwca(theta=0.5)");
    /// assert!(spec.set("theta", 0.5).is_err());
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`part_mut`](Self::part_mut). Whether the part has such a parameter shows when
    /// it is built.
    pub fn set(&mut self, path: &str, value: impl Into<Value>) -> Result<()> {
        let (stage, parameter) = path.split_once('.').unwrap_or(("", path));
        let part = self.part_mut(stage)?;
        part.values.insert(parameter.to_string(), value.into());
        Ok(())
    }
}

/// A method by name: a pipeline that users can take apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// What it is made of.
    pub spec: PipelineSpec,
}

type Build<T> = dyn Fn(&Values) -> Result<Box<T>> + Send + Sync;

/// One component of a [`Table`].
pub struct Entry<T: ?Sized> {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: Vec<ParamSpec>,
    build: Box<Build<T>>,
}

/// The components that can stand in one place, by name, in order of
/// registration.
pub struct Table<T: ?Sized> {
    stage: &'static str,
    key: &'static str,
    entries: Vec<Entry<T>>,
}

impl<T: ?Sized> Table<T> {
    fn new(stage: &'static str, key: &'static str) -> Self {
        Table { stage, key, entries: Vec::new() }
    }

    /// Adds a component whose parameters are `P`; one of the same name is
    /// replaced.
    pub fn register<P: Parameters>(
        &mut self,
        name: &'static str,
        summary: &'static str,
        build: impl Fn(P) -> Result<Box<T>> + Send + Sync + 'static,
    ) {
        let build = Box::new(move |values: &Values| {
            build(P::from_values(values).map_err(|e| named(e, name))?)
        });
        let entry = Entry { name, summary, parameters: P::specs(), build };
        match self.entries.iter_mut().find(|e| e.name == name) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
    }

    /// What this table holds: "representation", "enhancer", …
    pub fn stage(&self) -> &'static str {
        self.stage
    }

    /// What files and command lines call its place, as in [`PipelineSpec::STAGES`].
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// Every component.
    pub fn entries(&self) -> &[Entry<T>] {
        &self.entries
    }

    /// Every name.
    pub fn names(&self) -> Vec<&'static str> {
        self.entries.iter().map(|e| e.name).collect()
    }

    /// The component of that name.
    pub fn get(&self, name: &str) -> Result<&Entry<T>> {
        self.entries.iter().find(|e| e.name == name).ok_or_else(|| Error::UnknownComponent {
            stage: self.stage,
            name: name.to_string(),
            known: self.names().into_iter().map(String::from).collect(),
        })
    }

    /// Builds a component.
    pub fn build(&self, part: &Part) -> Result<Box<T>> {
        (self.get(&part.name)?.build)(&part.values)
    }

    /// The same part with every parameter written out.
    fn resolved(&self, part: &Part) -> Result<Part> {
        let parameters = &self.get(&part.name)?.parameters;
        let mut values: Values =
            parameters.iter().map(|p| (p.name.to_string(), p.default.clone())).collect();
        values.extend(part.values.clone());
        Ok(Part { name: part.name.clone(), values })
    }
}

/// The error under the name the component is registered by: parameter structs
/// may be shared, or belong to no component at all.
fn named(error: ParamError, name: &'static str) -> ParamError {
    match error {
        ParamError::Unknown { parameter, known, .. } => {
            ParamError::Unknown { component: name, parameter, known }
        }
        ParamError::OutOfRange { parameter, value, range, .. } => {
            ParamError::OutOfRange { component: name, parameter, value, range }
        }
        ParamError::WrongType { parameter, expected, value, .. } => {
            ParamError::WrongType { component: name, parameter, expected, value }
        }
    }
}

impl<T: ?Sized> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("stage", &self.stage).field("names", &self.names()).finish()
    }
}

/// Every component by name, a table a stage.
///
/// Registration is explicit: a crate with components exports a function that
/// takes `&mut Registry<S>`. A new registry knows what lives in this crate: the
/// enhancer `none` and the backend `reference`.
///
/// ```
/// use enclust_core::{Part, Registry};
///
/// let registry = Registry::<f64>::new();
/// let error = registry.backend.build(&Part::named("abacus")).unwrap_err();
/// assert_eq!(error.to_string(), "no backend is called \"abacus\"; known: reference");
/// ```
#[derive(Debug)]
pub struct Registry<S: Real> {
    /// Representations.
    pub represent: Table<dyn Represent<S>>,
    /// Choices of confident pairs.
    pub confidence: Table<dyn Confidence<S>>,
    /// Enhancers.
    pub enhance: Table<dyn Enhancer<S>>,
    /// Stopping rules.
    pub stop: Table<dyn Convergence>,
    /// Consensus functions.
    pub consensus: Table<dyn Consensus<S>>,
    /// Linear-algebra backends.
    pub backend: Table<dyn Backend<S>>,
    presets: Vec<Preset>,
}

impl<S: Real> Default for Registry<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Real> Registry<S> {
    /// With the components of this crate alone.
    pub fn new() -> Self {
        let mut registry = Registry {
            represent: Table::new("representation", "ca"),
            confidence: Table::new("choice of confident pairs", "confidence"),
            enhance: Table::new("enhancer", "enhance"),
            stop: Table::new("stopping rule", "stop"),
            consensus: Table::new("consensus function", "finish"),
            backend: Table::new("backend", "backend"),
            presets: Vec::new(),
        };
        registry
            .confidence
            .register::<NoParams>("none", "no confident pairs", |_| Ok(Box::new(NoEnhancement)));
        registry.enhance.register::<NoParams>("none", "every similarity stays as it is", |_| {
            Ok(Box::new(NoEnhancement))
        });
        registry.backend.register::<NoParams>("reference", "plain kernels, the yardstick", |_| {
            Ok(Box::new(Reference))
        });
        registry
    }

    /// Adds a method; one of the same name is replaced.
    pub fn add_preset(&mut self, preset: Preset) {
        self.presets.retain(|p| p.name != preset.name);
        self.presets.push(preset);
    }

    /// Every method.
    pub fn presets(&self) -> &[Preset] {
        &self.presets
    }

    /// The method of that name.
    pub fn preset(&self, name: &str) -> Result<&Preset> {
        self.presets.iter().find(|p| p.name == name).ok_or_else(|| Error::UnknownComponent {
            stage: "method",
            name: name.to_string(),
            known: self.presets.iter().map(|p| p.name.to_string()).collect(),
        })
    }

    /// Builds a pipeline from names.
    pub fn pipeline(&self, spec: &PipelineSpec) -> Result<BoxedPipeline<S>> {
        let mut enhancer = self.enhance.build(&spec.enhance)?;
        let aimless = !enhancer.is_identity() && spec.confidence.name == "none";
        if let Some(stop) = &spec.stop {
            enhancer = enhancer.with_stop(Arc::from(self.stop.build(stop)?))?;
        }
        let pipeline = Pipeline::in_precision(
            self.represent.build(&spec.represent)?,
            self.confidence.build(&spec.confidence)?,
            enhancer,
            self.consensus.build(&spec.consensus)?,
        )?;
        if aimless {
            let what = "having no confident pairs to propagate; choose some, such as threshold";
            return Err(Error::unsupported(&spec.enhance.name, what));
        }
        Ok(pipeline)
    }

    /// The same parts with every parameter written out, defaults included: what a
    /// record of a run holds.
    ///
    /// ```
    /// use enclust_core::{NoParams, Part, PipelineSpec, Registry};
    ///
    /// let registry = Registry::<f64>::new();
    /// let spec = PipelineSpec::plain(Part::named("mine"), Part::named("mine"));
    /// let error = registry.resolved(&spec).unwrap_err();
    /// assert_eq!(error.to_string(), "no representation is called \"mine\"; known: ");
    /// ```
    ///
    /// # Errors
    /// [`Error::UnknownComponent`] for a name that is not registered. Values are not
    /// checked; [`pipeline`](Self::pipeline) does that.
    pub fn resolved(&self, spec: &PipelineSpec) -> Result<PipelineSpec> {
        Ok(PipelineSpec {
            represent: self.represent.resolved(&spec.represent)?,
            confidence: self.confidence.resolved(&spec.confidence)?,
            enhance: self.enhance.resolved(&spec.enhance)?,
            stop: spec.stop.as_ref().map(|part| self.stop.resolved(part)).transpose()?,
            consensus: self.consensus.resolved(&spec.consensus)?,
        })
    }

    /// Every component of every stage, for listings: stage, name, summary, parameters.
    pub fn listing(&self) -> Vec<Listed<'_>> {
        let mut out = Vec::new();
        list(&self.represent, &mut out);
        list(&self.confidence, &mut out);
        list(&self.enhance, &mut out);
        list(&self.stop, &mut out);
        list(&self.consensus, &mut out);
        list(&self.backend, &mut out);
        out
    }
}

/// A component as a listing shows it.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// Where it can stand.
    pub stage: &'static str,
    /// What files and command lines call that place.
    pub key: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: &'a [ParamSpec],
}

fn list<'a, T: Component + ?Sized>(table: &'a Table<T>, out: &mut Vec<Listed<'a>>) {
    out.extend(table.entries.iter().map(|e| Listed {
        stage: table.stage,
        key: table.key,
        name: e.name,
        summary: e.summary,
        parameters: &e.parameters,
    }));
}
