//! What `make -n -w` prints, read as commands: it follows the directories that make enters and takes shell lines apart.

use super::Entry;
use super::compiler;
use super::place::joined;

/// The compilations of a dry run that starts in `start`, an absolute directory.
pub fn entries(output: &str, start: &str) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    let mut directories: Vec<String> = vec![start.to_owned()];
    for line in logical_lines(output) {
        if let Some(entered) = quoted_after(&line, ": Entering directory ") {
            directories.push(entered);
            continue;
        }
        if line.contains(": Leaving directory ") && line.starts_with(['m', 'g']) {
            if directories.len() > 1 {
                directories.pop();
            }
            continue;
        }
        let mut directory = directories.last().cloned().unwrap_or_default();
        for command in commands(&line) {
            if let [cd, target] = command.as_slice()
                && cd == "cd"
            {
                directory = joined(&directory, target);
                continue;
            }
            for entry in compiler::entries(&command, &directory) {
                if !found.contains(&entry) {
                    found.push(entry);
                }
            }
        }
    }
    found
}

/// Lines with their continuations.
fn logical_lines(output: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut pending = String::new();
    for line in output.lines() {
        match line.strip_suffix('\\') {
            Some(part) => {
                pending.push_str(part);
                pending.push(' ');
            }
            None => {
                pending.push_str(line);
                lines.push(std::mem::take(&mut pending));
            }
        }
    }
    if !pending.is_empty() {
        lines.push(pending);
    }
    lines
}

/// The name between quotes behind `mark`: `make[1]: Entering directory '/repo/src'`.
fn quoted_after(line: &str, mark: &str) -> Option<String> {
    let (make, rest) = line.split_once(mark)?;
    if make.contains(char::is_whitespace) {
        return None;
    }
    let name = rest.trim().trim_matches(['\'', '`', '"']);
    Some(name.to_owned())
}

/// The simple commands of a shell line, as words. A command substitution stands for nothing: the usual one
/// (`` `test -f 'a.c' || echo './'`a.c ``) is empty where the build stands in its sources.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    let (mut words, mut word): (Vec<String>, Option<String>) = (Vec::new(), None);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let text = word.get_or_insert_default();
                text.extend(chars.by_ref().take_while(|c| *c != '\''));
            }
            '"' => double_quoted(&mut chars, word.get_or_insert_default()),
            '\\' => word.get_or_insert_default().extend(chars.next()),
            '`' => chars.by_ref().take_while(|c| *c != '`').for_each(drop),
            '$' if chars.peek() == Some(&'(') => substitution(&mut chars),
            '#' if word.is_none() => break,
            ';' | '&' | '|' | '(' | ')' | '{' | '}' if c != '{' && c != '}' || word.is_none() => {
                words.extend(word.take());
                if !words.is_empty() {
                    all.push(std::mem::take(&mut words));
                }
            }
            '>' | '<' => {
                // A redirection's descriptor and target are no arguments.
                if word
                    .as_deref()
                    .is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
                {
                    word = None;
                }
                words.extend(word.take());
                redirection(&mut chars);
            }
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    if !words.is_empty() {
        all.push(words);
    }
    all
}

fn double_quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, text: &mut String) {
    while let Some(c) = chars.next() {
        match c {
            '"' => return,
            '\\' => match chars.next() {
                Some(next @ ('"' | '\\' | '$' | '`')) => text.push(next),
                Some(next) => text.extend(['\\', next]),
                None => return,
            },
            c => text.push(c),
        }
    }
}

fn substitution(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let mut depth = 0usize;
    for c in chars.by_ref() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return;
                }
            }
            _ => {}
        }
    }
}

fn redirection(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while chars
        .next_if(|c| matches!(c, '>' | '<' | '&' | ' '))
        .is_some()
    {}
    while chars
        .next_if(|c| !c.is_whitespace() && !matches!(c, ';' | '|' | '&'))
        .is_some()
    {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(output: &str) -> Vec<(String, String)> {
        let found = entries(output, "/repo");
        found
            .into_iter()
            .map(|entry| (entry.directory, entry.file))
            .collect()
    }

    fn pair(directory: &str, file: &str) -> (String, String) {
        (directory.to_owned(), file.to_owned())
    }

    #[test]
    fn directories_are_followed() {
        let output = "make: Entering directory '/repo'\ncd lib && gcc -c x.c\nmake[1]: Entering directory '/repo/src'\ngcc -c a.c\nmake[1]: Leaving directory '/repo/src'\ngcc -c b.c\nmake: Leaving directory '/repo'\n";
        assert_eq!(
            of(output),
            [
                pair("/repo/lib", "x.c"),
                pair("/repo/src", "a.c"),
                pair("/repo", "b.c")
            ]
        );
    }

    #[test]
    fn automake_recipes_are_taken_apart() {
        let output = "echo \"  CC      \" a.o;gcc -DNAME=\\\"x y\\\" -I. -MT a.o -MD -MP -MF .deps/a.Tpo -c -o a.o a.c\nif gcc -c -o b.o `test -f 'b.c' || echo './'`b.c; then mv -f x y; fi\ndepbase=`echo c.o | sed 's|[^/]*$|.deps/&|;s|\\.o$||'`;\\\ngcc -c -o c.o c.c &&\\\nmv -f d e\n";
        assert_eq!(
            of(output),
            [
                pair("/repo", "a.c"),
                pair("/repo", "b.c"),
                pair("/repo", "c.c")
            ]
        );
        let made = entries(output, "/repo");
        assert!(
            made[0].arguments.contains(&"-DNAME=\"x y\"".to_owned())
                || made[0].arguments.contains(&"-DNAME=\"x".to_owned())
        );
    }

    #[test]
    fn redirections_and_comments_are_no_arguments() {
        let made = entries("gcc -c a.c -o a.o 2>&1 >log.c # gcc -c b.c\n", "/repo");
        assert_eq!(made.len(), 1);
        assert_eq!(made[0].arguments, ["gcc", "-c", "a.c", "-o", "a.o"]);
    }

    #[test]
    fn any_text_is_read() {
        for text in [
            "'",
            "\"",
            "`",
            "$(",
            "\\",
            "cd",
            "gcc",
            "((((",
            "make: Entering directory",
            "> >",
            "gcc -o",
        ] {
            let _ = of(text);
        }
    }
}
