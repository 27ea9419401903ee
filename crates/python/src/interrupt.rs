//! Long work that Ctrl-C ends.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use enclust::core::Error;
use pyo3::prelude::*;

use crate::errors::raised;

/// Time between two looks at the signals.
const PAUSE: Duration = Duration::from_millis(50);

/// Does `work` without the lock of the interpreter, in a pool of this many threads (0: all). The
/// work must end soon after the flag that it is given is set, which happens on Ctrl-C.
///
/// The threads end with the call. A process that was forked in between therefore never waits for
/// threads that only its parent has.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| raised(Error::Threads { threads, reason: e.to_string() }))?;
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
        (Ok(result), None) => Ok(result),
        (Err(panic), None) => resume_unwind(panic),
    }
}
