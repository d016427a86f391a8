//! Nix: the packages that `shell.nix`, `flake.nix` and `default.nix` name in their lists of inputs. Nothing is
//! evaluated: names of literal lists are taken (`pkgs.zlib`, `with pkgs; [ … ]`), the packages within brackets where
//! they are plain, and the rest is not known.

use super::{Format, Reading, base};
use crate::graph::Scope;

pub(super) const FORMAT: Format = Format {
    matches: |path| {
        matches!(
            base(path),
            "shell.nix" | "flake.nix" | "default.nix" | "devshell.nix" | "devenv.nix"
        )
    },
    read,
    pins: false,
};

/// Attributes whose lists are what a shell or a build has.
const LISTS: &[&str] = &[
    "buildInputs",
    "nativeBuildInputs",
    "packages",
    "propagatedBuildInputs",
    "checkInputs",
    "nativeCheckInputs",
    "propagatedNativeBuildInputs",
    "extraPackages",
];

/// Names within a file that are looked at.
const MAX_NAMES: usize = 500;

/// Attribute of nixpkgs that is a toolchain: a prefix, the tool, whether the rest is its version.
const TOOLS: &[(&str, &str)] = &[
    ("python3Full", "python"),
    ("python", "python"),
    ("nodejs_", "node"),
    ("nodejs-", "node"),
    ("nodejs", "node"),
    ("go_", "go"),
    ("go", "go"),
    ("jdk", "java"),
    ("openjdk", "java"),
    ("temurin-bin-", "java"),
    ("ruby_", "ruby"),
    ("ruby", "ruby"),
    ("php", "php"),
    ("rustc", "rust"),
    ("cargo", "rust"),
    ("rustup", "rust"),
    ("dotnet-sdk_", "dotnet"),
    ("dotnet-sdk", "dotnet"),
    ("elixir_", "elixir"),
    ("elixir", "elixir"),
    ("erlang", "erlang"),
    ("ghc", "ghc"),
    ("ocaml", "ocaml"),
    ("zig_", "zig"),
    ("zig", "zig"),
    ("perl", "perl"),
    ("julia", "julia"),
    ("cmake", "cmake"),
    ("meson", "meson"),
    ("ninja", "ninja"),
    ("maven", "maven"),
    ("gradle_", "gradle"),
    ("gradle", "gradle"),
    ("deno", "deno"),
    ("bun", "bun"),
    ("just", "just"),
    ("uv", "uv"),
    ("poetry", "poetry"),
    ("yarn", "yarn"),
    ("pnpm", "pnpm"),
];

fn read(reading: &mut Reading) {
    let (found, computed) = inputs(reading.text);
    if computed > 0 {
        let what = "inputs that Nix computes are not known here";
        reading.warnings.push(format!("{computed} {what}"));
    }
    for (line, name) in found {
        match toolchain(&name) {
            Some((tool, version)) => reading.tool(line, tool, version.as_deref()),
            None => reading.dependency(line, "nix", &name, &name, Scope::Build),
        }
    }
}

/// `python` and `3.11` of `python311`, `go` and `1.22` of `go_1_22`, `java` and `17` of `jdk17`.
fn toolchain(name: &str) -> Option<(&'static str, Option<String>)> {
    TOOLS.iter().find_map(|(prefix, tool)| {
        let rest = name.strip_prefix(prefix)?;
        let numbers = rest.chars().all(|c| c.is_ascii_digit() || c == '_');
        let rest = rest.trim_matches('_');
        if rest.is_empty() {
            return numbers.then_some((*tool, None));
        }
        let version = match (*tool, rest.len()) {
            _ if rest.contains('_') => rest.replace('_', "."),
            // Two or more digits of a language that counts in minor releases: 311 is 3.11, 82 is 8.2.
            ("python" | "php", 2..) => format!("{}.{}", rest.get(..1)?, rest.get(1..)?),
            ("ghc", 3..) => format!("{}.{}", rest.get(..1)?, rest.get(1..2)?),
            _ => rest.to_owned(),
        };
        // `python311Packages` is a set of packages and no toolchain.
        numbers.then_some((*tool, Some(version)))
    })
}

/// The names in the lists of inputs, with their lines, and the number of expressions between them that only an
/// evaluation would know.
fn inputs(text: &str) -> (Vec<(u32, String)>, usize) {
    let tokens = tokens(text);
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut computed = 0;
    let mut at = 0;
    while let Some((_, token)) = tokens.get(at) {
        let is_list = LISTS.contains(&token.rsplit('.').next().unwrap_or(token));
        let assigned = tokens.get(at + 1).is_some_and(|(_, next)| next == "=");
        at += 1;
        if !is_list || !assigned {
            continue;
        }
        let end = statement(&tokens, at + 1);
        computed += list(tokens.get(at + 1..end).unwrap_or_default(), &mut found);
        at = end;
    }
    (found, computed)
}

