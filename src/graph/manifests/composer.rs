//! `composer.json` and `composer.lock` (Composer's schema).
//!
//! Attributes of a `php` project, besides those that all ecosystems share (see `mod.rs`):
//! - `extension`: name of an extension that is required (`mbstring` of `ext-mbstring`)
//! - `script`: name of a script
//!
//! Tool `php`: `require.php` (`Manifest`), `config.platform.php` (`Lock`).

use crate::evidence::{Place, Trust};
use crate::graph::{EntryKind, Facts, Scope};
use crate::packages::Capability;

use super::drafts::{Draft, Drafts};
use super::json_doc::{Doc, Item};
use super::tree::{base, join};
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "composer",
    matches: |path| base(path) == "composer.json",
    read,
};

/// Extensions that every build of PHP has, or that Debian's `php-cli` and `php-common` carry.
const STANDARD: &[&str] = &[
    "calendar",
    "ctype",
    "date",
    "exif",
    "fileinfo",
    "filter",
    "ftp",
    "gettext",
    "hash",
    "iconv",
    "json",
    "libxml",
    "opcache",
    "openssl",
    "pcntl",
    "pcre",
    "pdo",
    "phar",
    "posix",
    "random",
    "readline",
    "reflection",
    "session",
    "shmop",
    "sockets",
    "sodium",
    "spl",
    "standard",
    "sysvmsg",
    "sysvsem",
    "sysvshm",
    "tokenizer",
    "zlib",
];

/// Extensions that another package than their own name's carries.
const CARRIED: &[(&str, &str)] = &[
    ("dom", "xml"),
    ("simplexml", "xml"),
    ("xmlreader", "xml"),
    ("xmlwriter", "xml"),
    ("xsl", "xml"),
    ("mysqli", "mysql"),
    ("mysqlnd", "mysql"),
    ("pdo_mysql", "mysql"),
    ("pdo_pgsql", "pgsql"),
    ("pdo_sqlite", "sqlite3"),
    ("pdo_odbc", "odbc"),
];

/// Test runners by their package.
const RUNNERS: &[(&str, &str, &str)] = &[
    ("pestphp/pest", "pest", "vendor/bin/pest"),
    ("phpunit/phpunit", "phpunit", "vendor/bin/phpunit"),
    (
        "symfony/phpunit-bridge",
        "phpunit",
        "vendor/bin/simple-phpunit",
    ),
    (
        "codeception/codeception",
        "codeception",
        "vendor/bin/codecept run",
    ),
    ("behat/behat", "behat", "vendor/bin/behat"),
    ("phpspec/phpspec", "phpspec", "vendor/bin/phpspec run"),
    ("nette/tester", "tester", "vendor/bin/tester tests"),
    ("atoum/atoum", "atoum", "vendor/bin/atoum"),
];

fn read(reading: &mut Reading<'_>) {
    let doc = Doc::parse(reading.text, reading.path);
    if !doc.is_object() {
        return reading.drafts.manifest_only(reading.path, reading.format);
    }
    let draft = reading.drafts.project("php", reading.dir);
    draft.manifest(reading.path, reading.format);
    if let Some(name) = doc.get(&["name"])
        && let Some(text) = name.str()
    {
        draft.attr("package", text, name.place());
        draft.name(text, &name.place());
    }
    draft.product = ["autoload", "bin", "type"]
        .iter()
        .any(|key| doc.get(&[key]).is_some());
    requirements(draft, &doc);
    paths(draft, &doc);
    if let Some(php) = doc.get(&["config", "platform", "php"])
        && let Some(version) = php.text()
    {
        draft.tool("php", Some(version.to_owned()), Trust::Lock, php.place());
    }
    for (command, place) in doc.get(&["bin"]).into_iter().flat_map(Item::strings) {
        draft.entry(base(command), EntryKind::Command, place);
    }
    commands(reading, &doc);
}

fn requirements(draft: &mut Draft, doc: &Doc<'_>) {
    for (key, scope) in [("require", Scope::Runtime), ("require-dev", Scope::Dev)] {
        for (name, value) in doc.get(&[key]).into_iter().flat_map(Item::entries) {
            let version = value.str().unwrap_or("*");
            let name = name.to_ascii_lowercase();
            if matches!(name.as_str(), "php" | "php-64bit") {
                draft.tool(
                    "php",
                    Some(version.to_owned()),
                    Trust::Manifest,
                    value.place(),
                );
            } else if let Some(extension) = name.strip_prefix("ext-") {
                draft.attr("extension", extension, value.place());
                system(draft, extension, &scope, value.place());
            } else if let Some(library) = name.strip_prefix("lib-") {
                draft.attr("library", library, value.place());
            } else if name.contains('/') {
                draft.product |= key == "require";
                let spec = format!("{name}:{version}");
                draft.package("composer", &name, &spec, scope.clone(), value.place());
            }
        }
    }
}

/// Debian names an extension's package `php-<extension>`.
fn system(draft: &mut Draft, extension: &str, scope: &Scope, place: Place) {
    let plain = extension
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_');
    if STANDARD.contains(&extension) || !plain {
        return;
    }
    let carried = CARRIED.iter().find(|(name, _)| *name == extension);
    let package = carried
        .map_or(extension, |(_, package)| package)
        .replace('_', "-");
    let needed = Capability::Package(format!("php-{package}"));
    draft.system(needed, scope.clone(), true, place);
}

