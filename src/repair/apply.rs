//! Applying an edit to the data.

use crate::plan::{Action, EnvVar, Layer, Step, SystemPackage};
use crate::pyramid::{LeftOut, Pyramid};
use crate::script::Script;

use super::candidates::{base_name, words_of};
use super::{Edit, Operation};

/// What has to run again after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Applied {
    /// The script changed: this layer and those after it.
    Script { first: Layer },
    /// The script stands; this pyramid command has to run again (or is gone).
    Pyramid { command: String },
    /// Nothing was changed here: the caller plans again with one more constraint. `value` is a version requirement for a
    /// toolchain (`<3.12`, `>=1.80`) and an id for `base`.
    Replan { topic: String, value: String },
}

/// The edit does not fit the script or the pyramid; neither was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    #[error("the script has no step {0}")]
    NoStep(String),
    #[error("the pyramid has no command {0}")]
    NoCommand(String),
    #[error("step {0} is not a command that takes arguments")]
    NotACommand(String),
    #[error("the script already has a step {0}")]
    StepExists(String),
    #[error("the script has no Python environment to install {0} into")]
    NoPython(String),
    #[error("the script already does it: {0}")]
    InForce(String),
}

/// Changes `script` or `pyramid` as `edit` says. To undo it, keep a clone of both from before.
///
/// [`Operation::AddPythonRequirement`] follows a convention with the planner: the project's Python dependencies are
/// installed by `Run` steps whose words include `uv`, `pip`, `install` in a row. The requirement goes to a step
/// `python/extra` of its own, right behind the last of these, with its directory, environment and `--python` option;
/// further ones are added to that step. Behind, so that it wins over what the project resolves.
///
/// # Errors
/// The edit names what does not exist, or is in force already. Nothing is changed then.
pub fn apply(
    edit: &Edit,
    script: &mut Script,
    pyramid: &mut Pyramid,
) -> Result<Applied, ApplyError> {
    if in_force(&edit.operation, script, pyramid) {
        return Err(ApplyError::InForce(edit.to_string()));
    }
    let because = vec![edit.because.clone()];
    match &edit.operation {
        Operation::AddPackage {
            capability,
            package,
        } => {
            script.packages.push(SystemPackage {
                capability: capability.clone(),
                package: package.clone(),
                because,
            });
            Ok(Applied::Script { first: Layer::Base })
        }
        Operation::SetEnv { name, value } => Ok(set_env(script, name, value, because)),
        Operation::AddStep { step, before } => add_step(script, step, before.as_deref(), edit),
        Operation::ReplaceStep { id, step } => {
            let place = step_at(script, id)?;
            let first = place.layer.min(step.layer);
            *place = Step {
                because: [step.because.clone(), because].concat(),
                ..step.clone()
            };
            Ok(Applied::Script { first })
        }
        Operation::RemoveStep { id } => {
            let first = step_at(script, id)?.layer;
            script.steps.retain(|step| step.id != *id);
            Ok(Applied::Script { first })
        }
        Operation::AddArguments { id, arguments } => add_arguments(script, id, arguments, edit),
        Operation::AddPythonRequirement { requirement } => {
            add_requirement(script, requirement, edit)
        }
        Operation::Replan { topic, value } => Ok(Applied::Replan {
            topic: topic.clone(),
            value: value.clone(),
        }),
        other => edit_pyramid(other, pyramid, edit),
    }
}

