//! Labels that satisfy the constraints.

use crate::data::constraints::Constraints;
use crate::data::partition::Partition;
use crate::error::{Error, Result};
use crate::evidence::Evidence;
use crate::numbers::real::Real;

/// Number of times that the search may take back a label. Whether k labels suffice is an
/// NP-complete question, but for the cannot-links of a user the search hardly ever errs.
const RETRACTIONS: usize = 100_000;

impl Constraints {
    /// The partition with the labels of some constrained samples changed, so that the must-links
    /// are satisfied and, if the constraints are [enforced](Self::enforced), the cannot-links.
    ///
    /// The samples that must-links connect are labelled as a whole. If they have several labels,
    /// they keep the one of the cluster to which they are most similar on average
    /// ([`Evidence::affinity`]). If cannot-links are enforced, a component leaves its cluster if
    /// another one that it must be kept apart from has chosen it before, and moves to the cluster to
    /// which it is most similar among those that are left. Components with the fewest labels left
    /// choose first, then those that gain most from their first choice. If a component has no label
    /// left, the last choices are taken back. All other samples keep their labels.
    ///
    /// ```
    /// use enclust_core::{Constraints, Evidence, Partition, Similarity};
    ///
    /// let s = [1.0, 0.9, 0.3, 0.9, 1.0, 0.4, 0.3, 0.4, 1.0];
    /// let evidence = Evidence::from(Similarity::from_matrix(3, &s)?);
    /// let together = Partition::from_labels([0, 0, 1]);
    /// let apart = Constraints::new(3, &[], &[(0, 1)])?;
    /// assert_eq!(apart.relabelled(&together, &evidence)?, together);
    /// // Sample 1 is more similar to sample 2 than sample 0 is.
    /// assert_eq!(apart.enforced().relabelled(&together, &evidence)?.labels(), &[0, 1, 1]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n c) affinities for c samples that may be relabelled, and O(u² k) time for u components
    /// without retractions.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if the constraints are for another number of samples. If they are enforced:
    /// [`Error::TooFewClusters`] if the cannot-links need more clusters than the partition has;
    /// [`Error::NoConvergence`] if the search neither finds labels nor shows that there are none;
    /// [`Error::ClusterCount`] if must-links join whole clusters, so that fewer are left. If they
    /// are not enforced, such must-links stay violated.
    pub fn relabelled<S: Real>(
        &self,
        partition: &Partition,
        evidence: &Evidence<S>,
    ) -> Result<Partition> {
        self.check_samples(partition.len())?;
        let units = Units::new(self, partition);
        let k = partition.clusters();
        let wish = |members: &Vec<usize>| Wish::of(members, partition, evidence);
        let wishes: Vec<Wish> = units.members.iter().map(wish).collect();
        let everyone = vec![true; wishes.len()];
        let Some(found) = search(&units.apart, &wishes, &everyone, k)? else {
            return Err(Error::TooFewClusters { k, samples: units.core(&wishes, k)? });
        };
        let mut labels = partition.labels().to_vec();
        for (members, label) in units.members.iter().zip(found) {
            members.iter().for_each(|&i| labels[i] = label);
        }
        let relabelled = Partition::from_labels(labels).carrying(partition.counts().cloned());
        match relabelled.clusters() {
            all if all == k => Ok(relabelled),
            largest if self.is_enforced() => {
                let component = "the enforced constraints".to_string();
                Err(Error::ClusterCount { k, largest, component })
            }
            _ => Ok(partition.clone()),
        }
    }
}

/// The components of the must-links that need a label.
struct Units {
    /// The samples of each component.
    members: Vec<Vec<usize>>,
    /// The components that each one must be kept apart from.
    apart: Vec<Vec<usize>>,
}

impl Units {
    fn new(constraints: &Constraints, partition: &Partition) -> Self {
        let (component, labels) = (constraints.components(), partition.labels());
        let cannot_link = if constraints.is_enforced() { constraints.cannot_link() } else { &[] };
        let mut concerned = vec![false; component.len()];
        let kept_apart = cannot_link.iter().flat_map(|&(i, j)| [i, j]);
        kept_apart.for_each(|i| concerned[component[i]] = true);
        for &(i, j) in constraints.must_link() {
            concerned[component[i]] |= labels[i] != labels[j];
        }
        let mut number = vec![None; component.len()];
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (i, &c) in component.iter().enumerate().filter(|(_, c)| concerned[**c]) {
            let u = *number[c].get_or_insert(members.len());
            if u == members.len() {
                members.push(Vec::new());
            }
            members[u].push(i);
        }
        let mut apart = vec![Vec::new(); members.len()];
        for &(i, j) in cannot_link {
            if let (Some(u), Some(v)) = (number[component[i]], number[component[j]]) {
                apart[u].push(v);
                apart[v].push(u);
            }
        }
        for others in &mut apart {
            others.sort_unstable();
            others.dedup();
        }
        Units { members, apart }
    }

    /// The first samples of units that cannot be labelled, none of which can be left out.
    fn core(&self, wishes: &[Wish], k: usize) -> Result<Vec<usize>> {
        let mut kept = vec![true; wishes.len()];
        self.drop_those_with_few_neighbours(&mut kept, k);
        for u in 0..kept.len() {
            if std::mem::take(&mut kept[u]) && search(&self.apart, wishes, &kept, k)?.is_some() {
                kept[u] = true;
            }
        }
        Ok((0..kept.len()).filter(|&u| kept[u]).map(|u| self.members[u][0]).collect())
    }

