#![no_main]

#[path = "../../tests/common/accepted.rs"]
mod accepted;

use enclust_io::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    accepted::check(bytes, Format::Npy);
});
