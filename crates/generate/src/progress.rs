//! Progress and cancellation of work that consists of many equal parts.

use std::sync::{Mutex, PoisonError};

use enclust_core::{Result, Watch};

/// Counts the finished parts over all threads.
pub(crate) struct Counter<'a> {
    what: &'static str,
    total: usize,
    done: Mutex<Done>,
    watch: Watch<'a>,
}

#[derive(Default)]
struct Done {
    parts: u64,
    stopped: bool,
}

impl<'a> Counter<'a> {
    pub fn new(what: &'static str, total: usize, watch: Watch<'a>) -> Self {
        Counter { what, total, done: Mutex::default(), watch }
    }

    /// Does one part and reports it; returns
    /// [`Error::Cancelled`](enclust_core::Error::Cancelled) after the work was cancelled.
    pub fn part<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.report(false)?;
        let result = work()?;
        // The part during which the work is cancelled is still finished.
        let _ = self.report(true);
        Ok(result)
    }

    fn report(&self, one_more: bool) -> Result<()> {
        // Held while progress is reported, so that the numbers are in order.
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let total = self.total as u64;
        if done.stopped {
            let (what, done) = (self.what, done.parts);
            return Err(enclust_core::Error::Cancelled { what, done, total });
        }
        if one_more {
            done.parts += 1;
            let told = self.watch.progress(self.what, done.parts, total);
            done.stopped = told.is_err();
            return told;
        }
        self.watch.checkpoint(self.what)
    }
}
