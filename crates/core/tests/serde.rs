//! The serde form of parts and reports. Records of runs depend on every byte.
#![cfg(feature = "serde")]

use std::time::Duration;

use enclust_core::{
    Certificate, Change, Part, PipelineSpec, Record, Report, Status, Value, Violations,
};

#[test]
fn values_are_plain_and_keep_their_type() {
    let values =
        [Value::Bool(true), Value::Int(1), Value::Float(1.0), Value::Float(0.1), "word".into()];
    let text = serde_json::to_string(&values).unwrap();
    assert_eq!(text, r#"[true,1,1.0,0.1,"word"]"#);
    assert_eq!(serde_json::from_str::<Vec<Value>>(&text).unwrap(), values);
    let error = serde_json::from_str::<Value>("[1]").unwrap_err().to_string();
    assert!(error.contains("true, false, a number or a word"), "{error}");
}

#[test]
fn a_part_is_its_name_and_its_parameters() {
    let part = Part::named("lwca").set("theta", 0.5);
    let text = serde_json::to_string(&part).unwrap();
    assert_eq!(text, r#"{"name":"lwca","parameters":{"theta":0.5}}"#);
    assert_eq!(serde_json::from_str::<Part>(&text).unwrap(), part);
    let rule: Part = "any(kkt(tolerance=0.5), iterations)".parse().unwrap();
    let text = serde_json::to_string(&rule).unwrap();
    assert_eq!(text, r#"{"name":"any(kkt(tolerance=0.5), iterations)","parameters":{}}"#);
    assert_eq!(serde_json::from_str::<Part>(&text).unwrap(), rule);
    assert!(serde_json::from_str::<Part>(r#"{"name":"any(","parameters":{}}"#).is_err());
}

#[test]
fn a_pipeline_is_its_parts_by_stage() {
    let plain = PipelineSpec::plain(Part::named("eac"), Part::named("average"));
    let text = serde_json::to_string(&plain).unwrap();
    assert!(text.starts_with(r#"{"ca":{"name":"eac","parameters":{}},"confidence":"#), "{text}");
    assert!(!text.contains("stop"), "{text}");
    assert_eq!(serde_json::from_str::<PipelineSpec>(&text).unwrap(), plain);
    let stopped = plain.stopped(Part::named("kkt"));
    let text = serde_json::to_string(&stopped).unwrap();
    assert_eq!(serde_json::from_str::<PipelineSpec>(&text).unwrap(), stopped);
}

#[test]
fn every_status_is_written_in_the_words_it_is_shown_in() {
    for status in [
        Status::Direct,
        Status::Converged,
        Status::IterationLimit,
        Status::TimeLimit,
        Status::PrecisionLimit,
        Status::Cancelled,
    ] {
        let text = serde_json::to_string(&status).unwrap();
        assert_eq!(text, format!("\"{status}\""));
        assert_eq!(serde_json::from_str::<Status>(&text).unwrap(), status);
    }
}

#[test]
fn a_report_without_its_last_iteration_is_read_as_it_was_written() {
    let mut certificate = Certificate::default();
    (certificate.objective, certificate.relative_distance) = (2.5, 1e-4);
    let last = Record::of(7).with_elapsed(Duration::from_millis(1500)).with_residual(0.5);
    let last = last.with_changes(vec![Change::new("C", 0.25, 2.0)]);
    let report = Report::new("exact", Status::Converged).with_last(last);
    let whole = serde_json::to_string(&report).unwrap();
    let expected = r#"{"iteration":7,"elapsed":1.5,"changes":[{"name":"C","step":0.25,"scale":2.0}],"objective":null,"residual":0.5,"end":null}"#;
    assert!(whole.contains(expected), "{whole}");
    let report = report.with_certificate(certificate).without_last();
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(
        text,
        r#"{"component":"exact","status":"converged","iterations":7,"certificate":{"relative_residual":0.0,"relative_distance":0.0001,"distance":0.0,"largest_distance":0.0,"objective":2.5,"objective_gap":0.0,"fixed_error":0.0}}"#
    );
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
}

#[test]
fn violations_are_two_counts() {
    let text = serde_json::to_string(&Violations::new(1, 2)).unwrap();
    assert_eq!(text, r#"{"must_link":1,"cannot_link":2}"#);
}
