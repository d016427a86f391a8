//! Where commands run: one contract, three places.

mod contract;

pub use contract::*;
