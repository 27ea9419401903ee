//! Broken representations.

use std::sync::Arc;

use enclust_core::{
    Ca, ClusterWeights, Component, Ctx, Error, Footprint, Microclusters, Quantities, Question,
    Represented, Result, Shape, Similarity,
};
use enclust_testkit::ca;
use enclust_testkit::generate::co_association;

use crate::{assert_names, complaint, component};

/// Plain co-association, modified by `spoil` (the value of a pair, computed from the
/// microclusters, the pair and its correct value).
struct CoAssociation<F> {
    spoil: F,
}

impl<F> std::fmt::Debug for CoAssociation<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CoAssociation")
    }
}

type Spoil = fn(&Microclusters, usize, usize, f64) -> f64;

impl Component for CoAssociation<Spoil> {
    fn name(&self) -> &str {
        "co-association"
    }
}

impl Ca<f64> for CoAssociation<Spoil> {
    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        _: &Ctx<f64>,
    ) -> Result<Represented<f64>> {
        if microclusters.weights().is_some() {
            return Err(Error::unsupported(self.name(), "weights"));
        }
        let sound = co_association::<f64>(microclusters);
        let n = sound.len();
        let pairs = (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q)));
        let between = pairs.zip(sound.condensed());
        let spoilt = between.map(|((p, q), &v)| (self.spoil)(microclusters, p, q, v)).collect();
        let (within, own) = (sound.within().to_vec(), sound.own().to_vec());
        Ok(Similarity::new(Arc::clone(sound.grouping()), spoilt, within, own)?.into())
    }
}

fn spoilt(spoil: Spoil) -> CoAssociation<Spoil> {
    CoAssociation { spoil }
}

#[test]
fn representation_that_is_sound() {
    ca::conformance(&spoilt(|_, _, _, v| v));
}

#[test]
fn representation_that_favours_the_first_sample() {
    let broken = spoilt(|_, p, _, v| if p == 0 { v / 2.0 } else { v });
    let options = ca::Options { counts_samples: false };
    let complaint = complaint(|| ca::conformance_with(&broken, &options));
    assert_names(&complaint, "permuting samples permutes the values");
}

#[test]
fn representation_that_favours_the_first_clustering() {
    let broken = spoilt(|m, p, q, v| if m.label(p, 0) == m.label(q, 0) { v } else { v / 2.0 });
    let complaint = complaint(|| ca::conformance(&broken));
    assert_names(&complaint, "order of clusterings matters to rounding only");
}

#[test]
fn representation_that_counts_groups_once() {
    let once = spoilt(|m, _, _, v| v / m.len() as f64);
    let complaint = complaint(|| ca::conformance(&once));
    assert_names(&complaint, "grouping equal samples changes nothing");
    ca::conformance_with(&once, &ca::Options { counts_samples: false });
}

#[test]
fn representation_that_depends_on_threads() {
    let broken = spoilt(|_, _, _, v| v / rayon::current_num_threads() as f64);
    let complaint = complaint(|| ca::conformance(&broken));
    assert_names(&complaint, "number of threads");
}

component!(StatesNothing);

impl Ca<f64> for StatesNothing {
    fn build(
        &self,
        microclusters: &Microclusters,
        question: &Question,
        ctx: &Ctx<f64>,
    ) -> Result<Represented<f64>> {
        spoilt(|_, _, _, v| v).build(microclusters, question, ctx)
    }

    fn footprint(&self, _: &Shape) -> Footprint {
        Footprint::default()
    }
}

#[test]
fn representation_that_understates_its_memory() {
    let complaint = complaint(|| ca::conformance(&StatesNothing));
    assert_names(&complaint, "the footprint covers the result");
}

component!(IgnoresTheRule);

impl Ca<f64> for IgnoresTheRule {
    fn build(
        &self,
        microclusters: &Microclusters,
        question: &Question,
        ctx: &Ctx<f64>,
    ) -> Result<Represented<f64>> {
        spoilt(|_, _, _, v| v).build(microclusters, question, ctx)
    }

    fn provides(&self) -> Option<Quantities> {
        Some(Quantities::RESIDUAL)
    }
}

#[test]
fn learner_that_ignores_the_stopping_rule() {
    let complaint = complaint(|| ca::conformance(&IgnoresTheRule));
    assert_names(&complaint, "a stopping rule from outside ends the iteration");
}

component!(StatesOtherWeights);

impl Ca<f64> for StatesOtherWeights {
    fn build(
        &self,
        microclusters: &Microclusters,
        question: &Question,
        ctx: &Ctx<f64>,
    ) -> Result<Represented<f64>> {
        spoilt(|_, _, _, v| v).build(microclusters, question, ctx)
    }

    fn as_cluster_weights(&self) -> Option<&dyn ClusterWeights> {
        Some(self)
    }
}

impl ClusterWeights for StatesOtherWeights {
    fn cluster_weights(&self, microclusters: &Microclusters) -> Vec<f64> {
        vec![0.5; microclusters.clusters().iter().sum()]
    }
}

#[test]
fn representation_with_weights_that_are_not_its_own() {
    let complaint = complaint(|| ca::conformance(&StatesOtherWeights));
    assert_names(&complaint, "the similarity is the mean of the weights of base clusters");
}
