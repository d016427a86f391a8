//! Stage 1: directory → [`Repository`].

mod repository;

pub use repository::*;
