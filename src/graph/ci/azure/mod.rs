//! Azure Pipelines (YAML schema): stages, jobs, templates of the repository's own, matrix strategies, tool tasks.

mod tasks;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{Emit, Script, os_of_label, plain_dir, short_name, variables};
use crate::graph::Os;
use crate::graph::yaml::Yaml;

/// `${{ parameters.x }}`, `$(x)`, `$[ variables.x ]`.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"\$\{\{\s*(?:parameters|variables)[.\[]['"]?([\w.-]+?)['"]?\]?\s*\}\}|\$\(([\w.-]+)\)"#,
    )
    .expect("a literal pattern")
});

/// Templates within templates.
const MAX_DEPTH: usize = 8;

type Map = BTreeMap<String, String>;

#[derive(Clone, Default)]
struct Scope {
    name: String,
    os: Option<Os>,
    parameters: Map,
    variables: Map,
    row: Map,
    rows: Vec<Map>,
    depth: usize,
}

impl Scope {
    /// Replaces what is known; the rest is returned beside.
    fn fill(&self, text: &str) -> (String, Vec<String>) {
        let mut unresolved = Vec::new();
        let filled = REFERENCE.replace_all(text, |found: &Captures| {
            let whole = found.get(0).map_or("", |found| found.as_str());
            let name = found
                .get(1)
                .or(found.get(2))
                .map_or("", |found| found.as_str());
            let known = self.row.get(name).or_else(|| self.parameters.get(name));
            let known = known.or_else(|| self.variables.get(name)).cloned();
            known.or_else(|| predefined(name)).unwrap_or_else(|| {
                unresolved.push(whole.to_owned());
                whole.to_owned()
            })
        });
        (filled.into_owned(), unresolved)
    }

    fn filled(&self, variables: Map) -> Map {
        let fill = |(name, value): (String, String)| {
            let (value, unresolved) = self.fill(&value);
            unresolved.is_empty().then_some((name, value))
        };
        variables.into_iter().filter_map(fill).collect()
    }
}

fn predefined(name: &str) -> Option<String> {
    let found = match name {
        "Build.SourcesDirectory"
        | "System.DefaultWorkingDirectory"
        | "Build.Repository.LocalPath" => ".",
        "Agent.OS" => "Linux",
        _ => return None,
    };
    Some(found.to_owned())
}

pub(super) fn pipeline(yaml: &Yaml, emit: &mut Emit) {
    let scope = Scope {
        name: "azure".to_owned(),
        parameters: defaults(yaml),
        ..Scope::default()
    };
    level(yaml, &scope, emit);
}

/// Defaults of a template's parameters, in either of their notations.
fn defaults(yaml: &Yaml) -> Map {
    let mut found = variables(yaml.get("parameters"));
    for parameter in yaml.list_at(&["parameters"]) {
        if let (Some(name), Some(default)) = (
            parameter.text_at(&["name"]),
            parameter.text_at(&["default"]),
        ) {
            found.insert(name.to_owned(), default.to_owned());
        }
    }
    found
}

/// A pipeline, a stage or a template: whatever it holds of stages, jobs and steps.
fn level(yaml: &Yaml, scope: &Scope, emit: &mut Emit) {
    let mut scope = scope.clone();
    let own = scope.filled(variables(yaml.get("variables")));
    scope.variables.extend(own);
    scope.os = system(yaml, &scope).or(scope.os);
    if yaml.get("steps").is_some() {
        job(yaml, &scope, emit);
    }
    for key in ["stages", "jobs"] {
        for entry in flattened(yaml.list_at(&[key])) {
            each(entry, &scope, emit);
        }
    }
    // `extends: {template: x}` hands a pipeline to a template.
    if let Some(extended) = yaml.get("extends") {
        template(extended, &scope, emit);
    }
}

/// Entries with those that stand under `${{ if … }}` and `${{ each … }}`.
fn flattened(entries: &[Yaml]) -> Vec<&Yaml> {
    let mut found = Vec::new();
    let mut waiting: Vec<&Yaml> = entries.iter().rev().collect();
    while let Some(entry) = waiting.pop() {
        match entry.map().first() {
            Some((key, inner)) if key.trim_start().starts_with("${{") => {
                waiting.extend(inner.list().iter().rev());
            }
            _ => found.push(entry),
        }
    }
    found
}

