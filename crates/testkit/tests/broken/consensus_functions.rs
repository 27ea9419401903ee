//! Broken consensus functions.

use std::sync::atomic::{AtomicUsize, Ordering};

use enclust_core::{
    Component, Consensus, Ctx, Dendrogram, Error, Evidence, Fitted, Kind, Partition, Result,
    Similarity, check_k,
};
use enclust_testkit::consensus;

use crate::{assert_names, complaint};

/// Average linkage from its definition, or a variant that joins samples by their index.
#[derive(Debug, Default)]
struct ByDefinition {
    loses_a_cluster: bool,
    takes_anything: bool,
    remembers: bool,
    hides_its_tree: bool,
    goes_by_index: bool,
    forgets_sizes: bool,
}

struct Chain {
    tree: Dendrogram,
    loses_a_cluster: bool,
    remembers: Option<AtomicUsize>,
}

impl Component for ByDefinition {
    fn name(&self) -> &str {
        "by-definition"
    }
}

impl Consensus<f64> for ByDefinition {
    fn accepts(&self) -> &[Kind] {
        &[Kind::Similarity]
    }

    fn makes_tree(&self) -> bool {
        !self.remembers && !self.hides_its_tree
    }

    fn fit(&self, evidence: &Evidence<f64>, _: &Ctx<f64>) -> Result<Box<dyn Fitted<f64>>> {
        let merges = match (evidence, self.takes_anything) {
            (Evidence::Similarity(s), _) if self.goes_by_index => in_order(s.grouping().samples()),
            (Evidence::Similarity(s), _) => average_linkage(s, self.forgets_sizes),
            (Evidence::Bipartite(b), true) => in_order(b.grouping.samples()),
            _ => return Err(Error::unsupported(self.name(), evidence.kind().to_string())),
        };
        Ok(Box::new(Chain {
            tree: Dendrogram::from_members(merges.len() + 1, &merges)?,
            loses_a_cluster: self.loses_a_cluster,
            remembers: self.remembers.then(AtomicUsize::default),
        }))
    }
}

fn in_order(samples: usize) -> Vec<(usize, usize, f64)> {
    (1..samples).map(|i| (0, i, i as f64)).collect()
}

/// Always joins the two clusters with the highest mean similarity. With `forgets_sizes`, every
/// group counts as one sample.
fn average_linkage(s: &Similarity<f64>, forgets_sizes: bool) -> Vec<(usize, usize, f64)> {
    let (n, values, map) = (s.grouping().samples(), s.to_matrix(), s.grouping().map());
    let weight = |i: usize| {
        if forgets_sizes { 1.0 / s.grouping().sizes()[map[i] as usize] as f64 } else { 1.0 }
    };
    let mut clusters: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
    let mean = |a: &[usize], b: &[usize]| {
        let pairs = || a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j)));
        let total: f64 = pairs().map(|(i, j)| weight(i) * weight(j)).sum();
        pairs().map(|(i, j)| weight(i) * weight(j) * values[i * n + j]).sum::<f64>() / total
    };
    let mut merges = Vec::new();
    while clusters.len() > 1 {
        let pairs = (0..clusters.len()).flat_map(|a| (a + 1..clusters.len()).map(move |b| (a, b)));
        let valued = pairs.map(|(a, b)| (a, b, mean(&clusters[a], &clusters[b])));
        let (a, b, height) =
            valued.reduce(|best, next| if next.2 > best.2 { next } else { best }).unwrap();
        let gone = clusters.remove(b);
        merges.push((clusters[a][0], gone[0], 1.0 - height));
        clusters[a].extend(gone);
    }
    merges
}

impl Fitted<f64> for Chain {
    fn cut(&self, k: usize, _: &Ctx<f64>) -> Result<Partition> {
        check_k("by-definition", k, self.largest_k())?;
        if self.loses_a_cluster && k == 3 {
            return self.tree.cut(2);
        }
        let cut = self.tree.cut(k)?;
        let calls = self.remembers.as_ref().map_or(0, |c| c.fetch_add(1, Ordering::Relaxed));
        // Later cuts are reversed.
        let mut labels = cut.labels().to_vec();
        if calls > self.largest_k() {
            labels.reverse();
        }
        Ok(Partition::from_labels(labels))
    }

    fn largest_k(&self) -> usize {
        self.tree.samples()
    }

    fn dendrogram(&self) -> Option<&Dendrogram> {
        self.remembers.is_none().then_some(&self.tree)
    }
}

#[test]
fn consensus_that_is_sound() {
    consensus::conformance(&ByDefinition::default());
}

#[test]
fn consensus_that_loses_a_cluster() {
    let broken = ByDefinition { loses_a_cluster: true, ..ByDefinition::default() };
    assert_names(&complaint(|| consensus::conformance(&broken)), "exactly k clusters");
}

#[test]
fn consensus_that_takes_anything() {
    let broken = ByDefinition { takes_anything: true, ..ByDefinition::default() };
    assert_names(&complaint(|| consensus::conformance(&broken)), "not accepted is an error");
}

#[test]
fn consensus_that_cuts_by_index() {
    let broken = ByDefinition { goes_by_index: true, ..ByDefinition::default() };
    assert_names(&complaint(|| consensus::conformance(&broken)), "clear clusters are found");
}

#[test]
fn consensus_that_forgets_group_sizes() {
    let broken = ByDefinition { forgets_sizes: true, ..ByDefinition::default() };
    let complaint = complaint(|| consensus::conformance(&broken));
    assert_names(&complaint, "the order and the grouping of samples do not matter");
    assert_names(&complaint, "ungrouped");
    consensus::conformance_with(&broken, &consensus::Options::counting_groups());
}

#[test]
fn consensus_that_hides_its_tree() {
    let broken = ByDefinition { hides_its_tree: true, ..ByDefinition::default() };
    assert_names(
        &complaint(|| consensus::conformance(&broken)),
        "if and only if makes_tree() is true",
    );
}

#[test]
fn consensus_that_remembers_earlier_cuts() {
    let broken = ByDefinition { remembers: true, ..ByDefinition::default() };
    assert_names(&complaint(|| consensus::conformance(&broken)), "does not depend on earlier cuts");
}
