//! Bad input leads to an error that states the cause and the location, never to a panic.

use enclust::core::{
    BoxedPipeline, Ca, Error, Fit, Kind, Microclusters, ParamError, ParamSpec, Precomputed,
    Question, Range, Registry, Stage, Value,
};
use enclust::prelude::*;
use enclust_testkit::generate::planted;

/// Messages fit into one line of a log and contain these words.
#[track_caller]
fn says(error: &Error, message: &str) {
    assert_eq!(error.to_string(), message);
    assert!(!message.contains('\n') && message.len() > 10);
}

fn ensemble() -> Ensemble {
    planted(12, 5, 3, 0.2, 1)
}

fn spec(represent: &str, consensus: &str) -> PipelineSpec {
    PipelineSpec::plain(Part::named(represent), Part::named(consensus))
}

fn build(spec: &PipelineSpec) -> BoxedPipeline<f64> {
    standard().pipeline(spec).unwrap()
}

fn fit(method: &impl Method<f64>) -> Fit<f64> {
    method.fit(&ensemble(), &Question::default(), &Ctx::default()).unwrap()
}

// ---------------------------------------------------------------------------
// Ensembles.

#[test]
fn ragged_columns_name_the_clustering() {
    let error = Ensemble::from_columns(&[vec![0, 1, 1], vec![0, 1, 1], vec![0, 1]]).unwrap_err();
    assert_eq!(error, Error::Ragged { what: "clustering", index: 2, expected: 3, found: 2 });
    says(&error, "clustering 2 (counted from 0) has 2 entries, but 3 were expected");
}

#[test]
fn ragged_rows_name_the_sample() {
    let error = Ensemble::from_rows(&[vec![0, 1], vec![0, 1, 2]]).unwrap_err();
    assert_eq!(error, Error::Ragged { what: "sample", index: 1, expected: 2, found: 3 });
    says(&error, "sample 1 (counted from 0) has 3 entries, but 2 were expected");
}

#[test]
fn empty_ensembles_are_refused() {
    let nothing: [Vec<u32>; 0] = [];
    let empty = Error::Empty { what: "ensemble" };
    assert_eq!(Ensemble::from_columns(&nothing), Err(empty.clone()));
    assert_eq!(Ensemble::from_rows(&nothing), Err(empty.clone()));
    assert_eq!(Ensemble::from_columns(&[Vec::<u32>::new()]), Err(empty.clone()));
    assert_eq!(Ensemble::from_rows(&[Vec::<u32>::new(), Vec::new()]), Err(empty.clone()));
    assert_eq!(Ensemble::from_keys(0, 3, |_, _| Some(0)), Err(empty.clone()));
    assert_eq!(Ensemble::from_keys(3, 0, |_, _| Some(0)), Err(empty.clone()));
    says(&empty, "the ensemble is empty");
}

#[test]
fn bad_weights_name_the_clustering() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = ensemble().with_weights(vec![1.0, 1.0, bad, 1.0, 1.0]).unwrap_err();
        assert!(matches!(error, Error::Weight { clustering: 2, .. }), "{error}");
        says(
            &error,
            &format!(
                "weight {bad} of clustering 2 is out of range: it must lie in [0.000001, 1000000]"
            ),
        );
    }
    let error = ensemble().with_weights(vec![1.0; 4]).unwrap_err();
    says(&error, "weights of the base clusterings: expected 5, found 4");
}

#[test]
fn an_enhancer_without_confident_pairs_is_refused() {
    let registry = standard::<f64>();
    let mut spec = registry.preset("lwea").unwrap().spec.clone();
    spec.enhance = Part::named("admm");
    let error = registry.pipeline(&spec).unwrap_err();
    assert!(error.to_string().contains("threshold"), "{error}");
}

#[test]
fn ensembles_beyond_memory_are_refused() {
    for (samples, clusterings) in [(usize::MAX, 2), (1 << 62, 1), (1 << 33, 1)] {
        let error = Ensemble::from_keys(samples, clusterings, |_, _| Some(0)).unwrap_err();
        assert!(error.to_string().contains("which exceed the memory or 32-bit indices"), "{error}");
    }
}

#[test]
fn a_selection_names_the_clustering_that_is_not_there() {
    says(
        &ensemble().select(&[0, 9]).unwrap_err(),
        "clustering 9 does not exist; there are 5, counted from 0",
    );
    says(&ensemble().select(&[]).unwrap_err(), "the selection of clusterings is empty");
}

