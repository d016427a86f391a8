//! `azure-pipelines.yml` of a repository that has nothing else.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| envc_fuzz::read("azure-pipelines.yml", Some("yaml"), data));
