//! Templates of knowledge units: `{name}` and `{name|filter}` filled from captures.

use std::collections::BTreeMap;

/// Fills `template` from `captures`; `None` where a name has no capture, so that a unit's atom or title that needs
/// something the signal did not say is left out and never half filled. `{{` and `}}` stand for braces.
///
/// Filters: `lower`, `upper`, `dash` (`_` and `.` become `-`), `top` (the part before the first `.`), `base` (the part after
/// the last `/`), `escape` is not one: values are data, whoever writes them to a shell quotes them.
pub fn expand(template: &str, captures: &BTreeMap<String, String>) -> Option<String> {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        if let Some(after) = from.strip_prefix("{{") {
            out.push('{');
            rest = after;
        } else if let Some(after) = from.strip_prefix("}}") {
            out.push('}');
            rest = after;
        } else if let Some(inner) = from.strip_prefix('{') {
            let (name, after) = inner.split_once('}')?;
            let mut parts = name.split('|');
            let mut value = captures.get(parts.next()?)?.clone();
            for filter in parts {
                value = apply(filter, &value)?;
            }
            out.push_str(&value);
            rest = after;
        } else {
            return None;
        }
    }
    out.push_str(rest);
    Some(out)
}

fn apply(filter: &str, value: &str) -> Option<String> {
    Some(match filter {
        "lower" => value.to_lowercase(),
        "upper" => value.to_uppercase(),
        "dash" => value.replace(['_', '.'], "-"),
        "top" => value.split('.').next().unwrap_or(value).to_owned(),
        "base" => value.rsplit('/').next().unwrap_or(value).to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captures() -> BTreeMap<String, String> {
        BTreeMap::from([
            ("header".to_owned(), "zlib.h".to_owned()),
            ("package".to_owned(), "Foo_Bar".to_owned()),
        ])
    }

    #[test]
    fn fills_names_and_filters() {
        let filled = expand("{header} of {package|lower|dash} {{x}}", &captures());
        assert_eq!(filled.as_deref(), Some("zlib.h of foo-bar {x}"));
    }

    #[test]
    fn a_name_without_a_capture_gives_nothing() {
        assert_eq!(expand("{nothing}", &captures()), None);
        assert_eq!(expand("{header|nofilter}", &captures()), None);
        assert_eq!(expand("{header", &captures()), None);
        assert_eq!(expand("}", &captures()), None);
    }

    proptest::proptest! {
        #[test]
        fn any_template_is_safe(template in ".*") {
            let _ = expand(&template, &captures());
        }
    }
}
