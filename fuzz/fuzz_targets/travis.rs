//! `.travis.yml` of a repository that has nothing else.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| envc_fuzz::read(".travis.yml", Some("yaml"), data));
