//! What the first lines of Go files say: main packages, tests, and what cgo needs (`cmd/cgo`, "Using cgo with the go
//! command"). The text before `import "C"` is C.

use std::sync::LazyLock;

use rayon::prelude::*;
use regex::Regex;

use crate::evidence::Place;
use crate::graph::{EntryKind, Scope};
use crate::packages::Capability;

use super::super::Reading;
use super::super::tree::{base, is_auxiliary, join, parent, relative};

/// Files of one module that are looked at, and bytes of each: imports stand at the top.
const MAX_FILES: usize = 20_000;
const MAX_HEAD: usize = 16 * 1024;

static MAIN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^package\s+main\b").expect("a literal pattern"));
static IMPORT_C: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?m)^\s*(import\s+)?"C"\s*$"#).expect("a literal pattern"));
static CGO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"#cgo\s+(?:([^:\n]*?)\s+)?(pkg-config|LDFLAGS):\s*([^\n]*)")
        .expect("a literal pattern")
});
static INCLUDE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*#\s*include\s+<([^>\n]+)>").expect("a literal pattern"));

/// Systems whose files are not built on Linux.
const OTHERS: &[&str] = &[
    "windows",
    "darwin",
    "freebsd",
    "netbsd",
    "openbsd",
    "dragonfly",
    "solaris",
    "aix",
    "plan9",
    "js",
    "android",
    "ios",
    "wasip1",
];

#[derive(Default)]
struct Seen {
    path: String,
    main: bool,
    test: bool,
    cgo: Option<String>,
}

pub fn read(reading: &mut Reading<'_>) {
    let (tree, dir) = (reading.tree, reading.dir);
    let modules: Vec<&str> = tree
        .below(dir)
        .filter(|entry| base(&entry.path) == "go.mod" && parent(&entry.path) != dir)
        .map(|entry| parent(&entry.path))
        .collect();
    let files: Vec<&str> = tree
        .below(dir)
        .filter(|entry| entry.path.ends_with(".go") && !entry.vendored)
        .map(|entry| entry.path.as_str())
        .filter(|path| {
            !modules
                .iter()
                .any(|module| relative(path, module).is_some())
        })
        .take(MAX_FILES)
        .collect();
    let seen: Vec<Seen> = files
        .par_iter()
        .filter_map(|path| look(&tree.read_head(path, MAX_HEAD)?, path))
        .collect();
    mains(reading, &seen);
    if let Some(test) = seen.iter().find(|seen| seen.test) {
        let draft = reading.drafts.project("go", reading.dir);
        draft.suite("go", Place::file(&test.path));
    }
    for file in &seen {
        if let Some(head) = &file.cgo {
            cgo(reading, &file.path, head);
        }
    }
}

fn look(head: &str, path: &str) -> Option<Seen> {
    let stem = base(path).strip_suffix(".go")?;
    let ignored = head
        .lines()
        .take(30)
        .any(|line| line.starts_with("//go:build ignore") || line.starts_with("// +build ignore"));
    let test = stem.ends_with("_test");
    // A tool's own program (`//go:build mage`, `tools`) is not what the module is for.
    let tagged = head.lines().take(30).any(|line| {
        (line.starts_with("//go:build ") || line.starts_with("// +build ")) && needs_tag(line)
    });
    let foreign = stem.split('_').skip(1).any(|part| OTHERS.contains(&part));
    Some(Seen {
        path: path.to_owned(),
        main: !ignored && !tagged && !test && !foreign && MAIN.is_match(head),
        test,
        cgo: (!ignored && IMPORT_C.is_match(head)).then(|| head.to_owned()),
    })
}

