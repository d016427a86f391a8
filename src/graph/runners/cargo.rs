//! Aliases of `.cargo/config.toml` (The Cargo Book, "Configuration"), an `xtask` among them.

use super::targets::is_wanted;
use super::{Input, Task, named};
use crate::graph::manifests::toml_doc::{Doc, Value};

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    let doc = Doc::parse(input.text, input.path);
    let aliases = doc.get(&["alias"]).into_iter().flat_map(Value::entries);
    aliases
        .filter_map(|(name, value)| {
            let words: Vec<&str> = value.array().filter_map(Value::str).collect();
            let recipe = value.str().map_or_else(|| words.join(" "), str::to_owned);
            // What an alias stands for tells more than its name, which is often a letter or two.
            let verb = recipe.split_whitespace().next().unwrap_or_default();
            let runs = matches!(
                verb,
                "test" | "nextest" | "build" | "check" | "run" | "b" | "t" | "c" | "r"
            );
            (is_wanted(name) || name == "xtask" || runs)
                .then(|| named(value.place().line, "cargo", name, &recipe))
                .flatten()
        })
        .collect()
}
