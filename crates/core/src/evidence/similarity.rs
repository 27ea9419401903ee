//! Symmetric similarities between groups of samples.

use std::sync::Arc;

use crate::data::grouping::Grouping;
use crate::error::{Error, Result};
use crate::numbers::condensed::{Condensed, condensed_len};
use crate::numbers::matrix::Mat;
use crate::numbers::real::Real;

/// A symmetric similarity of the samples, stored by groups.
///
/// There are three kinds of values, stored separately:
/// - between two groups p ≠ q: one value for all pairs of their samples;
/// - *within* a group: the value of two different samples of the group (for a group of one sample
///   it has no effect on results);
/// - *self*: the value of a sample with itself, the diagonal of the n × n matrix.
///
/// The values between groups are stored as the strict upper triangle in row-major order, as in
/// SciPy's condensed form: n'(n' − 1)/2 numbers. All values are in [0, 1].
///
/// ```
/// use enclust_core::Similarity;
///
/// let s = Similarity::from_matrix(2, &[1.0, 0.3, 0.3, 1.0])?;
/// assert_eq!(s.between(0, 1), 0.3);
/// assert_eq!(s.between(1, 0), 0.3);
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Similarity<S> {
    grouping: Arc<Grouping>,
    between: Condensed<Vec<S>>,
    within: Vec<S>,
    own: Vec<S>,
    denominator: Option<f64>,
}

impl<S: Real> Similarity<S> {
    /// From the condensed values between groups and one value within and one self value per
    /// group. Checks the sizes and that every value is in [0, 1].
    pub fn new(
        grouping: Arc<Grouping>,
        between: Vec<S>,
        within: Vec<S>,
        own: Vec<S>,
    ) -> Result<Self> {
        let n = grouping.len();
        if n == 0 {
            return Err(Error::Empty { what: "similarity" });
        }
        let between = Condensed::new(n, between)?;
        Error::check_size("similarities within groups", n, within.len())?;
        Error::check_size("self-similarities", n, own.len())?;
        for p in 0..n {
            check_entry("similarity within a group", p, p, within[p])?;
            check_entry("self-similarity", p, p, own[p])?;
        }
        for p in 0..n {
            for (q, &value) in (p + 1..).zip(between.row(p)) {
                check_entry("similarity", p, q, value)?;
            }
        }
        Ok(Similarity { grouping, between, within, own, denominator: None })
    }

    /// From a precomputed n × n matrix of the samples.
    ///
    /// Every entry must be in [0, 1], and mirrored entries may differ only by rounding (16 units
    /// in the last place of 1). The upper triangle is used.
    pub fn from_matrix(samples: usize, matrix: &[S]) -> Result<Self> {
        if samples == 0 {
            return Err(Error::Empty { what: "similarity" });
        }
        let entries = samples.saturating_mul(samples);
        Error::check_size("entries of the similarity matrix", entries, matrix.len())?;
        Self::folded(&Arc::new(Grouping::singletons(samples)), |i, j| matrix[i * samples + j])
    }

