//! Script → Dockerfile and `.dockerignore`.
//!
//! One `RUN` a layer of `setup.sh`, so that the engine's cache works as the execution loop does. Only `setup.sh` is
//! copied before layer 3, which needs no file of the repository. No secret, proxy or certificate of the machine is
//! written into it. `RUN --mount` is part of every BuildKit (engine 23, or 18.09 and later with it switched on), so
//! no `# syntax=` line fetches a front end.

use handlebars::{Context, Handlebars, Helper, Output, RenderContext, RenderErrorReason};
use serde_json::json;

use super::bash::{handlebars, render};
use super::{DEFAULT_PATH, Location, Script, ScriptError, activation_at, comment};

/// Who is to build the Dockerfile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builder {
    /// `docker buildx`, `buildctl`, `podman build`: cache mounts are used.
    BuildKit,
    /// The engine's own builder, which does not know `RUN --mount`.
    Classic,
}

/// What a Dockerfile is written from, beside the script.
#[derive(Debug, Clone, Copy)]
pub struct DockerOptions<'a> {
    pub builder: Builder,
    /// `sha256:…` of the base image, where it is known.
    pub digest: Option<&'a str>,
    /// Path of `setup.sh` in the build context, e.g. `.envc/setup.sh`.
    pub setup: &'a str,
    /// Path of the Dockerfile in the build context, for the comment that says how to build it.
    pub dockerfile: &'a str,
    /// The pyramid's commands, named in a comment at the end. They are not run by the build.
    pub commands: &'a [String],
}

impl Default for DockerOptions<'_> {
    fn default() -> Self {
        Self {
            builder: Builder::BuildKit,
            digest: None,
            setup: ".envc/setup.sh",
            dockerfile: ".envc/Dockerfile",
            commands: &[],
        }
    }
}

/// Where the environment stands in the image.
pub const IMAGE_LOCATION: Location<'static> = Location {
    home: "/root",
    envc_home: Some("/opt/envc"),
    path: DEFAULT_PATH,
};

/// The Dockerfile of a script.
///
/// # Errors
/// [`ScriptError::Base`] where the base's name is no image reference.
pub fn dockerfile(script: &Script, options: &DockerOptions<'_>) -> Result<String, ScriptError> {
    let base = match options.digest {
        // A digest beside the tag: the tag is for people, the digest decides.
        Some(digest) => format!("{}@{digest}", script.base.image),
        None => script.base.image.clone(),
    };
    if !is_reference(&base) {
        return Err(ScriptError::Base { image: base });
    }
    let (said, unsaid): (Vec<_>, Vec<_>) = activation_at(script, &IMAGE_LOCATION)
        .into_iter()
        .partition(|(_, value)| word(value).is_some());
    let env: Vec<_> = said
        .iter()
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect();
    let unsaid: Vec<_> = unsaid.into_iter().map(|(name, _)| name).collect();
    let repository = &script.repository;
    let data = json!({
        "name": comment(&repository.name, 60),
        "commit": repository.commit.as_deref().map(|c| comment(&c.chars().take(12).collect::<String>(), 12)),
        "revision": repository.commit.as_deref().map(|c| comment(c, 64)),
        "base": base, "setup": options.setup, "dockerfile": comment(options.dockerfile, 100),
        "env": env, "unsaid": unsaid, "buildkit": options.builder == Builder::BuildKit,
        "commands": options.commands.iter().map(|c| comment(c, 110)).collect::<Vec<_>>(),
    });
    let mut handlebars = handlebars();
    handlebars.register_helper("word", Box::new(write_word));
    render(&handlebars, "docker/Dockerfile.hbs", &data)
}

fn write_word(
    helper: &Helper<'_>,
    _: &Handlebars<'_>,
    _: &Context,
    _: &mut RenderContext<'_, '_>,
    out: &mut dyn Output,
) -> Result<(), handlebars::RenderError> {
    let word = helper
        .param(0)
        .and_then(|param| param.value().as_str())
        .and_then(word)
        .ok_or_else(|| {
            RenderErrorReason::Other("not a text that a Dockerfile can hold".to_owned())
        })?;
    out.write(&word)?;
    Ok(())
}