#[test]
fn missing_labels_are_refused_by_name_where_there_is_no_definition() {
    let e = Ensemble::from_rows(&[[Some(0), None], [Some(0), Some(1)]]).unwrap();
    for name in ["lwb", "ptb"] {
        let error = build(&spec(name, "tcut"))
            .fit(&e, &Question::default(), &Ctx::default())
            .err()
            .unwrap();
        let place = "clustering 2 has none for sample 1, counted from 1";
        says(&error, &format!("{name} does not support missing labels: {place}"));
    }
}

// ---------------------------------------------------------------------------
// Numbers of clusters.

#[track_caller]
fn out_of_reach(method: &impl Method<f64>, component: &str) {
    let fit = fit(method);
    let largest = fit.fitted.largest_k();
    for k in [0, largest + 1, usize::MAX] {
        let error = fit.cut(k, &Ctx::default()).unwrap_err();
        let component = component.to_string();
        assert_eq!(error, Error::ClusterCount { k, largest, component });
        let run = method.run(&ensemble(), k, &Ctx::default()).unwrap_err();
        assert_eq!(run, error);
    }
}

#[test]
fn a_number_of_clusters_out_of_reach_names_the_largest() {
    for (represent, consensus) in [
        ("eac", "average"),
        ("lwca", "complete"),
        ("pts", "single"),
        ("lwca", "spectral"),
        ("lwb", "tcut"),
        ("ptb", "tcut"),
    ] {
        out_of_reach(&build(&spec(represent, consensus)), consensus);
        let of_groups = Part::named(consensus).set("weighting", "groups");
        let of_groups = PipelineSpec::plain(Part::named(represent), of_groups);
        out_of_reach(&build(&of_groups), consensus);
    }
}

#[test]
fn the_message_about_k_says_what_can_be_had() {
    let error = build(&spec("eac", "average")).run(&ensemble(), 13, &Ctx::default());
    says(
        &error.unwrap_err(),
        "k = 13 is not possible: average gives between 1 and 12 clusters for this input",
    );
}

#[test]
fn counting_groups_no_more_clusters_than_groups_can_be_had() {
    let e = Ensemble::from_columns(&[[0, 0, 0, 1, 1], [0, 0, 0, 1, 2]]).unwrap();
    for (represent, consensus) in [("eac", "average"), ("eac", "spectral"), ("lwb", "tcut")] {
        let part = Part::named(consensus).set("weighting", "groups");
        let method = build(&PipelineSpec::plain(Part::named(represent), part));
        assert!(method.run(&e, 3, &Ctx::default()).is_ok());
        let error = method.run(&e, 4, &Ctx::default()).unwrap_err();
        assert!(matches!(error, Error::ClusterCount { k: 4, largest: 3, .. }), "{error}");
    }
}

// ---------------------------------------------------------------------------
// Similarity matrices.

fn with_entry(at: (usize, usize), value: f64) -> Error {
    let mut matrix = vec![0.5; 9];
    matrix[at.0 * 3 + at.1] = value;
    Similarity::from_matrix(3, &matrix).unwrap_err()
}

#[test]
fn entries_outside_the_unit_interval_are_named() {
    for bad in [f64::NAN, f64::INFINITY, -0.1, 1.5] {
        for (row, column) in [(0, 2), (2, 0)] {
            let error = with_entry((row, column), bad);
            says(
                &error,
                &format!(
                    "similarity at row {row}, column {column} (counted from 0) is {bad}, but must lie in [0, 1]"
                ),
            );
        }
        let error = with_entry((1, 1), bad);
        assert!(matches!(error, Error::Entry { row: 1, column: 1, .. }), "{error}");
    }
}

#[test]
fn asymmetric_entries_are_named() {
    says(
        &with_entry((1, 2), 0.25),
        "the matrix is not symmetric: entry (1, 2) is 0.25, but entry (2, 1) is 0.5",
    );
}

#[test]
fn a_matrix_of_the_wrong_size_is_refused() {
    let error = Similarity::from_matrix(3, &[0.5; 8]).unwrap_err();
    says(&error, "entries of the similarity matrix: expected 9, found 8");
    says(&Similarity::<f64>::from_matrix(0, &[]).unwrap_err(), "the similarity is empty");
    let error = Similarity::from_matrix(usize::MAX, &[0.5; 8]).unwrap_err();
    assert!(matches!(error, Error::Size { found: 8, .. }), "{error}");
}

