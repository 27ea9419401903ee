//! Handling of Ctrl-C: the program ends immediately and leaves no partially written file.
//!
//! Temporary files exist only while a result is being written. Therefore the thread that
//! handles the signal waits until no file is being written. Code that writes for a long time
//! regularly checks the flag and unwinds, which removes the temporary file.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The exit code that shells use for an interrupted program: 128 plus SIGINT.
pub const EXIT_CODE: u8 = 130;

static HAPPENED: AtomicBool = AtomicBool::new(false);
static WRITING: Mutex<()> = Mutex::new(());

/// Installs the handler. Without it, Ctrl-C still ends the program, so a failure to install it
/// is ignored.
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

/// Runs `write` while holding the lock; temporary files must only be created inside it.
pub fn while_writing<T>(write: impl FnOnce() -> T) -> T {
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    give_way();
    write()
}

/// Unwinds if Ctrl-C was pressed. Call it regularly while writing.
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
