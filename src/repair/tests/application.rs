//! Edits change what they say and nothing else.

use super::*;

#[test]
fn python_requirements_share_one_step_behind_the_install() {
    let (mut script, mut pyramid) = (script(), pyramid());
    for requirement in ["PyYAML", "six>=1"] {
        let operation = Operation::AddPythonRequirement {
            requirement: requirement.to_owned(),
        };
        let applied = apply(&edit(operation), &mut script, &mut pyramid);
        assert_eq!(
            applied,
            Ok(Applied::Script {
                first: Layer::Runtimes
            })
        );
    }
    let ids: Vec<_> = script.steps.iter().map(|step| step.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "python/venv",
            "python/install",
            "python/extra",
            "./configure",
            "./cmake",
            "./build"
        ]
    );
    assert_eq!(
        script.step("python/extra").unwrap().action,
        Action::run([
            "uv", "pip", "install", "--python", ".venv", "PyYAML", "six>=1"
        ])
    );
    script.steps.clear();
    let operation = Operation::AddPythonRequirement {
        requirement: "x".to_owned(),
    };
    assert_eq!(
        apply(&edit(operation), &mut script, &mut pyramid),
        Err(ApplyError::NoPython("x".to_owned()))
    );
}

#[test]
fn steps_stand_where_they_are_put() {
    let (mut script, mut pyramid) = (script(), pyramid());
    let operation = Operation::AddStep {
        step: step("autoreconf", Layer::Project, &["autoreconf", "-fi"]),
        before: Some("./configure".to_owned()),
    };
    assert_eq!(
        apply(&edit(operation.clone()), &mut script, &mut pyramid),
        Ok(Applied::Script {
            first: Layer::Project
        })
    );
    assert_eq!(script.steps[2].id, "autoreconf");
    assert_eq!(script.steps[2].because.len(), 1);
    assert!(in_force(&operation, &script, &pyramid));
    let operation = Operation::AddStep {
        step: step("x", Layer::Runtimes, &["x"]),
        before: None,
    };
    apply(&edit(operation), &mut script, &mut pyramid).unwrap();
    assert_eq!(script.steps[2].id, "x");
    let nowhere = Operation::AddStep {
        step: step("y", Layer::Runtimes, &["y"]),
        before: Some("none".to_owned()),
    };
    let before = script.clone();
    assert_eq!(
        apply(&edit(nowhere), &mut script, &mut pyramid),
        Err(ApplyError::NoStep("none".to_owned()))
    );
    assert_eq!(script, before);
}

#[test]
fn arguments_and_variables() {
    let (mut script, mut pyramid) = (script(), pyramid());
    let operation = Operation::AddArguments {
        id: "./configure".to_owned(),
        arguments: vec!["--disable-werror".to_owned()],
    };
    assert_eq!(
        apply(&edit(operation.clone()), &mut script, &mut pyramid),
        Ok(Applied::Script {
            first: Layer::Project
        })
    );
    assert!(matches!(
        apply(&edit(operation), &mut script, &mut pyramid),
        Err(ApplyError::InForce(_))
    ));
    for value in ["C", "C.UTF-8"] {
        let operation = Operation::SetEnv {
            name: "LC_ALL".to_owned(),
            value: value.to_owned(),
        };
        assert_eq!(
            apply(&edit(operation), &mut script, &mut pyramid),
            Ok(Applied::Script {
                first: Layer::Runtimes
            })
        );
    }
    let env: Vec<&EnvVar> = script.env.iter().collect();
    assert_eq!(
        (env.len(), env[0].value.as_str(), env[0].because.len()),
        (1, "C.UTF-8", 2)
    );
}

#[test]
fn the_pyramid_changes_alone() {
    let (mut script, mut pyramid) = (script(), pyramid());
    let before = script.clone();
    let id = || "t1".to_owned();
    for operation in [
        Operation::MoveCommand {
            id: id(),
            dir: "sub".to_owned(),
        },
        Operation::SetCommandEnv {
            id: id(),
            name: "A".to_owned(),
            value: "1".to_owned(),
        },
        Operation::DropCommand {
            id: id(),
            reason: "no".to_owned(),
        },
    ] {
        let applied = apply(&edit(operation), &mut script, &mut pyramid);
        assert_eq!(applied, Ok(Applied::Pyramid { command: id() }));
    }
    assert_eq!((pyramid.commands.len(), pyramid.left_out.len()), (1, 1));
    assert_eq!(script, before);
}
