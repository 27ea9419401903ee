//! Handling of signals: the program ends at once and leaves no partially written file.

use enclust_io::discard_unfinished;

/// Installs handlers for Ctrl-C (SIGINT) and, on Unix, for SIGTERM and SIGHUP, which batch
/// systems and closed terminals send. Without a handler the signal still ends the program, so a
/// failure to install one is ignored.
pub fn listen() {
    #[cfg(unix)]
    unix::listen();
    #[cfg(not(unix))]
    {
        /// The exit code that shells use for a program that was interrupted: 128 plus SIGINT.
        const INTERRUPTED: i32 = 130;
        let _ = ctrlc::set_handler(|| end(INTERRUPTED));
    }
}

fn end(code: i32) -> ! {
    discard_unfinished();
    std::process::exit(code)
}

#[cfg(unix)]
mod unix {
    use std::os::raw::c_int;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    pub fn listen() {
        // `nohup` ignores SIGHUP, and it must stay ignored. Shells ignore SIGINT for programs in
        // the background, which may still be sent to one of them by its number.
        let hangup = (!is_ignored(SIGHUP)).then_some(SIGHUP);
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup)) else {
            return;
        };
        let wait = move || {
            if let Some(signal) = signals.forever().next() {
                // The exit code that shells report for a program that a signal ended.
                super::end(128 + signal);
            }
        };
        let _ = std::thread::Builder::new().name("signals".into()).spawn(wait);
    }

    /// Whether the parent process told this one to ignore a signal. Known on Linux only.
    fn is_ignored(signal: c_int) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok());
        mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
    }
}
