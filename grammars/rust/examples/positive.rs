use serde::Deserialize; // EXPECT: import serde::Deserialize
use rand::{Rng, thread_rng}; // EXPECT: import rand::{Rng, thread_rng}
mod own;
pub use own::Thing; // EXPECT: local own::Thing
extern crate libc; // EXPECT: import libc
#[cfg(unix)]
#[allow(unused)]
use nix::fcntl; // EXPECT: import nix::fcntl [cfg(unix)]

mod inner {
    fn main() {} // EXPECT: function main
}
fn test_helper() {} // EXPECT: function test_helper
pub struct Thing; // EXPECT: type Thing

fn main() {} // EXPECT: main ;; function main

#[cfg(test)]
mod tests {
    use proptest::prelude::*; // EXPECT: import proptest::prelude::* [cfg(test)]

    #[test]
    #[should_panic]
    fn overflows() {} // EXPECT: test overflows ;; function overflows

    #[tokio::test]
    async fn waits() {} // EXPECT: test waits ;; function waits
}
