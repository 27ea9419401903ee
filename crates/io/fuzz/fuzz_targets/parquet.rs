#![no_main]

#[path = "../../tests/common/accepted.rs"]
mod accepted;

use enclust_io::Format;
use libfuzzer_sys::fuzz_target;

// A panic in the parquet crate becomes an error, but libFuzzer stops at any panic that reaches
// its hook. So the hook is removed, and a panic that is not caught aborts.
fuzz_target!(
    init: std::panic::set_hook(Box::new(|_| ())),
    |bytes: &[u8]| {
        if std::panic::catch_unwind(|| accepted::check(bytes, Format::Parquet)).is_err() {
            std::process::abort();
        }
    }
);