fn each(entry: &Yaml, scope: &Scope, emit: &mut Emit) {
    if entry.get("template").is_some() {
        return template(entry, scope, emit);
    }
    let mut scope = scope.clone();
    if let Some(name) = entry
        .text_at(&["job"])
        .or_else(|| entry.text_at(&["deployment"]))
    {
        scope.name = scope.fill(name).0;
    }
    if let Some(matrix) = entry.at(&["strategy", "matrix"]) {
        let entry_system = |row: &Map| {
            let scope = Scope {
                row: row.clone(),
                ..scope.clone()
            };
            system(entry, &scope).or(scope.os)
        };
        let rows: Vec<Map> = matrix
            .map()
            .iter()
            .map(|(_, row)| variables(Some(row)))
            .collect();
        let mut linux = rows
            .iter()
            .filter(|row| entry_system(row) == Some(Os::Linux));
        // Rows go from old to new as a rule.
        let chosen = linux
            .next_back()
            .or(rows.last())
            .cloned()
            .unwrap_or_default();
        let wanted = entry_system(&chosen);
        scope.rows = rows
            .into_iter()
            .filter(|row| entry_system(row) == wanted)
            .take(100)
            .collect();
        scope.row = chosen;
    }
    level(entry, &scope, emit);
}

/// A file of the repository, beside the one that names it or from the root.
fn template(entry: &Yaml, scope: &Scope, emit: &mut Emit) {
    let Some(path) = entry
        .text_at(&["template"])
        .filter(|_| scope.depth < MAX_DEPTH)
    else {
        return;
    };
    let (path, _) = scope.fill(path);
    // A template of another repository.
    let Some(path) = path
        .strip_suffix("@self")
        .or((!path.contains('@')).then_some(&path))
    else {
        return;
    };
    let here = emit.path(entry.mark).to_owned();
    let dir = here.rsplit_once('/').map_or("", |(dir, _)| dir);
    let Some(path) = resolved(dir, path) else {
        return;
    };
    let Some(found) = emit.load(&path) else {
        return;
    };
    let mut inner = scope.clone();
    inner.parameters = defaults(&found);
    inner
        .parameters
        .extend(scope.filled(variables(entry.get("parameters"))));
    inner.depth += 1;
    level(&found, &inner, emit);
}

