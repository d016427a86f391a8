//! Text for the command line: what `envc plan`, `envc explain` and the end of `envc build` print. No colour, no
//! control characters: it goes to a pipe as well as to a person.

mod explain;
mod plan;
mod summary;

pub use explain::{explain, known_subjects, near_names};
pub use plan::plan_table;
pub use summary::{headline, summary};

use crate::emit::terminal::one_line;
use crate::evidence::Because;

/// Rows in columns as wide as their widest cell; the last column is not padded. Cells are cleaned.
fn columns(rows: &[Vec<String>], indent: &str) -> String {
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| one_line(cell)).collect())
        .collect();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at));
        // One long cell must not push all others away.
        cells
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
            .min(44)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = indent.to_owned();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:<width$}  "));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// `CMakeLists.txt:3  project(x)`, and how many more there are.
fn first_reason(reasons: &[Because]) -> String {
    match reasons {
        [] => String::new(),
        [only] => only.to_string(),
        [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
    }
}
