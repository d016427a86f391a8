//! JSON with comments and trailing commas (as `devcontainer.json` has them), turned into YAML's subset: comments become
//! blanks, so that every value keeps its line.

/// The text without comments; rows and columns stay.
pub(super) fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut inside = false;
    while let Some(c) = chars.next() {
        if inside {
            plain.push(c);
            match c {
                '\\' => plain.extend(chars.next()),
                '"' => inside = false,
                _ => {}
            }
            continue;
        }
        match (c, chars.peek()) {
            ('"', _) => {
                inside = true;
                plain.push(c);
            }
            ('/', Some('/')) => while chars.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                let mut star = false;
                chars.next();
                for c in chars.by_ref() {
                    if c == '\n' {
                        plain.push('\n');
                    }
                    if star && c == '/' {
                        break;
                    }
                    star = c == '*';
                }
            }
            // A tab may not indent in YAML.
            ('\t', _) => plain.push(' '),
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::yaml::Yaml;

    #[test]
    fn comments_go_and_lines_stay() {
        let text =
            "// head\n{\n\t\"a\": \"x // no\", /* one\n two */\n\t\"b\": [1, 2,], // end\n}\n";
        let yaml = Yaml::parse(&without_comments(text)).unwrap();
        assert_eq!(yaml.text_at(&["a"]), Some("x // no"));
        assert_eq!(yaml.get("b").unwrap().mark.line, 5);
        assert_eq!(yaml.list_at(&["b"]).len(), 2);
    }
}
