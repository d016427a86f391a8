//! `Procfile` (Heroku, "The Procfile"; foreman): what is run, a process type a line.

use super::{Format, Found, Reading, base, lines};
use crate::graph::{CommandFacts, CommandSource, Facts};

pub(super) const FORMAT: Format = Format {
    matches: |path| matches!(base(path), "Procfile" | "Procfile.dev"),
    read,
    pins: false,
};

fn read(reading: &mut Reading) {
    let dir = reading.path.rsplit_once('/').map_or("", |(dir, _)| dir);
    for (line, text) in lines(reading.text) {
        let Some((name, command)) = text.split_once(':') else {
            continue;
        };
        let plain = name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        let command = command.trim();
        if !plain || name.is_empty() || command.is_empty() {
            continue;
        }
        let facts = CommandFacts {
            dir: dir.to_owned(),
            context: format!("{} / {name}", base(reading.path)),
            ..CommandFacts::new(command, CommandSource::TaskRunner)
        };
        reading.push(Found::Node(line, command.to_owned(), Facts::Command(facts)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;

    #[test]
    fn processes() {
        let text = "web: gunicorn app:app -b 0.0.0.0:$PORT\nworker:\n# x: y\nrelease: ./manage.py migrate\n";
        insta::assert_snapshot!(found("Procfile", text), @"
        1: run gunicorn app:app -b 0.0.0.0:$PORT (Procfile / web)
        4: run ./manage.py migrate (Procfile / release)
        ");
    }
}
