//! AppVeyor (`appveyor.yml` reference): Windows unless an image says otherwise.

use super::{Emit, Script, os_of_label, variables};
use crate::graph::Os;
use crate::graph::yaml::{Value, Yaml};

/// In the order in which they run.
const PHASES: [&str; 10] = [
    "init",
    "install",
    "before_build",
    "build_script",
    "after_build",
    "before_test",
    "test_script",
    "after_test",
    "on_success",
    "on_finish",
];

pub(super) fn build(yaml: &Yaml, emit: &mut Emit) {
    let os = system(yaml);
    let environment = yaml.get("environment");
    let mut env = variables(environment);
    // Values of every configuration, and of the first one of the matrix.
    env.extend(variables(yaml.at(&["environment", "global"])));
    let first = yaml.list_at(&["environment", "matrix"]).first();
    env.extend(variables(first));
    if os == Os::Linux {
        declared(yaml, emit);
    }
    for phase in PHASES {
        for item in yaml.list_at(&[phase]) {
            line(phase, item, os, &env, emit);
        }
    }
}

/// Linux where it is among the images, or the first of them.
fn system(yaml: &Yaml) -> Os {
    let images = yaml.list_at(&["image"]).iter().filter_map(Yaml::text);
    let systems: Vec<Os> = images.filter_map(os_of_label).collect();
    match systems.first() {
        Some(_) if systems.contains(&Os::Linux) => Os::Linux,
        Some(first) => *first,
        None => Os::Windows,
    }
}

/// Services, and the stack of a Linux image: `node 18, python`.
fn declared(yaml: &Yaml, emit: &mut Emit) {
    for service in yaml.list_at(&["services"]) {
        if let Some(name) = service.text().filter(|name| *name != "docker") {
            emit.service(name, name, Vec::new(), Default::default(), service.mark);
        }
    }
    let Some(stack) = yaml.get("stack") else {
        return;
    };
    for entry in stack.text().unwrap_or_default().split(',') {
        let mut words = entry.split_whitespace();
        if let Some(tool) = words.next() {
            emit.tool(tool, words.next(), stack.mark);
        }
    }
}

/// A line for the system's own shell, or one that names its shell: `sh:`, `cmd:`, `ps:`.
fn line(
    phase: &str,
    item: &Yaml,
    os: Os,
    env: &std::collections::BTreeMap<String, String>,
    emit: &mut Emit,
) {
    let native = [("", item.clone())];
    let entries: &[(String, Yaml)] = item.map();
    let named = entries.iter().map(|(shell, text)| (shell.as_str(), text));
    let lines: Vec<(&str, &Yaml)> = match item.value {
        Value::Map(_) => named.collect(),
        _ => native.iter().map(|(shell, text)| (*shell, text)).collect(),
    };
    for (shell, text) in lines {
        let (shell, os) = match (shell, os) {
            ("sh", Os::Windows) => (None, Os::Linux),
            ("sh", os) => (None, os),
            ("", Os::Windows) | ("cmd", _) => (Some("cmd"), Os::Windows),
            ("ps" | "pwsh", os) => (Some("pwsh"), os),
            ("", os) => (None, os),
            _ => continue,
        };
        let mut script = Script::new(format!("appveyor / {phase}"), Some(os));
        script.shell = shell.map(str::to_owned);
        script.env = env.clone();
        script.extend(text);
        emit.script(&script);
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::ci::testing::shown;

    #[test]
    fn windows_unless_an_image_says_otherwise() {
        let text = "environment:\n  A: b\n  matrix: [{PY: '3.8'}, {PY: '3.9'}]\ninstall:\n  - cmd: choco install x\n  - ps: Get-It\n  - sh: sudo apt-get install -y gcc\ntest_script: nmake check\n";
        insta::assert_snapshot!(shown("appveyor.yml", text), @"
        5: [] choco install x (appveyor / install) Windows <cmd> A=b PY=3.8
        6: [] Get-It (appveyor / install) Windows <pwsh> A=b PY=3.8
        7: [] sudo apt-get install -y gcc (appveyor / install) Linux A=b PY=3.8
        8: [] nmake check (appveyor / test_script) Windows <cmd> A=b PY=3.8
        7: needs gcc
        ");
        let text = "image: [Visual Studio 2022, Ubuntu2204]\nstack: node 18, python\nservices: [postgresql]\nbuild_script: [make, {ps: 'x'}]\n";
        insta::assert_snapshot!(shown(".appveyor.yml", text), @"
        3: service postgresql postgresql [] {}
        2: tool node 18
        2: tool python *
        4: [] make (appveyor / build_script) Linux
        4: [] x (appveyor / build_script) Linux <pwsh>
        ");
    }
}
