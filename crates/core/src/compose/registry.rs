//! The registry of parts by name.

use std::any::Any;
use std::sync::Arc;

use crate::compose::params::{NoParams, ParamSpec};
use crate::compose::pipeline::{BoxedPipeline, Pipeline};
use crate::compose::spec::{Part, PipelineSpec};
use crate::compose::table::{Entry, Table};
use crate::error::{Error, Result};
use crate::numbers::real::Real;
use crate::reference::Reference;
use crate::rules::{self, AllOf, AnyOf};
use crate::stages::backend::Backend;
use crate::stages::ca::Ca;
use crate::stages::confidence::Confidence;
use crate::stages::consensus::Consensus;
use crate::stages::enhance::{Enhance, NoEnhancement};
use crate::stages::reduce::{NoReduction, Reduce};
use crate::stages::stage::Stage;
use crate::stages::stop::Stop;

/// A named method, defined by a pipeline that users can modify.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// A one-line summary.
    pub summary: &'static str,
    /// When to use it, in one sentence; may be empty.
    pub advice: &'static str,
    /// The parts of the method.
    pub spec: PipelineSpec,
}

impl Preset {
    /// A method with this name, summary and parts.
    pub fn new(name: &'static str, summary: &'static str, spec: PipelineSpec) -> Self {
        Preset { name, summary, advice: "", spec }
    }

    /// The same with advice on when to use it.
    pub fn with_advice(self, advice: &'static str) -> Self {
        Preset { advice, ..self }
    }
}

/// Every part by name, one table per stage.
///
/// Registration is explicit: a crate that provides parts exports a function that takes `&mut
/// Registry<S>`. A new registry contains the parts of this crate: the standard stopping rules,
/// the reduction `none`, the enhancer `none` and the backend `reference`.
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
    /// Reductions of label rows.
    pub reduce: Table<dyn Reduce<S>>,
    /// Representations.
    pub ca: Table<dyn Ca<S>>,
    /// Confidence rules.
    pub confidence: Table<dyn Confidence<S>>,
    /// Enhancers.
    pub enhance: Table<dyn Enhance<S>>,
    /// Stopping rules.
    pub stop: Table<dyn Stop>,
    /// Consensus functions.
    pub consensus: Table<dyn Consensus<S>>,
    /// Linear-algebra backends.
    pub backend: Table<dyn Backend<S>>,
    /// The confidence rule that is used with an enhancer if none is named.
    pub usual_confidence: Option<Part>,
    /// The reduction of a pipeline that names none; `None` leaves all rows.
    pub usual_reduce: Option<Part>,
    presets: Vec<Preset>,
}

impl<S: Real> Default for Registry<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Real> Registry<S> {
    /// A registry with only the parts of this crate.
    pub fn new() -> Self {
        let mut registry = Registry {
            reduce: Table::new(Stage::Reduce),
            ca: Table::new(Stage::Ca),
            confidence: Table::new(Stage::Confidence),
            enhance: Table::new(Stage::Enhance),
            stop: Table::new(Stage::Stop),
            consensus: Table::new(Stage::Consensus),
            backend: Table::new(Stage::Backend),
            usual_confidence: None,
            usual_reduce: None,
            presets: Vec::new(),
        };
        registry
            .reduce
            .register::<NoParams>("none", "all label rows stay", |_| Ok(Box::new(NoReduction)));
        registry
            .confidence
            .register::<NoParams>("none", "no confident pairs", |_| Ok(Box::new(NoEnhancement)));
        registry.enhance.register::<NoParams>("none", "every similarity stays as it is", |_| {
            Ok(Box::new(NoEnhancement))
        });
        registry.backend.register::<NoParams>(
            "reference",
            "plain kernels of enclust, against which the others are tested",
            |_| Ok(Box::new(Reference)),
        );
        rules::register(&mut registry.stop);
        registry
    }

