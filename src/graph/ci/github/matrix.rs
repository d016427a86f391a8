//! The rows of a job matrix (GitHub Actions workflow syntax, `jobs.<id>.strategy.matrix`).

use crate::graph::Os;
use crate::graph::yaml::{Value, Yaml};

use crate::graph::ci::os_of_label;

/// Rows that are looked at; GitHub's own limit is 256.
const MAX_ROWS: usize = 256;

/// Values by `name` and, where a value is a map, by `name.key`.
pub(super) type Row = Vec<(String, String)>;

/// Every combination, with `exclude` taken out and `include` put in, as the documentation of `include` has it: an
/// entry is added to each original combination none of whose own values it would change, else it is a combination of
/// its own. A matrix that is computed gives no row.
pub(super) fn rows(matrix: Option<&Yaml>) -> Vec<Row> {
    let mut rows: Vec<Row> = vec![Vec::new()];
    let mut axes: Vec<&str> = Vec::new();
    let named = matrix.map_or(&[][..], Yaml::map).iter();
    for (name, values) in named.filter(|(name, _)| name != "include" && name != "exclude") {
        let listed = literal(values);
        let values = listed.as_ref().unwrap_or(values);
        let Value::List(values) = &values.value else {
            continue;
        };
        axes.push(name);
        let mut next = Vec::new();
        for row in &rows {
            for value in values.iter().take(MAX_ROWS - next.len()) {
                next.push(row.iter().cloned().chain(cells(name, value)).collect());
            }
        }
        rows = next;
    }
    let special = |key: &str| matrix.map_or(&[][..], |matrix| matrix.list_at(&[key]));
    let cells_of = |entry: &Yaml| -> Row {
        let map = entry.map().iter();
        map.flat_map(|(name, value)| cells(name, value)).collect()
    };
    for excluded in special("exclude").iter().map(cells_of) {
        rows.retain(|row| excluded.is_empty() || !excluded.iter().all(|cell| row.contains(cell)));
    }
    let includes: Vec<Row> = special("include").iter().map(cells_of).collect();
    if axes.is_empty() && !includes.is_empty() {
        rows.clear();
    }
    let originals: Vec<Row> = rows.clone();
    for included in includes
        .into_iter()
        .filter(|row| !row.is_empty())
        .take(MAX_ROWS)
    {
        include(&mut rows, &originals, included);
    }
    rows
}

/// The list that `${{ fromJSON('[…]') }}` writes down.
fn literal(value: &Yaml) -> Option<Yaml> {
    let text = value.text()?.trim();
    let inner = text.strip_prefix("${{")?.strip_suffix("}}")?.trim();
    let call = inner
        .get(..9)
        .filter(|name| name.eq_ignore_ascii_case("fromjson("))?;
    let json = inner.get(call.len()..)?.strip_suffix(')')?.trim();
    Yaml::parse(json.strip_prefix('\'')?.strip_suffix('\'')?)
}

/// Values below `name`, a few levels deep.
fn cells(name: &str, value: &Yaml) -> Row {
    let mut cells = Row::new();
    let mut waiting = vec![(name.to_owned(), value, 0)];
    while let Some((name, value, depth)) = waiting.pop() {
        if let Some(text) = value.text() {
            cells.push((name.clone(), text.to_owned()));
        }
        if depth < 3 {
            let below = value.map().iter().rev();
            waiting.extend(below.map(|(key, value)| (format!("{name}.{key}"), value, depth + 1)));
        }
    }
    cells
}

/// Adds to the original rows that an entry agrees with, else a row of its own.
fn include(rows: &mut Vec<Row>, originals: &[Row], added: Row) {
    let mut found = false;
    for (row, original) in rows.iter_mut().zip(originals) {
        let agrees = added
            .iter()
            .all(|(name, value)| get(original, name).is_none_or(|known| known == value));
        if agrees {
            found = true;
            row.retain(|(name, _)| get(&added, name).is_none());
            row.extend(added.iter().cloned());
        }
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
    if candidates.len() == 1 {
        return (*first).clone();
    }
    let wanted: Vec<(&str, &str, usize)> = first
        .iter()
        .map(|(name, value)| {
            let value_wanted = preferred(name, value, &candidates);
            // The newest toolchain weighs more than the first value of some other axis.
            let weight = if version(value_wanted).is_some() {
                3
            } else {
                1
            };
            (name.as_str(), value_wanted, weight)
        })
        .collect();
    let score = |row: &Row| {
        let met = wanted
            .iter()
            .filter(|(name, value, _)| get(row, name) == Some(value));
        met.map(|(_, _, weight)| weight).sum::<usize>()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        rows(Yaml::parse(text).as_ref())
            .into_iter()
            .map(|mut row| {
                row.sort();
                let cells: Vec<String> = row.iter().map(|(k, v)| format!("{k}={v}")).collect();
                cells.join(" ")
            })
            .collect()
    }

    #[test]
    fn include_as_its_documentation_has_it() {
        let text = "fruit: [apple, pear]\nanimal: [cat, dog]\ninclude:\n  - color: green\n  - color: pink\n    animal: cat\n  - fruit: apple\n    shape: circle\n  - fruit: banana\n  - fruit: banana\n    animal: cat\n";
        assert_eq!(
            shown(text),
            [
                "animal=cat color=pink fruit=apple shape=circle",
                "animal=dog color=green fruit=apple shape=circle",
                "animal=cat color=pink fruit=pear",
                "animal=dog color=green fruit=pear",
                "fruit=banana",
                "animal=cat fruit=banana",
            ]
        );
        assert_eq!(shown("include: [{a: 1}, {a: 2}]"), ["a=1", "a=2"]);
    }

    #[test]
    fn exclude_needs_only_some_of_the_keys() {
        let text = "os: [a, b]\nv: [1, 2]\nexclude: [{os: a}]\n";
        assert_eq!(shown(text), ["os=b v=1", "os=b v=2"]);
        assert_eq!(
            shown("x: [{n: 1, m: {k: 2}}, {n: 2}]\nexclude: [{x: {n: 2}}]"),
            ["x.m.k=2 x.n=1"]
        );
    }

    #[test]
    fn a_literal_list_is_read_and_a_computed_one_is_not() {
        assert_eq!(shown("v: ${{ fromJSON('[1, \"2\"]') }}"), ["v=1", "v=2"]);
        assert_eq!(shown("v: ${{ fromJSON(needs.x.outputs.y) }}"), [""]);
    }
}
