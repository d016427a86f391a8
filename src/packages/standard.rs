//! Headers that every C and C++ compiler gives: no package has to be asked for them.
//!
//! The list is data, taken from the packages that a compiler pulls in, see [`is_toolchain_package`].

use std::collections::HashSet;
use std::sync::LazyLock;

use super::index;

/// Packages that `gcc` and `g++` depend on: the C library, the kernel's interface, the C++ library and the
/// compiler's own headers.
pub(super) fn is_toolchain_package(name: &str) -> bool {
    matches!(name, "libc6-dev" | "linux-libc-dev" | "libcrypt-dev")
        || (name.starts_with("libstdc++-") || name.starts_with("libgcc-")) && name.ends_with("-dev")
}

/// The name by which an `#include` finds this file in the default search path of the compiler.
pub(super) fn name_in_path(path: &str) -> Option<&str> {
    if let Some(rest) = path.strip_prefix("usr/lib/gcc/x86_64-linux-gnu/") {
        let (_version, rest) = rest.split_once('/')?;
        return rest.strip_prefix("include/");
    }
    let rest = path.strip_prefix("usr/include/")?;
    let rest = rest.strip_prefix("x86_64-linux-gnu/").unwrap_or(rest);
    match rest.strip_prefix("c++/") {
        Some(inside) => inside.split_once('/').map(|(_version, name)| name),
        None => Some(rest),
    }
}

/// Whether the C library, the kernel's headers, the C++ library or the compiler itself gives this header
/// (`stdio.h`, `sys/epoll.h`, `linux/if_tun.h`, `vector`, `immintrin.h`).
pub fn is_standard_header(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<String>> =
        LazyLock::new(|| index::Index::embedded().standard_headers());
    NAMES.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_compilers_give_is_standard() {
        for name in [
            "stdio.h",
            "pthread.h",
            "sys/epoll.h",
            "linux/if_tun.h",
            "asm/unistd.h",
            "vector",
            "cstdint",
            "bits/stdc++.h",
            "stddef.h",
            "stdatomic.h",
            "immintrin.h",
            "omp.h",
            "crypt.h",
            "experimental/filesystem",
        ] {
            assert!(is_standard_header(name), "{name}");
        }
    }

    #[test]
    fn what_packages_give_is_not() {
        for name in [
            "zlib.h",
            "config.h",
            "windows.h",
            "SDL.h",
            "",
            "boost/asio.hpp",
            "curses.h",
            "rpc/rpc.h",
        ] {
            assert!(!is_standard_header(name), "{name}");
        }
    }
}
