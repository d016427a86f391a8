//! `CMakePresets.json` (cmake-presets(7)): presets of configure, build, test and workflow, with inheritance. Hidden ones
//! are bases for others.

use super::{Input, Task, named};
use crate::graph::Os;
use crate::graph::manifests::json_doc::{Doc, Item};

/// Bases above each other.
const MAX_STEPS: usize = 20;

/// Presets of one kind that are looked at.
const MAX_PRESETS: usize = 500;

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    let doc = Doc::parse(input.text, input.path);
    let kinds = [
        ("configurePresets", "cmake --preset"),
        ("buildPresets", "cmake --build --preset"),
        ("testPresets", "ctest --preset"),
        ("workflowPresets", "cmake --workflow --preset"),
    ];
    let mut tasks = Vec::new();
    for (key, runner) in kinds {
        for preset in doc
            .get(&[key])
            .into_iter()
            .flat_map(Item::array)
            .take(MAX_PRESETS)
        {
            let hidden = preset.get("hidden").and_then(Item::bool) == Some(true);
            let Some(name) = preset.get("name").and_then(Item::str).filter(|_| !hidden) else {
                continue;
            };
            let chain = chain(&doc, key, preset);
            let Some(mut task) = named(preset.place().line, runner, name, &words(&chain)) else {
                continue;
            };
            // Steps of other kinds go by the condition of the preset that they configure with.
            let configure = chain
                .iter()
                .find_map(|preset| preset.get("configurePreset")?.str());
            let configured = configure.and_then(|name| find(&doc, "configurePresets", name));
            let more = configured.map(|preset| self::chain(&doc, "configurePresets", preset));
            task.os = system(&chain).or_else(|| system(&more.unwrap_or_default()));
            tasks.push(task);
        }
    }
    tasks
}

fn find<'d, 'a>(doc: &'d Doc<'a>, key: &str, name: &str) -> Option<Item<'d, 'a>> {
    let mut all = doc.get(&[key])?.array().take(MAX_PRESETS);
    all.find(|preset| preset.get("name").and_then(Item::str) == Some(name))
}

/// The preset and those it inherits from, nearest first.
fn chain<'d, 'a>(doc: &'d Doc<'a>, key: &str, preset: Item<'d, 'a>) -> Vec<Item<'d, 'a>> {
    let mut found = vec![preset];
    let mut at = 0;
    while let Some(preset) = found.get(at).copied() {
        at += 1;
        for (base, _) in preset.get("inherits").into_iter().flat_map(Item::strings) {
            if found.len() < MAX_STEPS {
                found.extend(find(doc, key, base));
            }
        }
    }
    found
}

/// Generator, build directory and cache variables, in words.
fn words(chain: &[Item<'_, '_>]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for key in ["generator", "binaryDir", "configurePreset", "configuration"] {
        if let Some(text) = chain.iter().find_map(|preset| preset.get(key)?.str()) {
            parts.push(format!("{key}={text}"));
        }
    }
    for preset in chain {
        for (name, value) in preset
            .get("cacheVariables")
            .into_iter()
            .flat_map(Item::entries)
        {
            let text = value.str().or_else(|| value.get("value")?.str());
            parts.extend(text.map(|text| format!("-D{name}={text}")));
        }
    }
    parts.join(" ")
}

/// The system of a condition `${hostSystemName} == X`, or `inList` of one.
fn system(chain: &[Item<'_, '_>]) -> Option<Os> {
    let condition = chain.iter().find_map(|preset| preset.get("condition"))?;
    let texts = ["lhs", "rhs", "string"]
        .map(|key| condition.get(key).and_then(Item::str).unwrap_or_default());
    if !texts.iter().any(|text| text.contains("hostSystemName")) {
        return None;
    }
    let names: Vec<&str> = condition
        .get("list")
        .into_iter()
        .flat_map(Item::strings)
        .map(|(text, _)| text)
        .chain(texts)
        .collect();
    let has = |name: &str| names.contains(&name);
    let negated = condition
        .get("type")
        .and_then(Item::str)
        .is_some_and(|kind| kind.starts_with("not"));
    match (has("Linux"), negated) {
        (true, false) => Some(Os::Linux),
        (true, true) => Some(Os::Other),
        (false, true) => None,
        (false, false) if has("Windows") => Some(Os::Windows),
        (false, false) if has("Darwin") => Some(Os::Macos),
        _ => Some(Os::Other),
    }
}
