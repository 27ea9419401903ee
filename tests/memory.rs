//! Compares the memory of a run with its stated footprint.

#![allow(unsafe_code)] // A global allocator cannot be written without.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use enclust_ca::{
    Asrs, Cts, Eac, Eca, Incidence, JaccardGraph, Lce, LocallyWeightedBipartite, Lwca, Mgla, Nwca,
    PropagatedClusters, Pts, TrajectoryBipartite, Weac,
};
use enclust_consensus::{
    Balanced, Components, Kcc, Linkage, Metaclusters, Nmf, PointsKMeans, Sec, Spectral, Tcut,
};
use enclust_core::{
    BoxedPipeline, Bytes, Ca, Confidence, Consensus, Ctx, Enhance, Ensemble, Error, Event,
    IterationLimit, KktResidual, Method, Microclusters, Need, NoEnhancement, Observer, Pipeline,
    Precomputed, Quantities, Question, Real, Shape, Similarity, Stage, SteadyLabels, Stop,
    Weighting,
};
use enclust_enhance::{Admm, Exact, Guided, Sdgca, Threshold};
use enclust_learn::{Drec, RsecH, RsecZ, Spce, Trce};
use enclust_reduce::Landmarks;
use enclust_testkit::generate::{planted, planted_with_missing};

/// Counts the memory in use, its maximum, and the largest allocation.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);

// Safety: every call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(IN_USE.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        LARGEST.fetch_max(layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The memory that was used.
struct Taken {
    peak: u64,
    largest: u64,
}

/// Ensures that tests do not count each other's memory.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    // The thread pool is not part of a run.
    rayon::broadcast(|_| ());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn taken<T>(work: impl FnOnce() -> T) -> (T, Taken) {
    let before = IN_USE.load(Relaxed);
    PEAK.store(before, Relaxed);
    LARGEST.store(0, Relaxed);
    let out = work();
    let peak = PEAK.load(Relaxed).saturating_sub(before) as u64;
    (out, Taken { peak, largest: LARGEST.load(Relaxed) as u64 })
}

/// Additional memory for threads, messages and reports.
const SLACK: u64 = 256 << 10;

fn shape<S: Real>(ensemble: &Ensemble) -> Shape {
    Shape::of::<S>(&Microclusters::of(ensemble))
}

fn peak(needs: &[Need]) -> u64 {
    needs.iter().map(Need::peak).max().unwrap().0
}

/// Runs a pipeline; fails if it uses more memory than stated, or much less.
fn honest<S: Real>(pipeline: &BoxedPipeline<S>, ensemble: &Ensemble, at_most: f64) {
    honest_for(5, pipeline, ensemble, at_most);
}

fn honest_for<S: Real>(k: usize, pipeline: &BoxedPipeline<S>, ensemble: &Ensemble, at_most: f64) {
    let needs = pipeline.footprint(&shape::<S>(ensemble).with_threads(2).with_k(Some(k)));
    // Always two threads: buffers per thread are part of the footprint even if they are not
    // used.
    let (stated, ctx) = (peak(&needs), Ctx::default().with_threads(2));
    let (outcome, taken) = taken(|| pipeline.run(ensemble, k, &ctx));
    outcome.unwrap();
    let what = format!(
        "{}: stated {}, took {}",
        enclust_core::Component::name(pipeline),
        Bytes(stated),
        Bytes(taken.peak)
    );
    println!("{what} ({:.2})", stated as f64 / taken.peak as f64);
    assert!(taken.peak <= stated + SLACK, "{what}\n{needs:#?}");
    assert!(stated as f64 <= at_most * taken.peak as f64, "{what}\n{needs:#?}");
}

fn pipeline<S: Real>(
    represent: impl Ca<S> + 'static,
    enhancer: impl Enhance<S> + 'static,
    consensus: impl Consensus<S> + 'static,
) -> BoxedPipeline<S> {
    let confidence: Box<dyn Confidence<S>> = Box::new(Threshold::default());
    let (represent, enhancer, consensus) =
        (Box::new(represent) as Box<dyn Ca<S>>, Box::new(enhancer) as _, Box::new(consensus) as _);
    Pipeline::in_precision(represent, confidence, enhancer, consensus).unwrap()
}

/// Enough iterations to reach the maximum memory.
fn admm() -> Admm {
    Admm::default().limit(2)
}

/// Nearly all rows are different, and there are few confident pairs.
fn loose() -> Ensemble {
    planted(700, 10, 12, 0.4, 1)
}

