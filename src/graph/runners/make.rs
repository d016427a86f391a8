//! Makefiles with the literal variables of their targets replaced, and those that they include.

use std::collections::{BTreeMap, BTreeSet};

use super::{Input, Task, make_text};
use crate::graph::manifests::tree::{join, parent, relative};
use crate::scan::read_text;

/// Files that one makefile includes, and replacements within one line.
const MAX_INCLUDED: usize = 20;
const MAX_STEPS: usize = 20;
const MAX_LINE: usize = 4000;

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    let texts = included(input);
    let mut variables = BTreeMap::new();
    for (_, text) in &texts {
        assignments(text, &mut variables);
    }
    let mut tasks: Vec<Task> = Vec::new();
    for (path, text) in &texts {
        for mut task in make_text::tasks(&expanded(text, &variables)) {
            if tasks.iter().all(|known| known.name != task.name) {
                task.file = (path != input.path).then(|| path.clone());
                tasks.push(task);
            }
        }
    }
    tasks
}

/// The makefile and what it includes by a literal name from its own tree, each once.
fn included(input: &Input<'_>) -> Vec<(String, String)> {
    let mut texts = vec![(input.path.to_owned(), input.text.to_owned())];
    let mut seen: BTreeSet<String> = BTreeSet::from([input.path.to_owned()]);
    let mut at = 0;
    while let Some((_, text)) = texts.get(at).cloned() {
        at += 1;
        for line in text.lines() {
            let line = line.trim_start_matches('-');
            let Some(names) = line
                .strip_prefix("include ")
                .or_else(|| line.strip_prefix("sinclude "))
            else {
                continue;
            };
            for name in names
                .split_whitespace()
                .filter(|name| !name.contains(['$', '*']))
            {
                // Relative to where make runs, which is the first makefile's directory.
                let Some(path) = join(parent(input.path), name)
                    .filter(|path| relative(path, parent(input.path)).is_some())
                else {
                    continue;
                };
                if texts.len() <= MAX_INCLUDED
                    && seen.insert(path.clone())
                    && input
                        .repository
                        .file(&path)
                        .is_some_and(|entry| entry.size <= super::MAX_FILE)
                    && let Some(text) = read_text(input.repository, &path)
                {
                    texts.push((path, text));
                }
            }
        }
    }
    texts
}

/// `NAME = value` and its kin at the start of a line; the first that is no override stays, as `?=` has it.
fn assignments(text: &str, variables: &mut BTreeMap<String, String>) {
    for line in text.lines() {
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        let name = name.trim_end_matches([':', '?', '!']).trim();
        let plain = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        let value = value.split(" #").next().unwrap_or_default().trim();
        if plain && !line.starts_with(['\t', ' ']) && value.len() < 500 {
            variables
                .entry(name.to_owned())
                .or_insert_with(|| value.to_owned());
        }
    }
}

/// Lines with `$(NAME)` and `${NAME}` replaced where the value is known and literal; the rest stays as written.
fn expanded(text: &str, variables: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let assigns = line
            .split_once('=')
            .is_some_and(|(name, _)| !name.contains(['$', ':', '\t']) || name.ends_with(':'));
        if line.contains('$') && !assigns && line.len() < MAX_LINE {
            out.push_str(&replaced(line, variables));
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}

fn replaced(line: &str, variables: &BTreeMap<String, String>) -> String {
    let mut line = line.to_owned();
    let mut from = 0;
    for _ in 0..MAX_STEPS {
        let Some(start) = line
            .get(from..)
            .and_then(|rest| rest.find('$'))
            .map(|at| at + from)
        else {
            break;
        };
        let rest = line.get(start + 1..).unwrap_or_default();
        let close = match rest.chars().next() {
            Some('(') => ')',
            Some('{') => '}',
            _ => {
                from = start + 1 + rest.chars().next().map_or(0, char::len_utf8);
                continue;
            }
        };
        let name = rest
            .get(1..)
            .unwrap_or_default()
            .split(close)
            .next()
            .unwrap_or_default();
        let end = start + 2 + name.len() + 1;
        match variables.get(name) {
            Some(value) if line.len() + value.len() < MAX_LINE && line.is_char_boundary(end) => {
                line.replace_range(start..end, value);
                from = start;
            }
            _ => from = start + 1,
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_are_known_are_replaced() {
        let mut variables = BTreeMap::new();
        assignments(
            "A = x\nB := $(A)/y # c\nA = z\n\tC = no\nL = $(L)\n",
            &mut variables,
        );
        assert_eq!(
            replaced("$(B) ${A} $(D) $@ $$(A) $(L", &variables),
            "x/y x $(D) $@ $$(A) $(L"
        );
        assert!(replaced("$(L)", &variables).len() < 100);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)([$(){}A-Ca= :\n\t]|é){0,80}") {
            let mut variables = BTreeMap::new();
            assignments(&text, &mut variables);
            expanded(&text, &variables);
        }
    }
}
