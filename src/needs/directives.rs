//! Lines of the preprocessor in C and C++ sources.

/// Preprocessor lines without their `#`, comments taken out and continuations joined.
pub struct Directives<'t> {
    lines: std::iter::Zip<std::str::Lines<'t>, std::ops::RangeFrom<u32>>,
    in_comment: bool,
}

impl<'t> Directives<'t> {
    pub fn new(text: &'t str) -> Self {
        Self {
            lines: text.lines().zip(1..),
            in_comment: false,
        }
    }
}

impl Iterator for Directives<'_> {
    type Item = (String, u32);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (line, number) = self.lines.next()?;
            if !self.in_comment && !line.contains('#') && !line.contains("/*") {
                continue;
            }
            let mut text = strip_comments(line, &mut self.in_comment);
            let Some(directive) = text.trim_start().strip_prefix('#') else {
                continue;
            };
            text = directive.trim().to_owned();
            while text.ends_with('\\') && text.len() < 10_000 {
                text.pop();
                let Some((next, _)) = self.lines.next() else {
                    break;
                };
                text.push(' ');
                text.push_str(strip_comments(next, &mut self.in_comment).trim());
            }
            return Some((text, number));
        }
    }
}

fn strip_comments(line: &str, in_comment: &mut bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    loop {
        if *in_comment {
            match rest.split_once("*/") {
                Some((_, after)) => {
                    *in_comment = false;
                    rest = after;
                    out.push(' ');
                }
                None => return out,
            }
        }
        let start = rest.find("/*");
        let line_comment = rest.find("//");
        match (start, line_comment) {
            // `<sys//x.h>` and URLs in strings are no concern of a directive.
            (at, Some(end)) if at.is_none_or(|at| end < at) => {
                out.push_str(rest.get(..end).unwrap_or_default());
                return out;
            }
            (Some(at), _) => {
                out.push_str(rest.get(..at).unwrap_or_default());
                rest = rest.get(at + 2..).unwrap_or_default();
                *in_comment = true;
            }
            (None, _) => {
                out.push_str(rest);
                return out;
            }
        }
    }
}
