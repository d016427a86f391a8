//! Files that hold one version and nothing else, as nvm, pyenv, rbenv, goenv, jenv, tfenv and their like read them.

use super::{Format, Reading, base, lines};

/// Name of the file → tool.
pub(super) const FILES: &[(&str, &str)] = &[
    (".python-version", "python"),
    (".nvmrc", "node"),
    (".node-version", "node"),
    (".ruby-version", "ruby"),
    (".java-version", "java"),
    (".go-version", "go"),
    (".php-version", "php"),
    (".perl-version", "perl"),
    (".lua-version", "lua"),
    (".crystal-version", "crystal"),
    (".swift-version", "swift"),
    (".exenv-version", "elixir"),
    (".bun-version", "bun"),
    (".dvmrc", "deno"),
    (".terraform-version", "terraform"),
    (".bazelversion", "bazel"),
    (".cmake-version", "cmake"),
    (".zigversion", "zig"),
    ("runtime.txt", "python"),
];

pub(super) const FORMAT: Format = Format {
    matches: |path| tool(path).is_some(),
    read,
    pins: true,
};

fn tool(path: &str) -> Option<&'static str> {
    let name = base(path);
    FILES
        .iter()
        .find(|(file, _)| *file == name)
        .map(|(_, tool)| *tool)
}

/// The versions that such a file names, with their lines. pyenv takes several, one a line.
pub(super) fn versions<'t>(path: &str, text: &'t str) -> Vec<(u32, &'t str)> {
    let runtime = base(path) == "runtime.txt";
    lines(text)
        .filter_map(|(line, text)| {
            let word = text.split_whitespace().next()?;
            let word = word.rsplit('@').next().unwrap_or(word);
            let known = word.starts_with("lts/") || word.contains(|c: char| c.is_ascii_digit());
            let word = if runtime {
                word.strip_prefix("python-")?
            } else {
                word
            };
            (known && word.len() < 40).then_some((line, word))
        })
        .take(5)
        .collect()
}

fn read(reading: &mut Reading) {
    let Some(tool) = tool(reading.path) else {
        return;
    };
    for (line, version) in versions(reading.path, reading.text) {
        reading.tool(line, tool, Some(version));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;

    #[test]
    fn one_version() {
        for (path, text, expected) in [
            (".nvmrc", "v18.17.0\n", "1: tool node 18.17.0"),
            (".nvmrc", "\u{feff}", ""),
            ("sub/.node-version", "# why\r\n20\r\n", "2: tool node 20"),
            (".ruby-version", "ruby-3.2.2@gems\n", ""),
            (".ruby-version", "3.2.2\n", "1: tool ruby 3.2.2"),
            (".java-version", "1.8\n", "1: tool java 8"),
            ("runtime.txt", "python-3.11.4\n", "1: tool python 3.11.4"),
            ("runtime.txt", "r-4.2-2022-01-01\n", ""),
            (
                ".python-version",
                "3.12\n3.11\n",
                "1: tool python 3.12\n2: tool python 3.11",
            ),
            (".nvmrc", "<!DOCTYPE html>", ""),
        ] {
            assert_eq!(found(path, text), expected, "{path}");
        }
    }
}
