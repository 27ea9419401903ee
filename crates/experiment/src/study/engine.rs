//! Runs cells in parallel.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use enclust_core::{Ctx, Error, Watch};

use super::cell::{self, CellResult};
use super::folder::RunOptions;
use super::memory_gate::MemoryGate;
use super::plan::Plan;
use super::protocol::Cell;
use crate::error::StudyError;

/// Runs cells on the threads of the options and passes each result to `finished`, one at a time. The first error stops the study; cells that are already running are finished.
///
/// Each thread runs whole cells and waits only if two cells would not fit into memory together.
/// (A shared thread pool would start new cells while it waits inside others.) Large pools come
/// first, so that no long run remains at the end.
pub(crate) fn run(
    plan: &Plan,
    cells: &[usize],
    options: &RunOptions<'_>,
    finished: impl FnMut(CellResult) -> Result<(), StudyError> + Send,
) -> Result<(), StudyError> {
    let threads = self::threads(options.threads);
    let (workers, each) = if plan.one_at_a_time {
        (1, threads)
    } else {
        (threads.min(cells.len()).max(1), threads.div_ceil(cells.len().max(1)))
    };
    let (mut order, copies) = without_copies(plan, cells);
    let samples = |cell: usize| plan.protocol.pools[plan.protocol.cell(cell).pool].samples;
    order.sort_by_key(|&cell| (std::cmp::Reverse(samples(cell)), cell));
    let work = Work {
        plan,
        watch: options.watch.quiet(),
        order,
        copies,
        next: AtomicUsize::new(0),
        gate: MemoryGate::new(Ctx::<f64>::default().memory().map(|bytes| bytes.0)),
        finished: Mutex::new(finished),
        failure: Mutex::new(None),
    };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| work.record(work.in_own_threads(each)));
        }
    });
    match work.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// The cells to run, and for each of them the cells that repeat it: two variants may have the same
/// parts, such as a point of a grid and the base. Their results are equal, so they are computed
/// once.
fn without_copies(plan: &Plan, cells: &[usize]) -> (Vec<usize>, HashMap<usize, Vec<usize>>) {
    let variants = &plan.protocol.variants;
    let first_alike = |variant: usize| {
        let alike = |other: &usize| variants[*other].pipelines == variants[variant].pipelines;
        (0..variant).find(alike).unwrap_or(variant)
    };
    let first: Vec<usize> = (0..variants.len()).map(first_alike).collect();
    let mut runs: HashMap<usize, usize> = HashMap::new();
    let mut copies: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut order = Vec::new();
    for &number in cells {
        let cell = plan.protocol.cell(number);
        let original = plan.protocol.number(Cell { variant: first[cell.variant], ..cell });
        match runs.entry(original) {
            Entry::Occupied(run) => copies.entry(*run.get()).or_default().push(number),
            Entry::Vacant(place) => {
                place.insert(number);
                order.push(number);
            }
        }
    }
    (order, copies)
}

/// The number of threads; 0 means all available threads.
pub(crate) fn threads(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        given => given,
    }
}

struct Work<'a, F> {
    plan: &'a Plan,
    /// Cells run at the same time, so they do not notify the observer.
    watch: Watch<'a>,
    order: Vec<usize>,
    /// For each cell, the cells whose result is the same.
    copies: HashMap<usize, Vec<usize>>,
    next: AtomicUsize,
    gate: MemoryGate,
    finished: Mutex<F>,
    failure: Mutex<Option<StudyError>>,
}

impl<F: FnMut(CellResult) -> Result<(), StudyError> + Send> Work<'_, F> {
    fn in_own_threads(&self, threads: usize) -> Result<(), StudyError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| StudyError::Threads { threads, reason: e.to_string() })?;
        while let Some(&cell) = self.order.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let result = pool.install(|| self.cell(cell))?;
            let copies = self.copies.get(&cell).into_iter().flatten();
            let copies: Vec<CellResult> =
                copies.map(|&copy| CellResult { cell: copy, ..result.clone() }).collect();
            let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
            std::iter::once(result).chain(copies).try_for_each(&mut *finished)?;
        }
        Ok(())
    }

    fn cell(&self, number: usize) -> Result<CellResult, StudyError> {
        let failed = |error: Error| match error {
            cancelled @ Error::Cancelled { .. } => StudyError::cancelled(cancelled),
            error => {
                let cell = self.plan.protocol.describe(number);
                StudyError::Cell { cell, error: Box::new(error) }
            }
        };
        let bytes = cell::bytes_needed(self.plan, number).map_err(failed)?;
        let _taken = self.gate.take(bytes);
        cell::run(self.plan, number, self.gate.limit(), self.watch).map_err(failed)
    }

    /// Stores the first error and prevents further cells from starting.
    fn record(&self, outcome: Result<(), StudyError>) {
        if let Err(error) = outcome {
            self.next.store(self.order.len(), Ordering::Relaxed);
            self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}
