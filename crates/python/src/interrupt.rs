//! Long work that Ctrl-C ends.

use std::mem::forget;
use std::panic::resume_unwind;
use std::process;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use enclust::core::Error;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::raised;

/// Time between two looks at the signals.
const PAUSE: Duration = Duration::from_millis(50);

/// Threads that wait for the next call.
struct Idle {
    process: u32,
    threads: usize,
    pool: ThreadPool,
}

/// Memory that a thread has freed is used again by the same thread, so that repeated calls need no
/// more memory than one if the threads stay.
static IDLE: Mutex<Vec<Idle>> = Mutex::new(Vec::new());

/// The largest number of pools that wait.
const MOST_IDLE: usize = 4;

/// A pool of this many threads (0: all) that no other call uses.
fn pool(threads: usize) -> PyResult<ThreadPool> {
    // Waiting for the lock could take forever: in a forked process, the thread that holds it does
    // not exist.
    if let Ok(mut idle) = IDLE.try_lock() {
        // Threads do not survive a fork; the pools of the parent are forgotten.
        let (own, others) = idle.drain(..).partition(|one| one.process == process::id());
        *idle = own;
        Vec::into_iter(others).for_each(|other: Idle| forget(other.pool));
        if let Some(at) = idle.iter().position(|one| one.threads == threads) {
            return Ok(idle.swap_remove(at).pool);
        }
    }
    let made = ThreadPoolBuilder::new().num_threads(threads).build();
    made.map_err(|e| raised(Error::Threads { threads, reason: e.to_string() }))
}

/// Keeps a pool for the next call.
fn keep(threads: usize, pool: ThreadPool) {
    if let Ok(mut idle) = IDLE.try_lock() {
        idle.push(Idle { process: process::id(), threads, pool });
        if idle.len() > MOST_IDLE {
            idle.remove(0);
        }
    }
}

/// Does `work` without the lock of the interpreter, in a pool of this many threads (0: all). The
/// work must end soon after the flag that it is given is set, which happens on Ctrl-C.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let pool = pool(threads)?;
    let cancel = AtomicBool::new(false);
    let (result, interrupt) = py.detach(|| {
        std::thread::scope(|scope| {
            let (finished, waiting) = channel::<()>();
            let (pool, cancel) = (&pool, &cancel);
            let worker = scope.spawn(move || {
                let result = pool.install(|| work(cancel));
                drop(finished);
                result
            });
            let mut interrupt = None;
            while waiting.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                if interrupt.is_none() {
                    interrupt = Python::attach(|py| py.check_signals()).err();
                    cancel.store(interrupt.is_some(), Ordering::Relaxed);
                }
            }
            (worker.join(), interrupt)
        })
    });
    match (result, interrupt) {
        (_, Some(interrupt)) => Err(interrupt),
        (Ok(result), None) => {
            keep(threads, pool);
            Ok(result)
        }
        (Err(panic), None) => resume_unwind(panic),
    }
}
