//! Comparing values, and showing conditions.

use super::super::super::meson_syntax::Expr;
use super::Value;

pub(super) fn same(a: &Value, b: &Value) -> Option<bool> {
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => Some(a == b),
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        _ => None,
    }
}

pub(super) fn contains(item: &Value, items: &[Value]) -> Option<bool> {
    let found: Vec<Option<bool>> = items.iter().map(|other| same(item, other)).collect();
    if found.contains(&Some(true)) {
        Some(true)
    } else {
        found.iter().all(Option::is_some).then_some(false)
    }
}

/// A condition in short, for people.
pub(super) fn show(expr: &Expr, depth: u8) -> String {
    if depth > 6 {
        return "…".to_owned();
    }
    let text = match expr {
        Expr::Text(text) | Expr::Format(text) => format!("'{text}'"),
        Expr::Name(name) | Expr::Number(name) => name.clone(),
        Expr::Bool(value) => value.to_string(),
        Expr::Not(inner) => format!("not {}", show(inner, depth + 1)),
        Expr::Binary(operator, a, b) => {
            format!("{} {operator} {}", show(a, depth + 1), show(b, depth + 1))
        }
        Expr::Call(call) => {
            let object = call.object.as_ref().map_or(String::new(), |object| {
                format!("{}.", show(object, depth + 1))
            });
            let args: Vec<String> = call
                .args
                .iter()
                .take(3)
                .map(|arg| show(arg, depth + 1))
                .collect();
            format!("{object}{}({})", call.name, args.join(", "))
        }
        _ => "…".to_owned(),
    };
    text.chars().take(120).collect()
}
