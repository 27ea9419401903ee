//! Ctrl-C: ends the program at once, and leaves no half-written file behind.
//!
//! Temporary files exist only while a result is being written. So the thread that
//! hears the signal waits until nobody writes, and whoever writes for long looks at
//! the flag now and then and unwinds, which removes the file.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a shell reports of a program that was interrupted: 128 and SIGINT.
pub const EXIT_CODE: u8 = 130;

static HAPPENED: AtomicBool = AtomicBool::new(false);
static WRITING: Mutex<()> = Mutex::new(());

/// Begins to listen. Without a listener Ctrl-C still ends the program, so that a
/// failure to set one up is no reason to stop.
pub fn listen() {
    let _ = ctrlc::set_handler(|| {
        HAPPENED.store(true, Ordering::SeqCst);
        let _nobody_writes = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        std::process::exit(EXIT_CODE.into());
    });
}

/// Whether Ctrl-C was pressed.
pub fn happened() -> bool {
    HAPPENED.load(Ordering::SeqCst)
}

/// Writes a file; every temporary file must be made inside.
pub fn while_writing<T>(write: impl FnOnce() -> T) -> T {
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    give_way();
    write()
}

/// Unwinds if Ctrl-C was pressed. To be called from time to time while writing.
pub fn give_way() {
    if happened() {
        resume_unwind(Box::new("interrupted"));
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use enclust_io::write_matrix_npy;

    use super::*;

    #[test]
    fn an_interrupted_file_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let files = || std::fs::read_dir(folder.path()).unwrap().count();
        let path = folder.path().join("large.npy");
        let write = || {
            while_writing(|| {
                write_matrix_npy(&path, 10, 2, |row, _: &mut [f64]| {
                    assert_eq!(files(), 1, "a temporary file");
                    HAPPENED.store(row == 5, Ordering::SeqCst);
                    give_way();
                })
            })
        };
        let unwound = catch_unwind(AssertUnwindSafe(write)).is_err();
        let at_once = catch_unwind(AssertUnwindSafe(|| while_writing(|| ()))).is_err();
        HAPPENED.store(false, Ordering::SeqCst);
        assert!(unwound && at_once);
        assert_eq!(files(), 0);
    }
}
