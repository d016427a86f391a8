//! Manifests that only fetch tools for the people who work on the repository: a `package.json` with husky and
//! prettier beside a crate, a `Gemfile` for a site of documentation.
//!
//! The rule: a manifest makes a project where it says that something is made or run (a product: a name to publish, a
//! main file, a command, workspaces, a build script) *or* sources of its language stand below it. Beside or below a
//! project of another ecosystem, which may well keep helpers, it takes both; so it does below one of its own, unless that
//! one's workspace lists it. Sources are files of the language outside of auxiliary
//! directories, of nested projects and of tools' configuration.

use super::drafts::Drafts;
use super::tree::{Tree, base, is_auxiliary, parent, relative};

/// Ecosystems whose tools are used as helpers, with the endings of their sources.
const HELPERS: &[(&str, &[&str])] = &[
    (
        "node",
        &[
            "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte", "coffee",
            "astro",
        ],
    ),
    ("ruby", &["rb", "ru", "rake"]),
    ("php", &["php"]),
];

pub fn drop(tree: &Tree<'_>, drafts: &mut Drafts) {
    for (ecosystem, endings) in HELPERS {
        for dir in drafts.dirs(ecosystem) {
            if !is_project(tree, drafts, ecosystem, &dir, endings) {
                drafts.remove(ecosystem, &dir);
            }
        }
    }
}

/// Ecosystems whose projects keep a makefile as a front for their own tool, or for the native part that the tool builds.
const FRONTED: &[&str] = &[
    "go", "ruby", "php", "elixir", "erlang", "haskell", "ocaml", "maven", "gradle", "sbt",
    "dotnet", "r", "julia", "dart", "perl",
];

/// Makefiles beside such a project are no build of their own; their targets stay as tasks.
pub fn drop_fronts(drafts: &mut Drafts) {
    for dir in drafts.dirs("make") {
        let fronted = FRONTED
            .iter()
            .filter_map(|name| drafts.get(name, &dir))
            .any(|draft| draft.product);
        if fronted {
            drafts.remove("make", &dir);
        }
    }
}

fn is_project(
    tree: &Tree<'_>,
    drafts: &Drafts,
    ecosystem: &str,
    dir: &str,
    endings: &[&str],
) -> bool {
    let product = drafts
        .get(ecosystem, dir)
        .is_some_and(|draft| draft.product);
    let listed = drafts.workspace_of(ecosystem, dir).is_some();
    let below = !listed && !dir.is_empty() && drafts.nearest(ecosystem, parent(dir)).is_some();
    let guest = below
        || drafts.all().any(|other| {
            let helper = HELPERS
                .iter()
                .any(|(name, _)| *name == other.facts.ecosystem);
            other.facts.ecosystem != ecosystem
            // The same sources, for another runtime.
            && other.facts.ecosystem != "deno"
            && (!helper || other.product)
            && relative(dir, &other.facts.dir).is_some()
        });
    let sources = has_sources(tree, drafts, ecosystem, dir, endings);
    if guest {
        product && sources
    } else {
        product || sources
    }
}

fn has_sources(
    tree: &Tree<'_>,
    drafts: &Drafts,
    ecosystem: &str,
    dir: &str,
    endings: &[&str],
) -> bool {
    tree.below(dir).any(|entry| {
        let name = base(&entry.path);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let inside = relative(parent(&entry.path), dir).unwrap_or_default();
        endings.contains(&ending)
            && !entry.vendored
            && !is_configuration(name)
            && !is_auxiliary(inside)
            && drafts.nearest(ecosystem, parent(&entry.path)).as_deref() == Some(dir)
    })
}

/// `.eslintrc.cjs`, `vite.config.ts`, `gulpfile.js`, `Gruntfile.js`.
fn is_configuration(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    name.starts_with('.')
        || name.contains(".config.")
        || name.contains(".conf.")
        || stem.to_ascii_lowercase().ends_with("file")
}

#[cfg(test)]
mod tests {
    use super::super::testing::repo;

    fn projects(files: &[(&str, &str)]) -> Vec<String> {
        let graph = repo(files);
        let mut all: Vec<String> = graph
            .projects()
            .map(|(_, facts)| format!("{}:{}", facts.ecosystem, facts.dir))
            .collect();
        all.sort();
        all
    }

    const CRATE: (&str, &str) = ("Cargo.toml", "[package]\nname = \"a\"\n");
    const TOOLS: &str =
        r#"{"private": true, "scripts": {"prepare": "husky"}, "devDependencies": {"husky": "9"}}"#;
    const APP: &str =
        r#"{"name": "a", "scripts": {"build": "vite build"}, "dependencies": {"vue": "3"}}"#;

    #[test]
    fn tools_beside_another_ecosystem_are_no_project() {
        assert_eq!(projects(&[CRATE, ("package.json", TOOLS)]), ["cargo:"]);
        assert_eq!(
            projects(&[
                CRATE,
                ("package.json", TOOLS),
                ("commitlint.config.js", ""),
                (".x.js", "")
            ]),
            ["cargo:"]
        );
        assert_eq!(
            projects(&[CRATE, ("package.json", APP), ("web/app.js", "")]),
            ["cargo:", "node:"]
        );
        let make = ("Makefile", "test:\n\tgo test ./...\n");
        assert_eq!(
            projects(&[("go.mod", "module a\n"), make, ("a.c", "")]),
            ["go:"]
        );
        assert_eq!(projects(&[make, ("a.c", "")]), ["make:"]);
        assert_eq!(
            projects(&[CRATE, ("Gemfile", "gem 'jekyll'\n"), ("_config.yml", "")]),
            ["cargo:"]
        );
    }

    #[test]
    fn alone_a_product_or_sources_are_enough() {
        assert_eq!(
            projects(&[("package.json", TOOLS), ("lib/a.js", "")]),
            ["node:"]
        );
        assert_eq!(projects(&[("package.json", TOOLS)]), Vec::<String>::new());
        assert_eq!(projects(&[("package.json", APP)]), ["node:"]);
        assert_eq!(
            projects(&[("package.json", r#"{"type": "module"}"#), ("a.js", "")]),
            Vec::<String>::new()
        );
    }
}
