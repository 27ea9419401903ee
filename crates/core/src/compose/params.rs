//! Typed parameters with their defaults, ranges and documentation in one place.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::ParamError;

/// A parameter value as it is written in a file or on a command line.
///
/// With the feature `serde` it is read and written as a plain boolean, number or string.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(untagged, expecting = "true, false, a number or a word"))]
#[non_exhaustive]
pub enum Value {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Text(String),
}

impl Value {
    /// Parses a value as written on a command line: `true`, `12`, `0.4`, `word`.
    pub fn parse(text: &str) -> Self {
        if let Ok(b) = text.parse() {
            Value::Bool(b)
        } else if let Ok(i) = text.parse() {
            Value::Int(i)
        } else if let Ok(x) = text.parse() {
            Value::Float(x)
        } else {
            Value::Text(text.to_string())
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(i) => write!(f, "{i}"),
            Value::Float(x) => write!(f, "{}", Short(*x)),
            Value::Text(t) => write!(f, "{t}"),
        }
    }
}

/// A number without long rows of zeros.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size > 0.0 && size < 1e-6 || size >= 1e9 {
            write!(f, "{:e}", self.0)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

macro_rules! value_from {
    ($($t:ty => $variant:ident),*) => {$(
        impl From<$t> for Value {
            fn from(v: $t) -> Self {
                Value::$variant(v.into())
            }
        }
    )*};
}
value_from!(bool => Bool, i64 => Int, i32 => Int, u32 => Int, f64 => Float, f32 => Float, &str => Text, String => Text);

/// Values by parameter name.
pub type Values = BTreeMap<String, Value>;

/// A type that a parameter can have.
pub trait ParamType: Sized {
    /// A description of valid values, for messages.
    fn expected() -> String;
    /// The typed value, or `None` if the raw value has another type.
    fn from_value(value: &Value) -> Option<Self>;
    /// The raw value.
    fn to_value(&self) -> Value;
}

impl ParamType for bool {
    fn expected() -> String {
        "true or false".into()
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        (*self).into()
    }
}

impl ParamType for f64 {
    fn expected() -> String {
        "a number".into()
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Float(x) => Some(*x),
            Value::Int(i) => Some(*i as f64),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        (*self).into()
    }
}

macro_rules! whole_numbers {
    ($($t:ty),*) => {$(
        impl From<$t> for Value {
            fn from(v: $t) -> Self {
                i64::try_from(v).map_or(Value::Float(v as f64), Value::Int)
            }
        }

        impl ParamType for $t {
            fn expected() -> String {
                "a whole number".into()
            }
            fn from_value(value: &Value) -> Option<Self> {
                match value {
                    Value::Int(i) => <$t>::try_from(*i).ok(),
                    _ => None,
                }
            }
            fn to_value(&self) -> Value {
                (*self).into()
            }
        }
    )*};
}
whole_numbers!(usize, u64);

/// `None` is written `auto`: the component chooses the value.
impl<T: ParamType> ParamType for Option<T> {
    fn expected() -> String {
        format!("\"auto\" or {}", T::expected())
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(t) if t == "auto" => Some(None),
            other => T::from_value(other).map(Some),
        }
    }
    fn to_value(&self) -> Value {
        self.as_ref().map_or_else(|| "auto".into(), T::to_value)
    }
}

/// The values that a parameter may have.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Range {
    /// Any value of the type.
    Any,
    /// Finite and greater than zero.
    Positive,
    /// Greater than zero and at most one.
    Share,
    /// Between the two ends, both included.
    Within(f64, f64),
    /// From the first end (included) to the second (excluded).
    From(f64, f64),
    /// From the first end (excluded) to the second (included).
    Above(f64, f64),
    /// Finite and at least this value.
    AtLeast(f64),
}