/// Repositories of type `path` are other packages of the checkout.
fn paths(draft: &mut Draft, doc: &Doc<'_>) {
    let Some(repositories) = doc.get(&["repositories"]) else {
        return;
    };
    let named = repositories.entries().map(|(_, value)| value);
    for entry in repositories.array().chain(named) {
        if entry.get("type").and_then(Item::str) == Some("path")
            && let Some(url) = entry.get("url")
            && let Some(dir) = url.str()
        {
            draft.attr("path-repository", dir, url.place());
        }
    }
}

fn commands(reading: &mut Reading<'_>, doc: &Doc<'_>) {
    let tree = reading.tree;
    let has = |name: &str| join(reading.dir, name).filter(|path| tree.has(path));
    let place = Place::file(reading.path);
    let (lock, artisan, console) = (has("composer.lock"), has("artisan"), has("bin/console"));
    let config = has("phpunit.xml").or_else(|| has("phpunit.xml.dist"));
    let draft = reading.drafts.project("php", reading.dir);
    if let Some(lock) = &lock {
        draft.attr("lock", lock, Place::file(lock));
        draft.manifest(lock, reading.format);
    }
    draft.command(
        "install",
        "composer install",
        lock.map_or(place.clone(), Place::file),
    );
    for (name, value) in doc.get(&["scripts"]).into_iter().flat_map(Item::entries) {
        draft.attr("script", name, value.place());
        if matches!(name, "test" | "tests" | "phpunit" | "test:unit" | "unit") {
            draft.command("test", format!("composer {name}"), value.place());
        }
    }
    for (package, framework, command) in RUNNERS {
        let found = draft
            .items()
            .iter()
            .find(|item| item.name == *package && matches!(item.facts, Facts::Dependency(_)));
        if let Some(place) = found.map(|item| item.place.clone()) {
            draft.suite(framework, place.clone());
            draft.command("test", *command, place);
        }
    }
    if let Some(config) = config {
        draft.suite("phpunit", Place::file(&config));
        draft.command("test", "vendor/bin/phpunit", Place::file(config));
    }
    if let Some(path) = artisan {
        draft.command("run", "php artisan serve", Place::file(path));
    } else if let Some(path) = console {
        draft.command("run", "php bin/console", Place::file(path));
    }
}

/// `path` repositories with a pattern, and which of their packages are required.
pub fn finish(drafts: &mut Drafts) {
    let known: Vec<(String, String)> = drafts
        .of("php")
        .filter_map(|draft| Some((draft.value("package")?.to_owned(), draft.facts.dir.clone())))
        .take(1000)
        .collect();
    for dir in drafts.dirs("php") {
        let draft = drafts.project("php", &dir);
        if !draft.has_attr("path-repository") {
            continue;
        }
        let wanted: Vec<&String> = known
            .iter()
            .filter(|(name, _)| draft.items().iter().any(|item| item.name == *name))
            .map(|(_, to)| to)
            .collect();
        wanted.into_iter().for_each(|to| draft.need(to));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn a_library_with_extensions() {
        let graph = repo(&[
            (
                "composer.json",
                "{\"name\": \"a/b\", \"type\": \"library\",\n\"require\": {\"php\": \"^8.1\", \"ext-mbstring\": \"*\", \"ext-pdo_mysql\": \"*\", \"ext-json\": \"*\", \"c/d\": \"^1\"},\n\"require-dev\": {\"phpunit/phpunit\": \"^10\"},\n\"repositories\": [{\"type\": \"path\", \"url\": \"packages/*\"}],\n\"bin\": [\"bin/tool\"], \"scripts\": {\"test\": [\"@lint\", \"phpunit\"]}}",
            ),
            ("composer.lock", "{}"),
            ("packages/d/src/D.php", "<?php"),
            (
                "packages/d/composer.json",
                "{\"name\": \"c/d\", \"autoload\": {}}",
            ),
        ]);
        insta::assert_snapshot!(summary(&graph), @r#"
        php "" a/b (composer.json:1)
          extension = mbstring (composer.json:2)
          extension = pdo_mysql (composer.json:2)
          extension = json (composer.json:2)
          install-command = composer install (composer.lock)
          lock = composer.lock (composer.lock)
          package = a/b (composer.json:1)
          path-repository = packages/* (composer.json:4)
          script = test (composer.json:5)
          test-command = composer test (composer.json:5)
          tool php ^8.1 Manifest (composer.json:2)
          system pkg:php-mbstring [runtime] (composer.json:2)
          system pkg:php-mysql [runtime] (composer.json:2)
          composer c/d:^1 [runtime] (composer.json:2)
          composer phpunit/phpunit:^10 [dev] (composer.json:3)
          project php "packages/d" (packages/d/composer.json:1)
          entry Command tool (composer.json:5)
          suite phpunit (composer.json:3)
        php "packages/d" c/d (packages/d/composer.json:1)
          install-command = composer install (packages/d/composer.json)
          package = c/d (packages/d/composer.json:1)
        "#);
    }

    #[test]
    fn hostile_manifests_are_survived() {
        for text in [
            "{",
            "[]",
            "{\"require\": [1], \"repositories\": {\"x\": 1}, \"bin\": {}, \"name\": []}",
        ] {
            repo(&[("composer.json", text)]);
        }
    }
}
