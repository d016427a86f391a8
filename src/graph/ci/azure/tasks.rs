//! Tasks: `task: Name@1` with its inputs (Azure Pipelines task reference).

use super::{Scope, plain_dir, run};
use crate::graph::ci::{Emit, Script};
use crate::graph::yaml::{Value, Yaml};

/// Task → tool and the inputs that hold its version.
const TOOLS: &[(&str, &str, &[&str])] = &[
    ("UsePythonVersion", "python", &["versionSpec"]),
    ("NodeTool", "node", &["versionSpec"]),
    ("UseNode", "node", &["version"]),
    ("GoTool", "go", &["version"]),
    ("UseRubyVersion", "ruby", &["versionSpec"]),
    ("JavaToolInstaller", "java", &["versionSpec"]),
    ("UseDotNet", "dotnet", &["version"]),
    ("DotNetCoreInstaller", "dotnet", &["version"]),
];

/// A task that is one command of a tool.
struct Command {
    task: &'static str,
    program: &'static str,
    /// The input that says what to do, what it is where nobody says, and the input with more.
    main: &'static str,
    default: &'static str,
    more: &'static str,
}

const fn command(
    task: &'static str,
    program: &'static str,
    main: &'static str,
    default: &'static str,
    more: &'static str,
) -> Command {
    Command {
        task,
        program,
        main,
        default,
        more,
    }
}

const COMMANDS: &[Command] = &[
    command("Maven", "mvn", "goals", "package", "options"),
    command("Gradle", "./gradlew", "tasks", "build", "options"),
    command("Npm", "npm", "command", "install", "customCommand"),
    command("DotNetCoreCLI", "dotnet", "command", "build", "projects"),
    command("Go", "go", "command", "get", "arguments"),
    command("CMake", "cmake", "cmakeArgs", ".", ""),
];

pub(super) fn task(step: &Yaml, task: &str, scope: &Scope, emit: &mut Emit) {
    let name = task.split('@').next().unwrap_or(task);
    if let Some((_, tool, keys)) = TOOLS.iter().find(|(known, _, _)| *known == name) {
        return versions(step, tool, keys, scope, emit);
    }
    if let Some(command) = COMMANDS.iter().find(|command| command.task == name) {
        return one_command(step, command, scope, emit);
    }
    let Some(script) = step.at(&["inputs", "script"]) else {
        return;
    };
    match name {
        "Bash" | "ShellScript" => run(&with_inputs(step), script, None, false, scope, emit),
        "CmdLine" => run(&with_inputs(step), script, None, true, scope, emit),
        "PowerShell" => run(&with_inputs(step), script, Some("pwsh"), false, scope, emit),
        _ => {}
    }
}

/// The version of a tool in every row.
fn versions(step: &Yaml, tool: &str, keys: &[&str], scope: &Scope, emit: &mut Emit) {
    let value = keys.iter().find_map(|key| step.text_at(&["inputs", key]));
    let rows = if scope.rows.is_empty() {
        std::slice::from_ref(&scope.row)
    } else {
        &scope.rows
    };
    for row in rows {
        let inner = Scope {
            row: row.clone(),
            ..scope.clone()
        };
        let found = value.map(|text| inner.fill(text));
        let version = found.filter(|(_, unresolved)| unresolved.is_empty());
        emit.tool(
            tool,
            version.as_ref().map(|(text, _)| text.as_str()),
            step.mark,
        );
    }
}

/// The step with the inputs that stand for its own keys.
fn with_inputs(step: &Yaml) -> Yaml {
    let mut step = step.clone();
    let dir = step.at(&["inputs", "workingDirectory"]).cloned();
    if let (Value::Map(entries), Some(dir)) = (&mut step.value, dir) {
        entries.push(("workingDirectory".to_owned(), dir));
    }
    step
}

fn one_command(step: &Yaml, command: &Command, scope: &Scope, emit: &mut Emit) {
    let text = |key: &str| step.text_at(&["inputs", key]);
    let main = text(command.main).unwrap_or(command.default);
    // `command: custom` says what to run in the other input.
    let parts: Vec<&str> = match (main, text(command.more)) {
        ("custom", Some(more)) => vec![command.program, more],
        (main, Some(more)) => vec![command.program, main, more],
        (main, None) => vec![command.program, main],
    };
    let mut script = Script::new(scope.name.clone(), scope.os);
    let (line, unresolved) = scope.fill(&parts.join(" ").replace('\n', " "));
    script.push(step.mark, &line);
    script.unresolved = unresolved;
    let dir = ["workingDirectory", "workingDir", "cwd"]
        .iter()
        .find_map(|key| text(key));
    let dir = dir.and_then(|dir| plain_dir(&scope.fill(dir).0));
    script.dir = dir.unwrap_or_default();
    emit.script(&script);
}
