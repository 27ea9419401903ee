//! A command with a component from another crate.

mod common;

use common::Folder;
use enclust::core::Registry;
use enclust::registry::Precision;
use enclust_cli::{Parts, Standard, run_with};

struct ConnectedTriples;

impl Parts for ConnectedTriples {
    fn register<S: Precision>(&self, registry: &mut Registry<S>) {
        enclust_example_custom_ca::register(registry);
    }
}

fn run(line: &str, parts: &impl Parts) -> (u8, String) {
    let mut out = Vec::new();
    let code = run_with(line.split_whitespace(), parts, &mut out);
    (code, String::from_utf8(out).unwrap())
}

#[test]
fn it_is_listed_chosen_and_set_like_any_other() {
    let (code, listing) = run("enclust list ca", &ConnectedTriples);
    assert_eq!(code, 0);
    assert!(listing.contains("wct") && listing.contains("ca.decay = 0.8"), "{listing}");
    assert!(!run("enclust list ca", &Standard).1.contains("wct"));

    let folder = Folder::with_pool();
    let pool = folder.path("pool.csv");
    let line = format!("enclust cluster {} --k 3 --ca wct --json --set", pool.display());
    let (code, text) = run(&format!("{line} ca.decay=0.3"), &ConnectedTriples);
    assert_eq!(code, 0, "{text}");
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["method"]["parts"]["ca"]["parameters"]["decay"], 0.3);
    assert_eq!(run(&format!("{line} ca.decay=3"), &ConnectedTriples).0, 2);
    assert_eq!(run(&format!("{line} ca.decay=0.3"), &Standard).0, 2);
}
