//! A knowledge graph, or a part of one, in the forms that other tools read and as an interactive page.

mod dot;
mod graphml;
mod page;
mod part;
mod words;

#[cfg(test)]
mod tests;

pub use dot::dot;
pub use graphml::graphml;
pub use page::{PageError, page};
pub use part::Part;
pub use words::{defined, found, shown, stats, way, whys};
