//! Which tools have a cache, how each finds it, and what may be dropped of it at once.

/// How much of a cache goes when something in it is not as it was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// The tool writes each file at once and does without any of them.
    File,
    /// What has so many names in common belongs together.
    Depth(usize),
    /// All of it belongs together.
    Whole,
}

/// A tool's cache.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    pub name: &'static str,
    /// Where it stands in a sandbox; `None`: `/run/envc/cache/NAME`.
    pub at: Option<&'static str>,
    /// Variables that lead the tool there.
    pub variables: &'static [&'static str],
    pub unit: Unit,
    /// The finished environment needs what is in it: an exported one gets a copy, where the tool looks by itself.
    pub needed_at: Option<&'static str>,
}

const fn plain(name: &'static str, variables: &'static [&'static str], unit: Unit) -> Kind {
    Kind {
        name,
        at: None,
        variables,
        unit,
        needed_at: None,
    }
}

const fn home(name: &'static str, at: &'static str, unit: Unit) -> Kind {
    Kind {
        name,
        at: Some(at),
        variables: &[],
        unit,
        needed_at: Some(at),
    }
}

pub const KINDS: [Kind; 16] = [
    plain("pip", &["PIP_CACHE_DIR"], Unit::File),
    plain("uv", &["UV_CACHE_DIR"], Unit::Whole),
    plain("npm", &["npm_config_cache"], Unit::File),
    plain(
        "yarn",
        &["YARN_CACHE_FOLDER", "YARN_GLOBAL_FOLDER"],
        Unit::Depth(2),
    ),
    plain("pnpm", &["npm_config_store_dir"], Unit::Whole),
    Kind {
        needed_at: Some("/root/go/pkg/mod"),
        ..plain("go-mod", &["GOMODCACHE"], Unit::Whole)
    },
    plain("go-build", &["GOCACHE"], Unit::File),
    plain("composer", &["COMPOSER_CACHE_DIR"], Unit::File),
    plain("bundler", &["BUNDLE_USER_CACHE"], Unit::File),
    plain("ccache", &["CCACHE_DIR"], Unit::File),
    // No variable moves these alone: they stand where the tool looks for them.
    home("cargo-registry", "/root/.cargo/registry", Unit::Depth(2)),
    home("cargo-git", "/root/.cargo/git", Unit::Whole),
    home("maven", "/root/.m2/repository", Unit::File),
    home("gradle", "/root/.gradle/caches", Unit::Whole),
    home("gradle-wrapper", "/root/.gradle/wrapper", Unit::Depth(3)),
    home("gem", "/root/.cache/gem", Unit::File),
];

/// The unit of a kind's file: the part of its path, relative to the cache, that is dropped with it.
pub fn unit_of(unit: Unit, relative: &str) -> String {
    match unit {
        Unit::File => relative.to_owned(),
        Unit::Whole => String::new(),
        Unit::Depth(depth) => {
            let parts: Vec<&str> = relative.split('/').take(depth).collect();
            parts.join("/")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_together_goes_together() {
        assert_eq!(unit_of(Unit::File, "a/b/c"), "a/b/c");
        assert_eq!(unit_of(Unit::Depth(2), "a/b/c"), "a/b");
        assert_eq!(unit_of(Unit::Depth(2), "a"), "a");
        assert_eq!(unit_of(Unit::Whole, "a/b/c"), "");
    }
}
