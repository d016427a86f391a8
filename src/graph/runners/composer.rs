//! Scripts of `composer.json`.

use super::targets::is_wanted;
use super::{Input, Task, named};
use crate::graph::manifests::json_doc::{Doc, Item};

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    if input.project("php").is_none() {
        return Vec::new();
    }
    let doc = Doc::parse(input.text, input.path);
    let scripts = doc.get(&["scripts"]).into_iter().flat_map(Item::entries);
    scripts
        .filter(|(name, _)| is_wanted(name))
        // `composer install` is Composer's own; a script of such a name needs to be asked for as one.
        .filter_map(|(name, value)| {
            let texts: Vec<&str> = value.strings().map(|(text, _)| text).collect();
            let own = matches!(name, "install" | "check" | "init" | "run");
            let runner = if own {
                "composer run-script"
            } else {
                "composer"
            };
            named(value.place().line, runner, name, &texts.join("; "))
        })
        .collect()
}
