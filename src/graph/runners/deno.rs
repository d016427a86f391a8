//! Tasks of `deno.json`.

use super::targets::is_wanted;
use super::{Input, Task, named};
use crate::graph::manifests::json_doc::{Doc, Item};

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    let doc = Doc::parse(input.text, input.path);
    let tasks = doc.get(&["tasks"]).into_iter().flat_map(Item::entries);
    tasks
        .filter(|(name, _)| is_wanted(name))
        .filter_map(|(name, value)| {
            let text = value.str().or_else(|| value.get("command")?.str());
            named(
                value.place().line,
                "deno task",
                name,
                text.unwrap_or_default(),
            )
        })
        .collect()
}
