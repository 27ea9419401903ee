//! Pools of base clusterings.

use enclust_core::{Ensemble, Partition};

use crate::error::PoolError;
use crate::mat::{Array, MatFile, Variable};

type Result<T> = std::result::Result<T, PoolError>;

/// Whole numbers that every double around them tells apart.
const LARGEST_LABEL: f64 = 9_007_199_254_740_991.0;

/// Many base clusterings of the same samples, to draw ensembles from.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// The clusterings.
    pub ensemble: Ensemble,
    /// The classes of the samples, if they are known.
    pub truth: Option<Partition>,
}

impl Pool {
    /// Takes a pool from the arrays `members` (n × m, one column a clustering)
    /// and, if it is there, `gt` (n labels, as a row or a column).
    ///
    /// Labels may be of any numeric type but must be whole numbers. NaN in
    /// `members` is a missing label; in `gt` it is an error.
    ///
    /// # Errors
    /// [`PoolError`] says which array is wrong, and where.
    pub fn from_mat(file: &MatFile) -> Result<Self> {
        let members = array(file, "members")?.ok_or_else(|| PoolError::NoArray {
            name: "members",
            found: file.names().map(String::from).collect(),
        })?;
        let ensemble = ensemble(members)?;
        let truth = match array(file, "gt")? {
            Some(gt) => Some(truth(gt, ensemble.samples())?),
            None => None,
        };
        Ok(Pool { ensemble, truth })
    }
}

/// The array of that name, if there is a variable of that name.
fn array<'a>(file: &'a MatFile, name: &'static str) -> Result<Option<&'a Array>> {
    match file.get(name) {
        None => Ok(None),
        Some(Variable::Array(array)) => Ok(Some(array)),
        Some(Variable::Unread(holds)) => Err(PoolError::Unread { name, holds }),
    }
}

fn ensemble(members: &Array) -> Result<Ensemble> {
    let &[samples, clusterings] = members.shape() else {
        return Err(wrong_shape("members", members, "samples by clusterings"));
    };
    let labels = labels("members", members)?;
    Ok(Ensemble::from_keys(samples, clusterings, |i, k| labels[k * samples + i])?)
}

fn truth(gt: &Array, samples: usize) -> Result<Partition> {
    let (&[truth, 1] | &[1, truth]) = gt.shape() else {
        return Err(wrong_shape("gt", gt, "a single row or column"));
    };
    if truth != samples {
        return Err(PoolError::Samples { members: samples, truth });
    }
    let labels = labels("gt", gt)?;
    match labels.iter().position(Option::is_none) {
        Some(sample) => Err(PoolError::NoTruth { sample }),
        None => Ok(Partition::from_labels(labels)),
    }
}

fn wrong_shape(name: &'static str, array: &Array, expected: &'static str) -> PoolError {
    PoolError::Shape { name, shape: array.shape().to_vec(), expected }
}

/// Whole numbers, `None` for NaN, column after column.
fn labels(name: &'static str, array: &Array) -> Result<Vec<Option<i64>>> {
    let rows = array.shape()[0];
    let label = |(at, &value): (usize, &f64)| {
        if value.is_nan() {
            Ok(None)
        } else if value.fract() == 0.0 && value.abs() <= LARGEST_LABEL {
            Ok(Some(value as i64))
        } else {
            Err(PoolError::Label { name, row: at % rows, column: at / rows, value })
        }
    };
    array.values().iter().enumerate().map(label).collect()
}
