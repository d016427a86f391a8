//! Scripts of `package.json`, run by the package manager that the project uses. Files that only keep tools for people
//! are no projects, and their scripts no tasks.

use super::targets::is_wanted;
use super::{Input, Task};
use crate::graph::manifests::package_json::{run_script, scripts_of};

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    let Some(project) = input.project("node") else {
        return Vec::new();
    };
    let manager = project
        .attr("package-manager")
        .map_or("npm", |attr| attr.value.as_str());
    scripts_of(input.text)
        .into_iter()
        .filter(|(name, text, _)| is_wanted(name) && !text.contains("no test specified"))
        .map(|(name, text, line)| {
            Task::new(line, run_script(manager, &name), name.as_str()).recipe(text)
        })
        .collect()
}