    /// This registry if its precision is `T`, otherwise `None`; for parts that exist in one
    /// precision only.
    ///
    /// ```
    /// use enclust_core::{Backend, MatMut, MatRef, Real, Reference, Registry, part};
    ///
    /// part! {
    ///     /// A library that supports double precision only.
    ///     pub struct DoubleOnly("double-only", "kernels in double precision");
    /// }
    ///
    /// impl Backend<f64> for DoubleOnly {
    ///     fn gemm(&self, x: f64, a: MatRef<'_, f64>, b: MatRef<'_, f64>, y: f64, c: MatMut<'_, f64>) {
    ///         Reference.gemm(x, a, b, y, c);
    ///     }
    /// }
    ///
    /// fn register<S: Real>(registry: &mut Registry<S>) {
    ///     if let Some(double) = registry.of_precision::<f64>() {
    ///         double.backend.add::<DoubleOnly>();
    ///     }
    /// }
    ///
    /// let (mut single, mut double) = (Registry::<f32>::new(), Registry::<f64>::new());
    /// register(&mut single);
    /// register(&mut double);
    /// assert_eq!(single.backend.names(), ["reference"]);
    /// assert_eq!(double.backend.names(), ["reference", "double-only"]);
    /// ```
    pub fn of_precision<T: Real>(&mut self) -> Option<&mut Registry<T>> {
        (self as &mut dyn Any).downcast_mut()
    }

    /// Adds a method. A method of the same name is replaced.
    pub fn add_preset(&mut self, preset: Preset) {
        self.presets.retain(|p| p.name != preset.name);
        self.presets.push(preset);
    }

    /// All methods.
    pub fn presets(&self) -> &[Preset] {
        &self.presets
    }

    /// The method with this name.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownComponent`], which lists the known methods.
    pub fn preset(&self, name: &str) -> Result<&Preset> {
        self.presets.iter().find(|p| p.name == name).ok_or_else(|| Error::UnknownComponent {
            stage: "method",
            name: name.to_string(),
            known: self.presets.iter().map(|p| p.name.to_string()).collect(),
        })
    }

    /// Builds a stopping rule or a combination of rules: `any(…)`, `all(…)`.
    ///
    /// # Errors
    ///
    /// The same as for [`Table::build`]; [`Error::Unsupported`] if a rule that is not a
    /// combination contains other rules, or if a combination is empty.
    pub fn stopping_rule(&self, part: &Part) -> Result<Arc<dyn Stop>> {
        if !combines(&part.name) {
            return match part.of.first() {
                Some(inner) => Err(Error::unsupported(&part.name, format!("the rule {inner}"))),
                None => Ok(Arc::from(self.stop.build(part)?)),
            };
        }
        if part.of.is_empty() || !part.values.is_empty() {
            let what = format!("{part}; write {}(rule, rule)", part.name);
            return Err(Error::unsupported("a combination of rules", what));
        }
        let rules: Result<Vec<_>> = part.of.iter().map(|rule| self.stopping_rule(rule)).collect();
        Ok(match part.name.as_str() {
            AnyOf::NAME => Arc::new(AnyOf::new(rules?)),
            _ => Arc::new(AllOf::new(rules?)),
        })
    }

    /// Builds a pipeline from the names of its parts.
    ///
    /// # Errors
    ///
    /// The errors of building each part and of [`Pipeline::in_precision`]; [`Error::Unsupported`]
    /// if an enhancer has no confident pairs, or if a parameter of a part's own stopping rule is
    /// set although another rule is named.
    pub fn pipeline(&self, spec: &PipelineSpec) -> Result<BoxedPipeline<S>> {
        let enhance = self.enhance.build(&spec.enhance)?;
        if !enhance.is_identity() && spec.confidence.is_none() {
            let what =
                "an empty set of confident pairs; choose a confidence rule, such as threshold";
            return Err(Error::unsupported(&spec.enhance.name, what));
        }
        if enhance.is_identity() && !spec.confidence.is_none() {
            let what = format!("the confidence rule {}; choose an enhancer, too", spec.confidence);
            return Err(Error::unsupported("a pipeline without an enhancer", what));
        }
        let ca = self.ca.build(&spec.ca)?;
        if let Some(stop) = &spec.stop {
            let (stage, idle) = if enhance.is_identity() {
                (Stage::Ca, ca.stop_parameters())
            } else {
                (Stage::Enhance, enhance.stop_parameters())
            };
            self.check_stop_parameters(spec, stage, idle, stop)?;
        }
        let pipeline = Pipeline::in_precision(
            ca,
            self.confidence.build(&spec.confidence)?,
            enhance,
            self.consensus.build(&spec.consensus)?,
        )?;
        let pipeline = match spec.reduce.as_ref().or(self.usual_reduce.as_ref()) {
            Some(reduce) => pipeline.with_shared_reduce(Arc::from(self.reduce.build(reduce)?))?,
            None => pipeline,
        };
        match &spec.stop {
            None => Ok(pipeline),
            Some(stop) => pipeline
                .with_shared_stop(self.stopping_rule(stop)?)
                .map_err(|error| self.with_rules_that_work(error, spec)),
        }
    }

