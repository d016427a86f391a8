//! `#strip! @capture "pattern"` of a query, as tree-sitter's own tag queries have it: what matches is taken off the
//! captured text.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use regex::Regex;
use tree_sitter::{Query, QueryPredicateArg};

/// Patterns by their text: there are a few, and each is used for every match of its query.
static COMPILED: LazyLock<Mutex<HashMap<String, Option<Regex>>>> = LazyLock::new(Mutex::default);

/// The text of a capture less what the pattern of its match strips.
pub(super) fn strip<'a>(
    query: &Query,
    pattern: usize,
    capture: u32,
    text: &'a str,
) -> Cow<'a, str> {
    let predicates = query.general_predicates(pattern);
    let strips = predicates
        .iter()
        .filter(|predicate| &*predicate.operator == "strip!");
    let mut text = Cow::Borrowed(text);
    for predicate in strips {
        if let [
            QueryPredicateArg::Capture(of),
            QueryPredicateArg::String(pattern),
        ] = &*predicate.args
            && *of == capture
            && let Some(regex) = compiled(pattern)
        {
            text = Cow::Owned(regex.replace(&text, "").into_owned());
        }
    }
    text
}

fn compiled(pattern: &str) -> Option<Regex> {
    let mut all = COMPILED.lock().ok()?;
    all.entry(pattern.to_owned())
        .or_insert_with(|| Regex::new(pattern).ok())
        .clone()
}