#[test]
fn a_precomputed_similarity_must_have_the_samples_of_the_ensemble() {
    let similarity = Similarity::from_matrix(2, &[1.0, 0.5, 0.5, 1.0]).unwrap();
    let method = Pipeline::plain(Precomputed::new(similarity), Linkage::average()).unwrap();
    let error = method.run(&ensemble(), 2, &Ctx::default()).unwrap_err();
    says(&error, "samples of the precomputed similarity: expected 12, found 2");
}

#[test]
fn a_precomputed_similarity_must_not_join_what_the_labels_tell_apart() {
    let alike = Ensemble::from_columns(&[[0, 0, 1]]).unwrap();
    let evidence = Eac
        .build(&Microclusters::of(&alike), &Question::default(), &Ctx::<f64>::default())
        .unwrap();
    let given = Precomputed::new(evidence.as_similarity().unwrap().clone());
    let method =
        Pipeline::new(given, Threshold::default(), Admm::default(), Linkage::average()).unwrap();
    let apart = Ensemble::from_columns(&[[0, 1, 1]]).unwrap();
    let error = method.run(&apart, 2, &Ctx::default()).unwrap_err();
    says(
        &error,
        "the ensemble does not support a similarity that groups sample 1 with a sample of another label row",
    );
}

// ---------------------------------------------------------------------------
// Parameters of all components.

/// Builds the component with this name for this stage.
fn try_build(registry: &Registry<f64>, stage: Stage, part: &Part) -> Result<(), Error> {
    match stage {
        Stage::Reduce => registry.reduce.build(part).map(|_| ()),
        Stage::Ca => registry.ca.build(part).map(|_| ()),
        Stage::Confidence => registry.confidence.build(part).map(|_| ()),
        Stage::Enhance => registry.enhance.build(part).map(|_| ()),
        Stage::Stop => registry.stop.build(part).map(|_| ()),
        Stage::Consensus => registry.consensus.build(part).map(|_| ()),
        Stage::Backend => registry.backend.build(part).map(|_| ()),
        other => panic!("a stage without a test: {other}"),
    }
}

/// Values of the right type outside the range.
fn outside(parameter: &ParamSpec) -> Vec<Value> {
    let whole = parameter.expected.contains("whole number");
    let number = |x: f64| if whole { Value::Int(x as i64) } else { Value::Float(x) };
    let not_finite = [f64::NAN, f64::INFINITY].map(Value::Float);
    let mut values = match parameter.range {
        Range::Any => return Vec::new(),
        Range::Positive => vec![number(0.0), Value::Float(-1.0)],
        Range::Within(low, high) => vec![number(low - 1.0), number(high + 1.0)],
        Range::Share => vec![number(0.0), number(1.1)],
        Range::AtLeast(low) => vec![number(low - 1.0)],
        other => panic!("a range without a test: {other}"),
    };
    if !whole {
        values.extend(not_finite);
    }
    values
}

