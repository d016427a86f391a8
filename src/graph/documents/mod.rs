//! Commands and headings of documents.

mod asciidoc;
mod inline;
mod markdown;
mod plain;
mod recognise;
mod rst;
#[cfg(test)]
mod tests;

use crate::evidence::Place;
use crate::scan::{FileEntry, FileKind, Repository, read_text};

pub(super) use recognise::is_project;

use super::shell::{Start, is_directory, split};
use super::{CommandFacts, CommandSource, EdgeKind, Facts, KnowledgeGraph, NodeId, Os};

/// Bytes of a document that is read, and documents of a repository.
const MAX_DOCUMENT: u64 = 512 * 1024;
const MAX_DOCUMENTS: usize = 60;

/// Headings and blocks of one document that are read.
const MAX_ITEMS: usize = 2000;

/// A document as its reader sees it. Lines count from 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Heading {
        level: u8,
        text: String,
        line: u32,
    },
    Block(Block),
    /// Ends what headings of this level and below stand over: a tab, a fold.
    End {
        level: u8,
    },
}

/// A block of code with the language it is marked with.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Block {
    pub(super) language: String,
    pub(super) lines: Vec<(u32, String)>,
}

/// Reads the documents that say how to build, test and run.
pub(super) fn add(repository: &Repository, graph: &mut KnowledgeGraph) {
    let mut documents: Vec<(&FileEntry, CommandSource)> = repository
        .files
        .iter()
        .filter(|entry| entry.kind == FileKind::Text && !entry.vendored)
        .filter_map(|entry| {
            Some((
                entry,
                recognise::source(&entry.path, entry.language.as_deref())?,
            ))
        })
        .collect();
    // Nearest to the root first: those are about the whole.
    documents.sort_by_key(|(entry, _)| entry.path.matches('/').count());
    documents.truncate(MAX_DOCUMENTS);
    for (entry, source) in documents {
        if entry.size > MAX_DOCUMENT {
            graph.warn(
                entry.path.clone(),
                "not read: a document of more than 512 KiB",
            );
            continue;
        }
        if let (Some(file), Some(text)) =
            (graph.file(&entry.path), read_text(repository, &entry.path))
        {
            let items = items(entry.language.as_deref(), &text);
            Reader {
                repository,
                graph,
                path: &entry.path,
                source,
                file,
            }
            .add(items);
        }
    }
}

/// The reader for a document's language.
fn items(language: Option<&str>, text: &str) -> Vec<Item> {
    match language {
        Some("markdown") => markdown::items(text),
        Some("restructuredtext") => rst::items(text),
        Some("asciidoc") => asciidoc::items(text),
        _ => plain::items(text),
    }
}

/// Levels of what is no heading by its syntax: a line in bold, a tab, a fold. Real headings have up to 6, and stand
/// over these.
const BOLD: u8 = 20;
const TAB: u8 = 21;
const FOLD: u8 = 22;

struct Reader<'a> {
    repository: &'a Repository,
    graph: &'a mut KnowledgeGraph,
    path: &'a str,
    source: CommandSource,
    file: NodeId,
}

/// A heading that is open, with the system it or a heading above names.
struct Open {
    level: u8,
    node: NodeId,
    text: String,
    os: Option<Os>,
}

impl Reader<'_> {
    fn add(mut self, items: Vec<Item>) {
        let dir = self.base();
        let mut open: Vec<Open> = Vec::new();
        for item in items.into_iter().take(MAX_ITEMS) {
            match item {
                Item::Heading { level, text, line } => self.heading(&mut open, level, text, line),
                Item::Block(block) => self.block(&open, &dir, &block),
                Item::End { level } => open.retain(|above| above.level < level),
            }
        }
    }

    /// Commands are meant for the directory of their document where that is a project, else for the whole.
    fn base(&self) -> String {
        let (dir, name) = self.path.rsplit_once('/').unwrap_or(("", self.path));
        let mut parts = dir.split('/');
        let about_all =
            parts.any(|part| matches!(part, "doc" | "docs" | ".github" | "documentation"));
        let readme = name.to_ascii_lowercase().starts_with("readme");
        if (about_all && !readme) || !recognise::is_project(self.repository, dir) {
            return String::new();
        }
        dir.to_owned()
    }

    fn heading(&mut self, open: &mut Vec<Open>, level: u8, text: String, line: u32) {
        open.retain(|above| above.level < level);
        let os = recognise::os(&text).or_else(|| open.last().and_then(|above| above.os));
        let place = Place::new(self.path, line);
        let node = self
            .graph
            .add(text.clone(), Some(place), Facts::Section { level, os });
        let parent = open.last().map_or(self.file, |above| above.node);
        self.graph.link(parent, node, EdgeKind::Contains);
        open.push(Open {
            level,
            node,
            text,
            os,
        });
    }

    fn block(&mut self, open: &[Open], dir: &str, block: &Block) {
        let Some(found) = recognise::command_lines(block) else {
            return;
        };
        let recognise::CommandLines {
            lines,
            certain,
            os: prompt_os,
        } = found;
        // Rows are kept by blank lines, so that what belongs together stays so; several commands of one line are
        // rows of it.
        let mut text = String::new();
        let mut rows: Vec<u32> = Vec::new();
        for (line, content) in &lines {
            let next = rows.last().map_or(*line, |last| last + 1);
            for blank in next..*line {
                text.push('\n');
                rows.push(blank);
            }
            text.push_str(content);
            text.push('\n');
            rows.push(*line);
        }
        let section = open.last();
        let start = Start {
            repository: self.repository,
            dir,
        };
        for command in split(&text, &start) {
            if !recognise::is_command(&command.text, certain, |word| self.is_file(word)) {
                continue;
            }
            let command_os = recognise::command_os(&command.text);
            let facts = CommandFacts {
                text: command.text.clone(),
                source: self.source,
                dir: command.dir,
                env: command.env,
                os: prompt_os
                    .or(section.and_then(|section| section.os))
                    .or(command_os),
                context: section
                    .map(|section| section.text.clone())
                    .unwrap_or_default(),
                ..CommandFacts::new("", self.source)
            };
            let line = rows.get(command.row as usize).or(rows.last());
            let place = Place::new(self.path, line.copied().unwrap_or_default());
            let node = self
                .graph
                .add(command.text, Some(place), Facts::Command(facts));
            self.graph.link(
                section.map_or(self.file, |section| section.node),
                node,
                EdgeKind::Documents,
            );
        }
    }

    fn is_file(&self, word: &str) -> bool {
        self.repository.has(word) || (word.contains('/') && is_directory(self.repository, word))
    }
}
