//! Stage 6: graph and plan → [`Pyramid`].

mod model;
mod normal;
mod rules;

pub use model::*;

/// True for a smoke probe (`prog --version`, `python -c 'import pkg'`): it may pass, and executes no test.
pub fn is_probe(command: &str) -> bool {
    rules::rules()
        .class(&normal::normal(command))
        .is_some_and(|class| class.probe)
}
