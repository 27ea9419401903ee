//! Groups of samples that every stage treats alike.

use crate::data::counts::{self, Counts};
use crate::data::partition::Partition;
use crate::error::{Error, Result};

/// A map from n samples to n' groups, with the sizes of the groups.
///
/// If rows of labels have [counts](Counts), the map has one entry per row, and the sizes are sums of
/// counts.
///
/// Groups are numbered by their smallest member, so ordering by group index and ordering by
/// smallest member are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouping {
    map: Vec<u32>,
    sizes: Vec<usize>,
    first: Vec<usize>,
    counts: Option<Counts>,
}

impl Grouping {
    /// Every sample in its own group.
    pub fn singletons(samples: usize) -> Self {
        Grouping {
            map: (0..samples as u32).collect(),
            sizes: vec![1; samples],
            first: (0..samples).collect(),
            counts: None,
        }
    }

    /// From the group of each sample. Groups must be numbered 0, 1, … in the order of their first
    /// samples.
    pub fn from_map(map: Vec<u32>) -> Result<Self> {
        let mut sizes: Vec<usize> = Vec::new();
        let mut first = Vec::new();
        for (i, &g) in map.iter().enumerate() {
            match (g as usize).cmp(&sizes.len()) {
                std::cmp::Ordering::Less => sizes[g as usize] += 1,
                std::cmp::Ordering::Equal => {
                    sizes.push(1);
                    first.push(i);
                }
                std::cmp::Ordering::Greater => {
                    return Err(Error::Index {
                        what: "group",
                        index: g as usize,
                        len: sizes.len(),
                    });
                }
            }
        }
        if map.is_empty() {
            return Err(Error::Empty { what: "grouping" });
        }
        Ok(Grouping { map, sizes, first, counts: None })
    }

    /// The same groups of rows that occur as often as these counts say.
    ///
    /// ```
    /// use enclust_core::{Counts, Grouping};
    ///
    /// let grouping = Grouping::from_map(vec![0, 1, 1])?.with_counts(Some(Counts::new(&[5, 1, 3])?))?;
    /// assert_eq!((grouping.sizes(), grouping.total()), (&[5, 4][..], 9));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there is not one count per row.
    pub fn with_counts(mut self, counts: Option<Counts>) -> Result<Self> {
        if let Some(counts) = &counts {
            Error::check_size("counts of the rows", self.map.len(), counts.of_rows().len())?;
        }
        self.sizes.fill(0);
        for (&g, count) in self.map.iter().zip(counts::each(counts.as_ref(), self.map.len())) {
            self.sizes[g as usize] += count;
        }
        Ok(Grouping { counts, ..self })
    }

    /// The same rows, each in its own group.
    pub fn apart(&self) -> Self {
        let alone = Self::singletons(self.samples());
        match &self.counts {
            None => alone,
            Some(counts) => {
                let (sizes, counts) = (counts.of_rows().to_vec(), Some(counts.clone()));
                Grouping { sizes, counts, ..alone }
            }
        }
    }

    /// Number of samples that have a label of their own, n; with counts, the number of rows.
    pub fn samples(&self) -> usize {
        self.map.len()
    }

    /// Number of samples: the sum of the sizes.
    pub fn total(&self) -> usize {
        self.counts.as_ref().map_or(self.map.len(), Counts::total)
    }

    /// How often each row occurs, if rows stand for several samples.
    pub fn counts(&self) -> Option<&Counts> {
        self.counts.as_ref()
    }