    /// From a matrix of the samples, with the same rules as [`from_matrix`](Self::from_matrix).
    /// The result is over groups if samples of one group have equal values up to rounding, and
    /// otherwise over samples.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use enclust_core::{Grouping, Similarity};
    ///
    /// let pair = Arc::new(Grouping::from_map(vec![0, 0, 1])?);
    /// let alike = |i: usize, j: usize| if i == j { 1.0 } else if i + j == 1 { 0.8 } else { 0.3 };
    /// assert_eq!(Similarity::folded(&pair, alike)?.condensed(), [0.3]);
    /// let uneven = |i: usize, j: usize| if i == j { 1.0 } else { (i + j) as f64 / 10.0 };
    /// assert_eq!(Similarity::folded(&pair, uneven)?.condensed(), [0.1, 0.2, 0.3]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Entry`] for a value outside [0, 1], [`Error::Asymmetric`] for mirrored values that
    /// differ.
    pub fn folded(grouping: &Arc<Grouping>, value: impl Fn(usize, usize) -> S) -> Result<Self> {
        let n = grouping.samples();
        check_symmetric(n, &value, S::of(ROUNDING) * S::epsilon())?;
        let own = |i: usize| value(i, i);
        let first = |i: usize| grouping.first_members()[grouping.map()[i] as usize];
        let alike = (0..n).all(|i| same_to_rounding(own(i), own(first(i))));
        let uneven = !alike || grouping.torn(&value, same_to_rounding).is_some();
        if uneven && grouping.len() < n {
            return Self::folded(&Arc::new(grouping.apart()), value);
        }
        let (first, second) = (grouping.first_members(), grouping.second_members());
        let pairs = (0..first.len()).flat_map(|p| (p + 1..first.len()).map(move |q| (p, q)));
        let mut between = Vec::with_capacity(condensed_len(first.len()));
        between.extend(pairs.map(|(p, q)| value(first[p], first[q])));
        let within = first.iter().zip(&second).map(|(&i, &j)| value(i, j)).collect();
        let own = first.iter().map(|&i| own(i)).collect();
        Self::new(Arc::clone(grouping), between, within, own)
    }

