//! `build.gradle.kts` of a repository that has nothing else.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| envc_fuzz::read("build.gradle.kts", None, data));
