//! Parsing with bounds.

use std::cell::RefCell;
use std::ops::{ControlFlow, Range};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tree_sitter::{
    ParseOptions, Parser, Query, QueryCursor, QueryCursorOptions, QueryMatch, StreamingIterator,
    Tree,
};

use super::grammar::Grammar;
use super::search::Search;

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

/// Bytes of a text that nests so deep at worst that any thread's stack will do: tree-sitter lets go of the versions of
/// an ambiguous parse by recursion, one frame of about 100 bytes for each level.
const SHALLOW: usize = 8 * 1024;

/// Threads whose stacks hold the recursion of the longest file that is parsed. Address space, not memory: pages are
/// touched as they are needed.
static DEEP: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let pool = ThreadPoolBuilder::new().stack_size(512 << 20);
    pool.thread_name(|at| format!("parse-{at}")).build().ok()
});

/// `None` when it takes too long. Errors in the text give a tree with error nodes, which queries pass over.
pub(super) fn parse(grammar: &Grammar, text: &str, end: Instant) -> Option<Tree> {
    match &*DEEP {
        _ if text.len() <= SHALLOW => parse_here(grammar, text, end),
        Some(pool) => pool.install(|| parse_here(grammar, text, end)),
        // Without room for such stacks, rather a file less than a crash.
        None => None,
    }
}

fn parse_here(grammar: &Grammar, text: &str, end: Instant) -> Option<Tree> {
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

/// A parsed text.
pub(super) struct Source<'a> {
    pub(super) tree: &'a Tree,
    pub(super) text: &'a str,
    /// When to give up.
    pub(super) end: Instant,
}

impl Source<'_> {
    /// Calls `each` on every match that touches the bytes in `span`, in order of appearance; stops when that takes
    /// too long.
    pub(super) fn search(
        &self,
        search: &Search,
        query: &Query,
        span: Range<usize>,
        mut each: impl FnMut(&QueryMatch),
    ) {
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MATCH_LIMIT);
        cursor.set_byte_range(span);
        cursor.set_max_start_depth(search.depth);
        let mut progress = |_: &_| until(self.end);
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        let (root, bytes) = (self.tree.root_node(), self.text.as_bytes());
        let mut matches = cursor.matches_with_options(query, root, bytes, options);
        while let Some(found) = matches.next() {
            each(found);
            if Instant::now() > self.end {
                return;
            }
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
