//! Makes an index of a Debian release: `build_index RELEASE OUT LISTS_DIR...`.
//!
//! The directories hold what `apt-get update` downloaded, with the options of
//! `packages::CONTENTS_TARGETS` and `packages::CONTENTS_ALL_TARGETS` (`-o` each) and, for the ranking, `deb-src`
//! lines; see `knowledge/packages/README.md` for the whole command.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [release, out, dirs @ ..] = args.as_slice() else {
        eprintln!("usage: build_index RELEASE OUT LISTS_DIR...");
        return ExitCode::from(2);
    };
    let dirs: Vec<&Path> = dirs.iter().map(Path::new).collect();
    match envc::packages::from_apt_lists(&dirs, release) {
        Ok(bytes) => match std::fs::write(PathBuf::from(out), &bytes) {
            Ok(()) => {
                println!("{out}: {} bytes", bytes.len());
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("cannot write {out}: {error}");
                ExitCode::FAILURE
            }
        },
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
