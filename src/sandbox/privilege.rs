//! What this process may do on this machine.

use std::fs;

/// As whom envc runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Privilege {
    /// Root of the machine.
    Root,
    /// Root of a user namespace only, as in a container of an unprivileged user.
    NamespaceRoot,
    User,
}

impl Privilege {
    pub fn here() -> Self {
        if !rustix::process::geteuid().is_root() {
            return Self::User;
        }
        let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
        if is_whole(&map) {
            Self::Root
        } else {
            Self::NamespaceRoot
        }
    }

    /// A user namespace has to be entered before anything can be mounted.
    pub fn needs_namespace(self) -> bool {
        self == Self::User
    }

    /// Marks of layers in the `trusted` attributes are for the machine's root alone; others write `user` ones.
    pub fn user_marks(self) -> bool {
        self != Self::Root
    }
}

/// Whether a map in the format of user_namespaces(7) is that of the first namespace, or as good.
fn is_whole(map: &str) -> bool {
    let mut numbers = map.split_whitespace();
    numbers.next() == Some("0")
        && numbers.next() == Some("0")
        && numbers.next() == Some("4294967295")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_of_a_part_is_a_namespace() {
        assert!(is_whole("         0          0 4294967295\n"));
        assert!(!is_whole("0 0 65536\n"));
        assert!(!is_whole("0 1000 1\n1 100000 65536\n"));
    }
}
