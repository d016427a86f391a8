//! Conditions around a piece of source: `#if`, `try:`, `#[cfg]`.
//!
//! A pattern of `guards.scm` captures `@scope`, the text that is guarded, less `@except` (an `#else` branch lies
//! inside its `#if`), and `@condition`. `#set! form` says how to write it, with `{}` for the condition. A pattern
//! with `#set! cancel` undoes the guards of the same scope: an include guard is no condition.

use std::collections::HashSet;
use std::ops::Range;

use super::grammar::Grammar;
use super::parse::Source;
use super::strip::strip;

/// Characters of one condition that are kept.
const MAX_CONDITION: usize = 200;

/// Conditions of one place that are kept, innermost ones.
pub(super) const MAX_DEPTH: usize = 12;

struct Guard {
    scope: Range<usize>,
    except: Option<Range<usize>>,
    text: String,
}

/// Guards of one file, outermost first.
#[derive(Default)]
pub(super) struct Guards(Vec<Guard>);

impl Guards {
    /// Guards around anything in `span`.
    pub(super) fn find(grammar: &Grammar, source: &Source, span: Range<usize>) -> Self {
        let Some(search) = &grammar.guards else {
            return Self::default();
        };
        let Some(query) = search.query() else {
            return Self::default();
        };
        let text = source.text;
        let names = query.capture_names();
        let mut guards = Vec::new();
        let mut cancelled = HashSet::new();
        source.search(search, query, span, |found| {
            let capture = |wanted: &str| {
                let mut captures = found.captures().iter();
                let at = captures
                    .find(|capture| names.get(capture.index as usize).copied() == Some(wanted))?;
                Some((at.index, at.node.byte_range()))
            };
            let Some((_, scope)) = capture("scope") else {
                return;
            };
            let settings = query.property_settings(found.pattern_index);
            if settings.iter().any(|setting| &*setting.key == "cancel") {
                cancelled.insert(scope);
                return;
            }
            let form = settings.iter().find(|setting| &*setting.key == "form");
            let form = form
                .and_then(|setting| setting.value.as_deref())
                .unwrap_or("{}");
            let condition = capture("condition").and_then(|(index, range)| {
                let text = strip(query, found.pattern_index, index, text.get(range)?);
                Some(one_line(&text))
            });
            let text = form.replace("{}", &condition.unwrap_or_default());
            guards.push(Guard {
                scope,
                except: capture("except").map(|(_, range)| range),
                text,
            });
        });
        guards.retain(|guard| !cancelled.contains(&guard.scope));
        guards.sort_by_key(|guard| (guard.scope.start, std::cmp::Reverse(guard.scope.end)));
        Self(guards)
    }

    /// What guards the byte at `at`, joined by ` && `.
    pub(super) fn at(&self, at: usize) -> String {
        let around: Vec<&str> = self
            .0
            .iter()
            .take_while(|guard| guard.scope.start <= at)
            .filter(|guard| guard.scope.contains(&at))
            .filter(|guard| {
                !guard
                    .except
                    .as_ref()
                    .is_some_and(|except| except.contains(&at))
            })
            .map(|guard| guard.text.as_str())
            .collect();
        let skipped = around.len().saturating_sub(MAX_DEPTH);
        around.get(skipped..).unwrap_or_default().join(" && ")
    }
}

/// A condition may span lines and hold comments of any length.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text
        .split_whitespace()
        .filter(|word| *word != "\\")
        .collect();
    words.join(" ").chars().take(MAX_CONDITION).collect()
}