/// Many confident pairs, which cause fill-in in the factors of ADMM.
fn tight() -> Ensemble {
    planted(1000, 12, 6, 0.12, 2)
}

fn plain<S: Real>(ensemble: &Ensemble) {
    honest::<S>(&pipeline(Eac, NoEnhancement, Linkage::average()), ensemble, 2.0);
    honest::<S>(&pipeline(Lwca::default(), NoEnhancement, Linkage::complete()), ensemble, 2.0);
    honest::<S>(&pipeline(Lwca::default(), NoEnhancement, Linkage::single()), ensemble, 2.0);
    honest::<S>(&pipeline(Eac, NoEnhancement, Spectral::default()), ensemble, 2.0);
    let groups = Linkage::average().weighting(Weighting::Groups);
    honest::<S>(&pipeline(Pts::default(), NoEnhancement, groups), ensemble, 2.0);
    honest::<S>(&pipeline(Pts::default(), NoEnhancement, Spectral::default()), ensemble, 2.0);
    honest::<S>(&pipeline(Eca::default(), NoEnhancement, Linkage::average()), ensemble, 2.0);
    honest::<S>(&pipeline(Weac::default(), NoEnhancement, Linkage::average()), ensemble, 2.0);
    honest::<S>(&pipeline(Cts::default(), NoEnhancement, Linkage::average()), ensemble, 2.0);
    honest::<S>(&pipeline(Asrs::default(), NoEnhancement, Linkage::average()), ensemble, 2.0);
    honest::<S>(&pipeline(Nwca::default(), NoEnhancement, Linkage::average()), ensemble, 2.0);
    honest::<S>(&pipeline(Eac, NoEnhancement, Balanced::default()), ensemble, 2.0);
}

#[test]
fn plain_methods_take_what_they_state() {
    let _alone = alone();
    plain::<f64>(&loose());
    plain::<f64>(&tight());
    plain::<f32>(&loose());
}

#[test]
fn bipartite_methods_take_what_they_state() {
    let _alone = alone();
    for ensemble in [loose(), tight()] {
        let graph = pipeline::<f64>(TrajectoryBipartite::default(), NoEnhancement, Tcut::default());
        honest(&graph, &ensemble, 2.0);
    }
    // There is no n' × n' matrix; the memory is dominated by the samples.
    let ensemble = planted(20_000, 10, 8, 0.3, 3);
    let graph =
        pipeline::<f64>(LocallyWeightedBipartite::default(), NoEnhancement, Tcut::default());
    honest(&graph, &ensemble, 2.0);
}

#[test]
fn graphs_with_links_to_similar_clusters_take_what_they_state() {
    let _alone = alone();
    for ensemble in [loose(), tight(), planted(20_000, 10, 8, 0.3, 3)] {
        honest::<f64>(&pipeline(Lce::default(), NoEnhancement, Tcut::default()), &ensemble, 2.0);
        honest::<f32>(&pipeline(Lce::default(), NoEnhancement, Kcc::default()), &ensemble, 2.0);
        honest::<f64>(&pipeline(Mgla::default(), NoEnhancement, Tcut::default()), &ensemble, 2.0);
    }
}

#[test]
fn k_means_of_label_rows_takes_what_it_states() {
    let _alone = alone();
    for ensemble in [planted(3000, 30, 30, 0.5, 5), planted(20_000, 10, 8, 0.3, 3)] {
        honest::<f64>(&pipeline(Incidence, NoEnhancement, Kcc::default()), &ensemble, 2.0);
        honest::<f32>(&pipeline(Incidence, NoEnhancement, Sec::default()), &ensemble, 2.0);
        honest::<f64>(&pipeline(Incidence, NoEnhancement, Nmf::default()), &ensemble, 2.0);
    }
}

#[test]
fn graphs_of_clusters_take_what_they_state() {
    let _alone = alone();
    // The memory is dominated by the base clusters in the first ensemble and by the samples in
    // the second.
    for ensemble in [planted(3000, 30, 30, 0.5, 5), planted(20_000, 10, 8, 0.3, 3)] {
        let graph = || PropagatedClusters::default();
        honest::<f64>(&pipeline(graph(), NoEnhancement, Metaclusters), &ensemble, 2.0);
        honest::<f32>(&pipeline(graph(), NoEnhancement, Metaclusters), &ensemble, 2.0);
        honest::<f64>(&pipeline(JaccardGraph, NoEnhancement, Metaclusters), &ensemble, 2.0);
    }
}