/// `value` as a word of a Dockerfile's `ENV`, `LABEL` or `COPY`: bare, or in double quotes with `\`, `"` and `$` escaped
/// (Dockerfile reference, "Environment replacement"). `None` for control characters, which end the instruction.
fn word(value: &str) -> Option<String> {
    if value.chars().any(char::is_control) {
        return None;
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) {
        return Some(value.to_owned());
    }
    let mut word = String::from("\"");
    for c in value.chars() {
        if matches!(c, '\\' | '"' | '$') {
            word.push('\\');
        }
        word.push(c);
    }
    word.push('"');
    Some(word)
}

/// Whether `FROM` takes `text` as one image reference (distribution's reference grammar, by its characters).
fn is_reference(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-._/:@".contains(c))
}

/// Files of a checkout that are somebody's secrets or left-overs of work, not parts of the repository.
const IGNORED: &[&str] = &[
    "**/.env",
    "**/.netrc",
    "**/.npmrc",
    "**/.pypirc",
    "**/*.pem",
    "**/id_rsa",
    "**/id_ed25519",
    "**/__pycache__",
    "**/.venv",
    "**/.tox",
    "**/.nox",
    "**/node_modules",
    "**/target",
    "**/.pytest_cache",
];

/// The `.dockerignore` that goes with [`dockerfile`]. A pattern is left out where it would hide a file that the
/// repository tracks. `.git` stays: many builds ask it for their version.
pub fn dockerignore(tracked: &[String]) -> String {
    let mut text = String::from(
        "# What is in a checkout and not of the repository.\n.envc/*\n!.envc/setup.sh\n",
    );
    for pattern in IGNORED {
        let hides = |path: &String| path.split('/').any(|part| matches_part(pattern, part));
        if !tracked.iter().any(hides) {
            text.push_str(pattern);
            text.push('\n');
        }
    }
    text
}

fn matches_part(pattern: &str, part: &str) -> bool {
    let name = pattern.trim_start_matches("**/");
    match name.strip_prefix('*') {
        Some(suffix) => part.ends_with(suffix),
        None => part == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::EnvVar;
    use crate::script::{fixtures, from_plan};

    #[test]
    fn for_both_builders() {
        let script = from_plan(&fixtures::python());
        let commands = ["python -m pytest".to_owned()];
        let mut options = DockerOptions {
            digest: Some("sha256:0123abcd"),
            commands: &commands,
            ..Default::default()
        };
        insta::assert_snapshot!(
            "dockerfile_buildkit",
            dockerfile(&script, &options).expect("a text")
        );
        options.builder = Builder::Classic;
        let classic = dockerfile(&script, &options).expect("a text");
        assert!(!classic.contains("--mount"));
        insta::assert_snapshot!("dockerfile_classic", classic);
    }

    #[test]
    fn values_cannot_leave_their_instruction() {
        let mut script = from_plan(&fixtures::cmake());
        let evil = "x\" \\\nRUN touch /pwned $(id) ${HOME}";
        let var = |name: &str, value: &str| EnvVar {
            name: name.to_owned(),
            value: value.to_owned(),
            because: vec![],
        };
        script.repository.name = evil.to_owned();
        script.repository.commit = Some(evil.to_owned());
        script.env = vec![var("EVIL", evil), var("DOLLAR", "$(id) \"${HOME}\" \\")];
        let text = dockerfile(
            &script,
            &DockerOptions {
                commands: &[evil.to_owned()],
                ..Default::default()
            },
        )
        .expect("a text");
        assert!(
            text.lines()
                .all(|line| !line.trim_start().starts_with("RUN touch")),
            "{text}"
        );
        assert!(
            text.contains(r#"DOLLAR="\$(id) \"\${HOME}\" \\""#),
            "{text}"
        );
        assert!(text.contains("# EVIL has a value"));
        script.base.image = "debian\nRUN x".to_owned();
        assert!(dockerfile(&script, &DockerOptions::default()).is_err());
    }

    #[test]
    fn a_tracked_file_is_never_ignored() {
        assert!(dockerignore(&[]).contains("**/target\n"));
        let text = dockerignore(&["a/target/x.txt".to_owned(), "certs/test.pem".to_owned()]);
        assert!(!text.contains("target") && !text.contains("pem"));
        assert!(text.contains("**/.env\n"));
    }
}
