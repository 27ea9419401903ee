//! What happens if every sample is listed several times.

use enclust::core::{Ctx, Ensemble, Method, Partition};
use enclust::registry::standard;
use enclust_testkit::generate::planted;

const CLUSTERS: usize = 4;

/// Noisy ensembles, in which the enhancement decides about the labels.
fn ensembles() -> impl Iterator<Item = Ensemble> {
    (0..32).map(|seed| planted(60, 12, CLUSTERS, 0.5, seed))
}

/// The ensemble with every sample listed this often.
fn repeated(ensemble: &Ensemble, copies: usize) -> Ensemble {
    let order: Vec<usize> = (0..copies).flat_map(|_| 0..ensemble.samples()).collect();
    ensemble.rearranged(&order).expect("existing samples")
}

/// The clusters of the first copy of each sample by EC-CMS with λ in this unit.
fn clusters(ensemble: &Ensemble, copies: usize, (scale, lambda): (&str, f64)) -> Partition {
    let registry = standard::<f64>();
    let mut spec = registry.preset("ec-cms").expect("known").spec.clone();
    spec.enhance = spec.enhance.set("scale", scale).set("lambda", lambda).set("tolerance", 1e-10);
    spec.confidence = spec.confidence.set("alpha", 0.5);
    let method = registry.pipeline(&spec).expect("valid");
    let outcome = method.run(&repeated(ensemble, copies), CLUSTERS, &Ctx::default());
    let labels = outcome.expect("runs").partition.labels().to_vec();
    let (first, rest) = labels.split_at(ensemble.samples());
    let copied = rest.chunks(ensemble.samples()).all(|copy| copy == first);
    assert!(copied, "copies of a sample have different labels");
    Partition::from_labels(first.iter().copied())
}

#[test]
fn by_degree_they_change_no_label() {
    for ensemble in ensembles() {
        let once = clusters(&ensemble, 1, ("degree", 0.3));
        for copies in [2, 5] {
            assert_eq!(clusters(&ensemble, copies, ("degree", 0.3)), once, "{copies} copies");
        }
    }
}

/// The test above would not notice a λ that has no effect.
#[test]
fn with_an_absolute_lambda_they_do() {
    let changed = |ensemble: &Ensemble| {
        let [once, often] = [1, 5].map(|copies| clusters(ensemble, copies, ("absolute", 2.0)));
        once != often
    };
    assert!(ensembles().filter(changed).count() > 10);
}

/// Nor would it notice a λ that is so large or so small that the labels do not depend on it.
#[test]
fn by_degree_the_labels_depend_on_lambda() {
    let changed = |ensemble: &Ensemble| {
        let [less, more] = [0.06, 0.3].map(|lambda| clusters(ensemble, 1, ("degree", lambda)));
        less != more
    };
    assert!(ensembles().filter(changed).count() > 5);
}
