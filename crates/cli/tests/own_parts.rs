//! A command with a component from another crate.

mod common;

use common::Folder;
use enclust::core::{Backend, MatMut, MatRef, Reference, Registry, part};
use enclust::registry::Precision;
use enclust_cli::{Parts, Standard, run_with};

struct Rarity;

impl Parts for Rarity {
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
    let (code, listing) = run("enclust list ca", &Rarity);
    assert_eq!(code, 0);
    assert!(listing.contains("rarity") && listing.contains("ca.power = 1"), "{listing}");
    assert!(!run("enclust list ca", &Standard).1.contains("rarity"));

    let folder = Folder::with_pool();
    let pool = folder.path("pool.csv");
    let line = format!("enclust cluster {} --k 3 --ca rarity --json --set", pool.display());
    let (code, text) = run(&format!("{line} ca.power=0.3"), &Rarity);
    assert_eq!(code, 0, "{text}");
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["method"]["parts"]["ca"]["parameters"]["power"], 0.3);
    assert_eq!(run(&format!("{line} ca.power=-3"), &Rarity).0, 2);
    assert_eq!(run(&format!("{line} ca.power=0.3"), &Standard).0, 2);
}

part! {
    /// A library that has double precision only.
    pub struct DoubleOnly("double-only", "kernels in double precision");
}

impl Backend<f64> for DoubleOnly {
    fn gemm(&self, x: f64, a: MatRef<'_, f64>, b: MatRef<'_, f64>, y: f64, c: MatMut<'_, f64>) {
        Reference.gemm(x, a, b, y, c);
    }
}

struct OnePrecision;

impl Parts for OnePrecision {
    fn register<S: Precision>(&self, registry: &mut Registry<S>) {
        if let Some(double) = registry.of_precision::<f64>() {
            double.backend.add::<DoubleOnly>();
        }
    }
}

#[test]
fn a_backend_of_one_precision_runs_in_that_and_is_unknown_in_the_other() {
    assert!(run("enclust list backend", &OnePrecision).1.contains("double-only"));
    let folder = Folder::with_pool();
    let pool = folder.path("pool.csv");
    let line = format!("enclust cluster {} --k 3 --json --backend double-only", pool.display());
    let (code, text) = run(&line, &OnePrecision);
    assert_eq!(code, 0, "{text}");
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["machine"]["backend"], "double-only");
    assert_eq!(run(&format!("{line} --precision f32"), &OnePrecision).0, 2);
    assert_eq!(run(&line, &Standard).0, 2);
}
