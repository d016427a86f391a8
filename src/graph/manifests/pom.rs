//! Maven's `pom.xml` (POM Reference) and the Maven wrapper.
//!
//! Attributes of a `maven` project, besides those that all ecosystems share (see `mod.rs`):
//! - `artifact`: `group:artifact`; `packaging`: where it is not `jar`
//! - `profile`: id of a profile; `plugin`: artifact of a plugin of the build
//! - `wrapper`: path of `mvnw`; `language`: `Java`, `Kotlin`, `Scala`, `Groovy`
//!
//! Tools: `java` from compiler settings (`>=`, a compiler writes for older releases) or from toolchains; `maven` from
//! the wrapper (`Lock`) or the enforcer; `kotlin` and `scala` from their properties.

mod model;
#[cfg(test)]
mod tests;

use crate::evidence::{Place, Trust};
use crate::graph::{EntryKind, Scope};

use super::drafts::Drafts;
use super::jvm::{feature_release, launcher, wrapper_version};
use super::tree::{base, join, parent};
use super::{Reader, Reading};
use model::Model;

pub const READER: Reader = Reader {
    format: "pom",
    matches: |path| base(path) == "pom.xml",
    read,
};

fn read(reading: &mut Reading<'_>) {
    let Some(model) = Model::read(reading.tree, reading.path, reading.text) else {
        return reading.drafts.manifest_only(reading.path, reading.format);
    };
    let root = reading.drafts.workspace_of("maven", reading.dir);
    let draft = reading.drafts.project("maven", reading.dir);
    draft.manifest(reading.path, reading.format);
    draft.product = true;
    if let Some(artifact) = model.pom.child("artifactId") {
        let place = model.place(artifact);
        draft.name(&artifact.text, &place);
        let group = model.group().unwrap_or_default();
        draft.attr("artifact", format!("{group}:{}", artifact.text), place);
    }
    if let Some(packaging) = model.pom.child("packaging").filter(|at| at.text != "jar") {
        draft.attr("packaging", &packaging.text, model.place(packaging));
    }
    members(reading, &model);
    java(reading, &model);
    languages(reading, &model);
    dependencies(reading, &model);
    plugins(reading, &model);
    let draft = reading.drafts.project("maven", reading.dir);
    for profile in model
        .pom
        .at(&["profiles"])
        .into_iter()
        .flat_map(|all| all.all("profile"))
    {
        if let Some(id) = profile.child("id") {
            draft.attr("profile", &id.text, model.place(id));
        }
    }
    match root {
        Some(root) => {
            let shown = if root.is_empty() { "." } else { &root };
            draft.attr("workspace-root", shown, Place::file(reading.path));
            draft.need(&root);
        }
        None => commands(reading),
    }
}

/// Modules of the aggregator, those of its profiles too: a directory, or the name of a pom.
fn members(reading: &mut Reading<'_>, model: &Model) {
    let profiles = model.pom.at(&["profiles"]).into_iter();
    let lists = profiles
        .flat_map(|all| all.all("profile"))
        .chain([&model.pom]);
    let names: Vec<(String, Place)> = lists
        .filter_map(|place| place.child("modules"))
        .flat_map(|modules| modules.all("module"))
        .map(|module| (module.text.clone(), model.place(module)))
        .collect();
    let draft = reading.drafts.project("maven", reading.dir);
    for (name, place) in names {
        let Some(mut dir) = join(reading.dir, &name) else {
            continue;
        };
        if dir.ends_with(".xml") {
            dir = parent(&dir).to_owned();
        }
        if reading.tree.has(&format!("{dir}/pom.xml")) {
            draft.attr("member", dir, place);
        }
    }
}

/// Compiler settings, the strongest first, as properties and as the plugin's configuration.
fn java(reading: &mut Reading<'_>, model: &Model) {
    let configured = |key: &str| model.configured("maven-compiler-plugin", &[key]);
    let property = |key: &str| model.property(key);
    let found = [
        configured("release"),
        property("maven.compiler.release"),
        configured("source"),
        property("maven.compiler.source"),
        configured("target"),
        property("maven.compiler.target"),
        property("java.version"),
        property("jdk.version"),
        property("javaVersion"),
    ];
    let found = found.into_iter().flatten();
    let release = found
        .filter_map(|(text, place)| Some((feature_release(&text)?, place)))
        .next();
    let jdk = ["toolchains", "jdk", "version"];
    let toolchain = model.configured("maven-toolchains-plugin", &jdk);
    let enforced = |rule: &str| {
        let (plugin, path) = model.plugin("maven-enforcer-plugin")?;
        let mut all = plugin.walk().into_iter();
        let version = all.find(|element| element.name == rule)?.child("version")?;
        Some((
            model.resolve(&version.text)?,
            Place::new(path, version.line),
        ))
    };
    let (enforced_java, enforced_maven) = (
        enforced("requireJavaVersion"),
        enforced("requireMavenVersion"),
    );
    let draft = reading.drafts.project("maven", reading.dir);
    if let Some((release, place)) = release {
        draft.tool("java", Some(format!(">={release}")), Trust::Manifest, place);
    }
    if let Some((version, place)) = toolchain {
        draft.tool("java", Some(version), Trust::Manifest, place);
    }
    if let Some((range, place)) = enforced_java {
        draft.tool("java", Some(minimum_range(&range)), Trust::Manifest, place);
    }
    if let Some((range, place)) = enforced_maven {
        draft.tool("maven", Some(minimum_range(&range)), Trust::Manifest, place);
    }
    wrapper_version(
        reading,
        "maven",
        ".mvn/wrapper/maven-wrapper.properties",
        "maven",
    );
}

