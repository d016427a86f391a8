//! `.circleci/config.yml` of a repository that has nothing else.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| envc_fuzz::read(".circleci/config.yml", Some("yaml"), data));