impl Range {
    /// Whether a value is in the range. Strings and booleans always are.
    pub fn contains(&self, value: &Value) -> bool {
        let x = match value {
            Value::Int(i) => *i as f64,
            Value::Float(x) => *x,
            Value::Bool(_) | Value::Text(_) => return true,
        };
        match *self {
            Range::Any => true,
            Range::Positive => x > 0.0 && x.is_finite(),
            Range::Share => x > 0.0 && x <= 1.0,
            Range::Within(low, high) => x >= low && x <= high,
            Range::From(low, high) => x >= low && x < high,
            Range::Above(low, high) => x > low && x <= high,
            Range::AtLeast(low) => x >= low && x.is_finite(),
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Range::Any => write!(f, "any value"),
            Range::Positive => write!(f, "must be finite and > 0"),
            Range::Share => write!(f, "must be > 0 and <= 1"),
            Range::Within(low, high) => {
                write!(f, "must lie in [{}, {}]", Short(*low), Short(*high))
            }
            Range::From(low, high) => write!(f, "must lie in [{}, {})", Short(*low), Short(*high)),
            Range::Above(low, high) => write!(f, "must lie in ({}, {}]", Short(*low), Short(*high)),
            Range::AtLeast(low) => write!(f, "must be finite and >= {low}"),
        }
    }
}

/// The description of one parameter. It is made by [`parameters!`](crate::parameters).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ParamSpec {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub doc: String,
    /// A description of valid values.
    pub expected: String,
    /// The default value.
    pub default: Value,
    /// The range of valid values.
    pub range: Range,
    /// The values over which the parameter was tuned in publications: by its authors or, if they
    /// list none, by others. Empty if no such values are published.
    pub tried: Vec<Value>,
}

impl ParamSpec {
    /// A parameter with this default, range and documentation, and no published values.
    pub fn new<T: ParamType>(
        name: &'static str,
        doc: String,
        default: &T,
        range: Range,
        tried: Vec<Value>,
    ) -> Self {
        let (expected, default) = (T::expected(), default.to_value());
        ParamSpec { name, doc, expected, default, range, tried }
    }
}

/// A struct of parameters, made by [`parameters!`](crate::parameters).
pub trait Parameters: Default {
    /// Every parameter, in order of declaration.
    fn specs() -> Vec<ParamSpec>;

    /// The defaults, overridden by the given values. Unknown names, wrong types and values out of
    /// range are errors.
    fn from_values(values: &Values) -> Result<Self, ParamError>;

    /// Checks the range of every parameter.
    fn validate(&self) -> Result<(), ParamError>;

    /// All values by name.
    fn to_values(&self) -> Values;
}

/// The parameters of a component that has none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NoParams;

impl Parameters for NoParams {
    fn specs() -> Vec<ParamSpec> {
        Vec::new()
    }
    fn from_values(values: &Values) -> Result<Self, ParamError> {
        match values.keys().next() {
            Some(name) => Err(ParamError::Unknown {
                component: "this component",
                parameter: name.clone(),
                known: Vec::new(),
            }),
            None => Ok(NoParams),
        }
    }
    fn validate(&self) -> Result<(), ParamError> {
        Ok(())
    }
    fn to_values(&self) -> Values {
        Values::new()
    }
}

