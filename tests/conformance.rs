//! All registered components satisfy the laws of their traits.

use enclust::registry::standard;
use enclust_core::{Error, ParamError, Part, Stage};
use enclust_testkit::{backend, ca, confidence, consensus, enhance, reduce, stop};

#[test]
fn reductions() {
    let table = standard::<f64>().reduce;
    for name in table.names() {
        reduce::conformance(&table.build(&Part::named(name)).unwrap());
    }
    for part in ["landmarks(rows=5)", "landmarks(rows=5, weights=equal, rounds=0, refine=true)"] {
        reduce::conformance(&table.build(&part.parse().unwrap()).unwrap());
    }
}

#[test]
fn representations() {
    let table = standard::<f64>().ca;
    for name in table.names() {
        // Trajectories and dense representations are defined between microclusters.
        let counts_samples = !["pts", "ptb", "drec"].contains(&name);
        let built = table.build(&Part::named(name)).unwrap();
        ca::conformance_with(&built, &ca::Options { counts_samples });
    }
}

#[test]
fn representations_in_single_precision() {
    let (single, double) = (standard::<f32>().ca, standard::<f64>().ca);
    for name in double.names() {
        let part = Part::named(name);
        ca::precisions_agree(&single.build(&part).unwrap(), &double.build(&part).unwrap());
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
        enhance::conformance(&table.build(&Part::named(name)).unwrap());
    }
}

#[test]
fn stopping_rules() {
    let table = standard::<f64>().stop;
    for name in table.names() {
        stop::conformance(&table.build(&Part::named(name)).unwrap());
    }
}

#[test]
fn consensus_functions() {
    let table = standard::<f64>().consensus;
    for part in ["kcc(utility=uh)", "kcc(utility=ucos)"] {
        consensus::conformance(&table.build(&part.parse().unwrap()).unwrap());
    }
    for name in table.names() {
        // The laws ask for every k, where hundreds of rounds with k × k matrices take minutes.
        let part = match name {
            "nmf" => Part::named(name).set("replicates", 1).set("max_iterations", 10),
            _ => Part::named(name),
        };
        consensus::conformance(&table.build(&part).unwrap());
        match table.build(&part.clone().set("weighting", "groups")) {
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
        let named = resolved.parts().into_iter().filter(|(stage, _)| *stage != Stage::Reduce);
        for ((stage, part), (_, given)) in named.zip(preset.spec.parts()) {
            let listing = registry.listing();
            let listed = listing.iter().find(|l| l.stage == stage && l.name == part.name).unwrap();
            assert_eq!(part.values.len(), listed.parameters.len(), "{part}");
            assert!(given.values.iter().all(|(name, value)| part.values[name] == *value));
        }
        registry.pipeline(&resolved).unwrap();
    }
}
