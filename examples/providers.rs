//! Prints the providers of capabilities: `providers [BASE] header:zlib.h cmake:ZLIB ...`, with the time each took.

use std::time::Instant;

use envc::packages::{Capability, Index, base_by_id};

fn main() {
    let mut args = std::env::args().skip(1).peekable();
    let index = match args.peek().and_then(|first| base_by_id(first)) {
        Some(base) => {
            args.next();
            Index::for_base(base)
        }
        None => Index::embedded(),
    };
    for arg in args {
        match arg.parse::<Capability>() {
            Err(error) => eprintln!("{error}"),
            Ok(capability) => {
                let start = Instant::now();
                let found = index.providers(&capability);
                println!("{capability}");
                for each in found.iter().take(4) {
                    println!("  {} {} ({})", each.score, each.package, each.why);
                }
                eprintln!("{capability}: {:?} ({})", start.elapsed(), index.release());
            }
        }
    }
}
