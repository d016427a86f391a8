//! The forms of the database's own file.

use super::*;

#[test]
fn both_spellings_of_a_command_are_read_and_one_is_written() {
    let text = r#"[{"directory":"/repo/build","command":"/usr/bin/cc -DX=\\\"a\\\" -o a.o -c /repo/a.c","file":"/repo/a.c","output":"a.o"},
        {"directory":"/repo","arguments":["cc","-c","b.c"],"file":"b.c"},{"directory":"/repo","file":"c.c"}]"#;
    let entries: Vec<Entry> = serde_json::from_str(text).unwrap();
    let entries: Vec<Entry> = entries.into_iter().filter_map(words_of).collect();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].arguments[1], "-DX=\"a\"");
    let moved = relocate(entries[0].clone(), std::path::Path::new("/home/me"));
    let json = serde_json::to_value(&moved).unwrap();
    assert_eq!(json["file"], "/home/me/a.c");
    // Its build directory is the sandbox's own.
    assert_eq!(json["directory"], "/home/me");
    assert_eq!(json["output"], "/home/me/build/a.o");
    assert!(json.get("command").is_none());
}
