#![no_main]

#[path = "../../tests/common/accepted.rs"]
mod accepted;

use enclust_io::Format;
use libfuzzer_sys::fuzz_target;

// A panic within the parquet crate is an error for us, but libFuzzer ends at any panic
// that reaches its hook; so the hook is taken away, and what is not caught aborts.
fuzz_target!(
    init: std::panic::set_hook(Box::new(|_| ())),
    |bytes: &[u8]| {
        if std::panic::catch_unwind(|| accepted::check(bytes, Format::Parquet)).is_err() {
            std::process::abort();
        }
    }
);
