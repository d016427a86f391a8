//! What a format's reader finds in a text, for the tests.

use super::*;

/// A line for each fact: `line: what`.
pub(super) fn found(path: &str, text: &str) -> String {
    let mut reading = Reading {
        path,
        text,
        trust: Trust::Lock,
        facts: Vec::new(),
        warnings: Vec::new(),
    };
    let format = FORMATS
        .iter()
        .find(|format| (format.matches)(path))
        .unwrap();
    (format.read)(&mut reading);
    let lines = reading.facts.iter().map(|found| match found {
        Found::Node(line, name, facts) => match facts {
            Facts::Tool { requirement, .. } => {
                let requirement = requirement.as_deref().unwrap_or("*");
                format!("{line}: tool {name} {requirement}")
            }
            Facts::Dependency(facts) => format!("{line}: {} {}", facts.ecosystem, facts.spec),
            Facts::Variable { value } => format!("{line}: variable {name}={value:?}"),
            Facts::Command(facts) => format!("{line}: run {} ({})", facts.text, facts.context),
            Facts::Service { image, .. } => format!("{line}: service {name} {image}"),
            other => format!("{line}: {other:?}"),
        },
        Found::Package(line, name) => format!("{line}: package {name}"),
        Found::Shell(line, text, context) => {
            format!("{line}: shell {} ({context})", text.replace('\n', "⏎"))
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn any_bytes_are_survived_by_every_format() {
    let paths = [
        ".nvmrc",
        ".tool-versions",
        "mise.toml",
        ".sdkmanrc",
        "environment.yml",
        "meta.yaml",
        "shell.nix",
        "apt.txt",
        "Brewfile",
        "Vagrantfile",
        ".envrc",
        "Procfile",
        "app.json",
        ".env.example",
        "runtime.txt",
    ];
    let texts = [
        String::new(),
        "\u{feff}a: b\r\n".to_owned(),
        "[".repeat(50_000),
        "{".repeat(50_000),
        "((((".repeat(20_000),
        "é'\"${\u{0}#=:[]{}<<-X\n\t- é".to_owned(),
        "x ".repeat(100_000),
        "a: &a [*a, *a]\n".to_owned(),
        "buildInputs = [".to_owned(),
        "brew \"".to_owned(),
        "export A='".to_owned(),
    ];
    for path in paths {
        for text in &texts {
            found(path, text);
        }
    }
}
