//! The rows of a job matrix (GitHub Actions workflow syntax, `jobs.<id>.strategy.matrix`).

use crate::graph::Os;
use crate::graph::yaml::{Value, Yaml};

use super::os_of_label;

/// Rows that are looked at; GitHub's own limit is 256.
const MAX_ROWS: usize = 256;

/// Values by `name` and, where a value is a map, by `name.key`.
pub(super) type Row = Vec<(String, String)>;

/// Every combination, with `exclude` taken out and `include` put in. A matrix that is computed gives no row.
pub(super) fn rows(matrix: Option<&Yaml>) -> Vec<Row> {
    let mut rows: Vec<Row> = vec![Vec::new()];
    let entries = matrix.map_or(&[][..], Yaml::map);
    let axes = entries
        .iter()
        .filter(|(name, _)| name != "include" && name != "exclude");
    let mut any_axis = false;
    for (name, values) in axes {
        let Value::List(values) = &values.value else {
            continue;
        };
        any_axis = true;
        let mut next = Vec::new();
        for row in &rows {
            for value in values {
                if next.len() < MAX_ROWS {
                    next.push(row.iter().cloned().chain(cells(name, value)).collect());
                }
            }
        }
        rows = next;
    }
    let special = |key: &str| matrix.map_or(&[][..], |matrix| matrix.list_at(&[key]));
    for excluded in special("exclude") {
        let cells: Row = excluded
            .map()
            .iter()
            .flat_map(|(name, value)| cells(name, value))
            .collect();
        rows.retain(|row| !cells.iter().all(|cell| row.contains(cell)));
    }
    if !any_axis && !special("include").is_empty() {
        rows.clear();
    }
    for included in special("include").iter().take(MAX_ROWS) {
        include(&mut rows, included);
    }
    rows
}

fn cells(name: &str, value: &Yaml) -> Row {
    let mut cells: Row = value
        .text()
        .map(|text| (name.to_owned(), text.to_owned()))
        .into_iter()
        .collect();
    for (key, value) in value.map() {
        cells.extend(
            value
                .text()
                .map(|text| (format!("{name}.{key}"), text.to_owned())),
        );
    }
    cells
}

/// Adds to the rows that an entry agrees with, else a row of its own.
fn include(rows: &mut Vec<Row>, included: &Yaml) {
    let added: Row = included
        .map()
        .iter()
        .flat_map(|(name, value)| cells(name, value))
        .collect();
    let agrees = |row: &Row| {
        let mut shared = added
            .iter()
            .filter_map(|(name, value)| Some((get(row, name)?, value)))
            .peekable();
        shared.peek().is_some() && shared.all(|(known, value)| known == value)
    };
    let mut found = false;
    for row in rows.iter_mut().filter(|row| agrees(row)) {
        found = true;
        let new: Row = added
            .iter()
            .filter(|(name, _)| get(row, name).is_none())
            .cloned()
            .collect();
        row.extend(new);
    }
    if !found && rows.len() < MAX_ROWS {
        rows.push(added);
    }
}

pub(super) fn get<'a>(row: &'a Row, name: &str) -> Option<&'a str> {
    row.iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_str())
}

/// The row to take commands from: on Linux, with the first value of each axis, but the newest version of one
/// that lists versions.
pub(super) fn representative(rows: &[Row], os: impl Fn(&Row) -> Option<Os>) -> Row {
    let linux: Vec<&Row> = rows
        .iter()
        .filter(|row| os(row) == Some(Os::Linux))
        .collect();
    let candidates: Vec<&Row> = if linux.is_empty() {
        rows.iter().collect()
    } else {
        linux
    };
    let Some(first) = candidates.first() else {
        return Row::new();
    };
    let wanted: Row = first
        .iter()
        .map(|(name, value)| (name.clone(), preferred(name, value, &candidates).to_owned()))
        .collect();
    let score = |row: &Row| {
        wanted
            .iter()
            .filter(|(name, value)| get(row, name) == Some(value))
            .count()
    };
    // `max_by_key` gives the last of equals; the first is the one that the author thought of.
    candidates
        .into_iter()
        .rev()
        .max_by_key(|row| score(row))
        .cloned()
        .unwrap_or_default()
}

/// The value to prefer for an axis whose first value is `first`.
fn preferred<'a>(name: &str, first: &'a str, rows: &[&'a Row]) -> &'a str {
    let values: Vec<&str> = rows.iter().filter_map(|row| get(row, name)).collect();
    // Toolchain channels: nightly is the experiment, stable what users have.
    if values.contains(&"stable") {
        return "stable";
    }
    let versions: Vec<_> = values
        .iter()
        .filter_map(|value| Some((version(value)?, *value)))
        .collect();
    let are_versions = versions.len() * 2 > values.len() && os_of_label(first).is_none();
    let newest = versions.into_iter().max().filter(|_| are_versions);
    newest.map_or(first, |(_, value)| value)
}

/// The numbers of a released version: `3.10`, not `3.14-dev` or `pypy-3.9`.
fn version(text: &str) -> Option<Vec<u64>> {
    let digits = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    (digits && !text.is_empty()).then(|| {
        text.split('.')
            .filter_map(|part| part.parse().ok())
            .collect()
    })
}