/// The enforcer reads a bare version as "this or newer"; a range stays as written.
fn minimum_range(range: &str) -> String {
    if range.starts_with(|c: char| c.is_ascii_digit()) {
        format!(">={range}")
    } else {
        range.to_owned()
    }
}

fn languages(reading: &mut Reading<'_>, model: &Model) {
    let tree = reading.tree;
    let draft = reading.drafts.project("maven", reading.dir);
    for (folder, language) in [
        ("java", "Java"),
        ("kotlin", "Kotlin"),
        ("scala", "Scala"),
        ("groovy", "Groovy"),
    ] {
        let dirs = ["main", "test"]
            .iter()
            .filter_map(|kind| join(reading.dir, &format!("src/{kind}/{folder}")));
        if let Some(dir) = dirs.into_iter().find(|dir| tree.has_dir(dir)) {
            draft.attr("language", language, Place::file(dir));
        }
    }
    for (property, tool) in [("kotlin.version", "kotlin"), ("scala.version", "scala")] {
        if let Some((version, place)) = model.property(property) {
            draft.tool(tool, Some(version), Trust::Manifest, place);
        }
    }
}

fn dependencies(reading: &mut Reading<'_>, model: &Model) {
    let list = model.pom.child("dependencies").into_iter();
    let draft = reading.drafts.project("maven", reading.dir);
    for dependency in list.flat_map(|list| list.all("dependency")) {
        let text = |key: &str| dependency.value(key).and_then(|text| model.resolve(text));
        let (Some(group), Some(artifact)) = (text("groupId"), text("artifactId")) else {
            continue;
        };
        let scope = match text("scope").as_deref() {
            Some("test") => Scope::Test,
            Some("provided" | "system") => Scope::Build,
            _ if text("optional").as_deref() == Some("true") => {
                Scope::Optional("optional".to_owned())
            }
            _ => Scope::Runtime,
        };
        let name = format!("{group}:{artifact}");
        let spec = match text("version") {
            Some(version) => format!("{name}:{version}"),
            None => name.clone(),
        };
        draft.package("maven", &name, &spec, scope, model.place(dependency));
    }
}

fn plugins(reading: &mut Reading<'_>, model: &Model) {
    let tree = reading.tree;
    let tests = join(reading.dir, "src/test").filter(|dir| tree.has_dir(dir));
    let draft = reading.drafts.project("maven", reading.dir);
    for plugin in model
        .pom
        .at(&["build", "plugins"])
        .into_iter()
        .flat_map(|all| all.all("plugin"))
    {
        if let Some(artifact) = plugin.child("artifactId") {
            draft.attr("plugin", &artifact.text, model.place(artifact));
        }
    }
    if let Some(dir) = tests {
        draft.suite("surefire", Place::file(dir));
        if let Some((plugin, path)) = model.plugin("maven-failsafe-plugin") {
            draft.suite("failsafe", Place::new(path, plugin.line));
        }
    }
    // The class of another program may be run during the build; the project's own has its source here.
    let own = |class: &str| {
        let path = class.replace('.', "/");
        ["java", "kotlin", "scala"].iter().any(|language| {
            let stem = join(reading.dir, &format!("src/main/{language}/{path}"));
            stem.is_some_and(|stem| {
                [".java", ".kt", ".scala"]
                    .iter()
                    .any(|ending| tree.has(&format!("{stem}{ending}")))
            })
        })
    };
    let main = model
        .pom
        .walk()
        .into_iter()
        .find(|element| element.name == "mainClass");
    if let Some(main) = main.filter(|main| own(&main.text)) {
        draft.entry(&main.text, EntryKind::Command, model.place(main));
    }
}

fn commands(reading: &mut Reading<'_>) {
    let (mvn, wrapper) = launcher(reading, reading.dir, "mvnw", "mvn");
    let draft = reading.drafts.project("maven", reading.dir);
    let place = wrapper.clone().unwrap_or_else(|| Place::file(reading.path));
    if let Some(wrapper) = wrapper {
        draft.attr("wrapper", &wrapper.path, wrapper.clone());
    }
    let plugins: Vec<String> = draft
        .facts
        .all("plugin")
        .iter()
        .map(|attr| attr.value.clone())
        .collect();
    let has = |name: &str| plugins.iter().any(|plugin| plugin == name);
    draft.command(
        "build",
        format!("{mvn} -B -DskipTests package"),
        place.clone(),
    );
    draft.command("test", format!("{mvn} -B verify"), place.clone());
    if has("spring-boot-maven-plugin") && draft.value("packaging") != Some("pom") {
        draft.command("run", format!("{mvn} -B spring-boot:run"), place);
    } else if has("exec-maven-plugin")
        && draft
            .items()
            .iter()
            .any(|item| matches!(item.facts, crate::graph::Facts::EntryPoint { .. }))
    {
        draft.command("run", format!("{mvn} -B exec:java"), place);
    }
}

/// Modules that require each other.
pub fn finish(drafts: &mut Drafts) {
    drafts.link_by_name("maven", "artifact");
}