/// Declares a struct of parameters with public fields, a default and a range for each field, and
/// an implementation of [`Parameters`], with which files and command lines set fields by name.
/// For each field, a builder method of the same name sets its value. `in` gives the range and may
/// be omitted. `tried` lists the values over which the parameter was tuned in its paper. `check
/// function;` after the fields names a function from the struct to `Result<(), ParamError>` that
/// checks rules about several parameters.
///
/// ```
/// use enclust_core::{Parameters, Range, Values, parameters};
///
/// parameters! {
///     /// Parameters of a random walk.
///     pub struct WalkParams for "walk" {
///         /// Number of steps.
///         pub steps: usize = 10, in Range::AtLeast(1.0), tried [1, 10, 100];
///         /// Probability of staying.
///         pub laziness: f64 = 0.5, in Range::From(0.0, 1.0);
///         /// Whether to start anywhere.
///         pub anywhere: bool = false;
///     }
/// }
///
/// let p = WalkParams::default().steps(3);
/// assert!(p.validate().is_ok());
/// assert_eq!(WalkParams::specs()[0].tried, [1.into(), 10.into(), 100.into()]);
/// let bad = WalkParams::from_values(&Values::from([("laziness".into(), 1.0.into())]));
/// assert_eq!(bad.unwrap_err().to_string(), "walk: laziness = 1 is out of range: it must lie in [0, 1)");
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        pub struct $name:ident for $component:literal {
            $(
                $(#[doc = $doc:literal])*
                pub $field:ident : $type:ty = $default:expr $(, in $range:expr)?
                    $(, tried [$($tried:expr),+ $(,)?])?;
            )*
        }
        $(check $check:path;)?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[doc = $doc])* pub $field: $type, )*
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $( $field: $default, )* }
            }
        }

        impl $name {
            $(
                /// The same with a different value of this parameter.
                #[must_use]
                pub fn $field(mut self, $field: $type) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }

        impl $crate::Parameters for $name {
            fn specs() -> Vec<$crate::ParamSpec> {
                let _defaults = <$name as Default>::default();
                vec![$( $crate::ParamSpec::new(
                    stringify!($field),
                    [$($doc),*].iter().map(|line| line.trim()).collect::<Vec<_>>().join(" "),
                    &_defaults.$field,
                    $crate::parameters!(@range $($range)?),
                    vec![$($( $crate::Value::from($tried) ),+)?],
                ), )*]
            }

            #[allow(unused_mut)]
            fn from_values(values: &$crate::Values) -> $crate::Result<Self, $crate::ParamError> {
                let mut params = <$name as Default>::default();
                for (key, _value) in values {
                    match key.as_str() {
                        $( stringify!($field) => {
                            params.$field = <$type as $crate::ParamType>::from_value(_value).ok_or_else(|| {
                                $crate::ParamError::WrongType {
                                    component: $component,
                                    parameter: stringify!($field),
                                    expected: <$type as $crate::ParamType>::expected(),
                                    value: _value.to_string(),
                                }
                            })?;
                        } )*
                        _ => return Err($crate::ParamError::Unknown {
                            component: $component,
                            parameter: key.clone(),
                            known: vec![$( stringify!($field).to_string(), )*],
                        }),
                    }
                }
                $crate::Parameters::validate(&params)?;
                Ok(params)
            }

            fn validate(&self) -> $crate::Result<(), $crate::ParamError> {
                $( $crate::check_range(
                    $component,
                    stringify!($field),
                    &$crate::ParamType::to_value(&self.$field),
                    $crate::parameters!(@range $($range)?),
                )?; )*
                $( $check(self)?; )?
                Ok(())
            }

            fn to_values(&self) -> $crate::Values {
                [$( (stringify!($field).to_string(), $crate::ParamType::to_value(&self.$field)), )*]
                    .into_iter()
                    .collect()
            }
        }
    };
    (@range) => { $crate::Range::Any };
    (@range $range:expr) => { $range };
}

