//! Stage 6: graph and plan → [`Pyramid`], in five steps: retrieve evidence, extract commands, classify and filter
//! them, refine them by the plan, adjust the whole. What commands are is data under `knowledge/pyramid/`.

mod adjust;
mod aside;
mod classify;
mod extract;
mod model;
mod native;
mod normal;
mod refine;
mod retrieve;
mod rewrite;
mod rules;
mod shell;
mod superfluous;
mod text;

pub use model::*;
pub use text::text;

/// For fuzzing: the number of statements that shell text is taken apart into.
pub(crate) fn shell_statements(text: &str) -> usize {
    shell::statements(text).map_or(0, |statements| statements.len())
}

use crate::graph::KnowledgeGraph;
use crate::plan::Plan;

/// The commands that try a repository, by level, best first, and what was left out of them.
pub fn build(graph: &KnowledgeGraph, plan: &Plan) -> Pyramid {
    let (evidence, known) = retrieve::retrieve(graph, plan);
    let (found, mut left_out) = extract::extract(&evidence, &known);
    let (candidates, filtered) = classify::classify(found, &known);
    let (refined, replaced) = refine::refine(candidates, &known, plan);
    let (commands, crowded) = adjust::adjust(refined, &known);
    left_out.extend(filtered);
    left_out.extend(replaced);
    left_out.extend(crowded);
    Pyramid {
        schema: SCHEMA.to_owned(),
        commands,
        left_out: few(left_out),
    }
}

/// Compiles what commands are recognised by, so that [`build`] finds it ready.
pub fn prepare() {
    let _ = rules::rules();
}

/// Each left-out command once, and no more than a reader can use.
fn few(left_out: Vec<LeftOut>) -> Vec<LeftOut> {
    let mut seen = std::collections::BTreeSet::new();
    let mut few: Vec<LeftOut> = left_out
        .into_iter()
        .filter(|item| seen.insert((item.command.clone(), item.reason.clone())))
        .collect();
    few.truncate(adjust::MOST_LEFT_OUT);
    few
}

/// True for a smoke probe (`prog --version`, `python -c 'import pkg'`): it may pass, and executes no test.
pub fn is_probe(command: &str) -> bool {
    rules::rules()
        .class(&normal::normal(command))
        .is_some_and(|class| class.probe)
}

#[cfg(test)]
mod tests;
