//! Profiles of a pom whose name says what they are for. The goals that every Maven project has are attributes of the
//! project, see `graph/manifests/pom.rs`.

use super::targets::is_wanted;
use super::{Input, Task, argument};

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    let Some(project) = input
        .project("maven")
        .filter(|facts| facts.attr("workspace-root").is_none())
    else {
        return Vec::new();
    };
    let test = project
        .attr("test-command")
        .map_or("mvn", |attr| attr.value.as_str());
    let mvn = test.split(" -B").next().unwrap_or("mvn");
    project
        .all("profile")
        .iter()
        .filter(|profile| is_wanted(&profile.value) && profile.place.path == input.path)
        .filter_map(|profile| {
            let word = argument(&profile.value)?;
            let command = format!("{mvn} -B -P{word} verify");
            Some(Task::new(
                profile.place.line,
                command,
                profile.value.as_str(),
            ))
        })
        .collect()
}