    /// Returns an error if a parameter of the part of this stage that is idle, because another
    /// stopping rule is given, is set to a value other than its default.
    fn check_stop_parameters(
        &self,
        spec: &PipelineSpec,
        stage: Stage,
        idle: &[&str],
        stop: &Part,
    ) -> Result<()> {
        let Some(part) = spec.part(stage) else { return Ok(()) };
        let declared = self.parameters(stage, &part.name)?;
        for &name in idle {
            let default = declared.iter().find(|p| p.name == name).map(|p| &p.default);
            let given = part.values.get(name);
            if given.is_some() && given != default {
                let what = format!("{name} together with the stopping rule {}", stop.name);
                return Err(Error::unsupported(&part.name, what));
            }
        }
        Ok(())
    }

    /// The same error with the names of the rules that work.
    fn with_rules_that_work(&self, error: Error, spec: &PipelineSpec) -> Error {
        let Error::StopMismatch { rule, needs, component, .. } = error else { return error };
        let without = PipelineSpec { stop: None, ..spec.clone() };
        let works = |name: &&str| {
            let rule = self.stopping_rule(&Part::named(*name));
            self.pipeline(&without).and_then(|pipeline| pipeline.with_shared_stop(rule?)).is_ok()
        };
        let known = self.stop.names().into_iter().filter(works).map(String::from).collect();
        Error::StopMismatch { rule, needs, component, known }
    }

