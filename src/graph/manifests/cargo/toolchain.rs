//! The file that pins the toolchain.

use crate::evidence::{Place, Trust};

use super::super::Reading;
use super::super::toml_doc::Doc;
use super::super::tree::join;

/// `rust-toolchain.toml`, or `rust-toolchain` with a bare channel (the rustup book, "The toolchain file").
pub fn read(reading: &mut Reading<'_>) {
    for file in ["rust-toolchain.toml", "rust-toolchain"] {
        let Some(path) = join(reading.dir, file).filter(|path| reading.tree.has(path)) else {
            continue;
        };
        let Some(text) = reading.tree.read(&path) else {
            continue;
        };
        let doc = Doc::parse(&text, &path);
        let channel = doc
            .get(&["toolchain", "channel"])
            .and_then(|value| Some((value.str()?.to_owned(), value.place())));
        let bare = || {
            let line = text.trim();
            (!line.is_empty() && !line.contains(['\n', '[', '=']))
                .then(|| (line.to_owned(), Place::new(&path, 1)))
        };
        let draft = reading.drafts.project("cargo", reading.dir);
        draft.manifest(&path, "cargo");
        if let Some((channel, place)) = channel.or_else(bare) {
            draft.tool("rust", Some(channel), Trust::Lock, place);
        }
    }
}