/// Declares a part: a struct whose fields are its parameters (see
/// [`parameters!`](crate::parameters)), with the name of the part and a one-line summary. The
/// macro implements [`Component`](crate::Component) and [`Described`](crate::Described), so the
/// part can be registered in one line.
///
/// ```
/// use enclust_core::{
///     Component, Consensus, Ctx, Evidence, Fitted, Kind, Range, Registry, Result, part,
/// };
///
/// part! {
///     /// Cuts where the similarity is low.
///     pub struct Cutter("cutter", "a cut at a threshold") {
///         /// The threshold.
///         pub threshold: f64 = 0.5, in Range::Within(0.0, 1.0);
///     }
/// }
///
/// # impl Consensus<f64> for Cutter {
/// #     fn accepts(&self) -> &[Kind] { &[Kind::Similarity] }
/// #     fn fit(&self, _: &Evidence<f64>, _: &Ctx<'_, f64>) -> Result<Box<dyn Fitted<f64>>> {
/// #         unreachable!()
/// #     }
/// # }
/// let mut registry = Registry::<f64>::new();
/// registry.consensus.add::<Cutter>();
/// assert_eq!(registry.consensus.get("cutter")?.parameters[0].name, "threshold");
/// assert!(Cutter::default().threshold(2.0).check().is_err());
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// A part can use the parameters of another struct, which may be another part: `pub struct
/// Other("other", "a line") of Cutter;` has a field `params: Cutter` and is made by
/// `Other::from(Cutter::default().threshold(0.3))`. A part without parameters is written `pub
/// struct Plain("plain", "a line");` and is a unit struct.
#[macro_export]
macro_rules! part {
    (
        $(#[$meta:meta])*
        pub struct $name:ident($label:literal, $summary:literal) { $($fields:tt)* }
        $(check $check:path;)?
    ) => {
        $crate::parameters! {
            $(#[$meta])*
            pub struct $name for $label { $($fields)* }
            $(check $check;)?
        }

        $crate::part!(@described $name, $label, $summary);
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident($label:literal, $summary:literal) of $params:ty;
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            /// Its parameters.
            pub params: $params,
        }

        impl From<$params> for $name {
            fn from(params: $params) -> Self {
                $name { params }
            }
        }

        impl $crate::Parameters for $name {
            fn specs() -> Vec<$crate::ParamSpec> {
                <$params as $crate::Parameters>::specs()
            }
            fn from_values(values: &$crate::Values) -> $crate::Result<Self, $crate::ParamError> {
                Ok(<$params as $crate::Parameters>::from_values(values)?.into())
            }
            fn validate(&self) -> $crate::Result<(), $crate::ParamError> {
                $crate::Parameters::validate(&self.params)
            }
            fn to_values(&self) -> $crate::Values {
                $crate::Parameters::to_values(&self.params)
            }
        }

        $crate::part!(@described $name, $label, $summary);
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident($label:literal, $summary:literal);
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl $crate::Parameters for $name {
            fn specs() -> Vec<$crate::ParamSpec> {
                Vec::new()
            }
            fn from_values(values: &$crate::Values) -> $crate::Result<Self, $crate::ParamError> {
                <$crate::NoParams as $crate::Parameters>::from_values(values)?;
                Ok($name)
            }
            fn validate(&self) -> $crate::Result<(), $crate::ParamError> {
                Ok(())
            }
            fn to_values(&self) -> $crate::Values {
                $crate::Values::new()
            }
        }

        $crate::part!(@described $name, $label, $summary);
    };
    (@described $name:ident, $label:literal, $summary:literal) => {
        impl $crate::Component for $name {
            fn name(&self) -> &str {
                $label
            }

            fn check(&self) -> $crate::Result<()> {
                Ok($crate::Parameters::validate(self)?)
            }
        }

        impl $crate::Described for $name {
            const NAME: &'static str = $label;
            const SUMMARY: &'static str = $summary;
        }
    };
}

/// Declares an enum that can be used as a parameter. Each variant has a word that names it.
///
/// ```
/// enclust_core::choice! {
///     /// The direction of a turn.
///     pub enum Way {
///         /// To the left.
///         Left = "left",
///         /// To the right.
///         Right = "right",
///     }
/// }
/// use enclust_core::ParamType;
/// assert_eq!(Way::from_value(&"left".into()), Some(Way::Left));
/// assert_eq!(Way::expected(), "one of left, right");
/// ```
#[macro_export]
macro_rules! choice {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $(#[$vmeta:meta])* $variant:ident = $word:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $( $(#[$vmeta])* $variant, )*
        }

        impl $crate::ParamType for $name {
            fn expected() -> String {
                format!("one of {}", [$($word),*].join(", "))
            }
            fn from_value(value: &$crate::Value) -> Option<Self> {
                match value {
                    $crate::Value::Text(word) => match word.as_str() {
                        $( $word => Some($name::$variant), )*
                        _ => None,
                    },
                    _ => None,
                }
            }
            fn to_value(&self) -> $crate::Value {
                match self {
                    $( $name::$variant => $word.into(), )*
                }
            }
        }
    };
}

/// Checks one value against its range. [`Parameters::validate`] calls it for every parameter.
pub fn check_range(
    component: &'static str,
    parameter: &'static str,
    value: &Value,
    range: Range,
) -> Result<(), ParamError> {
    if range.contains(value) {
        return Ok(());
    }
    Err(ParamError::OutOfRange {
        component,
        parameter,
        value: value.to_string(),
        range: range.to_string(),
    })
}

choice! {
    /// What counts as one object if a group represents several samples.
    pub enum Weighting {
        /// Every sample counts: a group of r samples has weight r. The result is the same as on
        /// the samples.
        Samples = "samples",
        /// Every group counts once, independent of its size, as in PTA, PTGP and DREC.
        Groups = "groups",
    }
}
