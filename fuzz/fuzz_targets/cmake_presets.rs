//! `CMakePresets.json` of a repository that has nothing else.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| envc_fuzz::read("CMakePresets.json", None, data));
