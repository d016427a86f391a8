//! qmake project files (qmake manual, "Variables"): modules, libraries and pkg-config modules that they name.

use std::collections::BTreeSet;

use crate::evidence::{Because, Place, Trust};
use crate::packages::Capability;
use crate::scan::{FileEntry, FileKind, Repository, read_text};

use super::aside::{is_aside, is_test};
use super::collect::{Ask, Collection};
use super::model::Group;

const MAX_PROJECT: u64 = 256 * 1024;

/// Adds what `*.pro` and `*.pri` files below `dir` ask for; says whether there was any.
pub fn add(repository: &Repository, dir: &str, out: &mut Collection<'_>) -> bool {
    let prefix = if dir.is_empty() {
        String::new()
    } else {
        format!("{dir}/")
    };
    let mut first: Option<Place> = None;
    let mut seen: BTreeSet<Capability> = BTreeSet::new();
    for entry in repository
        .files
        .iter()
        .filter(|entry| entry.path.starts_with(&prefix))
    {
        let Some(text) = project_text(repository, entry) else {
            continue;
        };
        first.get_or_insert_with(|| Place::file(&entry.path));
        for (capability, line) in needs(&text) {
            if seen.insert(capability.clone()) {
                out.ask(Ask {
                    because: Because::at(
                        Place::new(&entry.path, line),
                        Trust::Manifest,
                        capability.to_string(),
                    ),
                    capability,
                    group: if is_test(&entry.path) {
                        Group::Test
                    } else {
                        Group::Required
                    },
                    option: None,
                });
            }
        }
    }
    for package in ["qt5-qmake", "qtbase5-dev"] {
        if let Some(place) = &first {
            let ask = Ask {
                capability: Capability::Package(package.to_owned()),
                group: Group::Tools,
                option: None,
                because: Because::at(place.clone(), Trust::Convention, "qmake project"),
            };
            out.take(package, ask, Vec::new());
        }
    }
    first.is_some()
}

/// The text of a project file that a default build reads.
fn project_text(repository: &Repository, entry: &FileEntry) -> Option<String> {
    let path = entry.path.as_str();
    let kind = path.ends_with(".pro") || path.ends_with(".pri");
    if !kind
        || entry.kind != FileKind::Text
        || entry.size > MAX_PROJECT
        || entry.vendored
        || is_aside(path)
    {
        return None;
    }
    let text = read_text(repository, path)?;
    let words = ["TEMPLATE", "SOURCES", "SUBDIRS", "QT ", "QT+", "HEADERS"];
    words.iter().any(|word| text.contains(word)).then_some(text)
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
    // Depth of a block that is another system's, `win32 { … }`.
    let mut foreign = 0_usize;
    for (line, number) in logical_lines(text) {
        if foreign > 0 {
            foreign =
                (foreign + line.matches('{').count()).saturating_sub(line.matches('}').count());
            continue;
        }
        if is_foreign(&line) {
            foreign = usize::from(line.contains('{') && !line.contains('}'));
            continue;
        }
        let Some((left, value)) = line.split_once("+=").or_else(|| line.split_once('=')) else {
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

/// Lines without comments, continuations joined, with the number of the first of each.
fn logical_lines(text: &str) -> Vec<(String, u32)> {
    let code = |line: &str| line.split('#').next().unwrap_or_default().trim().to_owned();
    let mut found = Vec::new();
    let mut lines = text.lines().zip(1_u32..);
    while let Some((line, number)) = lines.next() {
        let mut logical = code(line);
        while logical.ends_with('\\') && logical.len() < 20_000 {
            logical.pop();
            let Some((next, _)) = lines.next() else {
                break;
            };
            logical.push(' ');
            logical.push_str(&code(next));
        }
        found.push((logical, number));
    }
    found
}

/// Whether a line stands under a scope of another system: `win32:`, `macx {`, `win32-msvc|win32-g++ {`.
fn is_foreign(line: &str) -> bool {
    const SYSTEMS: &[&str] = &[
        "win32", "macx", "mac", "osx", "macos", "android", "ios", "msvc", "darwin", "win64",
        "mingw", "!unix", "!linux",
    ];
    let scope = line
        .split(['{', ':'])
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    scope
        .split(['|', '(', ')', '-'])
        .any(|part| SYSTEMS.contains(&part.trim()))
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
