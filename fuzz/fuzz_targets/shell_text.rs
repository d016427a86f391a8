//! Shell text of a document, as the graph takes it apart.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut text = b"```sh\n".to_vec();
    text.extend(data);
    envc_fuzz::read("README.md", Some("markdown"), &text);
});
