//! Parsing with bounds.

use std::cell::{Cell, RefCell};
use std::ops::{ControlFlow, Range};
use std::sync::LazyLock;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};
use rustix::time::{ClockId, clock_gettime};
use tree_sitter::{
    ParseOptions, Parser, Query, QueryCursor, QueryCursorOptions, QueryMatch, StreamingIterator,
    Tree,
};

use super::grammar::Grammar;
use super::search::Search;

/// For one file, parsing and all queries. A file of [`super::MAX_PARSED`] takes a fraction of this; input made to
/// be slow does not.
const PATIENCE: Duration = Duration::from_millis(1500);

/// When to give up, in the processor time of the thread that works: a file on a busy machine gets as far as on an idle
/// one, and the graph is the same.
pub(super) struct Deadline {
    end: Duration,
    asked: Cell<u32>,
    passed: Cell<bool>,
}

/// Questions of [`Deadline::passed`] for each look at the clock, which is a system call.
const SELDOM: u32 = 16;

impl Deadline {
    /// For what this thread begins now.
    pub(super) fn new() -> Self {
        Self {
            end: processor_time() + PATIENCE,
            asked: Cell::new(0),
            passed: Cell::new(false),
        }
    }

    /// Whether it is over; stays so once it was.
    pub(super) fn passed(&self) -> bool {
        let asked = self.asked.get().wrapping_add(1);
        self.asked.set(asked);
        if !self.passed.get() && asked.is_multiple_of(SELDOM) {
            self.passed.set(processor_time() > self.end);
        }
        self.passed.get()
    }
}

/// Of this thread.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
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
pub(super) fn parse(grammar: &Grammar, text: &str) -> Option<Tree> {
    match &*DEEP {
        _ if text.len() <= SHALLOW => parse_here(grammar, text),
        Some(pool) => pool.install(|| parse_here(grammar, text)),
        // Without room for such stacks, rather a file less than a crash.
        None => None,
    }
}

fn parse_here(grammar: &Grammar, text: &str) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&grammar.language).ok()?;
        parser.reset();
        let deadline = Deadline::new();
        let mut progress = |_: &_| until(&deadline);
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
    pub(super) deadline: Deadline,
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
        let mut progress = |_: &_| until(&self.deadline);
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        let (root, bytes) = (self.tree.root_node(), self.text.as_bytes());
        let mut matches = cursor.matches_with_options(query, root, bytes, options);
        while let Some(found) = matches.next() {
            each(found);
            if self.deadline.passed() {
                return;
            }
        }
    }
}

fn until(deadline: &Deadline) -> ControlFlow<()> {
    if deadline.passed() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