#[test]
fn learned_methods_take_what_they_state() {
    let _alone = alone();
    // The first has fewer base clusters than groups, the second more.
    for ensemble in [loose(), planted(400, 20, 30, 0.5, 6)] {
        honest::<f64>(
            &pipeline(Drec::default(), NoEnhancement, Linkage::average()),
            &ensemble,
            2.0,
        );
        honest::<f32>(
            &pipeline(Drec::default(), NoEnhancement, Spectral::default()),
            &ensemble,
            3.0,
        );
        let params = RsecH::default().max_iterations(3);
        let (h, z) = (params.clone(), RsecZ::from(params));
        honest::<f64>(&pipeline(h, NoEnhancement, PointsKMeans::default()), &ensemble, 2.0);
        honest::<f32>(&pipeline(z, NoEnhancement, Linkage::average()), &ensemble, 2.0);
    }
}

#[test]
fn learned_graphs_take_what_they_state() {
    let _alone = alone();
    for ensemble in [loose(), tight()] {
        honest::<f64>(&pipeline(Spce::default(), NoEnhancement, Components), &ensemble, 2.0);
        honest::<f32>(&pipeline(Trce::default(), NoEnhancement, Components), &ensemble, 2.0);
    }
}

/// The number of eigenvectors that learners compute grows with the number of clusters.
#[test]
fn many_clusters_are_reckoned_with_where_they_are_known() {
    let _alone = alone();
    // 200 of 700 eigenvectors are computed by a full decomposition, which is cheaper than an
    // iteration.
    for (k, at_most) in [(60, 2.2), (200, 3.5)] {
        let spce = pipeline::<f64>(Spce::default(), NoEnhancement, Components);
        honest_for(k, &spce, &loose(), at_most);
    }
}

#[test]
fn admm_takes_what_it_states() {
    let _alone = alone();
    for ensemble in [loose(), tight()] {
        honest::<f64>(&pipeline(Lwca::default(), admm(), Spectral::default()), &ensemble, 2.0);
        honest::<f64>(&pipeline(Eac, admm(), Spectral::default()), &ensemble, 2.0);
        honest::<f32>(&pipeline(Pts::default(), admm(), Spectral::default()), &ensemble, 2.0);
        let groups = Linkage::average().weighting(Weighting::Groups);
        honest::<f32>(&pipeline(Lwca::default(), admm(), groups), &ensemble, 2.0);
    }
    let everything = Threshold::default().alpha(0.0);
    let all_pairs = pipeline::<f64>(Eac, admm(), Spectral::default())
        .with_confidence(Box::new(everything) as Box<dyn Confidence<f64>>);
    honest(&all_pairs.unwrap(), &tight(), 2.0);
}

#[test]
fn guided_enhancement_takes_what_it_states() {
    let _alone = alone();
    for ensemble in [loose(), tight()] {
        let sdgca = Sdgca::default().limit(2);
        let guided = Box::new(Guided::default()) as Box<dyn Confidence<f64>>;
        let method = pipeline::<f64>(Nwca::default(), sdgca, Linkage::average());
        honest(&method.with_confidence(guided).unwrap(), &ensemble, 2.0);
    }
}

#[test]
fn missing_labels_are_accounted_for() {
    let _alone = alone();
    let ensemble = planted_with_missing(600, 10, 8, 0.3, 0.2, 4);
    honest::<f64>(&pipeline(Lwca::default(), admm(), Spectral::default()), &ensemble, 3.0);
}

/// Requests all quantities of every iteration.
#[derive(Debug)]
struct Curious;

fn everything() -> Quantities {
    Quantities::OBJECTIVE | Quantities::RESIDUAL | Quantities::CHANGES
}

impl Observer for Curious {
    fn needs(&self) -> Quantities {
        everything()
    }