/// The place after the `;` that ends a statement.
fn statement(tokens: &[(u32, String)], from: usize) -> usize {
    let mut depth = 0_i32;
    let mut with = false;
    for (at, (_, token)) in tokens.iter().enumerate().skip(from) {
        match token.as_str() {
            "[" | "(" | "{" => depth += 1,
            "]" | ")" | "}" => depth -= 1,
            "with" | "assert" if depth == 0 => with = true,
            // `with pkgs;` ends nothing.
            ";" if depth == 0 && with => with = false,
            ";" if depth <= 0 => return at + 1,
            _ => {}
        }
        if depth < 0 {
            return at;
        }
    }
    tokens.len()
}

/// Names that stand in square brackets. Those in round brackets are an expression, of which only a plain
/// `(python3.withPackages …)` gives its interpreter.
fn list(tokens: &[(u32, String)], found: &mut Vec<(u32, String)>) -> usize {
    let mut computed = 0;
    let (mut square, mut other) = (0_i32, 0_i32);
    let mut before = "";
    // Depth of a list that is for another system: `lib.optionals stdenv.isDarwin [ … ]`.
    let mut foreign: Option<i32> = None;
    for (line, token) in tokens {
        match token.as_str() {
            "[" if foreign.is_none()
                && (before.ends_with("isDarwin") || before.ends_with("isWindows")) =>
            {
                square += 1;
                foreign = Some(square);
            }
            "]" if foreign == Some(square) => {
                square -= 1;
                foreign = None;
            }
            "[" => square += 1,
            "]" => square -= 1,
            "(" | "{" => {
                computed += usize::from(square > 0 && other == 0);
                other += 1;
            }
            ")" | "}" => other -= 1,
            name if square > 0 && foreign.is_none() && found.len() < MAX_NAMES => {
                let interpreter = other == 1 && before == "(" && name.ends_with(".withPackages");
                if other == 0 || interpreter {
                    let name = name.trim_end_matches(".withPackages");
                    let name = name.rsplit('.').next().unwrap_or(name);
                    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
                    let keyword = matches!(
                        name,
                        "with" | "if" | "then" | "else" | "let" | "in" | "pkgs"
                    );
                    if plain && !keyword {
                        found.push((*line, name.to_owned()));
                    }
                }
            }
            _ => {}
        }
        before = token;
    }
    computed
}

/// Names (with their dots), brackets, `=` and `;`. Comments and strings are left out.
fn tokens(text: &str) -> Vec<(u32, String)> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skip = if rest.starts_with('#') {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if rest.starts_with("''") {
            rest.get(2..)
                .and_then(|inner| inner.find("''"))
                .map_or(rest.len(), |at| at + 4)
        } else if first == '"' {
            string(rest)
        } else if first.is_alphanumeric() || first == '_' {
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\'');
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            tokens.push((line, rest.get(..end).unwrap_or_default().to_owned()));
            end
        } else {
            if matches!(first, '[' | ']' | '(' | ')' | '{' | '}' | '=' | ';') {
                tokens.push((line, first.to_string()));
            }
            first.len_utf8()
        };
        let (passed, next) = rest.split_at_checked(skip).unwrap_or((rest, ""));
        line += passed.matches('\n').count() as u32;
        rest = next;
    }
    tokens
}

/// Bytes of a string in double quotes.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;

    #[test]
    fn a_shell() {
        let text = "{ pkgs ? import <nixpkgs> {} }:\npkgs.mkShell {\n  # buildInputs = [ no ];\n  nativeBuildInputs = [ pkgs.pkg-config pkgs.cmake ];\n  buildInputs = with pkgs; [\n    zlib\n    python311\n    nodejs_20\n    (python3.withPackages (ps: [ ps.numpy ]))\n  ] ++ lib.optionals stdenv.isDarwin [ libiconv ];\n  shellHook = ''\n    buildInputs = [ x ]\n  '';\n  LANG = \"C; [\";\n}\n";
        insta::assert_snapshot!(found("shell.nix", text), @"
        4: nix pkg-config
        4: tool cmake *
        6: nix zlib
        7: tool python 3.11
        8: tool node 20
        9: tool python 3
        ");
    }

    #[test]
    fn a_flake() {
        let text = "{ outputs = { self, nixpkgs }: { devShells.default = pkgs.mkShell { packages = [ pkgs.go_1_22 pkgs.jdk17 pkgs.python311Packages.pip ]; }; }; }";
        insta::assert_snapshot!(found("flake.nix", text), @"
        1: tool go 1.22
        1: tool java 17
        1: nix pip
        ");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s)(buildInputs = |with |[\\[\\](){};='\"/*#. aé\n]){0,80}") {
            super::inputs(&text);
        }
    }
}
