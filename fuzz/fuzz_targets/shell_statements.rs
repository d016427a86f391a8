//! Shell text as the pyramid takes it apart.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    envc::fuzzing::shell_statements(&String::from_utf8_lossy(data));
});
