//! Tells cargo that the embedded data is part of the program: `include_dir` does not notice a new file by itself.

fn main() {
    for dir in ["knowledge", "grammars", "templates", "data"] {
        println!("cargo:rerun-if-changed={dir}");
    }
}
