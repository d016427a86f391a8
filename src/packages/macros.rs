//! Autoconf macros: the distribution lists files of macros, not macros, so a macro leads to the file it stands in.

use std::sync::LazyLock;

use serde::Deserialize;

use super::contents::Kind;
use super::index::Index;
use super::lookup::Found;

/// One entry of `knowledge/packages/macros.toml`.
#[derive(Debug, Deserialize)]
struct Rule {
    /// Macros that start with this.
    prefix: String,
    /// The file under `/usr/share/aclocal`.
    file: String,
}

#[derive(Debug, Deserialize)]
struct File {
    rule: Vec<Rule>,
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    toml::from_str::<File>(include_str!("../../knowledge/packages/macros.toml"))
        .expect("embedded data is checked by a test")
        .rule
});

/// `AX_PTHREAD` stands in `ax_pthread.m4`, `AM_PATH_GTK_2_0` in `gtk-2.0.m4`, `PKG_CHECK_MODULES` in `pkg.m4`.
pub(super) fn find(index: &Index, name: &str) -> Vec<Found> {
    let lower = name.to_ascii_lowercase();
    let mut files = vec![format!("{lower}.m4")];
    let known = RULES
        .iter()
        .filter(|rule| name.starts_with(&rule.prefix))
        .max_by_key(|rule| rule.prefix.len());
    files.extend(known.map(|rule| rule.file.clone()));
    for prefix in [
        "am_path_",
        "ac_path_",
        "ac_check_",
        "am_check_",
        "ac_prog_",
        "ac_lib_",
        "am_",
    ] {
        if let Some(rest) = lower.strip_prefix(prefix) {
            files.push(format!("{rest}.m4"));
            files.push(format!("{}.m4", rest.replace('_', "-")));
        }
    }
    for file in files {
        let found = index.find(Kind::Macro, &file, file.trim_end_matches(".m4"));
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}
