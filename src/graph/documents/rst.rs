//! reStructuredText (docutils specification): sections, literal blocks (`::`), `code-block` directives.

use super::inline::Steps;
use super::{Block, Item, TAB};

/// Directives of tabs (sphinx-tabs, sphinx-design, sphinx-inline-tabs).
const TABS: [&str; 4] = ["tab::", "group-tab::", "tab-item::", "code-tab::"];

const DIRECTIVES: &[&str] = &[
    "code-block::",
    "code::",
    "sourcecode::",
    "parsed-literal::",
    "prompt::",
];

pub(super) fn items(text: &str) -> Vec<Item> {
    let lines: Vec<&str> = text.lines().collect();
    let mut items = Vec::new();
    let mut styles: Vec<(char, bool)> = Vec::new();
    let mut at = 0;
    let mut steps = Steps::default();
    // Indentation of the tab that is open.
    let mut tab: Option<usize> = None;
    while let Some(line) = lines.get(at) {
        if tab.is_some_and(|tab| !line.trim().is_empty() && indent(line) <= tab) {
            items.push(Item::End { level: TAB });
            tab = None;
        }
        if let Some(title) = tab_title(line) {
            items.push(Item::Heading {
                level: TAB,
                text: title,
                line: at as u32 + 1,
            });
            tab = Some(indent(line));
            at += 1;
        } else if let Some((item, next)) = heading(&lines, at, &mut styles) {
            items.extend(steps.end().map(Item::Block));
            items.push(item);
            at = next;
        } else if let Some(language) = opens_block(line) {
            let (block, next) = block(&lines, at + 1, indent(line), language);
            items.extend(steps.line(at as u32 + 1, line).map(Item::Block));
            if !block.lines.is_empty() {
                items.extend(steps.end().map(Item::Block));
                items.push(Item::Block(block));
            }
            at = next;
        } else {
            items.extend(steps.line(at as u32 + 1, line).map(Item::Block));
            at += 1;
        }
    }
    items.extend(steps.end().map(Item::Block));
    items
}

/// `Linux` of `.. group-tab:: Linux`.
fn tab_title(line: &str) -> Option<String> {
    let directive = line.trim().strip_prefix(".. ")?;
    let name = TABS.iter().find(|name| directive.starts_with(**name))?;
    let title = directive.get(name.len()..).unwrap_or_default().trim();
    (!title.is_empty()).then(|| title.chars().take(120).collect())
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The character of a line of at least three equal marks.
fn adornment(line: &str) -> Option<char> {
    let line = line.trim_end();
    let mark = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= 3 && line.chars().all(|c| c == mark)).then_some(mark)
}

/// A title with a line under it, and perhaps one over it. Levels follow from the order in which styles appear.
fn heading(lines: &[&str], at: usize, styles: &mut Vec<(char, bool)>) -> Option<(Item, usize)> {
    let over = adornment(lines.get(at)?);
    let title_at = if over.is_some() { at + 1 } else { at };
    let title = lines.get(title_at)?.trim();
    let under = adornment(lines.get(title_at + 1)?)?;
    if title.is_empty() || adornment(title).is_some() || over.is_some_and(|over| over != under) {
        return None;
    }
    // An underline may be shorter than its title by mistake, but not by much.
    if lines.get(title_at + 1)?.trim_end().chars().count() + 2 < title.chars().count() {
        return None;
    }
    let style = (under, over.is_some());
    let level = styles
        .iter()
        .position(|known| *known == style)
        .unwrap_or_else(|| {
            styles.push(style);
            styles.len() - 1
        });
    let text = title.replace(['`', '*'], "").chars().take(120).collect();
    let line = title_at as u32 + 1;
    Some((
        Item::Heading {
            level: (level + 1).min(255) as u8,
            text,
            line,
        },
        title_at + 2,
    ))
}

/// The language of the block that a line announces: a directive's argument, empty for `::`.
fn opens_block(line: &str) -> Option<String> {
    let trimmed = line.trim();
    if let Some(directive) = trimmed.strip_prefix(".. ") {
        let name = DIRECTIVES
            .iter()
            .find(|name| directive.starts_with(**name))?;
        let argument = directive.get(name.len()..).unwrap_or_default().trim();
        let shell = *name == "prompt::" && argument.is_empty();
        let word = argument.split_whitespace().next().unwrap_or_default();
        return Some(if shell {
            "bash".to_owned()
        } else {
            word.to_ascii_lowercase()
        });
    }
    (trimmed.ends_with("::") && !trimmed.starts_with("..")).then(String::new)
}

/// Lines that are indented more than the one that announced them; options of a directive are left out.
fn block(lines: &[&str], from: usize, outer: usize, language: String) -> (Block, usize) {
    let mut block = Block {
        language,
        lines: Vec::new(),
    };
    let mut inner = None;
    let mut at = from;
    while let Some(line) = lines.get(at) {
        if !line.trim().is_empty() {
            if indent(line) <= outer {
                break;
            }
            let option = block.lines.is_empty() && line.trim_start().starts_with(':');
            if !option {
                let inner = *inner.get_or_insert(indent(line));
                let text = line.get(inner.min(indent(line))..).unwrap_or(line);
                block.lines.push((at as u32 + 1, text.to_owned()));
            }
        }
        at += 1;
    }
    (block, at)
}