fn resolved(dir: &str, path: &str) -> Option<String> {
    let from = if path.starts_with('/') { "" } else { dir };
    let mut parts: Vec<&str> = Vec::new();
    for part in from.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn system(yaml: &Yaml, scope: &Scope) -> Option<Os> {
    if yaml.get("container").is_some() {
        return Some(Os::Linux);
    }
    let pool = yaml.get("pool")?;
    let image = pool
        .text_at(&["vmImage"])
        .or_else(|| pool.text_at(&["name"]));
    os_of_label(&scope.fill(image.or_else(|| pool.text())?).0)
}

fn job(yaml: &Yaml, scope: &Scope, emit: &mut Emit) {
    if let Some(container) = yaml.get("container") {
        let image = container.text_at(&["image"]).or_else(|| container.text());
        let (image, unresolved) = scope.fill(image.unwrap_or_default());
        if unresolved.is_empty() {
            emit.image(&image, container.mark);
        }
    }
    for (alias, service) in yaml.map_at(&["services"]) {
        if let Some(image) = service.text_at(&["image"]).or_else(|| service.text()) {
            let name = if alias.is_empty() {
                short_name(image)
            } else {
                alias
            };
            emit.service(
                name,
                image,
                Vec::new(),
                variables(service.get("env")),
                service.mark,
            );
        }
    }
    for step in flattened(yaml.list_at(&["steps"])) {
        if step.get("template").is_some() {
            template(step, scope, emit);
        } else if let Some(task) = step.text_at(&["task"]) {
            tasks::task(step, task, scope, emit);
        } else {
            for (key, shell) in [
                ("script", None),
                ("bash", None),
                ("pwsh", Some("pwsh")),
                ("powershell", Some("powershell")),
            ] {
                if let Some(run) = step.get(key) {
                    self::run(step, run, shell, key == "script", scope, emit);
                }
            }
        }
    }
}

/// `condition:` that asks for a system, or that is met only by failure.
fn condition(step: &Yaml) -> (Option<Os>, bool) {
    let text = step.text_at(&["condition"]).unwrap_or_default();
    let system = |name: &str| {
        let asks = text.contains(&format!("'{name}'")) && text.contains("Agent.OS");
        asks && !text.contains("ne(")
    };
    let os = if system("Windows_NT") {
        Some(Os::Windows)
    } else if system("Darwin") {
        Some(Os::Macos)
    } else if system("Linux") {
        Some(Os::Linux)
    } else {
        None
    };
    (os, matches!(text.trim(), "failed()" | "false"))
}

fn run(step: &Yaml, run: &Yaml, shell: Option<&str>, native: bool, scope: &Scope, emit: &mut Emit) {
    let (asked, never) = condition(step);
    if never {
        return;
    }
    let mut script = Script::default();
    script.extend(run);
    let written = script.text.clone();
    script.fill(|row| scope.fill(row));
    if !scope.row.is_empty() && written.contains("$(") {
        let others = scope.rows.iter().filter(|row| **row != scope.row).take(16);
        script.others = others
            .map(|row| {
                Scope {
                    row: row.clone(),
                    ..scope.clone()
                }
                .fill(&written)
                .0
            })
            .collect();
    }
    script.os = asked.or(scope.os);
    let title = step
        .text_at(&["displayName"])
        .map(|title| scope.fill(title).0);
    script.context = match title {
        Some(title) => format!("{} / {title}", scope.name),
        None => scope.name.clone(),
    };
    script.env = in_environment(scope.filled(scope.variables.clone()));
    script.env.extend(in_environment(scope.row.clone()));
    script.env.extend(scope.filled(variables(step.get("env"))));
    let dir = step.text_at(&["workingDirectory"]).unwrap_or_default();
    let (dir, _) = scope.fill(dir);
    match plain_dir(&dir) {
        Some(dir) => script.dir = dir,
        None => script.unresolved.push(dir),
    }
    script.row = scope.row.clone();
    script.shell = shell.map(str::to_owned);
    // `script` is cmd.exe on Windows.
    if native && script.os == Some(Os::Windows) {
        script.shell = Some("cmd".to_owned());
    }
    emit.script(&script);
}

/// Variables as a script sees them: in upper case, with `_` for a dot ("Define variables").
fn in_environment(variables: Map) -> Map {
    let name = |name: String| name.to_ascii_uppercase().replace(['.', ' '], "_");
    variables
        .into_iter()
        .map(|(key, value)| (name(key), value))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::graph::ci::testing::shown_of;

    #[test]
    fn matrices_templates_and_tasks() {
        let main = "variables: {CONF: Release}\njobs:\n- job: Linux\n  pool: {vmImage: ubuntu-22.04}\n  strategy:\n    matrix:\n      py39: {python.version: '3.9'}\n      py311: {python.version: '3.11'}\n  steps:\n  - task: UsePythonVersion@0\n    inputs: {versionSpec: $(python.version)}\n  - script: tox -e py$(python.version) -- $(Secret)\n    displayName: Test\n    workingDirectory: $(Build.SourcesDirectory)/sub\n  - task: Maven@3\n    inputs: {goals: verify}\n  - bash: make\n    condition: eq(variables['Agent.OS'], 'Darwin')\n  - pwsh: Write-Host\n- template: ci/job.yml\n  parameters: {image: windows-2022}\n- ${{ if eq(1, 1) }}:\n  - template: ci/job.yml\n    parameters: {image: ubuntu-20.04, name: second}\n";
        let template = "parameters:\n- name: name\n  default: first\n- name: image\njobs:\n- job: ${{ parameters.name }}\n  pool: {vmImage: '${{ parameters.image }}'}\n  steps:\n  - template: steps/build.yml\n  - script: run ${{ parameters.name }}\n";
        let steps =
            "steps:\n- bash: |\n    cmake -B build\n    cmake --build build --config $(CONF)\n";
        insta::assert_snapshot!(shown_of(&[("azure-pipelines.yml", main), ("ci/job.yml", template), ("ci/steps/build.yml", steps), ("sub/a", "")]), @"
        azure-pipelines.yml:10: tool python 3.9
        azure-pipelines.yml:10: tool python 3.11
        azure-pipelines.yml:12: [sub] tox -e py3.11 -- $(Secret) (Linux / Test) Linux CONF=Release PYTHON_VERSION=3.11 @python.version=3.11 ?$(Secret) or tox -e py3.9 -- $(Secret)
        azure-pipelines.yml:15: [] mvn verify (Linux) Linux
        azure-pipelines.yml:17: [] make (Linux) Macos CONF=Release PYTHON_VERSION=3.11 @python.version=3.11
        azure-pipelines.yml:19: [] Write-Host (Linux) Linux <pwsh> CONF=Release PYTHON_VERSION=3.11 @python.version=3.11
        ci/steps/build.yml:3: [] cmake -B build (first) Windows CONF=Release
        ci/steps/build.yml:4: [] cmake --build build --config Release (first) Windows CONF=Release
        ci/job.yml:10: [] run first (first) Windows <cmd> CONF=Release
        ci/job.yml:10: [] run second (second) Linux CONF=Release
        ");
    }

    #[test]
    fn templates_in_a_circle_end() {
        let text = "steps: [{template: azure-pipelines.yml}, {script: make}]\n";
        assert_eq!(
            shown_of(&[("azure-pipelines.yml", text)])
                .matches("make")
                .count(),
            1
        );
    }
}
