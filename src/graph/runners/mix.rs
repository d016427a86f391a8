//! Aliases of `mix.exs`: `test: ["ecto.create --quiet", "test"]`.

use super::targets::is_wanted;
use super::{Input, Task, named};
use crate::graph::manifests::tokens::{HASH, Token, inside, starts, tokens};

pub(super) fn tasks(input: &Input<'_>) -> Vec<Task> {
    if input.project("elixir").is_none() {
        return Vec::new();
    }
    let all = tokens(input.text, &HASH);
    let Some(body) = aliases(&all) else {
        return Vec::new();
    };
    let depth = body.first().map_or(0, |token| token.depth);
    let keys = body.iter().enumerate().filter(|(at, token)| {
        token.depth == depth && body.get(at + 1).is_some_and(|next| next.is(":"))
    });
    keys.filter_map(|(at, token)| {
        let name = token.word().or_else(|| token.literal())?;
        let list = starts(body, at + 2, &["["]);
        let steps: Vec<&str> = if list {
            inside(body, at + 2)
                .iter()
                .filter_map(Token::literal)
                .collect()
        } else {
            body.get(at + 2)
                .and_then(Token::literal)
                .into_iter()
                .collect()
        };
        is_wanted(name).then(|| named(token.line, "mix", name, &steps.join("; ")))?
    })
    .collect()
}

/// The list that the function `aliases` returns.
fn aliases(all: &[Token]) -> Option<&[Token]> {
    let at = (0..all.len()).find(|at| {
        let defined = all
            .get(*at)
            .is_some_and(|token| token.is("def") || token.is("defp"));
        defined && starts(all, at + 1, &["aliases"])
    })?;
    let open = (at..all.len().min(at + 8)).find(|at| starts(all, *at, &["["]))?;
    Some(inside(all, open))
}
