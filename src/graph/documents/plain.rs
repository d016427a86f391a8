//! Plain text such as INSTALL: underlined or numbered titles, indented commands.

use super::{Block, Item};

pub(super) fn items(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut block = Block::default();
    let mut before: Option<(u32, &str)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim();
        if !trimmed.is_empty() && line.starts_with([' ', '\t']) {
            block.lines.push((number, trimmed.to_owned()));
            before = None;
            continue;
        }
        if !trimmed.is_empty() && !block.lines.is_empty() {
            items.push(Item::Block(std::mem::take(&mut block)));
        }
        if let Some(heading) = heading(trimmed, number, before) {
            items.push(heading);
        }
        before = (!trimmed.is_empty()).then_some((number, trimmed));
    }
    if !block.lines.is_empty() {
        items.push(Item::Block(block));
    }
    items
}

/// A title with a line of `=`, `-`, `*` or `~` under it, or Markdown's `#`, which plain files use too.
fn heading(trimmed: &str, number: u32, before: Option<(u32, &str)>) -> Option<Item> {
    let limit = |text: &str| text.trim().chars().take(120).collect::<String>();
    if let Some(title) = trimmed.strip_prefix("# ") {
        return Some(Item::Heading {
            level: 1,
            text: limit(title),
            line: number,
        });
    }
    let (line, title) = before?;
    let mark = trimmed
        .chars()
        .next()
        .filter(|c| matches!(c, '=' | '-' | '*' | '~'))?;
    let underlined = trimmed.len() >= 3 && trimmed.chars().all(|c| c == mark);
    let level = if mark == '=' || mark == '*' { 1 } else { 2 };
    (underlined && title.chars().any(char::is_alphabetic)).then(|| Item::Heading {
        level,
        text: limit(title),
        line,
    })
}
