//! `app.json` (Heroku, "app.json Schema"): variables that the program wants, add-ons, the test script.

use serde_json::Value;

use super::{Format, Found, Reading, base};
use crate::graph::{CommandFacts, CommandSource, Facts};

/// Add-on → the image of the service that it is.
const ADDONS: &[(&str, &str)] = &[
    ("heroku-postgresql", "postgres"),
    ("heroku-redis", "redis"),
    ("rediscloud", "redis"),
    ("jawsdb", "mysql"),
    ("cleardb", "mysql"),
    ("cloudamqp", "rabbitmq"),
    ("mongolab", "mongo"),
    ("bonsai", "elasticsearch"),
];

pub(super) const FORMAT: Format = Format {
    matches: |path| base(path) == "app.json",
    read,
    pins: false,
};

fn read(reading: &mut Reading) {
    let json = match serde_json::from_str::<Value>(reading.text) {
        Ok(json) => json,
        Err(wrong) => return reading.warnings.push(format!("not read: {wrong}")),
    };
    // Expo's app.json has an `expo` object and nothing of ours.
    let env = json.get("env").and_then(Value::as_object);
    for (name, wanted) in env.into_iter().flatten() {
        let value = text_or(wanted, "value");
        let line = line_of(reading.text, name);
        reading.variable(line, name, value);
    }
    let addons = json.get("addons").and_then(Value::as_array);
    for addon in addons.into_iter().flatten() {
        service(reading, text_or(addon, "plan").unwrap_or_default());
    }
    for way in SCRIPTS {
        let Some(text) = json
            .pointer(way)
            .and_then(|found| text_or(found, "command"))
        else {
            continue;
        };
        let facts = CommandFacts {
            context: format!("app.json {way}"),
            ..CommandFacts::new(text, CommandSource::TaskRunner)
        };
        let line = line_of(reading.text, text);
        reading.push(Found::Node(line, text.to_owned(), Facts::Command(facts)));
    }
}

const SCRIPTS: [&str; 3] = [
    "/scripts/postdeploy",
    "/environments/test/scripts/test",
    "/environments/test/scripts/test-setup",
];

/// A text, or the text of a key of an object.
fn text_or<'j>(value: &'j Value, key: &str) -> Option<&'j str> {
    value.as_str().or_else(|| value.get(key)?.as_str())
}

/// The service that an add-on is, by its plan.
fn service(reading: &mut Reading, plan: &str) {
    let name = plan.split(':').next().unwrap_or(plan);
    if let Some((_, image)) = ADDONS.iter().find(|(known, _)| *known == name) {
        let facts = Facts::Service {
            image: (*image).to_owned(),
            ports: Vec::new(),
            env: Default::default(),
        };
        let line = line_of(reading.text, plan);
        reading.push(Found::Node(line, (*image).to_owned(), facts));
    }
}

/// The first line that holds a string; 0 where it is written with escapes.
fn line_of(text: &str, string: &str) -> u32 {
    let quoted = format!("\"{string}\"");
    let at = text.lines().position(|line| line.contains(&quoted));
    at.map_or(0, |at| at as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;

    #[test]
    fn an_application() {
        let text = "{\n \"env\": {\n  \"SECRET\": {\"generator\": \"secret\"},\n  \"A\": \"b\"},\n \"addons\": [\"heroku-postgresql:mini\", {\"plan\": \"odd\"}],\n \"environments\": {\"test\": {\"scripts\": {\"test\": \"npm test\"}}}\n}";
        insta::assert_snapshot!(found("app.json", text), @r#"
        3: variable SECRET=None
        4: variable A=Some("b")
        5: service postgres postgres
        6: run npm test (app.json /environments/test/scripts/test)
        "#);
        assert_eq!(found("app.json", "{\"expo\": {}}"), "");
    }
}
