//! Markdown (CommonMark specification 0.31): headings, fenced and indented code blocks.

use super::{Block, Item};

pub(super) fn items(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut fence: Option<(char, usize, usize)> = None;
    let mut block = Block::default();
    let mut blank = true;
    let mut before: Option<(u32, &str)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let indent = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        if let Some((mark, length, inner)) = fence {
            if run(trimmed, mark) >= length && trimmed.trim_matches(mark).is_empty() {
                items.push(Item::Block(std::mem::take(&mut block)));
                fence = None;
            } else {
                let content = line.get(inner.min(indent)..).unwrap_or(line);
                block.lines.push((number, content.to_owned()));
            }
            continue;
        }
        if let Some((mark, length)) = opening(trimmed) {
            flush(&mut items, &mut block);
            block.language = language(trimmed.trim_start_matches(mark));
            fence = Some((mark, length, indent));
            before = None;
            continue;
        }
        let in_block = !block.lines.is_empty();
        if indented(line) && !trimmed.is_empty() && (in_block || blank) {
            block.lines.push((number, unindented(line).to_owned()));
            continue;
        }
        if !trimmed.is_empty() {
            flush(&mut items, &mut block);
        }
        if let Some(heading) = heading(trimmed, number, before) {
            items.push(heading);
            before = None;
        } else {
            before = (!trimmed.is_empty() && indent < 4).then_some((number, trimmed));
        }
        blank = trimmed.is_empty()
            || matches!(items.last(), Some(Item::Heading { line, .. }) if *line == number);
    }
    flush(&mut items, &mut block);
    items
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
