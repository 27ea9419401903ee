//! The crates of the workspace, as `cargo metadata` tells them.

use std::path::PathBuf;

use serde_json::Value;

use crate::{Outcome, cargo, output};

pub struct Workspace {
    pub crates: Vec<Member>,
    /// The folder of all that cargo builds.
    pub target: PathBuf,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Member {
    pub name: String,
    pub version: String,
    /// In alphabetical order, without `default`.
    pub features: Vec<String>,
    /// Whether there are features that are on unless they are switched off.
    pub has_default: bool,
    pub is_published: bool,
}

pub fn workspace() -> Outcome<Workspace> {
    let text = output(&mut cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    read(&text).ok_or_else(|| "cargo metadata prints something unexpected".into())
}

fn read(text: &str) -> Option<Workspace> {
    let all: Value = serde_json::from_str(text).ok()?;
    let crates = all["packages"].as_array()?.iter().map(member).collect::<Option<_>>()?;
    Some(Workspace { crates, target: all["target_directory"].as_str()?.into() })
}

fn member(package: &Value) -> Option<Member> {
    let features = package["features"].as_object()?;
    let default = features.get("default").and_then(Value::as_array);
    Some(Member {
        name: package["name"].as_str()?.into(),
        version: package["version"].as_str()?.into(),
        features: features.keys().filter(|name| *name != "default").cloned().collect(),
        has_default: default.is_some_and(|names| !names.is_empty()),
        // Cargo writes `null` for any registry and an empty list for `publish = false`.
        is_published: package["publish"].as_array().is_none_or(|registries| !registries.is_empty()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_and_features_are_read() {
        let text = r#"{"target_directory": "/t", "packages": [
            {"name": "a", "version": "1.2.3", "publish": null,
             "features": {"x": [], "default": ["x"], "b": ["dep:c"]}},
            {"name": "d", "version": "0.0.0", "publish": [], "features": {"default": []}}]}"#;
        let found = read(text).unwrap();
        let features = vec!["b".into(), "x".into()];
        let (name, version) = ("a".into(), "1.2.3".into());
        let first = Member { name, version, features, has_default: true, is_published: true };
        let second = Member { name: "d".into(), version: "0.0.0".into(), ..Member::default() };
        assert_eq!(found.crates, [first, second]);
        assert_eq!(found.target, PathBuf::from("/t"));
        assert!(read(r#"{"packages": [{}]}"#).is_none());
    }
}