/// Whether applying it would change nothing.
pub fn in_force(operation: &Operation, script: &Script, pyramid: &Pyramid) -> bool {
    let command = |id: &String| pyramid.commands.iter().find(|c| c.id == *id);
    match operation {
        Operation::AddPackage { package, .. } => {
            script.packages.iter().any(|p| p.package == *package)
        }
        Operation::SetEnv { name, value } => script
            .env
            .iter()
            .any(|v| v.name == *name && v.value == *value),
        Operation::AddStep { step, .. } => script
            .steps
            .iter()
            .any(|s| s.action == step.action && s.dir == step.dir),
        Operation::ReplaceStep { id, step } => script
            .step(id)
            .is_some_and(|s| s.action == step.action && s.dir == step.dir),
        Operation::RemoveStep { id } => script.step(id).is_none(),
        Operation::AddArguments { id, arguments } => script.step(id).is_some_and(|step| {
            let words = words_of(&step.action);
            arguments.iter().all(|argument| words.contains(argument))
        }),
        Operation::AddPythonRequirement { requirement } => script
            .steps
            .iter()
            .any(|step| installs_python(step) && words_of(&step.action).contains(requirement)),
        Operation::DropCommand { id, .. } => command(id).is_none(),
        Operation::MoveCommand { id, dir } => command(id).is_some_and(|c| c.dir == *dir),
        Operation::SetCommandEnv { id, name, value } => {
            command(id).is_some_and(|c| c.env.get(name) == Some(value))
        }
        Operation::Replan { topic, value } => topic == "base" && script.base.id == *value,
    }
}

/// Whether [`apply`] would succeed.
pub(crate) fn possible(operation: &Operation, script: &Script, pyramid: &Pyramid) -> bool {
    let command = |id: &String| pyramid.commands.iter().any(|c| c.id == *id);
    match operation {
        Operation::AddPackage { .. } | Operation::SetEnv { .. } | Operation::Replan { .. } => true,
        Operation::AddStep { step, before } => {
            script.step(&step.id).is_none()
                && before.as_ref().is_none_or(|id| script.step(id).is_some())
        }
        Operation::ReplaceStep { id, .. } | Operation::RemoveStep { id } => {
            script.step(id).is_some()
        }
        Operation::AddArguments { id, .. } => script
            .step(id)
            .is_some_and(|step| matches!(step.action, Action::Run { .. })),
        Operation::AddPythonRequirement { .. } => python_step(script).is_some(),
        Operation::DropCommand { id, .. }
        | Operation::MoveCommand { id, .. }
        | Operation::SetCommandEnv { id, .. } => command(id),
    }
}

fn step_at<'a>(script: &'a mut Script, id: &str) -> Result<&'a mut Step, ApplyError> {
    let found = script.steps.iter_mut().find(|step| step.id == id);
    found.ok_or_else(|| ApplyError::NoStep(id.to_owned()))
}

fn set_env(
    script: &mut Script,
    name: &str,
    value: &str,
    because: Vec<crate::evidence::Because>,
) -> Applied {
    match script.env.iter_mut().find(|v| v.name == name) {
        Some(var) => {
            value.clone_into(&mut var.value);
            var.because.extend(because);
        }
        None => script.env.push(EnvVar {
            name: name.to_owned(),
            value: value.to_owned(),
            because,
        }),
    }
    // Installing distribution packages does not depend on it; steps of layer 3, if any, might.
    let base = script.steps_of(Layer::Base).next().is_some();
    Applied::Script {
        first: if base { Layer::Base } else { Layer::Runtimes },
    }
}

fn add_step(
    script: &mut Script,
    step: &Step,
    before: Option<&str>,
    edit: &Edit,
) -> Result<Applied, ApplyError> {
    if script.step(&step.id).is_some() {
        return Err(ApplyError::StepExists(step.id.clone()));
    }
    let mut step = step.clone();
    if step.because.is_empty() {
        step.because.push(edit.because.clone());
    }
    let first = step.layer;
    let at = match before {
        Some(id) => {
            let at = script.steps.iter().position(|s| s.id == id);
            let at = at.ok_or_else(|| ApplyError::NoStep(id.to_owned()))?;
            // A step of an earlier layer cannot stand among those of a later one.
            let same = script.steps.get(at).is_some_and(|s| s.layer == first);
            if same { at } else { end_of(script, first) }
        }
        None => end_of(script, first),
    };
    script.steps.insert(at, step);
    Ok(Applied::Script { first })
}

/// Index behind the last step of `layer` (or of an earlier one).
fn end_of(script: &Script, layer: Layer) -> usize {
    let last = script.steps.iter().rposition(|step| step.layer <= layer);
    last.map_or(0, |at| at + 1)
}