    /// The dense n' × n' matrix of the groups. Off-diagonal entries are the values between
    /// groups. A diagonal entry is the value between two different samples of the group; for a
    /// group of one sample, it is the value that a second sample with the same label row would
    /// have.
    ///
    /// With this diagonal, sums over samples equal sums over groups times their sizes, so an
    /// algorithm can use dense matrices of size n'. Self-similarities are not included;
    /// [`from_square`](Self::from_square) and [`with_own`](Self::with_own) restore them.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use enclust_core::{Grouping, Similarity};
    ///
    /// let pair = Arc::new(Grouping::from_map(vec![0, 0, 1])?);
    /// let s = Similarity::new(pair, vec![0.3], vec![0.8, 0.9], vec![1.0, 1.0])?;
    /// let square = s.square();
    /// assert_eq!(square.data(), [0.8, 0.3, 0.3, 0.9]);
    /// let back = Similarity::from_square(s.grouping(), &square)?.with_own(s.own().to_vec())?;
    /// assert_eq!(back, s);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn square(&self) -> Mat<S> {
        let value = |p, q| if p == q { self.within[p] } else { self.between(p, q) };
        Mat::from_fn(self.len(), self.len(), value)
    }

    /// From a dense n' × n' matrix of the groups, as returned by [`square`](Self::square). The
    /// diagonal is used as the value within each group and as the self-similarity.
    ///
    /// Mirrored entries may differ by the rounding error of a sum of n' numbers; the upper
    /// triangle is used. Values outside [0, 1] by at most that error are set to 0 or 1.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] for a wrong number of rows or columns, [`Error::Entry`] for a value
    /// outside [0, 1], [`Error::Asymmetric`] for mirrored entries that differ.
    pub fn from_square(grouping: &Arc<Grouping>, square: &Mat<S>) -> Result<Self> {
        let n = grouping.len();
        Error::check_size("rows of the square form", n, square.rows())?;
        Error::check_size("columns of the square form", n, square.cols())?;
        let slack = S::of(ROUNDING + n as f64) * S::epsilon();
        let near = |v: S| {
            if v >= -slack && v <= S::one() + slack { v.max(S::zero()).min(S::one()) } else { v }
        };
        check_symmetric(n, |p, q| near(square[(p, q)]), slack)?;
        let between = Condensed::filled(n, |p, row| {
            row.iter_mut().zip(p + 1..).for_each(|(v, q)| *v = near(square[(p, q)]));
        });
        let between = between.into_values();
        let within: Vec<S> = (0..n).map(|p| near(square[(p, p)])).collect();
        Self::new(Arc::clone(grouping), between, within.clone(), within)
    }

    /// The same similarity with these self-similarities.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there is not one value per group, [`Error::Entry`] for a value outside
    /// [0, 1].
    pub fn with_own(self, own: Vec<S>) -> Result<Self> {
        Error::check_size("self-similarities", self.len(), own.len())?;
        for (p, &value) in own.iter().enumerate() {
            check_entry("self-similarity", p, p, value)?;
        }
        Ok(Similarity { own, ..self })
    }

    /// Declares that every value between and within groups is an integer multiple of 1 /
    /// `denominator`. Linkage then uses integer arithmetic, so equal means compare as exactly
    /// equal.
    ///
    /// # Errors
    ///
    /// [`Error::Denominator`] if a value is not such a multiple.
    pub fn with_denominator(mut self, denominator: f64) -> Result<Self> {
        let slack = 4.0 * S::epsilon().wide() * denominator;
        let whole = |v: &S| {
            let count = v.wide() * denominator;
            denominator > 0.0 && denominator.is_finite() && (count - count.round()).abs() <= slack
        };
        match self.between.values().iter().chain(&self.within).find(|v| !whole(v)) {
            Some(v) => Err(Error::Denominator { denominator, value: v.wide() }),
            None => {
                self.denominator = Some(denominator);
                Ok(self)
            }
        }
    }

    /// The same similarity over a finer grouping. Each group of the finer grouping must be
    /// contained in one group here. Two parts of one group get the value within that group and
    /// all other values are inherited, so the matrix of the samples does not change.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] for another number of samples; [`Error::Unsupported`] for a group that
    /// overlaps two groups here.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use enclust_core::{Grouping, Similarity};
    ///
    /// let pair = Arc::new(Grouping::from_map(vec![0, 0, 1])?);
    /// let s = Similarity::new(pair, vec![0.3], vec![0.8, 1.0], vec![1.0, 1.0])?;
    /// let fine = s.refined(&Arc::new(Grouping::singletons(3)))?;
    /// assert_eq!(fine.condensed(), [0.8, 0.3, 0.3]);
    /// assert_eq!(fine.to_matrix(), s.to_matrix());
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn refined(&self, finer: &Arc<Grouping>) -> Result<Self> {
        let parent = self.parents(finer)?;
        let value = |p: u32, q: u32| match (p as usize, q as usize) {
            (p, q) if p == q => self.within[p],
            (p, q) => self.between(p, q),
        };
        let between = Condensed::filled(finer.len(), |p, row| {
            row.iter_mut().zip(&parent[p + 1..]).for_each(|(v, &q)| *v = value(parent[p], q));
        });
        let inherited = |values: &[S]| parent.iter().map(|&p| values[p as usize]).collect();
        Ok(Similarity {
            grouping: Arc::clone(finer),
            between,
            within: inherited(&self.within),
            own: inherited(&self.own),
            denominator: self.denominator,
        })
    }

    /// For each group of a finer grouping, the group here that contains it.
    pub(crate) fn parents(&self, finer: &Grouping) -> Result<Vec<u32>> {
        self.grouping.parents(finer, |sample| {
            let what = format!("a finer grouping that joins sample {sample} with another group");
            Error::unsupported("the similarity", what)
        })
    }

    /// The same similarity with every sample as its own group: n(n − 1)/2 numbers. With
    /// [counts](crate::Counts), every row is a group.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use enclust_core::{Grouping, Similarity};
    ///
    /// let pair = Arc::new(Grouping::from_map(vec![0, 0, 1])?);
    /// let s = Similarity::new(pair, vec![0.3], vec![0.8, 1.0], vec![1.0, 1.0])?;
    /// assert_eq!(s.by_samples().condensed(), [0.8, 0.3, 0.3]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn by_samples(&self) -> Self {
        self.refined(&Arc::new(self.grouping.apart()))
            .expect("single samples lie inside every group")
    }

    /// The same similarity with other values, in [0, 1], between some pairs of different groups.
    /// These values need not be multiples of the denominator, so the denominator is removed.
    pub(crate) fn with_entries(
        mut self,
        entries: impl IntoIterator<Item = (usize, usize, S)>,
    ) -> Self {
        for (p, q, value) in entries {
            self.between[(p, q)] = value;
        }
        Similarity { denominator: None, ..self }
    }

    /// The same values in another precision.
    pub fn in_precision<T: Real>(&self) -> Similarity<T> {
        let cast = |values: &[S]| values.iter().map(|v| T::of(v.wide())).collect();
        Similarity {
            grouping: Arc::clone(&self.grouping),
            between: self.between.map(|v| T::of(v.wide())),
            within: cast(&self.within),
            own: cast(&self.own),
            denominator: self.denominator,
        }
    }

    /// The common denominator of the values, if one is known.
    pub fn denominator(&self) -> Option<f64> {
        self.denominator
    }

    /// Number of groups, n'.
    pub fn len(&self) -> usize {
        self.grouping.len()
    }

    /// Whether there are no groups (never true).
    pub fn is_empty(&self) -> bool {
        self.grouping.is_empty()
    }

    /// The groups and their sizes.
    pub fn grouping(&self) -> &Arc<Grouping> {
        &self.grouping
    }

    /// Similarity of two different groups.
    pub fn between(&self, p: usize, q: usize) -> S {
        self.between[(p, q)]
    }

    /// Similarities of p to p + 1, p + 2, …
    pub fn row(&self, p: usize) -> &[S] {
        self.between.row(p)
    }

    /// The similarities between groups: the strict upper triangle in row-major order.
    pub fn condensed(&self) -> &[S] {
        self.between.values()
    }

    /// The similarities between groups, as a view.
    pub fn pairs(&self) -> Condensed<&[S]> {
        self.between.view()
    }

    /// Similarity of two different samples of one group, for each group.
    pub fn within(&self) -> &[S] {
        &self.within
    }

    /// Similarity of a sample with itself, for each group.
    pub fn own(&self) -> &[S] {
        &self.own
    }

    /// The n × n matrix of the samples in row-major order: n² numbers. With
    /// [counts](crate::Counts), it has one row and one column for each row of labels.
    pub fn to_matrix(&self) -> Vec<S> {
        let n = self.grouping.samples();
        let mut out = Vec::with_capacity(n * n);
        (0..n).for_each(|i| out.extend(self.sample_row(i)));
        out
    }

    /// Row i of the matrix of the samples, for callers that write it row by row.
    ///
    /// # Panics
    ///
    /// If the sample does not exist.
    pub fn sample_row(&self, sample: usize) -> impl Iterator<Item = S> + '_ {
        let map = self.grouping.map();
        let p = map[sample] as usize;
        map.iter().enumerate().map(move |(j, &q)| match q as usize {
            q if q != p => self.between(p, q),
            _ if sample == j => self.own[p],
            _ => self.within[p],
        })
    }
}

