//! Steps of a job or of a composite action.

use std::sync::LazyLock;

use regex::Regex;

use super::matrix::Row;
use super::{Job, MAX_CALLS, Variables, actions, defaults, expression, filled, given, shell};
use crate::graph::Os;
use crate::graph::ci::{Emit, Script, plain_dir, variables};
use crate::graph::yaml::Yaml;

/// `echo "NAME=value" >> $GITHUB_ENV` with a value that is not computed.
static EXPORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?m)^\s*echo\s+["']?([A-Za-z_]\w*)=([^"'$`\n>]*?)["']?\s*>>\s*["']?\$\{?GITHUB_ENV\b"#,
    )
    .expect("a literal pattern")
});

/// Other rows whose texts are kept beside.
const MAX_OTHERS: usize = 16;

pub(super) fn all(steps: &[Yaml], job: &Job, emit: &mut Emit) {
    let mut job = job.clone();
    for step in steps {
        let condition = step.text_at(&["if"]).unwrap_or_default();
        let asked = expression::os(condition).filter(|os| *os != Os::Linux);
        let skipped = job.known(&job.env).is_false(condition);
        if skipped && asked.is_none() {
            continue;
        }
        if let Some(uses) = step.text_at(&["uses"]).filter(|_| asked.is_none()) {
            match uses.strip_prefix("./") {
                Some(path) => local(step, path, &job, emit),
                None => actions::add(step, uses, &job, emit),
            }
        }
        if let Some(run) = step.get("run") {
            // What is skipped for its system is put down for that system.
            let os = if skipped { asked } else { asked.or(job.os) };
            emit.script(&script(step, run, os, &job));
            if !skipped && let Some(text) = run.text() {
                export(&mut job.env, text);
            }
        }
    }
}

fn export(env: &mut Variables, text: &str) {
    for found in EXPORT.captures_iter(text) {
        if let (Some(name), Some(value)) = (found.get(1), found.get(2)) {
            env.insert(name.as_str().to_owned(), value.as_str().to_owned());
        }
    }
}

/// The steps of an action of the repository's own, with the inputs that the step gives it.
fn local(step: &Yaml, path: &str, job: &Job, emit: &mut Emit) {
    let dir = path.trim_matches('/');
    let join = |name: &str| {
        if dir.is_empty() {
            name.to_owned()
        } else {
            format!("{dir}/{name}")
        }
    };
    if job.calls >= MAX_CALLS {
        return;
    }
    let Some(action) = ["action.yml", "action.yaml"]
        .iter()
        .find_map(|name| emit.load(&join(name)))
    else {
        return;
    };
    let mut inputs = defaults(action.get("inputs")).unwrap_or_default();
    let given = given(step.get("with"), &mut inputs, job);
    inputs.extend(given);
    let mut env = job.env.clone();
    env.extend(filled(variables(step.get("env")), &job.known(&job.env)));
    let inner = Job {
        inputs: Some(inputs),
        env,
        // Defaults of the workflow do not reach into an action.
        dir: None,
        shell: None,
        action_dir: Some(dir.to_owned()),
        calls: job.calls + 1,
        ..job.clone()
    };
    all(action.list_at(&["runs", "steps"]), &inner, emit);
}

fn script(step: &Yaml, run: &Yaml, os: Option<Os>, job: &Job) -> Script {
    let own = filled(variables(step.get("env")), &job.known(&job.env));
    let mut env = job.env.clone();
    env.extend(own);
    let known = job.known(&env);
    let mut script = Script::default();
    script.extend(run);
    if let Some(dir) = &job.action_dir {
        script.text = in_action(&script.text, dir);
    }
    let written = script.text.clone();
    script.fill(|row| known.fill(row));
    if written.contains("matrix.") {
        script.others = others(&written, job, &env);
    }
    let named = step.text_at(&["shell"]).map(str::to_owned);
    let named = named.or_else(|| job.shell.clone()).unwrap_or_default();
    let (named, _) = known.fill(&named);
    script.shell = shell(&named);
    script.os = os;
    // `cmd`, Windows' own PowerShell and MSYS2 are nowhere else; PowerShell is what its runners take by default.
    if ["powershell", "cmd", "msys2"]
        .iter()
        .any(|name| named.starts_with(name))
    {
        script.os = Some(Os::Windows);
    } else if named.is_empty() && os == Some(Os::Windows) {
        script.shell = Some("pwsh".to_owned());
    }
    let dir = step.text_at(&["working-directory"]).or(job.dir.as_deref());
    let (dir, _) = known.fill(&in_action(
        dir.unwrap_or_default(),
        job.action_dir.as_deref().unwrap_or_default(),
    ));
    match plain_dir(&dir) {
        Some(dir) => script.dir = dir,
        None => script.unresolved.push(dir),
    }
    script.context = match step.text_at(&["name"]) {
        Some(name) => format!("{} / {}", job.name, known.fill(name).0),
        None => job.name.clone(),
    };
    script.row = job.row.iter().cloned().collect();
    script.env = env;
    script
}

/// The text with the place of the action that it stands in.
fn in_action(text: &str, dir: &str) -> String {
    let dir = if dir.is_empty() { "." } else { dir };
    text.replace("${{ github.action_path }}", dir)
        .replace("${{github.action_path}}", dir)
        .replace("$GITHUB_ACTION_PATH", dir)
}

/// The text in the other rows.
fn others(written: &str, job: &Job, env: &Variables) -> Vec<String> {
    let rows = job.rows.iter().filter(|row: &&Row| **row != job.row);
    rows.take(MAX_OTHERS)
        .map(|row| {
            let known = expression::Known {
                row,
                ..job.known(env)
            };
            known.fill(written).0
        })
        .collect()
}
