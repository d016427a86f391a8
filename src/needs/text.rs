//! The forms in which needs are written: for a person, for a package manager, for a Dockerfile.

use std::fmt::Write;

use crate::packages::{Capability, Manager, cmake_find_module, native_requirement};

use super::model::{Features, Group, Need, Needs};

/// What `--format` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Text,
    Apt,
    Dnf,
    Apk,
    Pacman,
    Zypper,
    Dockerfile,
    Json,
    Conan,
}

/// Reasons that are shown of each need.
const SHOWN: usize = 2;

/// The needs that `features` asks for, in one form. JSON is the caller's.
pub fn format(needs: &Needs, features: &Features, form: Format) -> String {
    match form {
        Format::Text | Format::Json => table(needs, features),
        Format::Apt => install_line(needs, features, Manager::Apt),
        Format::Dnf => install_line(needs, features, Manager::Dnf),
        Format::Apk => install_line(needs, features, Manager::Apk),
        Format::Pacman => install_line(needs, features, Manager::Pacman),
        Format::Zypper => install_line(needs, features, Manager::Zypper),
        Format::Dockerfile => dockerfile(needs, features),
        Format::Conan => super::conan::conanfile(needs, features),
    }
}

/// How each manager is told to install without questions.
pub fn install_words(manager: Manager) -> &'static [&'static str] {
    match manager {
        Manager::Apt => &["apt-get", "install", "-y", "--no-install-recommends"],
        Manager::Apk => &["apk", "add"],
        Manager::Dnf => &["dnf", "install", "-y"],
        Manager::Zypper => &[
            "zypper",
            "--non-interactive",
            "install",
            "--no-recommends",
            "--capability",
        ],
        Manager::Pacman => &["pacman", "-S", "--needed", "--noconfirm"],
    }
}

/// What a manager is asked for, and the needs that it has no word for.
pub fn words_for<'a>(
    needs: impl Iterator<Item = &'a Need>,
    manager: Manager,
) -> (Vec<String>, Vec<&'a Need>) {
    let (mut words, mut without) = (Vec::new(), Vec::new());
    for need in needs {
        let word = match manager {
            Manager::Apt => Some(need.package.clone()),
            other => native_word(need, other),
        };
        match word {
            Some(word) if !words.contains(&word) => words.push(word),
            Some(_) => {}
            None => without.push(need),
        }
    }
    (words, without)
}

/// The word for a need, by the capability that distributions agree on most: a pkg-config module, a file, a command;
/// the name of a CMake package last, as only some of them come with a config file.
fn native_word(need: &Need, manager: Manager) -> Option<String> {
    let rank = |capability: &Capability| match capability {
        Capability::PkgConfig(_) => 0,
        Capability::Command(_) => 1,
        Capability::Header(_) => 2,
        Capability::Library(_) => 3,
        _ => 4,
    };
    let mut all: Vec<Capability> = need.capabilities.clone();
    for capability in &need.capabilities {
        if let Capability::CMake(name) = capability {
            all.extend(cmake_find_module(name).unwrap_or_default().iter().cloned());
        }
    }
    all.sort_by_key(rank);
    all.iter()
        .find_map(|capability| native_requirement(capability, manager))
}

fn quoted(words: &[String]) -> String {
    let quote = |word: &String| {
        shlex::try_quote(word).map_or_else(|_| String::new(), |quoted| quoted.into_owned())
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

fn install_line(needs: &Needs, features: &Features, manager: Manager) -> String {
    let (words, without) = words_for(needs.wanted(features), manager);
    let mut out = String::new();
    for need in without {
        let _ = writeln!(
            out,
            "# {} has no word for {} (Debian: {})",
            manager.name(),
            capabilities(need),
            need.package
        );
    }
    if words.is_empty() {
        return out + "# nothing to install\n";
    }
    let _ = writeln!(
        out,
        "{} {}",
        install_words(manager).join(" "),
        quoted(&words)
    );
    out
}

fn capabilities(need: &Need) -> String {
    need.capabilities
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

fn dockerfile(needs: &Needs, features: &Features) -> String {
    let mut packages: Vec<&str> = needs
        .wanted(features)
        .map(|need| need.package.as_str())
        .collect();
    packages.sort_unstable();
    packages.dedup();
    let mut out = format!("FROM debian:{}\n", needs.release);
    if packages.is_empty() {
        return out + "# nothing to install\n";
    }
    out.push_str("RUN apt-get update \\\n");
    out.push_str(" && apt-get install -y --no-install-recommends \\\n");
    for package in packages {
        let _ = writeln!(out, "      {package} \\");
    }
    out.push_str(" && rm -rf /var/lib/apt/lists/*\n");
    out
}

fn table(needs: &Needs, features: &Features) -> String {
    let mut out = String::new();
    let kinds: Vec<String> = needs
        .projects
        .iter()
        .map(|project| {
            if project.dir.is_empty() {
                project.ecosystem.clone()
            } else {
                format!("{} in {}", project.ecosystem, project.dir)
            }
        })
        .collect();
    let _ = writeln!(
        out,
        "{}: {}",
        needs.name,
        if kinds.is_empty() {
            "no C or C++ project found".to_owned()
        } else {
            kinds.join(", ")
        }
    );
    for group in Group::ALL {
        let rows: Vec<&Need> = needs
            .needs
            .iter()
            .filter(|need| need.group == group && need.option.is_none())
            .collect();
        section(&mut out, group.name(), &rows);
    }
    let optional: Vec<&Need> = needs
        .needs
        .iter()
        .filter(|need| need.option.is_some())
        .collect();
    section(&mut out, "only with an option (--features)", &optional);
    for each in &needs.unresolved {
        let _ = writeln!(
            out,
            "\nno package provides {} ({}; {})",
            each.capability,
            each.group.name(),
            each.because
        );
    }
    for note in &needs.notes {
        let _ = writeln!(out, "\n{note}");
    }
    for each in &needs.network {
        let _ = writeln!(out, "\nthe build downloads {} ({})", each.what, each.place);
    }
    let _ = write!(out, "\n{}", install_line(needs, features, Manager::Apt));
    out
}

fn section(out: &mut String, title: &str, rows: &[&Need]) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}");
    let width = rows
        .iter()
        .map(|need| need.package.len())
        .max()
        .unwrap_or(0)
        .min(32);
    for need in rows {
        let reasons: Vec<String> = need
            .because
            .iter()
            .take(SHOWN)
            .map(ToString::to_string)
            .collect();
        let option = need
            .option
            .as_ref()
            .map_or(String::new(), |option| format!("[{option}] "));
        let _ = writeln!(
            out,
            "  {:width$}  {option}{}",
            need.package,
            reasons.join("; ")
        );
    }
}
