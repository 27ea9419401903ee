//! The parts of one stage, by name.

use std::fmt;

use crate::compose::params::{ParamSpec, Parameters, Values};
use crate::compose::spec::Part;
use crate::error::{Error, ParamError, Result};
use crate::numbers::real::Real;
use crate::stages::backend::Backend;
use crate::stages::ca::Ca;
use crate::stages::component::Described;
use crate::stages::confidence::Confidence;
use crate::stages::consensus::Consensus;
use crate::stages::enhance::Enhance;
use crate::stages::reduce::Reduce;
use crate::stages::stage::Stage;
use crate::stages::stop::Stop;

type Build<T> = dyn Fn(&Values) -> Result<Box<T>> + Send + Sync;

/// One part of a [`Table`].
#[non_exhaustive]
pub struct Entry<T: ?Sized> {
    /// Its name.
    pub name: &'static str,
    /// A one-line summary.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: Vec<ParamSpec>,
    build: Box<Build<T>>,
}

/// A part that can be used as the trait object `T` of its stage.
pub trait PartOf<T: ?Sized> {
    /// The boxed part.
    fn boxed(self) -> Box<T>;
}

macro_rules! part_of {
    ($($trait:ident),*) => {$(
        impl<S: Real, P: $trait<S> + 'static> PartOf<dyn $trait<S>> for P {
            fn boxed(self) -> Box<dyn $trait<S>> {
                Box::new(self)
            }
        }
    )*};
}
part_of!(Reduce, Ca, Confidence, Enhance, Consensus, Backend);

impl<P: Stop + 'static> PartOf<dyn Stop> for P {
    fn boxed(self) -> Box<dyn Stop> {
        Box::new(self)
    }
}

/// The parts of one stage by name, in the order in which they were registered.
pub struct Table<T: ?Sized> {
    stage: Stage,
    entries: Vec<Entry<T>>,
}

impl<T: ?Sized> Table<T> {
    pub(crate) fn new(stage: Stage) -> Self {
        Table { stage, entries: Vec::new() }
    }

    /// Adds a part that implements [`Described`]. A part of the same name is replaced.
    pub fn add<P: Described + PartOf<T> + 'static>(&mut self) {
        self.register::<P>(P::NAME, P::SUMMARY, |part| Ok(part.boxed()));
    }

    /// Adds a part under this name, built from parameters `P`. A part of the same name is replaced.
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

    /// The stage of these parts.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// All parts.
    pub fn entries(&self) -> &[Entry<T>] {
        &self.entries
    }

    /// All names.
    pub fn names(&self) -> Vec<&'static str> {
        self.entries.iter().map(|e| e.name).collect()
    }

    /// The part with this name.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownComponent`], which lists the known names.
    pub fn get(&self, name: &str) -> Result<&Entry<T>> {
        self.entries.iter().find(|e| e.name == name).ok_or_else(|| Error::UnknownComponent {
            stage: self.stage.noun(),
            name: name.to_string(),
            known: self.names().into_iter().map(String::from).collect(),
        })
    }

    /// Builds a part.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownComponent`] for an unknown name; [`Error::Param`] if a parameter is
    /// unknown or out of range.
    pub fn build(&self, part: &Part) -> Result<Box<T>> {
        (self.get(&part.name)?.build)(&part.values)
    }

    /// The same part with every parameter written out.
    pub(crate) fn resolved(&self, part: &Part) -> Result<Part> {
        let parameters = &self.get(&part.name)?.parameters;
        let mut values: Values =
            parameters.iter().map(|p| (p.name.to_string(), p.default.clone())).collect();
        values.extend(part.values.clone());
        Ok(Part { values, ..part.clone() })
    }
}

/// The same error with the registered name of the part. Parameter structs may be shared or belong
/// to no part.
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
