//! Words of a Bash tree as far as they are known without running it, and paths.

use std::collections::HashMap;

use tree_sitter::Node;

/// Values of variables that are known at this point of the text.
pub type Variables = HashMap<String, String>;

/// Deepest nesting of quotes that is looked into.
const DEEP: usize = 16;

/// The value of a word. A variable that is not known stays `$name`; a command substitution becomes `$(…)`.
pub fn word(node: Node<'_>, source: &str, variables: &Variables) -> String {
    let mut value = String::new();
    append(node, source, variables, DEEP, &mut value);
    value
}

fn append(node: Node<'_>, source: &str, variables: &Variables, deep: usize, out: &mut String) {
    let text = source.get(node.byte_range()).unwrap_or_default();
    if deep == 0 {
        return out.push_str(text);
    }
    match node.kind() {
        "raw_string" => out.push_str(text.trim_start_matches('\'').trim_end_matches('\'')),
        "ansi_c_string" => {
            let inner = text.strip_prefix("$'").and_then(|t| t.strip_suffix('\''));
            unescape(inner.unwrap_or(text), out);
        }
        "string"
        | "concatenation"
        | "command_name"
        | "variable_assignment"
        | "translated_string" => {
            for index in 0..node.child_count() {
                let Some(child) = node.child(index) else {
                    continue;
                };
                if child.kind() != "\"" {
                    append(child, source, variables, deep - 1, out);
                }
            }
        }
        "simple_expansion" | "expansion" => {
            let name = (0..node.named_child_count() as u32)
                .filter_map(|index| node.named_child(index))
                .find(|child| matches!(child.kind(), "variable_name" | "special_variable_name"))
                .and_then(|child| source.get(child.byte_range()))
                .unwrap_or("?");
            match variables.get(name) {
                Some(value) => out.push_str(value),
                None => {
                    out.push('$');
                    out.push_str(name);
                }
            }
        }
        "command_substitution" | "process_substitution" => out.push_str("$(…)"),
        _ => unescape(text, out),
    }
}

fn unescape(text: &str, out: &mut String) {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().filter(|c| *c != '\n')),
            c => out.push(c),
        }
    }
}

/// Last part of a path.
pub fn base_name(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}

/// `path`, seen from directory `cwd`, relative to the repository's root where it lies in it, with `.` and `..` resolved.
/// Other paths keep a leading `/`, `~` or `$`.
pub fn resolve(cwd: &str, path: &str) -> String {
    let in_repository = |path: &str| {
        ["$repo", "$REPO", "$PWD", "$GITHUB_WORKSPACE", "/repo"]
            .iter()
            .find_map(|root| {
                path.strip_prefix(root)
                    .filter(|rest| rest.is_empty() || rest.starts_with('/'))
            })
            .map(|rest| rest.trim_start_matches('/').to_owned())
    };
    let whole = match in_repository(path) {
        Some(inside) => inside,
        None if path.starts_with(['/', '~', '$']) => path.to_owned(),
        None if cwd.is_empty() => path.to_owned(),
        None => format!("{cwd}/{path}"),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let root = if whole.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

/// Programs that run the command that follows them, and their options that take a value.
const WRAPPERS: &[(&str, &[&str])] = &[
    ("sudo", &["-u", "-g"]),
    ("root", &[]),
    ("env", &["-u", "-C", "-S"]),
    ("command", &[]),
    ("builtin", &[]),
    ("exec", &["-a"]),
    ("nohup", &[]),
    ("time", &[]),
    ("nice", &["-n"]),
    ("timeout", &["-k", "-s"]),
    ("stdbuf", &[]),
    ("setsid", &[]),
    ("xvfb-run", &[]),
    ("show", &[]),
];

/// The command itself, without `sudo`, `env A=b`, `$run` and the like before it.
pub fn unwrap(argv: &[String]) -> &[String] {
    let mut rest = argv;
    while let Some(first) = rest.first() {
        let after = rest.get(1..).unwrap_or_default();
        if (first.is_empty() || first.starts_with('$')) && !first.contains('/') && !after.is_empty()
        {
            rest = after;
            continue;
        }
        let Some((_, with_value)) = WRAPPERS.iter().find(|(name, _)| *name == base_name(first))
        else {
            break;
        };
        // `command -v x` asks, and does not run.
        if first == "command"
            && after
                .first()
                .is_some_and(|a| a.starts_with('-') && a != "--")
        {
            break;
        }
        let mut skip = 0;
        while let Some(argument) = after.get(skip) {
            let is_setting = argument.contains('=') && !argument.starts_with('=');
            let is_amount =
                base_name(first) == "timeout" && argument.starts_with(|c: char| c.is_ascii_digit());
            if with_value.contains(&argument.as_str()) {
                skip += 2;
            } else if argument.starts_with('-') || is_setting || is_amount {
                skip += 1;
            } else {
                break;
            }
        }
        rest = after.get(skip..).unwrap_or_default();
    }
    rest
}
