//! What happens if every sample is listed several times.

use enclust::core::{Ctx, Ensemble, Method, Partition};
use enclust::registry::standard;
use enclust_testkit::generate::planted;
use proptest::prelude::*;

const CLUSTERS: usize = 4;

/// The ensemble with every sample listed this often.
fn repeated(ensemble: &Ensemble, copies: usize) -> Ensemble {
    let order: Vec<usize> = (0..copies).flat_map(|_| 0..ensemble.samples()).collect();
    ensemble.rearranged(&order).expect("existing samples")
}

/// The labels of the first samples by EC-CMS with its λ in this unit.
fn labels(ensemble: &Ensemble, copies: usize, scale: &str) -> Vec<usize> {
    let registry = standard::<f64>();
    let mut spec = registry.preset("ec-cms").expect("known").spec.clone();
    spec.enhance = spec.enhance.set("scale", scale).set("tolerance", 1e-10);
    // With a low threshold and a small λ, the enhancement decides about the labels.
    spec.confidence = spec.confidence.set("alpha", 0.6);
    spec.enhance = spec.enhance.set("lambda", 0.02);
    let method = registry.pipeline(&spec).expect("valid");
    let outcome = method.run(&repeated(ensemble, copies), CLUSTERS, &Ctx::default());
    let labels = outcome.expect("runs").partition.labels().to_vec();
    let (first, rest) = labels.split_at(ensemble.samples());
    let copied = rest.chunks(ensemble.samples()).all(|copy| copy == first);
    assert!(copied, "copies of a sample have different labels");
    first.to_vec()
}

fn agree(one: &[usize], other: &[usize]) -> bool {
    let [one, other] = [one, other].map(|labels| Partition::from_labels(labels.iter().copied()));
    one == other
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn by_degree_they_change_no_label(seed in 0..10_000_u64, copies in 2..6_usize) {
        let ensemble = planted(60, 12, CLUSTERS, 0.35, seed);
        let (once, often) = (labels(&ensemble, 1, "degree"), labels(&ensemble, copies, "degree"));
        prop_assert!(agree(&once, &often));
    }
}

/// The test above would not notice a λ that has no effect.
#[test]
fn with_an_absolute_lambda_they_do() {
    let changed = (0..48).filter(|&seed| {
        let ensemble = planted(60, 12, CLUSTERS, 0.35, seed);
        !agree(&labels(&ensemble, 1, "absolute"), &labels(&ensemble, 5, "absolute"))
    });
    assert!(changed.count() >= 4);
}
