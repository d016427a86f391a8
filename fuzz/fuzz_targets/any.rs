//! All formats in one binary: the first byte picks one. Quick to build, and good for a long run.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| envc_fuzz::any(data));
