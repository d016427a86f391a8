//! One name for a tool and one notation for its version, whatever a file calls them.

/// Other names of tools: as asdf plugins, mise, SDKMAN, Nix, Conda and image registries have them.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("nodejs", "node"),
    ("golang", "go"),
    ("openjdk", "java"),
    ("jdk", "java"),
    ("temurin", "java"),
    ("corretto", "java"),
    ("graalvm", "java"),
    ("python3", "python"),
    ("cpython", "python"),
    ("core:python", "python"),
    ("core:node", "node"),
    ("rustc", "rust"),
    ("cargo", "rust"),
    ("dotnet-core", "dotnet"),
    ("dotnet-sdk", "dotnet"),
    ("haskell", "ghc"),
    ("mvn", "maven"),
    ("leiningen", "clojure"),
    ("r-base", "r"),
    ("rlang", "r"),
    ("nim-lang", "nim"),
    ("protobuf", "protoc"),
    ("ninja-build", "ninja"),
];

/// The name that the graph has for a tool.
pub(super) fn tool(name: &str) -> &str {
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == name);
    other.map_or(name, |(_, name)| name)
}

/// Code names of Node's lines of long-term support, by the project's release schedule.
const NODE_LINES: &[(&str, &str)] = &[
    ("argon", "4"),
    ("boron", "6"),
    ("carbon", "8"),
    ("dubnium", "10"),
    ("erbium", "12"),
    ("fermium", "14"),
    ("gallium", "16"),
    ("hydrogen", "18"),
    ("iron", "20"),
    ("jod", "22"),
    ("krypton", "24"),
];

/// A version as the plan compares them: without `v`, the vendor of a Java (`temurin-17.0.8+7`, `17.0.8-tem`) or the
/// implementation (`ruby-3.2.1`); Java's old `1.8` is 8.
pub(in crate::graph) fn version(tool: &str, text: &str) -> String {
    let text = text.trim().trim_matches(['"', '\'']);
    let plain = plain_version(text);
    match tool {
        "java" => java(plain).to_owned(),
        "node" => {
            let line = plain
                .strip_prefix("lts/")
                .unwrap_or(plain)
                .to_ascii_lowercase();
            let known = NODE_LINES.iter().find(|(name, _)| *name == line);
            known.map_or(plain, |(_, major)| major).to_owned()
        }
        "ruby" | "go" | "python" | "elixir" | "php" | "node-version" => {
            let named = plain
                .strip_prefix(tool)
                .map(|rest| rest.trim_start_matches('-'));
            named
                .filter(|rest| starts_with_digit(rest))
                .unwrap_or(plain)
                .to_owned()
        }
        _ => plain.to_owned(),
    }
}

fn java(text: &str) -> &str {
    let parts = || text.split(['-', '@']);
    let bare = |part: &'_ str| starts_with_digit(part);
    let named = parts().map(|part| part.trim_start_matches(|c: char| c.is_ascii_alphabetic()));
    let numbers = parts()
        .find(|part| bare(part))
        .or_else(|| named.into_iter().find(|part| bare(part)));
    let numbers = numbers.unwrap_or(text);
    let numbers = numbers.split('+').next().unwrap_or(numbers);
    numbers
        .strip_prefix("1.")
        .filter(|rest| rest.starts_with('8'))
        .map_or(numbers, |_| "8")
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// `20.1` of `v20.1`.
pub(in crate::graph) fn plain_version(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('v')
        .filter(|rest| starts_with_digit(rest))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_all_notations() {
        for (tool, text, expected) in [
            ("node", "v20.11.0", "20.11.0"),
            ("node", "lts/iron", "20"),
            ("node", "lts/*", "lts/*"),
            ("java", "temurin-17.0.8+7", "17.0.8"),
            ("java", "17.0.8-tem", "17.0.8"),
            ("java", "openjdk64-11.0.2", "11.0.2"),
            ("java", "1.8", "8"),
            ("java", "21", "21"),
            ("java", "adopt@1.8", "8"),
            ("ruby", "ruby-3.2.1", "3.2.1"),
            ("ruby", "jruby-9.4", "jruby-9.4"),
            ("go", "go1.22", "1.22"),
            ("python", "pypy3.9-7.3", "pypy3.9-7.3"),
        ] {
            assert_eq!(version(tool, text), expected, "{tool} {text}");
        }
        assert_eq!((tool("nodejs"), tool("odd")), ("node", "odd"));
    }
}
