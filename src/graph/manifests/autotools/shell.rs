//! Just enough of the shell to tell which branches of `configure.ac` run by default: `if`/`case` nesting,
//! literal assignments and `test` with `=`, `!=`, `-n`, `-z`.

use std::collections::BTreeMap;

/// Variables by name; `None`: assigned something that is not known.
pub type Vars = BTreeMap<String, Option<String>>;

/// Open conditions, and whether each one's current branch runs.
#[derive(Debug, Default)]
pub struct Nesting {
    stack: Vec<Level>,
}

#[derive(Debug)]
struct Level {
    value: Option<bool>,
    text: String,
}

const MAX_NESTING: usize = 200;

impl Nesting {
    /// True, false or not known whether the current place is reached.
    pub fn value(&self) -> Option<bool> {
        if self.stack.iter().any(|level| level.value == Some(false)) {
            return Some(false);
        }
        self.stack
            .iter()
            .all(|level| level.value == Some(true))
            .then_some(true)
    }

    /// The conditions around the current place, outermost first.
    pub fn conditions(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.stack.iter().map(|level| level.text.as_str())
    }

    /// The condition that decides over the current place: one that is false, else the innermost.
    pub fn reason(&self) -> &str {
        let no = self.stack.iter().find(|level| level.value == Some(false));
        no.or(self.stack.last()).map_or("", |level| level.text.as_str())
    }

    pub fn push(&mut self, text: &str, value: Option<bool>) {
        if self.stack.len() < MAX_NESTING {
            self.stack.push(Level {
                value,
                text: text.chars().take(200).collect(),
            });
        }
    }

    pub fn pop(&mut self) {
        self.stack.pop();
    }

    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    pub fn truncate(&mut self, depth: usize) {
        self.stack.truncate(depth);
    }

    /// Reads one line of shell text.
    pub fn line(&mut self, line: &str, vars: &mut Vars) {
        for part in line.split([';', '\n']).map(str::trim) {
            let word = part.split_whitespace().next().unwrap_or_default();
            let rest = part.get(word.len()..).unwrap_or_default().trim();
            match word {
                "if" => self.push(rest, condition(rest, vars)),
                "then" | "do" => self.simple(rest, vars),
                "elif" => {
                    if let Some(level) = self.stack.last_mut() {
                        let own = condition(rest, vars);
                        level.value = match (level.value, own) {
                            (Some(true), _) | (_, Some(false)) => Some(false),
                            (Some(false), own) => own,
                            (None, _) => None,
                        };
                        level.text = rest.to_owned();
                    }
                }
                "else" => {
                    if let Some(level) = self.stack.last_mut() {
                        level.value = level.value.map(|value| !value);
                        level.text = format!("not {}", level.text);
                    }
                    self.simple(rest, vars);
                }
                "fi" | "esac" => self.pop(),
                "case" => self.push(rest, None),
                _ => self.simple(part, vars),
            }
        }
    }

    fn simple(&mut self, part: &str, vars: &mut Vars) {
        if part.starts_with("if ") && !part.contains(';') {
            return self.line(part, vars);
        }
        if let Some((name, value)) = assignment(part) {
            let value = match self.value() {
                Some(true) => expand(value, vars),
                Some(false) => return,
                None => None,
            };
            if vars.len() < 20_000 {
                vars.insert(name.to_owned(), value.filter(|value| value.len() < 4000));
            }
        }
    }
}

/// `name=value`, where that is all there is.
pub fn assignment(part: &str) -> Option<(&str, &str)> {
    let (name, value) = part.split_once('=')?;
    let plain = !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    let quoted = value.starts_with(['"', '\'']);
    (plain && (quoted || !value.contains(char::is_whitespace))).then_some((name, value.trim()))
}

