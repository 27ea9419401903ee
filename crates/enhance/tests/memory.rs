//! Compares the memory that confidence rules and the objective take with what is stated.

#![allow(unsafe_code)] // A global allocator cannot be written without.

mod oracle;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use enclust_core::{Bytes, Confidence, Ctx, Enhance, Ensemble, Microclusters, Quantities, Shape};
use enclust_enhance::objective::{kkt_residual, objective};
use enclust_enhance::{Admm, Exact, Threshold, TwoSided};
use enclust_testkit::generate::planted;
use oracle::Case;

/// Counts the memory in use and its maximum.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// Safety: every call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(IN_USE.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The memory that the work takes.
fn taken<T>(work: impl FnOnce() -> T) -> u64 {
    let before = IN_USE.load(Relaxed);
    PEAK.store(before, Relaxed);
    drop(work());
    (PEAK.load(Relaxed) - before) as u64
}

fn shape(m: &Microclusters) -> Shape {
    Shape::of::<f64>(m).with_threads(1)
}

/// Every sample is joined with the next one by one of two clusterings: lists of one pair.
fn chain() -> Microclusters {
    let columns: [Vec<u32>; 2] = [0, 1].map(|shift| (shift..600 + shift).map(|i| i / 2).collect());
    Microclusters::of(&Ensemble::from_columns(&columns).unwrap())
}

/// Nine of ten clusterings join all samples: long lists.
fn clique() -> Microclusters {
    let mut columns = vec![vec![0; 300]; 9];
    columns.push((0..300).collect());
    Microclusters::of(&Ensemble::from_columns(&columns).unwrap())
}

/// Fails if the rule takes more memory than stated, or much less.
fn honest(rule: &dyn Confidence<f64>, m: &Microclusters, ctx: &Ctx<'_, f64>) {
    let similarity = Case::build(m, 0.8, false).similarity;
    let stated = rule.footprint(&shape(m)).total().0;
    let took = taken(|| rule.select(m, &similarity, ctx).unwrap());
    let what = format!("{}: stated {stated}, took {took}", rule.name());
    assert!(took <= stated, "{what}");
    assert!(stated as f64 <= 2.0 * took as f64, "{what}");
}

/// One test on one thread, because others would be counted, too.
#[test]
fn what_is_stated_is_taken() {
    let all = |ctx: &Ctx<'_, f64>| {
        rules_take_what_they_state(ctx);
        every_thread_of_a_rule_has_its_buffers();
        the_objective_and_the_residual_take_what_is_stated();
        the_exact_solver_takes_what_it_states(ctx);
    };
    Ctx::default().with_threads(1).install(all).unwrap();
}

fn rules_take_what_they_state(ctx: &Ctx<'_, f64>) {
    honest(&Threshold::default().alpha(0.5), &chain(), ctx);
    honest(&Threshold::default().alpha(0.9), &clique(), ctx);
    honest(&TwoSided::default().alpha(0.5).beta(0.2), &chain(), ctx);
}

fn every_thread_of_a_rule_has_its_buffers() {
    let shape = shape(&chain());
    let stated = |threads| {
        let rule: &dyn Confidence<f64> = &Threshold::default();
        rule.footprint(&shape.clone().with_threads(threads)).total()
    };
    assert_eq!(stated(3), stated(1) + shape.vector() * 4);
}

fn the_objective_and_the_residual_take_what_is_stated() {
    let m = Microclusters::of(&planted(300, 10, 12, 0.4, 1));
    let (shape, case) = (shape(&m), Case::<f64>::build(&m, 0.8, false));
    let (problem, c) = (case.problem(), &case.similarity);
    let stated = |needs, threads| {
        let shape = shape.clone().with_threads(threads);
        let admm = |shape| Enhance::<f64>::footprint(&Admm::default(), &shape).total();
        admm(shape.clone().with_needs(needs)) - admm(shape)
    };
    for (needs, took) in [
        (Quantities::OBJECTIVE, taken(|| objective(&problem, 0.4, c))),
        (Quantities::RESIDUAL, taken(|| kkt_residual(&problem, 0.4, c))),
    ] {
        let unused = stated(needs, 1).0.checked_sub(took).expect("more taken than stated");
        assert!(Bytes(unused) <= shape.vector() * 3, "{unused} bytes of {took}");
        // Every thread has a row of the product.
        assert_eq!(stated(needs, 3), stated(needs, 1) + shape.vector() * 2);
    }
}

/// Islands of all sizes with few and with many pairs, and one island that holds all groups.
fn the_exact_solver_takes_what_it_states(ctx: &Ctx<'_, f64>) {
    let loose = Microclusters::of(&planted(900, 10, 12, 0.4, 1));
    let tight = Microclusters::of(&planted(1500, 12, 6, 0.12, 2));
    for (m, alpha) in [(loose, 0.6), (tight, 0.8), (chain(), 0.5)] {
        let case = Case::<f64>::build(&m, alpha, true);
        let pairs = case.confident.graph.entries() + case.confident.fixed.entries();
        let shape = shape(&m).with_input(Bytes(12 * pairs as u64));
        let exact: &dyn Enhance<f64> = &Exact::default();
        let stated = exact.footprint(&shape).total().0;
        let took = taken(|| exact.enhance(&case.problem(), ctx).unwrap());
        let what = format!("n' = {}: stated {stated}, took {took}", m.len());
        assert!(took <= stated, "{what}");
        assert!(stated as f64 <= 2.5 * took as f64, "{what}");
    }
}
