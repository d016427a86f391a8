//! Which files a command writes or removes, from its arguments.

use super::facts::Call;
use super::knowledge::{is_in, knowledge};
use super::rules::Repository;
use super::words::{base_name, resolve};

/// Files that a call writes or removes: path, verb, and whether the contents are the script's own.
pub fn targets(call: &Call, repository: &Repository<'_>) -> Vec<(String, &'static str, bool)> {
    let Some((program, arguments)) = call.argv.split_first() else {
        return Vec::new();
    };
    let here = |path: &str| resolve(&call.cwd, path);
    let plain = || {
        arguments
            .iter()
            .filter(|a| !a.starts_with('-'))
            .map(|a| here(a))
    };
    let has = |flag: &str| arguments.iter().any(|a| a.starts_with(flag));
    match base_name(program) {
        "tee" => plain().map(|p| (p, "writes", true)).collect(),
        "truncate" | "ed" | "ex" => plain().map(|p| (p, "alters", true)).collect(),
        "sed" if has("-i") || has("--in-place") || arguments.iter().any(|a| is_cluster(a, 'i')) => {
            plain().map(|p| (p, "alters", true)).collect()
        }
        "perl" | "ruby" if arguments.iter().any(|a| is_cluster(a, 'i')) => {
            plain().map(|p| (p, "alters", true)).collect()
        }
        "rm" | "unlink" | "shred" => plain().map(|p| (p, "removes", false)).collect(),
        "cp" | "mv" | "install" | "ln" | "rsync" | "link" => copies(call, arguments, repository),
        "dd" => arguments
            .iter()
            .filter_map(|a| a.strip_prefix("of="))
            .map(|p| (here(p), "writes", false))
            .collect(),
        "curl" | "wget" => {
            let after = arguments.windows(2).filter(|w| {
                w.first().is_some_and(|f| {
                    matches!(f.as_str(), "-o" | "-O" | "--output" | "--output-document")
                })
            });
            after
                .filter_map(|w| w.get(1))
                .filter(|p| !p.contains("://"))
                .map(|p| (here(p), "downloads", true))
                .collect()
        }
        "chmod" => plain()
            .skip(1)
            .filter(|path| {
                repository.tracked(path).is_none() && repository.is_program(base_name(path))
            })
            .map(|path| (path, "makes executable", true))
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether `argument` is a cluster of short flags that holds `flag`.
pub fn is_cluster(argument: &str, flag: char) -> bool {
    argument.starts_with('-')
        && !argument.starts_with("--")
        && argument.len() <= 4
        && argument.contains(flag)
}

/// Destinations of `cp`, `mv`, `install` and `ln`, and what `mv` takes away.
fn copies(
    call: &Call,
    arguments: &[String],
    repository: &Repository<'_>,
) -> Vec<(String, &'static str, bool)> {
    let option = |short: &str, long: &str| {
        let after = arguments
            .windows(2)
            .find(|w| w.first().is_some_and(|a| a == short))
            .and_then(|w| w.get(1).cloned());
        after.or_else(|| {
            arguments
                .iter()
                .find_map(|a| a.strip_prefix(long).map(str::to_owned))
        })
    };
    let into = option("-t", "--target-directory=");
    let mode = option("-m", "--mode=");
    let mut plain: Vec<&String> = arguments
        .iter()
        .filter(|a| !a.starts_with('-') && Some(*a) != into.as_ref() && Some(*a) != mode.as_ref())
        .collect();
    let Some(target) = into.clone().or_else(|| {
        if plain.len() > 1 {
            plain.pop().cloned()
        } else {
            Some(".".to_owned())
        }
    }) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for source in &plain {
        let path = resolve(&call.cwd, &target);
        let inside = resolve(&call.cwd, &format!("{target}/{}", base_name(source)));
        let is_dir = into.is_some()
            || target.ends_with('/')
            || path.is_empty()
            || base_name(&target) == "."
            || plain.len() > 1
            || (!repository.tracked.contains(path.as_str()) && repository.tracked(&path).is_some())
            || is_in(&knowledge().names.program_dirs, base_name(&path));
        let path = if is_dir { inside } else { path };
        let fake = repository.is_program(base_name(&path)) || in_program_dir(&path);
        all.push((
            path.clone(),
            "writes",
            fake && !is_same_tool(source, base_name(&path)),
        ));
        if call.argv.first().is_some_and(|p| base_name(p) == "mv") {
            all.push((resolve(&call.cwd, source), "removes", false));
        }
    }
    all
}

/// Whether `source` is the real program that `name` stands for: `/usr/bin/python3` for `python`, `/usr/bin/clang-15`
/// for `clang`, `../uv/bin/uv` for `uv`.
fn is_same_tool(source: &str, name: &str) -> bool {
    let real = base_name(source);
    let related = real.starts_with(name) || name.starts_with(real);
    let from_bin = source
        .rsplit_once('/')
        .is_some_and(|(dir, _)| is_in(&knowledge().names.program_dirs, base_name(dir)));
    related && from_bin && !is_in(&knowledge().names.no_ops, real)
}

/// Whether a path lies in a directory that programs are found in.
pub fn in_program_dir(path: &str) -> bool {
    let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
    is_in(&knowledge().names.program_dirs, base_name(dir))
}