/// A word without quotes and with known variables in place; `None` where something is not known.
fn expand(word: &str, vars: &Vars) -> Option<String> {
    let mut out = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('$') {
        out.extend(before.chars().filter(|c| !matches!(c, '"' | '\'')));
        let (name, tail) = match after.strip_prefix('{') {
            Some(inner) => inner.split_once('}')?,
            None => {
                let end = after
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                    .unwrap_or(after.len());
                after.split_at_checked(end)?
            }
        };
        out.push_str(vars.get(name)?.as_ref()?);
        rest = tail;
    }
    out.extend(rest.chars().filter(|c| !matches!(c, '"' | '\'')));
    (!out.contains('`')).then_some(out)
}

/// The value of a condition; `None` where it cannot be told.
pub fn condition(text: &str, vars: &Vars) -> Option<bool> {
    let text = text
        .trim()
        .trim_end_matches("then")
        .trim()
        .trim_end_matches(';')
        .trim();
    let (all, any) = (
        text.contains("&&") || text.contains(" -a "),
        text.contains("||") || text.contains(" -o "),
    );
    if all && any {
        return None;
    }
    let flat = text.replace(" -a ", " && ").replace(" -o ", " || ");
    let parts: Vec<Option<bool>> = flat
        .split(if all { "&&" } else { "||" })
        .take(40)
        .map(|part| single(part, vars))
        .collect();
    if all {
        return if parts.contains(&Some(false)) {
            Some(false)
        } else {
            parts.iter().all(|part| *part == Some(true)).then_some(true)
        };
    }
    if parts.contains(&Some(true)) {
        Some(true)
    } else {
        parts
            .iter()
            .all(|part| *part == Some(false))
            .then_some(false)
    }
}

fn single(text: &str, vars: &Vars) -> Option<bool> {
    let text = text.trim();
    let text = text.strip_prefix("test ").unwrap_or(text);
    let text = text.trim_start_matches('[').trim_end_matches(']').trim();
    let (text, negate) = match text.strip_prefix("! ") {
        Some(rest) => (rest.trim().trim_start_matches("test ").trim(), true),
        None => (text, false),
    };
    let words = words(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let value = match words.as_slice() {
        ["-n", word] => Some(!expand(word, vars)?.is_empty()),
        ["-z", word] => Some(expand(word, vars)?.is_empty()),
        [left, "=" | "==", right] => Some(expand(left, vars)? == expand(right, vars)?),
        [left, "!=", right] => Some(expand(left, vars)? != expand(right, vars)?),
        ["true" | ":"] => Some(true),
        ["false"] => Some(false),
        _ => None,
    };
    value.map(|value| value != negate)
}

/// Words at blanks outside of quotes; the quotes stay.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c.is_whitespace() => {
                words.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = words.last_mut() {
            last.push(c);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars() -> Vars {
        Vars::from([
            ("a".to_owned(), Some("yes".to_owned())),
            ("b".to_owned(), Some(String::new())),
            ("c".to_owned(), None),
        ])
    }

    #[test]
    fn conditions() {
        let vars = vars();
        assert_eq!(condition("test \"x$a\" = xyes; then", &vars), Some(true));
        assert_eq!(condition("test x${a} != x\"yes\"", &vars), Some(false));
        assert_eq!(
            condition("test -z \"$b\" -a \"$a\" = no", &vars),
            Some(false)
        );
        assert_eq!(condition("test \"$c\" = yes", &vars), None);
        assert_eq!(condition("test \"$unset\" = yes", &vars), None);
        assert_eq!(
            condition("! test \"$a\" = yes || test \"$a\" = no", &vars),
            Some(false)
        );
    }

    #[test]
    fn branches() {
        let mut vars = vars();
        let mut nesting = Nesting::default();
        nesting.line("if test \"$a\" = no; then", &mut vars);
        assert_eq!(nesting.value(), Some(false));
        nesting.line("else", &mut vars);
        assert_eq!(nesting.value(), Some(true));
        nesting.line("d=\"x$a\"", &mut vars);
        nesting.line("fi", &mut vars);
        assert_eq!((nesting.depth(), vars["d"].as_deref()), (0, Some("xyes")));
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(if |test |\\PC|[$\"'{}=;\n ]){0,60}") {
            let mut vars = vars();
            Nesting::default().line(&text, &mut vars);
            condition(&text, &vars);
        }
    }
}