    /// A unit with fewer than k neighbours has a label left whatever their labels are, so that it
    /// is not the reason why there are no labels.
    fn drop_those_with_few_neighbours(&self, kept: &mut [bool], k: usize) {
        let few = |kept: &[bool], u: usize| self.apart[u].iter().filter(|&&v| kept[v]).count() < k;
        while let Some(u) = (0..kept.len()).find(|&u| kept[u] && few(kept, u)) {
            kept[u] = false;
        }
    }
}

/// The labels that a unit may have.
struct Wish {
    /// All labels, best first.
    labels: Vec<usize>,
    /// How much the first one is better than the second.
    margin: f64,
}

impl Wish {
    fn of<S: Real>(members: &[usize], partition: &Partition, evidence: &Evidence<S>) -> Self {
        let k = partition.clusters();
        let (mut sums, mut sizes, mut own) = (vec![0.0; k], vec![0.0; k], vec![false; k]);
        let grouping = evidence.grouping();
        let (map, counts) = (grouping.map(), grouping.row_counts());
        let of_row = |i: usize| grouping.counts().map_or(1, |counts| counts.of_rows()[i]) as f64;
        let own_size: f64 = members.iter().map(|&i| of_row(i)).sum();
        members.iter().for_each(|&i| own[partition.labels()[i]] = true);
        for ((j, &label), count) in partition.labels().iter().enumerate().zip(counts) {
            if members.binary_search(&j).is_err() {
                let affinity =
                    |&i: &usize| of_row(i) * evidence.affinity(map[i] as usize, map[j] as usize);
                sums[label] += count as f64 * members.iter().map(affinity).sum::<f64>();
                sizes[label] += count as f64 * own_size;
            }
        }
        // A cluster without other samples would be left empty, so that it comes first.
        let mean = |c: usize| if sizes[c] > 0.0 { sums[c] / sizes[c] } else { f64::INFINITY };
        let mut labels: Vec<usize> = (0..k).collect();
        labels.sort_by(|&a, &b| mean(b).total_cmp(&mean(a)));
        // Its own labels come first; the sort is stable.
        labels.sort_by_key(|&c| !own[c]);
        let margin = if k > 1 { mean(labels[0]) - mean(labels[1]) } else { 0.0 };
        Wish { labels, margin }
    }
}

/// A label for each of the units that take part, different from those of the units that it must be
/// kept apart from; `None` if there are no such labels.
fn search(
    apart: &[Vec<usize>],
    wishes: &[Wish],
    takes_part: &[bool],
    k: usize,
) -> Result<Option<Vec<usize>>> {
    let mut board = Board::new(apart, takes_part, k);
    // Each unit that has chosen, with the position of the next label to try.
    let mut choices: Vec<(usize, usize)> = Vec::new();
    let mut retractions = 0;
    loop {
        let Some(unit) = board.next(wishes) else { return Ok(Some(board.labels())) };
        choices.push((unit, 0));
        while let Some((unit, position)) = choices.last_mut() {
            board.retract(*unit);
            let free = |label: &usize| board.taken[*unit * k + label] == 0;
            let rest = &wishes[*unit].labels[*position..];
            if let Some(offset) = rest.iter().position(free) {
                board.choose(*unit, rest[offset]);
                *position += offset + 1;
                break;
            }
            choices.pop();
            retractions += 1;
            if retractions > RETRACTIONS {
                let what = "the search for labels that satisfy all cannot-links";
                return Err(Error::NoConvergence { what, iterations: retractions });
            }
        }
        if choices.is_empty() {
            return Ok(None);
        }
    }
}

/// Labels that have been chosen so far.
struct Board<'a> {
    apart: &'a [Vec<usize>],
    /// The units that have not chosen yet and take part.
    open: Vec<bool>,
    label: Vec<Option<usize>>,
    /// For each unit and label, how many of the units that it must be kept apart from have it.
    taken: Vec<usize>,
    k: usize,
}

impl<'a> Board<'a> {
    fn new(apart: &'a [Vec<usize>], takes_part: &[bool], k: usize) -> Self {
        let (label, taken) = (vec![None; apart.len()], vec![0; apart.len() * k]);
        Board { apart, open: takes_part.to_vec(), label, taken, k }
    }

    /// The open unit with the fewest labels left, then with the largest margin.
    fn next(&self, wishes: &[Wish]) -> Option<usize> {
        let left =
            |u: usize| self.taken[u * self.k..][..self.k].iter().filter(|&&t| t == 0).count();
        let open = (0..self.open.len()).filter(|&u| self.open[u]).map(|u| (left(u), u));
        let sooner = |a: &(usize, usize), b: &(usize, usize)| {
            let margins = wishes[b.1].margin.total_cmp(&wishes[a.1].margin);
            a.0.cmp(&b.0).then(margins)
        };
        open.min_by(sooner).map(|(_, u)| u)
    }

    fn choose(&mut self, unit: usize, label: usize) {
        self.open[unit] = false;
        self.label[unit] = Some(label);
        self.apart[unit].iter().for_each(|&other| self.taken[other * self.k + label] += 1);
    }

    fn retract(&mut self, unit: usize) {
        if let Some(label) = self.label[unit].take() {
            self.open[unit] = true;
            self.apart[unit].iter().for_each(|&other| self.taken[other * self.k + label] -= 1);
        }
    }

    /// The labels of the units that take part; 0 for the others.
    fn labels(&self) -> Vec<usize> {
        self.label.iter().map(|label| label.unwrap_or(0)).collect()
    }
}