/// Main packages: the module's root and those below `cmd/` first, which is what is installed.
fn mains(reading: &mut Reading<'_>, seen: &[Seen]) {
    let module = reading.drafts.project("go", reading.dir);
    let name = module.value("module").unwrap_or_default().to_owned();
    let mut dirs: Vec<(&str, &str)> = seen
        .iter()
        .filter(|seen| seen.main)
        .map(|seen| {
            (
                relative(parent(&seen.path), reading.dir).unwrap_or_default(),
                seen.path.as_str(),
            )
        })
        .filter(|(dir, _)| {
            !is_auxiliary(dir)
                && !dir
                    .split('/')
                    .any(|part| part == "internal" || part == "hack")
        })
        .collect();
    // A module's last element may be a major version, which names nothing.
    let last = name.rsplit('/').find(|part| {
        !part
            .strip_prefix('v')
            .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
    });
    let own = format!("cmd/{}", last.unwrap_or_default());
    let rank = |dir: &str| {
        (
            !dir.is_empty(),
            // `cmd/task` of a module `task` is what it is for.
            dir != own,
            !dir.starts_with("cmd/"),
            dir.matches('/').count(),
        )
    };
    dirs.sort_by(|a, b| rank(a.0).cmp(&rank(b.0)).then(a.cmp(b)));
    dirs.dedup_by_key(|(dir, _)| *dir);
    let draft = reading.drafts.project("go", reading.dir);
    // Others are helpers of the build where there is one to install.
    let installed = |dir: &str| dir.is_empty() || dir == "cmd" || dir.starts_with("cmd/");
    let some = dirs.iter().any(|(dir, _)| installed(dir));
    for (dir, path) in &dirs {
        let command = if dir.is_empty() {
            last.unwrap_or_default()
        } else {
            base(dir)
        };
        let place = Place::file(*path);
        draft.attr(
            "main",
            if dir.is_empty() { "." } else { dir },
            place.clone(),
        );
        if installed(dir) || !some {
            draft.entry(command, EntryKind::Command, place);
        }
    }
    if let Some((dir, path)) = dirs.first() {
        let package = if dir.is_empty() {
            ".".to_owned()
        } else {
            format!("./{dir}")
        };
        if let Ok(word) = shlex::try_quote(&package) {
            draft.command("run", format!("go run {word}"), Place::file(*path));
        }
    }
}

fn cgo(reading: &mut Reading<'_>, path: &str, head: &str) {
    let dir = reading.dir;
    let scope = scope_of(dir, path, head);
    let required = scope == Scope::Build;
    let line = |at: usize| {
        let before = head.get(..at).unwrap_or_default();
        Place::new(path, 1 + before.matches('\n').count() as u32)
    };
    let preamble = IMPORT_C.find(head).map_or(0, |found| found.start());
    let draft = reading.drafts.project("go", dir);
    if required {
        draft.attr("cgo", path, line(preamble));
        draft.attr("language", "C", line(preamble));
    }
    for found in CGO.captures_iter(head) {
        let part = |at: usize| found.get(at).map_or("", |part| part.as_str());
        let condition = part(1);
        if !condition.is_empty()
            && !condition.contains("linux")
            && !condition.starts_with('!')
            && is_foreign(condition)
        {
            continue;
        }
        let place = line(found.get(0).map_or(0, |all| all.start()));
        for word in part(3)
            .split_whitespace()
            .map(|word| word.trim_end_matches(['"', '*', '/']))
        {
            let Some(needed) = capability(part(2), word) else {
                continue;
            };
            if matches!(needed, Capability::PkgConfig(_)) && required {
                let tool = Capability::Command("pkg-config".to_owned());
                draft.system(tool, Scope::Build, true, place.clone());
            }
            draft.system(needed, scope.clone(), required, place.clone());
        }
    }
    let text = head.get(..preamble).unwrap_or_default();
    headers(reading, path, text, &scope);
}

