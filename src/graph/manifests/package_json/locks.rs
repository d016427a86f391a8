//! Which package manager, by `packageManager`, the lock file or the workspace, and how it installs.

use crate::evidence::{Place, Trust};
use crate::graph::Attr;

use super::super::Reading;
use super::super::json_doc::{Doc, Item};
use super::super::tree::join;

/// Lock files and who writes them. npm's stands last: it is the one that is left behind by accident.
const LOCKS: &[(&str, &str)] = &[
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("npm-shrinkwrap.json", "npm"),
    ("package-lock.json", "npm"),
];

pub fn read(reading: &mut Reading<'_>, doc: &Doc<'_>, inherited: Option<Attr>) {
    let declared = declared(reading, doc);
    let mut locks: Vec<(String, &str)> = LOCKS
        .iter()
        .filter_map(|(file, manager)| Some((join(reading.dir, file)?, *manager)))
        .filter(|(path, _)| reading.tree.has(path))
        .collect();
    // A member of a workspace is locked by its root.
    if inherited.is_some() {
        locks.clear();
    }
    let (manager, place) = match (declared, inherited, locks.first()) {
        (Some(found), ..) => found,
        (None, Some(attr), _) => (attr.value, attr.place),
        (None, None, Some((path, manager))) => ((*manager).to_owned(), Place::file(path)),
        (None, None, None) => ("npm".to_owned(), Place::file(reading.path)),
    };
    let draft = reading.drafts.project("node", reading.dir);
    draft.attr("package-manager", &manager, place);
    for (path, _) in &locks {
        draft.attr("lock", path, Place::file(path));
        draft.manifest(path, reading.format);
    }
    if draft.has_attr("workspace-root") {
        return;
    }
    let lock = locks.into_iter().find(|(_, by)| *by == manager);
    let lock = lock.map(|(path, _)| path);
    install(reading, &manager, lock);
}

/// `packageManager`: `pnpm@8.6.0+sha512.…` (Corepack).
fn declared(reading: &mut Reading<'_>, doc: &Doc<'_>) -> Option<(String, Place)> {
    let field = doc.get(&["packageManager"])?;
    let (name, version) = field.str()?.split_once('@')?;
    if !["npm", "yarn", "pnpm", "bun"].contains(&name) {
        return None;
    }
    let version = version.split('+').next().unwrap_or(version).to_owned();
    let draft = reading.drafts.project("node", reading.dir);
    draft.tool(name, Some(version), Trust::Lock, field.place());
    Some((name.to_owned(), field.place()))
}

fn install(reading: &mut Reading<'_>, manager: &str, lock: Option<String>) {
    let text = lock.as_ref().and_then(|path| reading.tree.read(path));
    let text = text.unwrap_or_default();
    let locked = lock.is_some();
    let place = Place::file(lock.clone().unwrap_or_else(|| reading.path.to_owned()));
    let draft = reading.drafts.project("node", reading.dir);
    let command = match manager {
        "yarn" => {
            let pinned = draft.items().iter().any(|item| {
                item.name == "yarn"
                    && matches!(&item.facts, crate::graph::Facts::Tool { requirement: Some(version), .. }
                        if !version.starts_with('1') && !version.starts_with(['^', '>', '<', '~', '*']))
            });
            let berry = text
                .lines()
                .take(20)
                .any(|line| line.starts_with("__metadata:"))
                || (text.is_empty() && pinned);
            draft.attr(
                "yarn",
                if berry { "berry" } else { "classic" },
                place.clone(),
            );
            match (locked, berry) {
                (false, _) => "yarn install",
                (true, true) => "yarn install --immutable",
                (true, false) => "yarn install --frozen-lockfile",
            }
        }
        "pnpm" if locked => "pnpm install --frozen-lockfile",
        "pnpm" => "pnpm install",
        "bun" if locked => "bun install --frozen-lockfile",
        "bun" => "bun install",
        _ if locked => "npm ci",
        _ => "npm install",
    };
    draft.command("install", command, place);
    if let Some(path) = lock.filter(|_| manager == "npm") {
        install_scripts(reading, &path, &text);
    }
}

/// Locked packages that run a script when they are installed, which is where addons are compiled.
fn install_scripts(reading: &mut Reading<'_>, path: &str, text: &str) {
    let doc = Doc::parse(text, path);
    let draft = reading.drafts.project("node", reading.dir);
    for (key, value) in doc.get(&["packages"]).into_iter().flat_map(Item::entries) {
        if value.get("hasInstallScript").and_then(Item::bool) == Some(true)
            && let Some((_, name)) = key.rsplit_once("node_modules/")
        {
            draft.attr("install-script", name, value.place());
        }
    }
}