    fn notice(&self, _: &Event<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

#[test]
fn observers_are_accounted_for() {
    let _alone = alone();
    let (ensemble, method) =
        (loose(), pipeline::<f64>(Lwca::default(), admm(), Spectral::default()));
    let needs = everything();
    let stated = peak(&method.footprint(&shape::<f64>(&ensemble).with_needs(needs)));
    let unwatched = peak(&method.footprint(&shape::<f64>(&ensemble)));
    let observer = Curious;
    let ctx = Ctx::default().with_observer(&observer);
    let (fit, taken) = taken(|| method.fit(&ensemble, &Question::default(), &ctx));
    fit.unwrap();
    assert!(taken.peak <= stated + SLACK && taken.peak > unwatched, "{} {stated}", taken.peak);
    // The same with a memory limit: the footprint includes the quantities that the observer
    // requests.
    let ctx = Ctx::default().with_observer(&observer).with_memory(stated - 1);
    assert!(matches!(method.fit(&ensemble, &Question::default(), &ctx), Err(Error::Memory { .. })));
}

#[test]
fn exact_states_its_answer_at_least() {
    let _alone = alone();
    let shape = shape::<f64>(&loose());
    let footprint = Enhance::<f64>::footprint(&Exact::default(), &shape);
    assert!(footprint.result >= shape.similarity());
    assert!(footprint.working > footprint.result);
}

/// The limit is exact: the stated amount is accepted, and one byte less is refused before any
/// array of size n' × n' is allocated.
#[test]
fn a_run_that_does_not_fit_is_refused_before_it_begins() {
    let _alone = alone();
    let ensemble = loose();
    let method = pipeline::<f64>(Lwca::default(), admm(), Spectral::default());
    let shape = shape::<f64>(&ensemble);
    let stated = peak(&method.footprint(&shape));
    let ctx = Ctx::default().with_memory(stated);
    assert!(method.run(&ensemble, 5, &ctx).is_ok());
    let ctx = Ctx::default().with_memory(stated - 1);
    let (refused, taken) = taken(|| method.run(&ensemble, 5, &ctx));
    let error = refused.unwrap_err();
    let Error::Memory { stage, needed, available, .. } = &error else { panic!("{error}") };
    assert_eq!(
        (stage.as_str(), *needed, *available),
        ("enhance (admm)", Bytes(stated), Bytes(stated - 1))
    );
    assert!(taken.largest < shape.condensed().0 / 8, "{} bytes at once", taken.largest);
    assert!(taken.peak < shape.condensed().0 / 2, "{} bytes in all", taken.peak);
    let message = error.to_string();
    for part in
        ["enhance (admm)", &needed.to_string(), &available.to_string(), "n' = 69", "use f32"]
    {
        assert!(message.contains(part), "{message} lacks {part}");
    }
}

/// The number of rows that the refusal names fits, also with the memory of the reduction itself.
#[test]
fn the_reduction_that_a_refusal_names_is_enough() {
    let _alone = alone();
    let ensemble = loose();
    let method = || pipeline::<f64>(Lwca::default(), admm(), Spectral::default());
    let stated = peak(&method().footprint(&shape::<f64>(&ensemble)));
    let ctx = Ctx::default().with_memory(stated / 2);
    let refused = method().run(&ensemble, 5, &ctx).unwrap_err();
    let Error::Memory { advice, .. } = &refused else { panic!("{refused}") };
    let rows = advice[0].strip_prefix("reduce the label rows to ").expect("the first advice");
    let rows: usize = rows.split(' ').next().unwrap().parse().unwrap();
    assert!(refused.to_string().contains(&format!("(--reduce {rows})")), "{refused}");
    let reduced = |rows: usize| {
        let part = Landmarks::default().rows(Some(rows));
        method().with_reduce(part).unwrap().run(&ensemble, 5, &ctx)
    };
    assert_eq!(reduced(rows).unwrap().reduction.unwrap().to, rows);
    assert!(matches!(reduced(rows + 20), Err(Error::Memory { .. })));
}

#[test]
fn a_few_kilobytes_do_not_even_merge_the_rows() {
    let _alone = alone();
    let ensemble = loose();
    let method = pipeline::<f32>(Eac, NoEnhancement, Linkage::average());
    let ctx = Ctx::default().with_memory(4096);
    let (refused, taken) = taken(|| method.run(&ensemble, 5, &ctx));
    let message = refused.unwrap_err().to_string();
    assert!(message.starts_with("microclusters needs "), "{message}");
    assert!(
        message.contains("for 700 samples and 10 clusterings, but 4.1 KB are available"),
        "{message}"
    );
    assert!(taken.peak < 4096, "{} bytes", taken.peak);
}

/// Groups of four samples with similarity `within` inside and about one half to other groups,
/// increasing by `step` for each pair of groups.
fn fours(within: f64, step: f64) -> (BoxedPipeline<f64>, Ensemble) {
    let samples = 800;
    let labels: Vec<u32> = (0..samples).map(|i| i / 4).collect();
    let grouping = std::sync::Arc::new(enclust_core::Grouping::from_map(labels.clone()).unwrap());
    let n = grouping.len();
    let between = (0..n * (n - 1) / 2).map(|at| 0.5 + at as f64 * step).collect();
    let similarity = Similarity::new(grouping, between, vec![within; n], vec![1.0; n]).unwrap();
    let method = pipeline(Precomputed::new(similarity), NoEnhancement, Linkage::average());
    (method, Ensemble::from_columns(&[labels]).unwrap())
}

/// Samples that join samples outside their group first need no additional memory.
#[test]
fn loose_groups_fit_into_what_is_stated() {
    let _alone = alone();
    let (method, ensemble) = fours(0.25, 1e-6);
    let stated = peak(&method.footprint(&shape::<f64>(&ensemble)));
    let ctx = Ctx::default().with_memory(stated);
    let (outcome, taken) = taken(|| method.run(&ensemble, 5, &ctx));
    assert_eq!(outcome.unwrap().partition.clusters(), 5);
    assert!(taken.peak <= stated + SLACK, "{} of {stated}", taken.peak);
}

/// The number of clusters that ties distinguish is not known in advance.
#[test]
fn linkage_asks_before_its_table_grows() {
    let _alone = alone();
    let (method, ensemble) = fours(0.5, 0.0);
    let stated = peak(&method.footprint(&shape::<f64>(&ensemble)));
    let ctx = Ctx::default().with_memory(stated);
    let (refused, taken) = taken(|| method.run(&ensemble, 5, &ctx));
    let message = refused.unwrap_err().to_string();
    assert!(message.starts_with("consensus (average) needs "), "{message}");
    assert!(message.contains("because of ties"), "{message}");
    assert!(taken.peak <= stated + SLACK, "{} of {stated}", taken.peak);
    let ctx = Ctx::default().with_memory(10 * stated);
    assert!(method.run(&ensemble, 5, &ctx).is_ok());
}

/// A similarity over finer groups than those of the labels is checked at its own size.
#[test]
fn finer_evidence_is_checked_when_it_is_there() {
    let _alone = alone();
    let ensemble = Ensemble::from_columns(&[vec![0; 500]]).unwrap();
    let n = 500;
    let matrix: Vec<f64> = (0..n * n).map(|at| if at / n == at % n { 1.0 } else { 0.5 }).collect();
    let similarity = Similarity::from_matrix(n, &matrix).unwrap();
    let method = Pipeline::plain(Precomputed::new(similarity), Linkage::average()).unwrap();
    let labels = shape::<f64>(&ensemble);
    let needed = peak(&method.footprint(&labels.clone().with_groups(n)));
    assert!(peak(&method.footprint(&labels)) < needed);
    assert!(method.run(&ensemble, 5, &Ctx::default().with_memory(needed)).is_ok());
    let refused = method.run(&ensemble, 5, &Ctx::default().with_memory(needed - 1));
    assert!(matches!(refused, Err(Error::Memory { .. })));
}

/// For very many clusters, the footprint does not cover the cut, which requests the memory
/// itself.
#[test]
fn a_cut_into_many_clusters_asks_for_what_it_needs() {
    let _alone = alone();
    let ensemble = loose();
    let method = pipeline::<f64>(Eac, NoEnhancement, Spectral::default());
    let limit = peak(&method.footprint(&shape::<f64>(&ensemble)));
    let ctx = Ctx::default().with_memory(limit);
    let fit = method.fit(&ensemble, &Question::default(), &ctx).unwrap();
    assert!(fit.cut(10, &ctx).is_ok());
    let (refused, taken) = taken(|| fit.cut(300, &ctx));
    let message = refused.unwrap_err().to_string();
    assert!(message.starts_with("cut (spectral) needs "), "{message}");
    assert!(taken.peak < 4096, "{} bytes", taken.peak);
}

/// A rule that reads the residual makes ADMM compute it.
#[test]
fn stopping_rules_are_accounted_for() {
    let _alone = alone();
    let shape = shape::<f64>(&loose());
    let method = |stop: Option<Box<dyn Stop>>| {
        let method = pipeline::<f64>(Lwca::default(), admm(), Linkage::average());
        let method = match stop {
            Some(stop) => method.with_stop(stop).unwrap(),
            None => method,
        };
        let needs = method.footprint(&shape);
        needs.into_iter().find(|need| need.stage == Stage::Enhance).unwrap().own.working
    };
    let (own, cheap, dear) = (
        method(None),
        method(Some(Box::new(IterationLimit::default()))),
        method(Some(Box::new(KktResidual::default()))),
    );
    assert_eq!(cheap, own);
    assert!(dear > cheap + shape.square() * 2);
    // A rule on labels needs a consensus for every check.
    let labels = method(Some(Box::new(SteadyLabels::default())));
    assert!(labels > cheap + shape.similarity());
}
