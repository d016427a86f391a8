//! Prints the providers of capabilities: `providers header:zlib.h cmake:ZLIB ...`.

use envc::packages::{Capability, Index};

fn main() {
    let index = Index::embedded();
    for arg in std::env::args().skip(1) {
        match arg.parse::<Capability>() {
            Err(error) => eprintln!("{error}"),
            Ok(capability) => {
                println!("{capability}");
                for found in index.providers(&capability).iter().take(4) {
                    println!("  {} {} ({})", found.score, found.package, found.why);
                }
            }
        }
    }
}
