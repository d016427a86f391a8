//! Parsing with bounds.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{
    ParseOptions, Parser, Query, QueryCursor, QueryCursorOptions, QueryMatch, StreamingIterator,
    Tree,
};

use super::grammar::Grammar;

/// For one file, parsing and all queries. A file of [`super::MAX_PARSED`] takes a fraction of this; input made to
/// be slow does not.
const PATIENCE: Duration = Duration::from_millis(1500);

/// When to give up on a file that is begun now.
pub(super) fn deadline() -> Instant {
    Instant::now() + PATIENCE
}

/// Matches in progress at once, against queries that go quadratic on nested input.
const MATCH_LIMIT: u32 = 4096;

thread_local! {
    /// One parser a thread: making one for every file costs more than a small file's parse.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// `None` when it takes too long. Errors in the text give a tree with error nodes, which queries pass over.
pub(super) fn parse(grammar: &Grammar, text: &str, end: Instant) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&grammar.language).ok()?;
        parser.reset();
        let mut progress = |_: &_| until(end);
        let options = ParseOptions::new().progress_callback(&mut progress);
        let bytes = text.as_bytes();
        parser.parse_with_options(
            &mut |at, _| bytes.get(at..).unwrap_or_default(),
            None,
            Some(options),
        )
    })
}

/// Calls `each` on every match, in order of appearance; stops when that takes too long.
pub(super) fn for_each_match(
    query: &Query,
    tree: &Tree,
    text: &str,
    end: Instant,
    mut each: impl FnMut(&QueryMatch),
) {
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCH_LIMIT);
    let mut progress = |_: &_| until(end);
    let options = QueryCursorOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let mut matches = cursor.matches_with_options(query, tree.root_node(), bytes, options);
    while let Some(found) = matches.next() {
        each(found);
        if Instant::now() > end {
            return;
        }
    }
}

fn until(end: Instant) -> ControlFlow<()> {
    if Instant::now() > end {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
