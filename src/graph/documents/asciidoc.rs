//! AsciiDoc (language documentation): section titles, source and listing blocks.

use super::{Block, Item};

pub(super) fn items(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut open: Option<(&str, Block)> = None;
    let mut language = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim_end();
        if let Some((fence, block)) = &mut open {
            if trimmed == *fence {
                items.extend(open.take().map(|(_, block)| Item::Block(block)));
            } else {
                block.lines.push((number, line.to_owned()));
            }
            continue;
        }
        if is_fence(trimmed) {
            open = Some((
                trimmed,
                Block {
                    language: std::mem::take(&mut language),
                    lines: Vec::new(),
                },
            ));
        } else if let Some(attributes) = trimmed
            .strip_prefix("[source")
            .or_else(|| trimmed.strip_prefix("[,"))
        {
            let name = attributes
                .trim_start_matches(',')
                .split([',', ']'])
                .next()
                .unwrap_or_default();
            language = name.trim().to_ascii_lowercase();
        } else if let Some(heading) = heading(trimmed, number) {
            items.push(heading);
        }
    }
    items
}

/// `----` or `....`, four or more.
fn is_fence(line: &str) -> bool {
    line.len() >= 4 && (line.chars().all(|c| c == '-') || line.chars().all(|c| c == '.'))
}

fn heading(line: &str, number: u32) -> Option<Item> {
    let level = line.chars().take_while(|c| *c == '=').count();
    let title = line.trim_start_matches('=').strip_prefix(' ')?.trim();
    let found = (1..=6).contains(&level) && !title.is_empty();
    let text = title.chars().take(120).collect();
    found.then_some(Item::Heading {
        level: level as u8,
        text,
        line: number,
    })
}
