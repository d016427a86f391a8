//! `docker-compose.yml` of a repository that has nothing else.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| envc_fuzz::read("docker-compose.yml", Some("yaml"), data));
