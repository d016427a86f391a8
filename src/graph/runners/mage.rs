//! Mage: exported functions of `magefile.go` are targets, their names in lower case.

use std::sync::LazyLock;

use regex::Regex;

use super::targets::is_wanted;
use super::{Input, Task, named};

static TARGET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^func (?:\((?:\w+ )?(\w+)\) )?([A-Z]\w*)\((?:\w* ?context\.Context)?\)")
        .expect("a literal pattern")
});

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    let lines = (1..).zip(input.text.lines());
    lines
        .filter_map(|(number, line)| {
            let found = TARGET.captures(line)?;
            let name = found.get(2)?.as_str().to_lowercase();
            let full = match found.get(1) {
                Some(group) => format!("{}:{name}", group.as_str().to_lowercase()),
                None => name.clone(),
            };
            is_wanted(&name).then(|| named(number, "mage", &full, ""))?
        })
        .collect()
}
