//! Conditions of `[target.'cfg(…)'.dependencies]` (the Rust Reference, "Conditional compilation").

/// Whether a target table can apply on a Linux machine. Unknown predicates may hold.
pub fn may_hold(condition: &str) -> bool {
    match condition
        .trim()
        .strip_prefix("cfg(")
        .and_then(|rest| rest.strip_suffix(')'))
    {
        Some(inner) => eval(inner, 0).unwrap_or(true),
        // A target triple.
        None => condition.contains("linux"),
    }
}

/// `None` where it depends on something unknown. Nesting beyond a few levels is unknown.
fn eval(text: &str, depth: u8) -> Option<bool> {
    let text = text.trim();
    if depth > 16 {
        return None;
    }
    if let Some((name, inner)) = call(text) {
        let mut values = split(inner).into_iter().map(|part| eval(part, depth + 1));
        return match name {
            "not" => values.next().flatten().map(|value| !value),
            "all" => fold(values, false),
            "any" => fold(values, true),
            _ => None,
        };
    }
    match text.split_once('=') {
        None => match text {
            "unix" => Some(true),
            "windows" | "miri" => Some(false),
            _ => None,
        },
        Some((key, value)) => {
            let value = value.trim().trim_matches('"');
            match key.trim() {
                "target_os" => Some(value == "linux"),
                "target_family" => Some(value == "unix"),
                "target_env" if value == "msvc" || value == "sgx" => Some(false),
                "target_vendor" if value == "apple" => Some(false),
                "target_arch" if value.starts_with("wasm") => Some(false),
                _ => None,
            }
        }
    }
}

/// `any` (absorbing true) and `all` (absorbing false) over three values.
fn fold(values: impl Iterator<Item = Option<bool>>, absorbing: bool) -> Option<bool> {
    let mut unknown = false;
    for value in values {
        match value {
            Some(value) if value == absorbing => return Some(absorbing),
            Some(_) => {}
            None => unknown = true,
        }
    }
    (!unknown).then_some(!absorbing)
}

fn call(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('(')?;
    Some((name.trim(), rest.strip_suffix(')')?))
}

/// Splits at commas outside of parentheses.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_i32, 0, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b',' if depth == 0 => {
                parts.extend(text.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(text.get(start..).filter(|rest| !rest.trim().is_empty()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_linux_is() {
        assert!(may_hold("cfg(unix)"));
        assert!(!may_hold("cfg(windows)"));
        assert!(!may_hold("cfg(target_os = \"macos\")"));
        assert!(may_hold("cfg(not(windows))"));
        assert!(may_hold(
            "cfg(any(target_os = \"macos\", target_os = \"linux\"))"
        ));
        assert!(!may_hold("cfg(all(unix, target_vendor = \"apple\"))"));
        assert!(may_hold("cfg(tokio_unstable)"));
        assert!(!may_hold("x86_64-pc-windows-gnu"));
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(cfg\\()?.{0,60}") {
            may_hold(&text);
        }
    }
}