    /// The number of samples of each row, in their order: 1 without counts.
    pub fn row_counts(&self) -> impl Iterator<Item = usize> + '_ {
        counts::each(self.counts.as_ref(), self.map.len())
    }

    /// Whether no other row is in the group of this one.
    pub(crate) fn is_alone(&self, row: usize) -> bool {
        let own = self.counts.as_ref().map_or(1, |counts| counts.of_rows()[row]);
        self.sizes[self.map[row] as usize] == own
    }

    /// Number of groups, n'.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there are no groups (never true for a valid grouping).
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Group of each sample.
    pub fn map(&self) -> &[u32] {
        &self.map
    }

    /// Number of samples in each group, r.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Smallest sample of each group; with counts, its first row.
    pub fn first_members(&self) -> &[usize] {
        &self.first
    }

    /// The samples of each group in ascending order; with counts, the rows.
    pub fn members(&self) -> Vec<Vec<usize>> {
        let mut rows = vec![0_u32; self.len()];
        self.map.iter().for_each(|&g| rows[g as usize] += 1);
        let mut members: Vec<Vec<usize>> =
            rows.into_iter().map(|rows| Vec::with_capacity(rows as usize)).collect();
        for (i, &g) in self.map.iter().enumerate() {
            members[g as usize].push(i);
        }
        members
    }

    /// The grouping in which group p is part of group `parents[p]`. The new groups must be numbered
    /// in the order of their first parts.
    ///
    /// ```
    /// use enclust_core::Grouping;
    ///
    /// let fine = Grouping::from_map(vec![0, 1, 1, 2])?;
    /// assert_eq!(fine.merged(&[0, 1, 0])?.map(), [0, 1, 1, 0]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there is not one parent per group, [`Error::Index`] if the new groups are
    /// numbered in another order.
    pub fn merged(&self, parents: &[u32]) -> Result<Self> {
        Error::check_size("parents of groups", self.len(), parents.len())?;
        let map = self.map.iter().map(|&g| parents[g as usize]).collect();
        Self::from_map(map)?.with_counts(self.counts.clone())
    }

    /// The first pair of different samples whose value differs from the value of their groups,
    /// for a symmetric function of two samples; `None` if the function is constant on groups.
    /// `same` decides which values are equal.
    pub(crate) fn torn<T: Copy>(
        &self,
        value: impl Fn(usize, usize) -> T,
        same: impl Fn(T, T) -> bool,
    ) -> Option<(usize, usize)> {
        if self.len() == self.samples() {
            return None;
        }
        let mut pairs =
            (0..self.samples()).flat_map(|i| (i + 1..self.samples()).map(move |j| (i, j)));
        let second = self.second_members();
        let differs = |&(i, j): &(usize, usize)| {
            let (p, q) = (self.map[i] as usize, self.map[j] as usize);
            let (one, other) = (self.first[p], if p == q { second[p] } else { self.first[q] });
            !same(value(i, j), value(one.min(other), one.max(other)))
        };
        pairs.find(differs)
    }

    /// The second sample of each group; for a group of one sample, that sample.
    pub(crate) fn second_members(&self) -> Vec<usize> {
        let mut second = self.first.clone();
        for (i, &g) in self.map.iter().enumerate().rev() {
            if i != self.first[g as usize] {
                second[g as usize] = i;
            }
        }
        second
    }

    /// For each group of a finer grouping, the group here that contains it. `torn` makes the
    /// error for the first sample whose finer group overlaps two groups here.
    pub(crate) fn parents(
        &self,
        finer: &Grouping,
        torn: impl FnOnce(usize) -> Error,
    ) -> Result<Vec<u32>> {
        Error::check_size("samples of the grouping", self.samples(), finer.samples())?;
        let parent: Vec<u32> = finer.first.iter().map(|&i| self.map[i]).collect();
        let across = |&i: &usize| parent[finer.map[i] as usize] != self.map[i];
        match (0..self.samples()).find(across) {
            Some(sample) => Err(torn(sample)),
            None => Ok(parent),
        }
    }

    /// Labels of the samples from labels of the groups.
    pub fn lift(&self, group_labels: &[usize]) -> Partition {
        let labels = self.map.iter().map(|&g| group_labels[g as usize]);
        Partition::from_labels(labels).carrying(self.counts.clone())
    }
}
