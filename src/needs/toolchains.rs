//! Toolchains by the names that manifests have for them, and the programs that have to be there to use them.

/// A toolchain by the graph's name for it.
struct Tool {
    name: &'static str,
    /// Its name among the tools of a base.
    base: &'static str,
    /// What has to be there to use it.
    commands: &'static [&'static str],
}

/// Names as `graph` writes them → programs. What is not here is a program of its own name.
const TOOLS: [Tool; 9] = [
    Tool {
        name: "java",
        base: "jdk",
        commands: &["javac", "java"],
    },
    Tool {
        name: "maven",
        base: "maven",
        commands: &["mvn"],
    },
    Tool {
        name: "erlang",
        base: "erlang",
        commands: &["erl"],
    },
    Tool {
        name: "elixir",
        base: "elixir",
        commands: &["mix"],
    },
    Tool {
        name: "ocaml",
        base: "ocaml",
        commands: &["ocaml"],
    },
    Tool {
        name: "python",
        base: "python",
        commands: &["python3"],
    },
    Tool {
        name: "rust",
        base: "rustc",
        commands: &["cargo", "rustc"],
    },
    Tool {
        name: "r",
        base: "r",
        commands: &["R"],
    },
    Tool {
        name: "bundler",
        base: "bundler",
        commands: &["bundle"],
    },
];

/// What an ecosystem's projects run on, where they do not say it: yarn and pnpm need Node.js all the same.
const RUNTIMES: [(&str, &str); 12] = [
    ("node", "node"),
    ("php", "php"),
    ("ruby", "ruby"),
    ("go", "go"),
    ("maven", "java"),
    ("gradle", "java"),
    ("sbt", "java"),
    ("ant", "java"),
    ("elixir", "elixir"),
    ("perl", "perl"),
    ("swift", "swift"),
    ("zig", "zig"),
];

/// Commands that a manifest's reader found, by the attribute of the project.
pub const COMMANDS: [&str; 4] = [
    "install-command",
    "build-command",
    "test-command",
    "run-command",
];

fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// The programs of a toolchain.
pub fn commands_of(name: &str) -> Vec<&str> {
    tool(name).map_or_else(|| vec![name], |tool| tool.commands.to_vec())
}

/// The toolchain's name among the tools of a base.
pub fn base_name(name: &str) -> &str {
    tool(name).map_or(name, |tool| tool.base)
}

/// The toolchain that every project of an ecosystem runs on.
pub fn runtime_of(ecosystem: &str) -> Option<&'static str> {
    RUNTIMES
        .iter()
        .find(|(of, _)| *of == ecosystem)
        .map(|(_, runtime)| *runtime)
}

/// The program that a command begins with; `None` for one of the repository's own.
pub fn program_of(command: &str) -> Option<String> {
    let words = shlex::split(command).unwrap_or_default();
    words
        .into_iter()
        .find(|word| !word.contains('='))
        .filter(|name| !name.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_toolchains_and_commands() {
        assert_eq!(commands_of("maven"), ["mvn"]);
        assert_eq!(commands_of("go"), ["go"]);
        assert_eq!(runtime_of("gradle"), Some("java"));
        assert_eq!(runtime_of("cmake"), None);
        assert_eq!(program_of("CI=1 npm ci").as_deref(), Some("npm"));
        assert_eq!(program_of("./gradlew build"), None);
        assert_eq!(program_of("'open"), None);
    }
}