    /// Replaces the part of one stage of a pipeline. Parameters that both parts have keep their
    /// values: a pipeline with λ = 0.1 keeps it when its enhancer is replaced. If an enhancer is
    /// put into a pipeline without confident pairs, the [usual](Self::usual_confidence)
    /// confidence rule is added; the enhancer `none` removes it again.
    ///
    /// ```
    /// use enclust_core::{Part, PipelineSpec, Registry, Stage};
    ///
    /// let registry = Registry::<f64>::new();
    /// let mut spec = PipelineSpec::plain(Part::named("lwca"), Part::named("average"));
    /// registry.swap(&mut spec, Stage::Stop, "kkt(tolerance=1e-4)".parse()?)?;
    /// registry.swap(&mut spec, Stage::Stop, Part::named("objective"))?;
    /// assert_eq!(spec.stop.unwrap().to_string(), "objective(tolerance=0.0001)");
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::UnknownComponent`] for a name that is not registered; [`Error::Unsupported`] for
    /// a stage whose part cannot be chosen.
    pub fn swap(&self, spec: &mut PipelineSpec, stage: Stage, part: Part) -> Result<()> {
        let mut kept = part.clone();
        if part.of.is_empty() {
            let known = self.parameters(stage, &part.name)?;
            let old = spec.part(stage).map(|old| old.values.clone()).unwrap_or_default();
            let shared = old.into_iter().filter(|(name, _)| known.iter().any(|p| p.name == *name));
            kept.values = shared.collect();
            kept.values.extend(part.values);
        }
        spec.put(stage, kept)?;
        if stage == Stage::Enhance {
            if spec.enhance.is_none() {
                spec.confidence = Part::named("none");
                spec.stop = None;
            } else if let (true, Some(usual)) = (spec.confidence.is_none(), &self.usual_confidence)
            {
                spec.confidence = usual.clone();
            }
        }
        Ok(())
    }

    /// The parameters that a part declares.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownComponent`] for a name that is not registered.
    pub fn parameters(&self, stage: Stage, name: &str) -> Result<&[ParamSpec]> {
        Ok(match stage {
            Stage::Reduce => &self.reduce.get(name)?.parameters,
            Stage::Ca => &self.ca.get(name)?.parameters,
            Stage::Confidence => &self.confidence.get(name)?.parameters,
            Stage::Enhance => &self.enhance.get(name)?.parameters,
            Stage::Stop if combines(name) => &[],
            Stage::Stop => &self.stop.get(name)?.parameters,
            Stage::Consensus => &self.consensus.get(name)?.parameters,
            Stage::Backend => &self.backend.get(name)?.parameters,
            Stage::Precision if PRECISIONS.contains(&name) => &[],
            Stage::Precision => {
                return Err(Error::UnknownComponent {
                    stage: Stage::Precision.noun(),
                    name: name.to_string(),
                    known: PRECISIONS.map(String::from).to_vec(),
                });
            }
            stage => {
                return Err(Error::unsupported("a pipeline", format!("a {stage} part")));
            }
        })
    }

    /// The same pipeline with every parameter written out, including defaults, as stored in the
    /// record of a run.
    ///
    /// ```
    /// use enclust_core::{Part, PipelineSpec, Registry};
    ///
    /// let registry = Registry::<f64>::new();
    /// let spec = PipelineSpec::plain(Part::named("mine"), Part::named("mine"));
    /// let error = registry.resolved(&spec).unwrap_err();
    /// assert_eq!(error.to_string(), "no representation is called \"mine\"; known: ");
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::UnknownComponent`] for a name that is not registered. Values are not checked here
    /// but in [`pipeline`](Self::pipeline).
    pub fn resolved(&self, spec: &PipelineSpec) -> Result<PipelineSpec> {
        let reduce = spec.reduce.as_ref().or(self.usual_reduce.as_ref());
        Ok(PipelineSpec {
            reduce: reduce.map(|part| self.reduce.resolved(part)).transpose()?,
            ca: self.ca.resolved(&spec.ca)?,
            confidence: self.confidence.resolved(&spec.confidence)?,
            enhance: self.enhance.resolved(&spec.enhance)?,
            stop: spec.stop.as_ref().map(|part| self.resolved_rule(part)).transpose()?,
            consensus: self.consensus.resolved(&spec.consensus)?,
            backend: spec.backend.as_ref().map(|part| self.backend.resolved(part)).transpose()?,
            precision: spec.precision.clone(),
        })
    }

    fn resolved_rule(&self, part: &Part) -> Result<Part> {
        if !combines(&part.name) {
            return self.stop.resolved(part);
        }
        let of: Result<Vec<Part>> = part.of.iter().map(|rule| self.resolved_rule(rule)).collect();
        Ok(Part { of: of?, ..part.clone() })
    }

    /// All parts of all stages, for listings.
    pub fn listing(&self) -> Vec<Listed<'_>> {
        let mut out = Vec::new();
        list(&self.reduce, &mut out);
        list(&self.ca, &mut out);
        list(&self.confidence, &mut out);
        list(&self.enhance, &mut out);
        list(&self.stop, &mut out);
        list(&self.consensus, &mut out);
        list(&self.backend, &mut out);
        out
    }
}

/// The names of the precisions.
const PRECISIONS: [&str; 2] = [<f32 as Real>::NAME, <f64 as Real>::NAME];

/// Whether a stopping rule with this name is a combination of other rules.
fn combines(name: &str) -> bool {
    [AnyOf::NAME, AllOf::NAME].contains(&name)
}

/// A part in a listing.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Listed<'a> {
    /// Its stage.
    pub stage: Stage,
    /// Its name.
    pub name: &'static str,
    /// A one-line summary.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: &'a [ParamSpec],
}

fn list<'a, T: ?Sized>(table: &'a Table<T>, out: &mut Vec<Listed<'a>>) {
    let listed = |entry: &'a Entry<T>| Listed {
        stage: table.stage(),
        name: entry.name,
        summary: entry.summary,
        parameters: &entry.parameters,
    };
    out.extend(table.entries().iter().map(listed));
}
