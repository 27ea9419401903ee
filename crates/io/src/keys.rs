//! Interpretation of cells as names of clusters.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use enclust_core::{ParamError, ParamType, Value, choice};

use crate::error::{Fault, shown};
use crate::grid::{Cell, Grid, number};

/// The largest whole number up to which doubles represent all whole numbers.
const LARGEST: f64 = 9_007_199_254_740_991.0;

choice! {
    /// What the label −1 means in a pool. DBSCAN, HDBSCAN and scikit-learn assign it to samples
    /// that belong to no cluster.
    ///
    /// ```
    /// use enclust_io::Noise;
    ///
    /// assert_eq!("missing".parse(), Ok(Noise::Missing));
    /// assert_eq!(Noise::default().to_string(), "error");
    /// ```
    #[derive(Default)]
    pub enum Noise {
        /// Each such sample is a cluster of its own.
        Singleton = "singleton",
        /// The clustering does not label such a sample.
        Missing = "missing",
        /// The label is an error with its position.
        #[default]
        Error = "error",
    }
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_value() {
            Value::Text(word) => f.write_str(&word),
            other => write!(f, "{other}"),
        }
    }
}

impl FromStr for Noise {
    type Err = ParamError;

    fn from_str(word: &str) -> Result<Self, ParamError> {
        Noise::from_value(&word.into()).ok_or_else(|| ParamError::WrongType {
            component: "pool",
            parameter: "noise",
            expected: Noise::expected(),
            value: word.into(),
        })
    }
}

/// The name of a cluster within one clustering.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key<'a> {
    Number(i64),
    /// A larger number.
    Large(u64),
    Text(Cow<'a, str>),
    /// The cluster that contains only this sample.
    Alone(usize),
}

impl Key<'_> {
    /// The label as text, numbers in their shortest form; `None` for a sample that is alone.
    pub fn name(&self) -> Option<String> {
        match self {
            Key::Number(value) => Some(value.to_string()),
            Key::Large(value) => Some(value.to_string()),
            Key::Text(text) => Some(text.to_string()),
            Key::Alone(_) => None,
        }
    }
}

/// A grid in which every cell is a label or missing.
pub(crate) struct Keys<'g> {
    grid: &'g dyn Grid,
    noise: Option<Noise>,
    /// Whether the labels of a column are all numbers; otherwise they are all compared as text,
    /// so that 1 and 1.0 differ only in a column with labels such as 1a.
    numeric: Vec<bool>,
}

impl<'g> Keys<'g> {
    /// Checks every cell; without `noise`, −1 is an ordinary label.
    pub fn of(grid: &'g dyn Grid, noise: Option<Noise>) -> Result<Self, Fault> {
        if grid.rows() == 0 || grid.columns() == 0 {
            return Err(Fault::Empty);
        }
        let numeric = (0..grid.columns()).map(|column| is_numeric(grid, column)).collect();
        let keys = Keys { grid, noise, numeric };
        keys.check_columns(0..grid.columns())?;
        Ok(keys)
    }

    /// Compares the labels of each column as stated, as numbers or as text, whatever they are.
    /// Only the columns with a statement can be read.
    pub fn compared(
        grid: &'g dyn Grid,
        noise: Noise,
        numeric: &[Option<bool>],
    ) -> Result<Self, Fault> {
        let read = (0..grid.columns()).filter(|&column| numeric[column].is_some());
        let as_numbers = numeric.iter().map(|numeric| *numeric == Some(true)).collect();
        let keys = Keys { grid, noise: Some(noise), numeric: as_numbers };
        keys.check_columns(read)?;
        Ok(keys)
    }

    fn check_columns(&self, columns: impl Iterator<Item = usize>) -> Result<(), Fault> {
        for column in columns {
            for row in 0..self.grid.rows() {
                self.check(row, column)?;
            }
        }
        Ok(())
    }

    /// Whether the labels of a column are compared as numbers.
    pub fn is_numeric(&self, column: usize) -> bool {
        self.numeric[column]
    }

    fn check(&self, row: usize, column: usize) -> Result<(), Fault> {
        let at = || self.grid.place(row, column);
        match self.named(row, column) {
            Ok(Some(key)) if self.noise == Some(Noise::Error) && is_noise(&key) => {
                Err(Fault::Noise { at: at() })
            }
            Ok(_) => Ok(()),
            Err(value) => Err(Fault::Label { at: at(), value: shown(&value) }),
        }
    }

    /// The label of a sample; `None` if it is missing.
    pub fn get(&self, row: usize, column: usize) -> Option<Key<'_>> {
        let key = self.named(row, column).ok()??;
        match self.noise {
            Some(Noise::Singleton) if is_noise(&key) => Some(Key::Alone(row)),
            Some(Noise::Missing) if is_noise(&key) => None,
            _ => Some(key),
        }
    }

    /// The label in this cell, or the content of the cell if it is not a label.
    fn named(&self, row: usize, column: usize) -> Result<Option<Key<'_>>, String> {
        match self.grid.cell(row, column) {
            Cell::Missing => Ok(None),
            Cell::Text(text) => match number(&text) {
                Some(value) if self.numeric[column] => {
                    numbered(&value).ok_or_else(|| text.into_owned())
                }
                _ => Ok(Some(Key::Text(text))),
            },
            value => numbered(&value).ok_or_else(|| match value {
                Cell::Real(value) => value.to_string(),
                other => format!("{other:?}"),
            }),
        }
    }
}

fn is_numeric(grid: &dyn Grid, column: usize) -> bool {
    let is_number = |cell| match cell {
        Cell::Text(text) => number(&text).is_some(),
        _ => true,
    };
    (0..grid.rows()).all(|row| is_number(grid.cell(row, column)))
}

/// The key of a number: the inner `None` if it is missing, the outer `None` if it is not a
/// label.
pub(crate) fn numbered(value: &Cell<'_>) -> Option<Option<Key<'static>>> {
    match *value {
        Cell::Real(value) if value.is_nan() => Some(None),
        Cell::Real(value) if value.fract() == 0.0 && value.abs() <= LARGEST => {
            Some(Some(Key::Number(value as i64)))
        }
        Cell::Whole(value) => {
            let small = i64::try_from(value).map(Key::Number);
            small.or_else(|_| u64::try_from(value).map(Key::Large)).ok().map(Some)
        }
        _ => None,
    }
}

fn is_noise(key: &Key<'_>) -> bool {
    match key {
        Key::Number(value) => *value == -1,
        Key::Text(text) => {
            let value = number(text);
            value.and_then(|value| numbered(&value)) == Some(Some(Key::Number(-1)))
        }
        _ => false,
    }
}
