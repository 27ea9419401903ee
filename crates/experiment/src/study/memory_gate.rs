//! Limits parallel runs to those that fit into memory together.

use std::sync::{Condvar, Mutex, PoisonError};

/// Lets runs start as long as their footprints fit into the limit. A single run may always
/// start; its pipeline refuses it if it does not fit.
#[derive(Debug)]
pub(crate) struct MemoryGate {
    limit: Option<u64>,
    taken: Mutex<u64>,
    freed: Condvar,
}

/// Memory reserved for a run, released when dropped.
#[derive(Debug)]
pub(crate) struct Taken<'a> {
    gate: &'a MemoryGate,
    bytes: u64,
}

impl MemoryGate {
    pub fn new(limit: Option<u64>) -> Self {
        MemoryGate { limit, taken: Mutex::new(0), freed: Condvar::new() }
    }

    pub fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// Waits until this number of bytes is free, or no other run is active.
    pub fn take(&self, bytes: u64) -> Taken<'_> {
        let limit = self.limit.unwrap_or(u64::MAX);
        let full = |taken: &mut u64| *taken > 0 && taken.saturating_add(bytes) > limit;
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = self.freed.wait_while(taken, full).unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_add(bytes);
        Taken { gate: self, bytes }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut taken = self.gate.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(self.bytes);
        self.gate.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn what_runs_together_fits_together() {
        let gate = MemoryGate::new(Some(100));
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for bytes in [40, 60, 30] {
                        let _taken = gate.take(bytes);
                        let sum = now.fetch_add(bytes, Ordering::SeqCst) + bytes;
                        most.fetch_max(sum, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(bytes, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!((60..=100).contains(&most.load(Ordering::SeqCst)));
    }

    #[test]
    fn one_run_alone_is_let_in() {
        let gate = MemoryGate::new(Some(10));
        drop(gate.take(1000));
        drop(gate.take(u64::MAX));
    }
}
