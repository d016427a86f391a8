//! `meson.build` of a repository that has nothing else.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| envc_fuzz::read("meson.build", Some("meson"), data));
