//! Scripts and test frameworks: what `build`, `test` and `start` are here.

use crate::evidence::Place;
use crate::graph::Facts;

use super::super::Reading;
use super::super::json_doc::{Doc, Item};
use super::super::tree::{base, join};
use super::lines::{has_words, run_script};

/// Framework, packages that bring it, and how its own runner is called.
const FRAMEWORKS: &[(&str, &[&str], &str)] = &[
    ("vitest", &["vitest"], "vitest run"),
    (
        "jest",
        &["jest", "jest-cli", "ts-jest", "react-scripts"],
        "jest",
    ),
    ("mocha", &["mocha"], "mocha"),
    ("ava", &["ava"], "ava"),
    ("tap", &["tap"], "tap"),
    ("tape", &["tape"], "tape 'test/**/*.js'"),
    ("jasmine", &["jasmine"], "jasmine"),
    ("karma", &["karma"], "karma start --single-run"),
    ("uvu", &["uvu"], "uvu"),
    ("playwright", &["@playwright/test"], "playwright test"),
    ("cypress", &["cypress"], "cypress run"),
];

pub fn read(reading: &mut Reading<'_>, doc: &Doc<'_>) {
    let draft = reading.drafts.project("node", reading.dir);
    let manager = draft.value("package-manager").unwrap_or("npm").to_owned();
    let scripts: Vec<(&str, &str, Place)> = doc
        .get(&["scripts"])
        .into_iter()
        .flat_map(Item::entries)
        .filter_map(|(name, value)| Some((name, value.str()?, value.place())))
        .collect();
    for (name, _, place) in &scripts {
        draft.attr("script", *name, place.clone());
    }
    let script = |names: &[&str]| {
        names.iter().find_map(|wanted| {
            let found = scripts
                .iter()
                .find(|(name, text, _)| name == wanted && !is_placeholder(text))?;
            Some((found.0, found.2.clone()))
        })
    };
    let wanted: [(&str, &[&str]); 3] = [
        ("build", &["build", "compile", "dist", "bundle"]),
        ("test", &["test", "tests", "test:unit", "unit"]),
        ("run", &["start", "serve", "dev"]),
    ];
    for (what, names) in wanted {
        if let Some((name, place)) = script(names) {
            draft.command(what, run_script(&manager, name), place);
        }
    }
    suites(reading, &scripts, &manager);
    start(reading, doc);
}

/// What `npm init` writes where there are no tests.
fn is_placeholder(text: &str) -> bool {
    text.contains("no test specified") || text.trim().is_empty()
}

fn suites(reading: &mut Reading<'_>, scripts: &[(&str, &str, Place)], manager: &str) {
    let typescript = join(reading.dir, "tsconfig.json").filter(|path| reading.tree.has(path));
    let draft = reading.drafts.project("node", reading.dir);
    if let Some(path) = typescript {
        draft.attr("language", "TypeScript", Place::file(path));
    }
    let tests: Vec<&(&str, &str, Place)> = scripts
        .iter()
        .filter(|(name, ..)| name.contains("test") || *name == "unit")
        .collect();
    for (framework, packages, runner) in FRAMEWORKS {
        let script = tests
            .iter()
            .find(|(_, text, _)| has_words(text, &[framework]))
            .map(|(.., place)| place.clone());
        let package = draft.items().iter().find(|item| {
            matches!(item.facts, Facts::Dependency(_)) && packages.contains(&item.name.as_str())
        });
        let package = package.map(|item| item.place.clone());
        let Some(place) = script.clone().or(package) else {
            continue;
        };
        draft.suite(framework, place.clone());
        let exec = match manager {
            "yarn" => "yarn",
            "pnpm" => "pnpm exec",
            "bun" => "bunx",
            _ => "npx",
        };
        draft.command("test", format!("{exec} {runner}"), place);
    }
    let built_in = tests.iter().find(|(_, text, _)| {
        has_words(text, &["node", "--test"]) || has_words(text, &["bun", "test"])
    });
    if let Some((_, text, place)) = built_in {
        let framework = if text.contains("--test") {
            "node-test"
        } else {
            "bun"
        };
        draft.suite(framework, place.clone());
    }
}

/// `npm start` runs `server.js` where no script says otherwise (npm manual); a command of the package runs by node.
fn start(reading: &mut Reading<'_>, doc: &Doc<'_>) {
    let server = join(reading.dir, "server.js").filter(|path| reading.tree.has(path));
    let bin = doc.get(&["bin"]).and_then(|bin| {
        let first = bin.entries().next().map(|(_, value)| value).unwrap_or(bin);
        Some((first.str()?.to_owned(), first.place()))
    });
    let tree = reading.tree;
    let bin = bin.filter(|(path, _)| {
        // A command that the build writes is run by its name once installed.
        join(reading.dir, path).is_some_and(|path| tree.has(&path))
    });
    let draft = reading.drafts.project("node", reading.dir);
    if let Some((path, place)) = bin {
        if let Ok(word) = shlex::try_quote(path.trim_start_matches("./")) {
            draft.command("run", format!("node {word}"), place);
        }
    } else if let Some(path) = server {
        draft.command("run", format!("node {}", base(&path)), Place::file(&path));
    }
}