fn add_arguments(
    script: &mut Script,
    id: &str,
    arguments: &[String],
    edit: &Edit,
) -> Result<Applied, ApplyError> {
    let step = step_at(script, id)?;
    let Action::Run { argv, .. } = &mut step.action else {
        return Err(ApplyError::NotACommand(id.to_owned()));
    };
    for argument in arguments {
        if !argv.contains(argument) {
            argv.push(argument.clone());
        }
    }
    step.because.push(edit.because.clone());
    Ok(Applied::Script { first: step.layer })
}

/// Whether the step installs Python distributions into the isolated environment.
pub(crate) fn installs_python(step: &Step) -> bool {
    let Action::Run { argv, .. } = &step.action else {
        return false;
    };
    let is = |at: usize, name: &str| argv.get(at).is_some_and(|word| base_name(word) == name);
    (0..argv.len()).any(|at| {
        is(at, "uv") && ((is(at + 1, "pip") && is(at + 2, "install")) || is(at + 1, "sync"))
    })
}

/// The step behind which further requirements are installed.
pub(crate) fn python_step(script: &Script) -> Option<&Step> {
    let template = |step: &&Step| match &step.action {
        Action::Template { template, .. } => template.starts_with("python"),
        _ => false,
    };
    script
        .steps
        .iter()
        .rfind(|step| installs_python(step))
        .or_else(|| script.steps.iter().rfind(template))
}

const EXTRA: &str = "python/extra";

fn add_requirement(
    script: &mut Script,
    requirement: &str,
    edit: &Edit,
) -> Result<Applied, ApplyError> {
    if script.step(EXTRA).is_some() {
        return add_arguments(script, EXTRA, &[requirement.to_owned()], edit);
    }
    let model = python_step(script).ok_or_else(|| ApplyError::NoPython(requirement.to_owned()))?;
    let mut words: Vec<String> = ["uv", "pip", "install"].map(str::to_owned).to_vec();
    let mut before = Vec::new();
    if let Action::Run { argv, env } = &model.action {
        before.clone_from(env);
        if let Some(at) = argv.iter().position(|word| word == "--python") {
            words.extend(argv.iter().skip(at).take(2).cloned());
        }
    }
    words.push(requirement.to_owned());
    let step = Step {
        id: EXTRA.to_owned(),
        layer: model.layer,
        dir: model.dir.clone(),
        action: Action::Run {
            argv: words,
            env: before,
        },
        unless: None,
        because: vec![edit.because.clone()],
    };
    let first = step.layer;
    let model = model.id.clone();
    let at = script.steps.iter().position(|s| s.id == model);
    let at = at.map_or(script.steps.len(), |at| at + 1);
    script.steps.insert(at, step);
    Ok(Applied::Script { first })
}

fn edit_pyramid(
    operation: &Operation,
    pyramid: &mut Pyramid,
    edit: &Edit,
) -> Result<Applied, ApplyError> {
    let (Operation::DropCommand { id, .. }
    | Operation::MoveCommand { id, .. }
    | Operation::SetCommandEnv { id, .. }) = operation
    else {
        return Err(ApplyError::NoCommand(String::new()));
    };
    let at = pyramid.commands.iter().position(|c| c.id == *id);
    let at = at.ok_or_else(|| ApplyError::NoCommand(id.clone()))?;
    if let Operation::DropCommand { reason, .. } = operation {
        let command = pyramid.commands.remove(at);
        pyramid.left_out.push(LeftOut {
            command: command.command,
            place: command.because.into_iter().find_map(|b| b.place),
            reason: reason.clone(),
        });
    } else if let Some(command) = pyramid.commands.get_mut(at) {
        match operation {
            Operation::MoveCommand { dir, .. } => command.dir.clone_from(dir),
            Operation::SetCommandEnv { name, value, .. } => {
                command.env.insert(name.clone(), value.clone());
            }
            _ => {}
        }
        command.because.push(edit.because.clone());
    }
    Ok(Applied::Pyramid {
        command: id.clone(),
    })
}
