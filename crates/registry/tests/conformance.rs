//! Everything registered keeps the laws of its seam.

use enclust_core::{Error, ParamError, Part};
use enclust_registry::standard;
use enclust_testkit::{backend, confidence, consensus, enhancer, represent, stopping};

#[test]
fn representations() {
    let table = standard::<f64>().represent;
    for name in table.names() {
        // Trajectories and dense representations are defined between microclusters.
        let counts_samples = !["pts", "ptb", "drec"].contains(&name);
        let built = table.build(&Part::named(name)).unwrap();
        represent::conformance_with(&built, &represent::Options { counts_samples });
    }
}

#[test]
fn representations_in_single_precision() {
    let (single, double) = (standard::<f32>().represent, standard::<f64>().represent);
    for name in double.names() {
        let part = Part::named(name);
        represent::precisions_agree(&single.build(&part).unwrap(), &double.build(&part).unwrap());
    }
}

#[test]
fn choices_of_confident_pairs() {
    let table = standard::<f64>().confidence;
    for name in table.names() {
        confidence::conformance(&table.build(&Part::named(name)).unwrap());
    }
}

#[test]
fn enhancers() {
    let table = standard::<f64>().enhance;
    for name in table.names() {
        // An early-stopped iterate meets its constraints to some percent.
        let fixed_tolerance = if name == "admm" { 0.05 } else { 1e-3 };
        // Yet iterates are equal one by one; the optimum is found to a tolerance.
        let accuracy = if name == "exact" { 1e-3 } else { 1e-9 };
        let built = table.build(&Part::named(name)).unwrap();
        let options = enhancer::Options::default();
        let options = options.with_fixed_tolerance(fixed_tolerance).with_accuracy(accuracy);
        enhancer::conformance_with(&built, &options);
    }
}

#[test]
fn stopping_rules() {
    let table = standard::<f64>().stop;
    for name in table.names() {
        stopping::conformance(&table.build(&Part::named(name)).unwrap());
    }
}

#[test]
fn consensus_functions() {
    let table = standard::<f64>().consensus;
    for name in table.names() {
        let part = Part::named(name);
        consensus::conformance(&table.build(&part).unwrap());
        match table.build(&part.set("weighting", "groups")) {
            Err(Error::Param(ParamError::Unknown { .. })) => {}
            built => {
                let options = consensus::Options::counting_groups();
                consensus::conformance_with(&built.unwrap(), &options);
            }
        }
    }
}

#[test]
fn backends() {
    let table = standard::<f64>().backend;
    for name in table.names() {
        backend::conformance(&table.build(&Part::named(name)).unwrap());
    }
}

#[test]
fn resolved_parts_have_every_parameter_and_build_the_same() {
    let registry = standard::<f64>();
    for preset in registry.presets() {
        let resolved = registry.resolved(&preset.spec).unwrap();
        assert_eq!(registry.resolved(&resolved).unwrap(), resolved, "{}", preset.name);
        for ((stage, part), (_, given)) in resolved.parts().into_iter().zip(preset.spec.parts()) {
            let listing = registry.listing();
            let listed = listing.iter().find(|l| l.key == stage && l.name == part.name).unwrap();
            assert_eq!(part.values.len(), listed.parameters.len(), "{part}");
            assert!(given.values.iter().all(|(name, value)| part.values[name] == *value));
        }
        registry.pipeline(&resolved).unwrap();
    }
}
