//! Parts declared by `part!`.

use enclust_core::{Component, ParamError, Parameters, Range, Value, Values, part};

part! {
    /// A part whose parameters have no range.
    pub struct Free("free", "no ranges") {
        /// A number.
        pub weight: f64 = 1.5;
        /// A count.
        pub steps: usize = 3, tried [1, 3];
        /// A parameter with a range, after those without one.
        pub share: f64 = 0.5, in Range::Share;
    }
}

#[test]
fn a_parameter_without_a_range_takes_any_value() {
    let specs = Free::specs();
    assert_eq!(
        specs.iter().map(|s| s.range).collect::<Vec<_>>(),
        [Range::Any, Range::Any, Range::Share]
    );
    assert_eq!(specs[1].tried, [Value::Int(1), Value::Int(3)]);
    assert!(Free::default().weight(-1e300).steps(0).check().is_ok());
    assert!(Free::default().share(0.0).check().is_err());
    let values = Values::from([("weight".to_string(), (-7).into())]);
    assert_eq!(Free::from_values(&values), Ok(Free::default().weight(-7.0)));
    let word = Values::from([("weight".to_string(), "heavy".into())]);
    assert!(matches!(Free::from_values(&word), Err(ParamError::WrongType { .. })));
}
