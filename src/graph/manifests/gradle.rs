//! `settings.gradle(.kts)`, `build.gradle(.kts)`, the Gradle wrapper and version catalogs (Gradle User Manual).
//!
//! Attributes of a `gradle` project, besides those that all ecosystems share (see `mod.rs`):
//! - `plugin`: id of a plugin that is applied
//! - `wrapper`: path of `gradlew`; `language`: `Java`, `Kotlin`, `Scala`, `Groovy`
//! - `android`: a plugin of the Android tools, which need an SDK
//!
//! Tools: `java` from toolchains (as written) or compatibility settings (`>=`); `gradle` from the wrapper (`Lock`);
//! `kotlin` from its plugin.

mod script;
mod settings;
#[cfg(test)]
mod tests;

use crate::evidence::{Place, Trust};
use crate::graph::Scope;

use super::jvm::{launcher, wrapper_version};
use super::toml_doc::{Doc, Value};
use super::tree::{MAX_SHARED, base, join, parent};
use super::{Reader, Reading};
use script::Script;

pub use settings::READER as SETTINGS;

pub const READER: Reader = Reader {
    format: "gradle",
    matches: |path| matches!(base(path), "build.gradle" | "build.gradle.kts"),
    read,
};

fn read(reading: &mut Reading<'_>) {
    // Built before every other script, for them alone.
    if reading.dir == "buildSrc" || reading.dir.ends_with("/buildSrc") {
        return build_source(reading);
    }
    let root = root(reading);
    let catalog = catalog(reading, root.as_deref().unwrap_or(reading.dir));
    let script = Script::read(reading.text, &catalog);
    let draft = reading.drafts.project("gradle", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    let at = |line: u32| Place::new(reading.path, line);
    for (version, line) in script.java {
        draft.tool("java", Some(version), Trust::Manifest, at(line));
    }
    for (id, version, line) in &script.plugins {
        draft.attr("plugin", id, at(*line));
        if id.starts_with("com.android.") {
            draft.attr("android", id, at(*line));
        }
        if id.starts_with("org.jetbrains.kotlin")
            && let Some(version) = version
        {
            draft.tool("kotlin", Some(version.clone()), Trust::Manifest, at(*line));
        }
    }
    for (configuration, spec, line) in script.dependencies {
        let lower = configuration.to_ascii_lowercase();
        let scope = match lower.as_str() {
            _ if lower.contains("test") => Scope::Test,
            "compileonly" | "annotationprocessor" | "kapt" | "ksp" | "provided" | "classpath" => {
                Scope::Build
            }
            _ => Scope::Runtime,
        };
        let name: Vec<&str> = spec.split(':').take(2).collect();
        draft.package("maven", &name.join(":"), &spec, scope, at(line));
    }
    let from = root.clone().unwrap_or_else(|| reading.dir.to_owned());
    for (project, _) in script.projects {
        let dir = project.trim_matches(':').replace(':', "/");
        if let Some(dir) = join(&from, &dir) {
            draft.need(&dir);
        }
    }
    languages(reading);
    match root {
        Some(root) => {
            let draft = reading.drafts.project("gradle", reading.dir);
            let shown = if root.is_empty() { "." } else { &root };
            draft.attr("workspace-root", shown, Place::file(reading.path));
            draft.need(&root);
        }
        None => commands(reading),
    }
}

/// The directory of the build that a script belongs to: the nearest one above with a settings file, which is how Gradle
/// looks for it. `None` where it has its own, or there is none.
fn root(reading: &Reading<'_>) -> Option<String> {
    let listed = reading.drafts.workspace_of("gradle", reading.dir);
    let settings = |dir: &str| {
        ["settings.gradle", "settings.gradle.kts"]
            .iter()
            .filter_map(|file| join(dir, file))
            .any(|path| reading.tree.has(&path))
    };
    if listed.is_some() || settings(reading.dir) {
        return listed;
    }
    let mut at = reading.dir;
    while !at.is_empty() {
        at = parent(at);
        if settings(at) {
            return Some(at.to_owned());
        }
    }
    None
}

/// Conventions that the scripts of the build apply stand below `buildSrc`: what they ask of Java is the root's.
fn build_source(reading: &mut Reading<'_>) {
    let dir = parent(reading.dir);
    if reading.drafts.get("gradle", dir).is_none() {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    conventions(reading, dir, reading.dir);
    let draft = reading.drafts.project("gradle", dir);
    draft.manifest(reading.path, reading.format);
}

/// Precompiled scripts below a directory: `src/main/kotlin/x.gradle.kts`.
fn conventions(reading: &mut Reading<'_>, root: &str, below: &str) {
    let catalog = catalog(reading, root);
    let tree = reading.tree;
    let scripts = tree
        .below(below)
        .filter(|entry| entry.path.contains("/src/main/"))
        .filter(|entry| entry.path.ends_with(".gradle.kts") || entry.path.ends_with(".gradle"))
        .take(200);
    for entry in scripts {
        let script = Script::read(
            &tree.read_head(&entry.path, MAX_SHARED).unwrap_or_default(),
            &catalog,
        );
        let draft = reading.drafts.project("gradle", root);
        for (version, line) in script.java {
            draft.tool(
                "java",
                Some(version),
                Trust::Manifest,
                Place::new(&entry.path, line),
            );
        }
    }
}

fn languages(reading: &mut Reading<'_>) {
    let tree = reading.tree;
    let draft = reading.drafts.project("gradle", reading.dir);
    let folders = [
        ("java", "Java"),
        ("kotlin", "Kotlin"),
        ("scala", "Scala"),
        ("groovy", "Groovy"),
    ];
    for (folder, language) in folders {
        let kinds = ["main", "test", "commonMain", "jvmMain"];
        let dirs = kinds
            .iter()
            .filter_map(|kind| join(reading.dir, &format!("src/{kind}/{folder}")));
        if let Some(dir) = dirs.into_iter().find(|dir| tree.has_dir(dir)) {
            draft.attr("language", language, Place::file(dir));
        }
    }
    let tests = ["src/test", "src/commonTest", "src/jvmTest"];
    let tests = tests.iter().filter_map(|kind| join(reading.dir, kind));
    if let Some(dir) = tests.into_iter().find(|dir| tree.has_dir(dir)) {
        draft.suite("gradle", Place::file(dir));
    }
}

/// Versions of `gradle/libs.versions.toml`, by name.
fn catalog(reading: &Reading<'_>, root: &str) -> Vec<(String, String)> {
    let Some(path) = join(root, "gradle/libs.versions.toml") else {
        return Vec::new();
    };
    let text = reading
        .tree
        .read_head(&path, MAX_SHARED)
        .unwrap_or_default();
    let doc = Doc::parse(&text, &path);
    let versions = doc.get(&["versions"]).into_iter().flat_map(Value::entries);
    versions
        .filter_map(|(name, value)| Some((name.replace(['-', '_'], "."), value.str()?.to_owned())))
        .collect()
}

/// What the build's root is told to do; `assemble` builds everything and tests nothing.
fn commands(reading: &mut Reading<'_>) {
    wrapper_version(
        reading,
        "gradle",
        "gradle/wrapper/gradle-wrapper.properties",
        "gradle",
    );
    let (gradle, wrapper) = launcher(reading, reading.dir, "gradlew", "gradle");
    let draft = reading.drafts.project("gradle", reading.dir);
    let place = wrapper.clone().unwrap_or_else(|| Place::file(reading.path));
    if let Some(wrapper) = wrapper {
        draft.attr("wrapper", &wrapper.path, wrapper.clone());
    }
    draft.command("build", format!("{gradle} assemble"), place.clone());
    draft.command("test", format!("{gradle} test"), place);
    let run = [
        ("org.springframework.boot", "bootRun"),
        ("application", "run"),
    ];
    for (plugin, task) in run {
        let applied = draft
            .facts
            .all("plugin")
            .iter()
            .find(|attr| attr.value == plugin);
        if let Some(place) = applied.map(|attr| attr.place.clone()) {
            draft.command("run", format!("{gradle} {task}"), place);
        }
    }
}
