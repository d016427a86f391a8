//! Markdown (CommonMark specification 0.31): headings, fenced and indented code blocks.

use std::sync::LazyLock;

use regex::Regex;

use super::inline::Steps;
use super::{BOLD, Block, FOLD, Item, TAB};

/// A line in bold that stands alone, and one that opens a tab of MkDocs (`=== "Linux"`) or a fold.
static PSEUDO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^(?:\*\*([^*]{1,80}?):?\*\*:?|__([^_]{1,80}?):?__:?|={3}[!+]?\s+\"([^\"]{1,80})\"|.*<summary>\s*(?:<\w+>)?([^<]{1,80})(?:</\w+>)?\s*</summary>.*)$"#)
        .expect("a literal pattern")
});

pub(super) fn items(text: &str) -> Vec<Item> {
    let mut reader = Reader {
        blank: true,
        ..Reader::default()
    };
    for (number, line) in (1..).zip(text.lines()) {
        reader.line(number, line);
    }
    reader.end_prose();
    reader.items
}

/// A fence that is open: its mark, its length, its indentation.
type Fence = (char, usize, usize);

#[derive(Default)]
struct Reader<'t> {
    items: Vec<Item>,
    fence: Option<Fence>,
    block: Block,
    /// The line before is blank, or a heading: an indented one begins a block.
    blank: bool,
    /// The line before, where it may be a title.
    before: Option<(u32, &'t str)>,
    steps: Steps,
    /// In a tab, whose content is indented.
    in_tab: bool,
}

impl<'t> Reader<'t> {
    fn line(&mut self, number: u32, line: &'t str) {
        let indent = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        if let Some(fence) = self.fence {
            return self.fenced(fence, number, line);
        }
        if self.in_tab && indent == 0 && !trimmed.is_empty() && !trimmed.starts_with("===") {
            flush(&mut self.items, &mut self.block);
            self.items.push(Item::End { level: TAB });
            self.in_tab = false;
        }
        if let Some((mark, length)) = opening(trimmed) {
            self.end_prose();
            self.block.language = language(trimmed.trim_start_matches(mark));
            self.fence = Some((mark, length, indent));
            self.before = None;
            return;
        }
        let in_block = !self.block.lines.is_empty();
        if indented(line) && !trimmed.is_empty() && (in_block || self.blank) {
            let content = unindented(line).to_owned();
            self.block.lines.push((number, content));
            return;
        }
        if !trimmed.is_empty() {
            flush(&mut self.items, &mut self.block);
        }
        self.prose(number, line, trimmed, indent);
    }

    fn fenced(&mut self, (mark, length, inner): Fence, number: u32, line: &str) {
        let trimmed = line.trim();
        if run(trimmed, mark) >= length && trimmed.trim_matches(mark).is_empty() {
            self.items
                .push(Item::Block(std::mem::take(&mut self.block)));
            self.fence = None;
        } else {
            let indent = line.len() - line.trim_start().len();
            let content = line.get(inner.min(indent)..).unwrap_or(line);
            self.block.lines.push((number, content.to_owned()));
        }
    }

    fn prose(&mut self, number: u32, line: &'t str, trimmed: &'t str, indent: usize) {
        let heading = heading(trimmed, number, self.before).or_else(|| pseudo(trimmed, number));
        if let Some(heading) = heading {
            self.items.extend(self.steps.end().map(Item::Block));
            self.in_tab = matches!(&heading, Item::Heading { level, .. } if *level == TAB);
            self.items.push(heading);
            self.before = None;
            self.blank = true;
            return;
        }
        self.items
            .extend(self.steps.line(number, line).map(Item::Block));
        if trimmed.starts_with("</details>") {
            self.items.push(Item::End { level: FOLD });
        }
        self.before = (!trimmed.is_empty() && indent < 4).then_some((number, trimmed));
        self.blank = trimmed.is_empty();
    }

    /// What is gathered so far, as items.
    fn end_prose(&mut self) {
        self.items.extend(self.steps.end().map(Item::Block));
        flush(&mut self.items, &mut self.block);
    }
}

/// What a reader takes for a heading, though it is none by its syntax.
fn pseudo(trimmed: &str, number: u32) -> Option<Item> {
    let found = PSEUDO.captures(trimmed)?;
    let group = |at: usize| found.get(at).map(|text| text.as_str());
    let (level, text) = match (group(1).or(group(2)), group(3), group(4)) {
        (Some(text), _, _) => (BOLD, text),
        (_, Some(text), _) => (TAB, text),
        (_, _, Some(text)) => (FOLD, text),
        _ => return None,
    };
    let text = plain_text(text);
    (!text.is_empty()).then_some(Item::Heading {
        level,
        text,
        line: number,
    })
}

fn flush(items: &mut Vec<Item>, block: &mut Block) {
    if !block.lines.is_empty() {
        items.push(Item::Block(std::mem::take(block)));
    }
}

fn run(text: &str, mark: char) -> usize {
    text.chars().take_while(|c| *c == mark).count()
}

fn opening(trimmed: &str) -> Option<(char, usize)> {
    let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = run(trimmed, mark);
    // An info string of backticks may hold none (section 4.5): that is inline code.
    let inline = mark == '`' && trimmed.trim_start_matches('`').contains('`');
    (length >= 3 && !inline).then_some((mark, length))
}

/// `bash` of `bash title="x"`, `{.bash}`, `sh,ignore`.
fn language(info: &str) -> String {
    let word = info.trim().trim_start_matches(['{', '.', ' ']);
    word.split([' ', ',', '}', '\t'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase()
}

fn indented(line: &str) -> bool {
    line.starts_with("    ") || line.starts_with('\t')
}

fn unindented(line: &str) -> &str {
    line.strip_prefix("    ")
        .or_else(|| line.strip_prefix('\t'))
        .unwrap_or(line)
}

/// `## Title` or a title with `===` or `---` under it.
fn heading(trimmed: &str, number: u32, before: Option<(u32, &str)>) -> Option<Item> {
    let level = run(trimmed, '#');
    let rest = trimmed.trim_start_matches('#');
    if (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t'])) {
        let text = plain_text(rest.trim().trim_end_matches('#'));
        return Some(Item::Heading {
            level: level as u8,
            text,
            line: number,
        });
    }
    let (line, title) = before?;
    let level = match trimmed.chars().next()? {
        '=' => 1,
        '-' => 2,
        _ => return None,
    };
    let underlined = trimmed.len() >= 2 && trimmed.chars().all(|c| c == '=' || c == '-');
    let listed = title.starts_with(['|', '-', '*', '>']);
    (underlined && !listed).then(|| Item::Heading {
        level,
        text: plain_text(title),
        line,
    })
}

/// A heading without its marks: `Run the tests` of ``**Run** the `tests` ``.
fn plain_text(text: &str) -> String {
    text.replace(['`', '*'], "")
        .trim()
        .chars()
        .take(120)
        .collect()
}