/// Values that differ by at most this many units in the last place of 1 are equal up to rounding.
const ROUNDING: f64 = 16.0;

/// Whether two values differ by at most rounding.
pub(crate) fn same_to_rounding<S: Real>(one: S, other: S) -> bool {
    (one - other).abs() <= S::of(ROUNDING) * S::epsilon()
}

/// Checks that the off-diagonal entries of a matrix are in [0, 1] and symmetric up to `slack`.
fn check_symmetric<S: Real>(n: usize, value: impl Fn(usize, usize) -> S, slack: S) -> Result<()> {
    for i in 0..n {
        for j in i + 1..n {
            let (upper, lower) = (value(i, j), value(j, i));
            check_entry("similarity", i, j, upper)?;
            check_entry("similarity", j, i, lower)?;
            if (upper - lower).abs() > slack {
                let (upper, lower) = (upper.wide(), lower.wide());
                return Err(Error::Asymmetric { row: i, column: j, upper, lower });
            }
        }
    }
    Ok(())
}

fn check_entry<S: Real>(what: &'static str, row: usize, column: usize, value: S) -> Result<()> {
    // This form also rejects NaN.
    if value >= S::zero() && value <= S::one() {
        Ok(())
    } else {
        Err(Error::Entry { what, row, column, value: value.wide() })
    }
}
