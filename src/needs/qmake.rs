//! qmake project files (qmake manual, "Variables"): modules, libraries and pkg-config modules that they name.

use std::collections::BTreeSet;

use crate::evidence::{Because, Place, Trust};
use crate::packages::Capability;
use crate::scan::{FileKind, Repository, read_text};

use super::collect::{Ask, Collection};
use super::includes::{is_aside, is_test};
use super::model::Group;

const MAX_PROJECT: u64 = 256 * 1024;

/// Adds what `*.pro` and `*.pri` files below `dir` ask for; says whether there was any.
pub fn add(repository: &Repository, dir: &str, out: &mut Collection<'_>) -> bool {
    let prefix = if dir.is_empty() {
        String::new()
    } else {
        format!("{dir}/")
    };
    let mut any = false;
    let mut seen: BTreeSet<Capability> = BTreeSet::new();
    for entry in &repository.files {
        let path = entry.path.as_str();
        let kind = path.ends_with(".pro") || path.ends_with(".pri");
        if !kind
            || !path.starts_with(&prefix)
            || entry.kind != FileKind::Text
            || entry.size > MAX_PROJECT
            || entry.vendored
            || is_aside(path)
        {
            continue;
        }
        let Some(text) = read_text(repository, path) else {
            continue;
        };
        let is_project = ["TEMPLATE", "SOURCES", "SUBDIRS", "QT ", "QT+", "HEADERS"]
            .iter()
            .any(|word| text.contains(word));
        if !is_project {
            continue;
        }
        any = true;
        for (capability, line) in needs(&text) {
            if seen.insert(capability.clone()) {
                out.ask(Ask {
                    because: Because::at(
                        Place::new(path, line),
                        Trust::Manifest,
                        capability.to_string(),
                    ),
                    capability,
                    group: if is_test(path) {
                        Group::Test
                    } else {
                        Group::Required
                    },
                    option: None,
                });
            }
        }
    }
    if any {
        let place = Place::file(dir);
        let mut tool = |package: &str, text: &str| {
            let ask = Ask {
                capability: Capability::Package(package.to_owned()),
                group: Group::Tools,
                option: None,
                because: Because::at(place.clone(), Trust::Convention, text),
            };
            out.take(package, ask, Vec::new());
        };
        tool("qt5-qmake", "qmake project");
        tool("qtbase5-dev", "qmake project");
    }
    any
}

/// Modules of `QT += …` under the names of their CMake packages.
const MODULES: &[(&str, &str)] = &[
    ("svg", "Svg"),
    ("multimedia", "Multimedia"),
    ("multimediawidgets", "MultimediaWidgets"),
    ("webkit", "WebKit"),
    ("webkitwidgets", "WebKitWidgets"),
    ("webengine", "WebEngine"),
    ("webenginewidgets", "WebEngineWidgets"),
    ("webchannel", "WebChannel"),
    ("websockets", "WebSockets"),
    ("script", "Script"),
    ("scripttools", "ScriptTools"),
    ("xmlpatterns", "XmlPatterns"),
    ("declarative", "Qml"),
    ("qml", "Qml"),
    ("quick", "Quick"),
    ("quickcontrols2", "QuickControls2"),
    ("quickwidgets", "QuickWidgets"),
    ("serialport", "SerialPort"),
    ("bluetooth", "Bluetooth"),
    ("sensors", "Sensors"),
    ("positioning", "Positioning"),
    ("location", "Location"),
    ("x11extras", "X11Extras"),
    ("charts", "Charts"),
    ("3dcore", "3DCore"),
    ("texttospeech", "TextToSpeech"),
    ("uitools", "UiTools"),
    ("designer", "Designer"),
    ("help", "Help"),
    ("linguisttools", "LinguistTools"),
    ("gamepad", "Gamepad"),
];

fn needs(text: &str) -> Vec<(Capability, u32)> {
    let mut found = Vec::new();
    let mut lines = text.lines().zip(1_u32..);
    let mut foreign = 0_u32;
    while let Some((line, number)) = lines.next() {
        let mut logical = line.split('#').next().unwrap_or_default().trim().to_owned();
        while logical.ends_with('\\') && logical.len() < 20_000 {
            logical.pop();
            let Some((next, _)) = lines.next() else {
                break;
            };
            logical.push(' ');
            logical.push_str(next.split('#').next().unwrap_or_default().trim());
        }
        // Blocks of other systems, `win32 { … }`.
        let scope = logical
            .split(['{', ':'])
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let other = [
            "win32", "macx", "mac", "osx", "android", "ios", "msvc", "darwin", "win64", "mingw",
            "!unix", "!linux",
        ]
        .iter()
        .any(|name| {
            scope
                .split(['|', '(', ')', '-'])
                .any(|part| part.trim() == *name)
        });
        if foreign > 0 {
            foreign += u32::try_from(logical.matches('{').count()).unwrap_or(0);
            foreign =
                foreign.saturating_sub(u32::try_from(logical.matches('}').count()).unwrap_or(0));
            continue;
        }
        if other {
            foreign = u32::from(logical.contains('{') && !logical.contains('}'));
            continue;
        }
        let Some((left, value)) = logical.split_once("+=").or_else(|| logical.split_once('='))
        else {
            continue;
        };
        let variable = left
            .trim()
            .rsplit([':', ' ', '{'])
            .next()
            .unwrap_or_default();
        found.extend(
            values(variable, value)
                .into_iter()
                .map(|capability| (capability, number)),
        );
    }
    found
}

fn values(variable: &str, value: &str) -> Vec<Capability> {
    let plain = |word: &&str| !word.contains(['$', '/', '"', '\'']) && !word.is_empty();
    let words = value.split_whitespace();
    match variable {
        "QT" => words
            .filter_map(|word| {
                MODULES
                    .iter()
                    .find(|(name, _)| *name == word.to_ascii_lowercase())
            })
            .map(|(_, name)| Capability::CMake(format!("Qt5{name}")))
            .collect(),
        "PKGCONFIG" => words
            .filter(plain)
            .map(|word| Capability::PkgConfig(word.to_owned()))
            .collect(),
        "LIBS" | "LIBS_PRIVATE" | "unix:LIBS" => words
            .filter_map(|word| word.strip_prefix("-l"))
            .filter(plain)
            .map(|name| Capability::Library(name.to_owned()))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_libraries_and_other_systems() {
        let text = "QT += core gui svg\nwin32 {\n LIBS += -lws2_32\n}\nunix:LIBS += -lz \\\n  -L/x -lpng\nPKGCONFIG += zlib $$X\nmacx: LIBS += -framework A\n";
        let shown: Vec<String> = needs(text)
            .iter()
            .map(|(capability, line)| format!("{line} {capability}"))
            .collect();
        assert_eq!(
            shown,
            ["1 cmake:Qt5Svg", "5 lib:z", "5 lib:png", "7 pc:zlib"]
        );
    }
}
