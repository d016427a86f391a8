//! `README.adoc` of a repository that has nothing else.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| envc_fuzz::read("README.adoc", Some("asciidoc"), data));
