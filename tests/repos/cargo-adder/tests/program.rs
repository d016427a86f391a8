use std::process::Command;

#[test]
fn the_program_prints_the_sum() {
    let output = Command::new(env!("CARGO_BIN_EXE_adder"))
        .args(["4", "5"])
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"9\n");
}