/// A file for another system, an example, a test, or one behind a tag that nothing sets, is not needed to build.
fn scope_of(dir: &str, path: &str, head: &str) -> Scope {
    let stem = base(path).trim_end_matches(".go");
    let foreign = stem.split('_').skip(1).any(|part| OTHERS.contains(&part));
    let auxiliary = is_auxiliary(relative(parent(path), dir).unwrap_or_default());
    let tagged = head
        .lines()
        .take(40)
        .find(|line| line.starts_with("//go:build ") || line.starts_with("// +build "));
    match (tagged, foreign || auxiliary || stem.ends_with("_test")) {
        (_, true) => Scope::Optional(base(path).to_owned()),
        (Some(tag), _) if needs_tag(tag) => Scope::Optional(tag.to_owned()),
        _ => Scope::Build,
    }
}

/// A word of `#cgo pkg-config:` or `#cgo LDFLAGS:`.
fn capability(directive: &str, word: &str) -> Option<Capability> {
    if directive == "pkg-config" {
        let module = !word.starts_with('-') && !word.is_empty();
        return module.then(|| Capability::PkgConfig(word.to_owned()));
    }
    let name = word.strip_prefix("-l")?;
    let linked = !name.is_empty() && !STANDARD.contains(&name);
    linked.then(|| Capability::Library(name.to_owned()))
}

/// Headers that the C text before the import includes.
fn headers(reading: &mut Reading<'_>, path: &str, text: &str, scope: &Scope) {
    let draft = reading.drafts.project("go", reading.dir);
    for found in INCLUDE.captures_iter(text) {
        let Some(name) = found.get(1) else { continue };
        let own = join(parent(path), name.as_str()).is_some_and(|path| reading.tree.has(&path));
        if own || LIBC.contains(&name.as_str()) {
            continue;
        }
        // Between `#if` and `#endif` it is for one of several cases.
        let before = text.get(..name.start()).unwrap_or_default();
        let count = |word: &str| {
            let lines = before.lines().map(str::trim_start);
            lines.filter(|line| line.starts_with(word)).count()
        };
        let scope = if count("#if") > count("#endif") {
            Scope::Optional("#if".to_owned())
        } else {
            scope.clone()
        };
        let required = scope == Scope::Build;
        let place = Place::new(path, 1 + before.matches('\n').count() as u32);
        let needed = Capability::Header(name.as_str().to_owned());
        draft.system(needed, scope, required, place);
    }
}

/// Libraries and headers of the C library itself.
const STANDARD: &[&str] = &[
    "m", "c", "dl", "pthread", "rt", "util", "stdc++", "gcc_s", "resolv",
];
const LIBC: &[&str] = &[
    "stdio.h",
    "stdlib.h",
    "string.h",
    "stdint.h",
    "stdbool.h",
    "errno.h",
    "unistd.h",
    "math.h",
    "stddef.h",
    "sys/types.h",
    "sys/socket.h",
    "sys/stat.h",
    "pthread.h",
    "time.h",
    "fcntl.h",
    "limits.h",
    "signal.h",
    "dlfcn.h",
    "inttypes.h",
    "ctype.h",
    "assert.h",
    "stdarg.h",
    "sys/mman.h",
    "sys/ioctl.h",
    "locale.h",
    "float.h",
];

fn is_foreign(condition: &str) -> bool {
    condition
        .split([' ', ','])
        .any(|part| OTHERS.contains(&part))
}

/// A build tag that nothing sets by itself.
fn needs_tag(line: &str) -> bool {
    let expression = line
        .trim_start_matches("//go:build ")
        .trim_start_matches("// +build ");
    const KNOWN: &[&str] = &["linux", "unix", "cgo", "amd64", "arm64", "gc", "go1"];
    let mut terms = expression
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '!')))
        .filter(|term| !term.is_empty() && !term.starts_with('!'))
        .peekable();
    let any = terms.peek().is_some();
    let mut unknown = false;
    for term in terms {
        if KNOWN.contains(&term) || term.starts_with("go1.") {
            if expression.contains("||") {
                return false;
            }
        } else {
            unknown = true;
        }
    }
    any && unknown
}
