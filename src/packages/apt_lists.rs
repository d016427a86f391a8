//! An index from the lists that apt itself downloaded.
//!
//! apt fetches and verifies `Contents` when told of the target (`apt.conf(5)`, `Acquire::IndexTargets`); this
//! reads the result, whatever compression apt chose to keep it in, through `apt-helper cat-file`.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::build::{BuildError, Builder};

const HELPER: &str = "/usr/lib/apt/apt-helper";

/// Options for `apt-get update` that add the Contents files to what it downloads.
pub const CONTENTS_TARGETS: [&str; 4] = [
    "Acquire::IndexTargets::deb::Contents-deb::MetaKey=$(COMPONENT)/Contents-amd64",
    "Acquire::IndexTargets::deb::Contents-deb::ShortDescription=Contents-amd64",
    "Acquire::IndexTargets::deb::Contents-deb::Description=$(RELEASE)/$(COMPONENT) amd64 Contents (deb)",
    "Acquire::IndexTargets::deb::Contents-deb::KeepCompressed=true",
];

/// The same for architecture `all`, which older releases list in a file of its own.
pub const CONTENTS_ALL_TARGETS: [&str; 4] = [
    "Acquire::IndexTargets::deb::Contents-all::MetaKey=$(COMPONENT)/Contents-all",
    "Acquire::IndexTargets::deb::Contents-all::ShortDescription=Contents-all",
    "Acquire::IndexTargets::deb::Contents-all::Description=$(RELEASE)/$(COMPONENT) all Contents (deb)",
    "Acquire::IndexTargets::deb::Contents-all::KeepCompressed=true",
];

/// Makes the index of `release` from the directories of lists (`/var/lib/apt/lists`, or a private state
/// directory). `Packages` and `Sources` lists among them improve the ranking and are not required.
pub fn from_apt_lists(dirs: &[&Path], release: &str) -> Result<Vec<u8>, BuildError> {
    let mut builder = Builder::new();
    for path in list_files(dirs)? {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        if !name.contains(&format!("_dists_{release}")) || !name.contains("_main_") {
            continue;
        }
        let wanted = ["_Contents-", "_Packages", "_Sources"];
        if !wanted.iter().any(|part| name.contains(part)) {
            continue;
        }
        let mut child = Command::new(HELPER)
            .arg("cat-file")
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let Some(out) = child.stdout.take() else {
            continue;
        };
        let reader = BufReader::with_capacity(1 << 20, out);
        let result = if name.contains("_Contents-") {
            builder.add_contents(reader)
        } else if name.contains("_Packages") {
            builder.add_packages(reader)
        } else {
            builder.add_sources(reader)
        };
        child.wait()?;
        result?;
    }
    builder.finish(release)
}

fn list_files(dirs: &[&Path]) -> Result<Vec<PathBuf>, BuildError> {
    let mut files = Vec::new();
    for dir in dirs {
        for entry in std::fs::read_dir(dir)? {
            let path = entry?.path();
            if path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
