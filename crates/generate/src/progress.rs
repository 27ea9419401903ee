//! Work of many equal parts that somebody watches and may stop.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use enclust_core::{Error, Result};

/// Hears, after each part of the work, how many parts are done and how many there are;
/// `Break` stops the work. Called by one thread at a time, with ever larger numbers.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) -> ControlFlow<()> + Sync);

/// Counts what is done.
pub(crate) struct Counter<'a> {
    what: &'static str,
    total: usize,
    done: Mutex<usize>,
    stopped: AtomicBool,
    progress: Progress<'a>,
}

impl<'a> Counter<'a> {
    pub fn new(what: &'static str, total: usize, progress: Progress<'a>) -> Self {
        Counter { what, total, done: Mutex::new(0), stopped: AtomicBool::new(false), progress }
    }

    /// Does one part and tells of it; [`Error::Cancelled`] once the work was stopped.
    pub fn part<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.stopped.load(Ordering::Relaxed) {
            let done = *self.done.lock().unwrap_or_else(PoisonError::into_inner);
            return Err(Error::Cancelled { what: self.what, done, total: self.total });
        }
        let result = work()?;
        // Held while the progress is told, so that the numbers come in order.
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += 1;
        if (self.progress)(*done, self.total).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        Ok(result)
    }
}