#[test]
fn every_parameter_out_of_range_is_named_with_its_range() {
    let registry = standard::<f64>();
    let mut tried = 0;
    for listed in registry.listing() {
        for parameter in listed.parameters {
            for value in outside(parameter) {
                let part = Part::named(listed.name).set(parameter.name, value.clone());
                let error = try_build(&registry, listed.stage, &part).unwrap_err();
                let Error::Param(ParamError::OutOfRange { parameter: named, .. }) = &error else {
                    panic!("{part}: {error}")
                };
                assert_eq!(*named, parameter.name);
                says(
                    &error,
                    &format!(
                        "{}: {named} = {value} is out of range: it {}",
                        listed.name, parameter.range
                    ),
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 40, "{tried}");
}

#[test]
fn every_parameter_of_the_wrong_type_is_named_with_its_type() {
    let registry = standard::<f64>();
    for listed in registry.listing() {
        for parameter in listed.parameters {
            let part = Part::named(listed.name).set(parameter.name, "nonsense");
            let error = try_build(&registry, listed.stage, &part).unwrap_err();
            assert!(matches!(error, Error::Param(ParamError::WrongType { .. })), "{error}");
            says(
                &error,
                &format!(
                    "{}: {} must be {}, but nonsense was given",
                    listed.name, parameter.name, parameter.expected
                ),
            );
        }
    }
}

#[test]
fn negative_and_fractional_counts_are_of_the_wrong_type() {
    for value in [Value::Int(-3), Value::Float(2.5), Value::Bool(true)] {
        let part = Part::named("tcut").set("replicates", value.clone());
        let error = standard::<f64>().consensus.build(&part).unwrap_err();
        says(&error, &format!("tcut: replicates must be a whole number, but {value} was given"));
    }
}

#[test]
fn every_component_lists_its_parameters_when_one_is_unknown() {
    let registry = standard::<f64>();
    for listed in registry.listing() {
        let part = Part::named(listed.name).set("tehta", 1.0);
        let error = try_build(&registry, listed.stage, &part).unwrap_err();
        assert!(matches!(error, Error::Param(ParamError::Unknown { .. })), "{error}");
        let known: Vec<&str> = listed.parameters.iter().map(|p| p.name).collect();
        let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
        says(&error, &format!("{} has no parameter \"tehta\"; known: {known}", listed.name));
    }
}

#[test]
fn every_default_is_in_range_and_of_its_own_type() {
    let registry = standard::<f64>();
    for listed in registry.listing() {
        for parameter in listed.parameters {
            let part = Part::named(listed.name).set(parameter.name, parameter.default.clone());
            assert_eq!(try_build(&registry, listed.stage, &part), Ok(()), "{part}");
            assert!(!parameter.doc.is_empty() && !parameter.doc.contains('\n'), "{part}");
        }
    }
}

// ---------------------------------------------------------------------------
// Names, and parts that do not fit together.

#[test]
fn an_unknown_component_lists_the_known_ones() {
    let registry = standard::<f64>();
    let stages: Vec<Stage> = registry.listing().iter().map(|l| l.stage).collect();
    for stage in stages {
        let error = try_build(&registry, stage, &Part::named("nope")).unwrap_err();
        let of_stage = registry.listing().into_iter().filter(|l| l.stage == stage);
        let known: Vec<&str> = of_stage.map(|l| l.name).collect();
        says(
            &error,
            &format!("no {} is called \"nope\"; known: {}", stage.noun(), known.join(", ")),
        );
    }
}

#[test]
fn an_unknown_method_lists_the_known_ones() {
    let registry = standard::<f64>();
    let known: Vec<&str> = registry.presets().iter().map(|p| p.name).collect();
    let error = registry.preset("eacc").unwrap_err();
    says(&error, &format!("no method is called \"eacc\"; known: {}", known.join(", ")));
}

#[test]
fn parts_that_do_not_fit_say_what_they_read_and_make() {
    let registry = standard::<f64>();
    let error = registry.pipeline(&spec("lwb", "average")).unwrap_err();
    let expected = Error::KindMismatch {
        consumer: "average".into(),
        accepts: vec![Kind::Similarity, Kind::Factored],
        producer: "lwb".into(),
        made: Kind::Bipartite,
    };
    assert_eq!(error, expected);
    says(
        &error,
        "average reads a similarity or a factored similarity, but lwb makes a bipartite graph",
    );

    let error = registry.pipeline(&spec("eac", "tcut")).unwrap_err();
    says(&error, "tcut reads a bipartite graph, but eac makes a similarity");

    let enhanced = spec("lwb", "tcut").enhanced(Part::named("threshold"), Part::named("admm"));
    let error = registry.pipeline(&enhanced).unwrap_err();
    says(&error, "admm reads a similarity, but lwb makes a bipartite graph");
}

#[test]
fn swapping_in_a_part_that_does_not_fit_is_refused() {
    let method = Pipeline::plain(Eac, Linkage::average()).unwrap();
    let error = method.with_ca(LocallyWeightedBipartite::default()).unwrap_err();
    assert!(matches!(error, Error::KindMismatch { .. }), "{error}");
}

#[test]
fn evidence_of_the_wrong_kind_is_refused_by_every_consensus_function() {
    let (registry, m) = (standard::<f64>(), Microclusters::of(&ensemble()));
    for represent in ["eac", "lwb"] {
        let part = Part::named(represent);
        let represent = registry.ca.build(&part).unwrap();
        let evidence = represent.build(&m, &Question::default(), &Ctx::default()).unwrap();
        for name in registry.consensus.names() {
            let consensus = registry.consensus.build(&Part::named(name)).unwrap();
            let accepted = consensus.accepts().contains(&evidence.kind());
            match consensus.fit(&evidence, &Ctx::default()) {
                Ok(_) => assert!(accepted, "{name}"),
                Err(e) => assert!(!accepted && e.to_string().starts_with(name), "{name}: {e}"),
            }
        }
    }
}

#[test]
fn a_stopping_rule_needs_something_that_iterates() {
    let with_stop = spec("eac", "average").stopped(Part::named("kkt"));
    let error = standard::<f64>().pipeline(&with_stop).unwrap_err();
    says(
        &error,
        "eac without an enhancer does not support the stopping rule kkt: it does not iterate",
    );
}
