//! Building a Dockerfile.
//!
//! Behind a company's proxy a build's `RUN` steps need its certificates, which must not be written into the Dockerfile
//! nor asked for by it. So the Dockerfile is built as it is but for the images its `FROM` lines name: each is replaced
//! by one that adds files under `/run/envc` and variables that point there. That proves every other line as emitted;
//! the image it gives is for checking, not for shipping. Without company settings nothing is replaced.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bollard::query_parameters as query;
use futures_util::StreamExt;

use super::engine::{self, Engine, engine_error, file_body};
use super::{archive, buildx};
use crate::sandbox::contract::{Result, SandboxError};
use crate::sandbox::environment::Company;
use crate::sandbox::spec::LENT_DIR;
use crate::sandbox::store::{self, io_error};

/// Which builder of the engine takes the Dockerfile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildStyle {
    /// The classic builder; knows no `RUN --mount` and no heredocs.
    Classic,
    /// BuildKit.
    BuildKit,
}

/// What to build.
#[derive(Debug)]
pub struct BuildRequest<'a> {
    /// Text of the Dockerfile.
    pub dockerfile: &'a str,
    /// Directory of the context and the files in it that belong to it, relative.
    pub context: &'a Path,
    pub files: &'a [PathBuf],
    /// Further files of the context: path in it, and the file that holds the contents.
    pub extra: &'a [(&'a str, &'a Path)],
    /// Reference to give the image, `name:tag`.
    pub tag: Option<&'a str>,
    pub args: &'a [(String, String)],
    /// The host's settings that `RUN` steps need; see [`Engine::company`].
    pub company: Option<&'a Company>,
    pub style: BuildStyle,
}

impl BuildStyle {
    /// BuildKit exactly where the text uses what only it knows.
    pub fn for_dockerfile(text: &str) -> Self {
        let needs = text.lines().map(str::trim_start).any(|line| {
            let upper = line.to_ascii_uppercase();
            let instruction = ["RUN", "COPY", "ADD"].iter().any(|i| upper.starts_with(i));
            instruction
                && (line.contains("--mount=") || line.contains("--link") || line.contains("<<"))
        });
        if needs { Self::BuildKit } else { Self::Classic }
    }
}

impl Engine {
    /// Builds and gives the image's id. `sink` gets the builder's output; `interrupted` is asked between its pieces.
    pub fn build(
        &self,
        request: &BuildRequest<'_>,
        interrupted: &dyn Fn() -> bool,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<String> {
        // Podman's one builder understands both flavours.
        let buildx = request.style == BuildStyle::BuildKit && !self.is_podman();
        if buildx {
            buildx::require()?;
        }
        let mut made = Vec::new();
        let result = self
            .with_company_bases(request, &mut made, sink)
            .and_then(|dockerfile| self.build_text(&dockerfile, request, interrupted, sink));
        // The result builds on them: the engine keeps their layers and drops their names.
        for image in made {
            self.remove_image(&image);
        }
        result
    }

    fn build_text(
        &self,
        dockerfile: &str,
        request: &BuildRequest<'_>,
        interrupted: &dyn Fn() -> bool,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<String> {
        const NAME: &str = ".envc.Dockerfile";
        let scratch = tempfile::tempdir().map_err(io_error("prepare a build"))?;
        let extra = scratch.path().join(NAME);
        std::fs::write(&extra, dockerfile).map_err(io_error("prepare a build"))?;
        let mut more = request.extra.to_vec();
        more.push((NAME, &extra));
        let packed = archive::pack_with(request.context, request.files, &more)?;
        if request.style == BuildStyle::BuildKit && !self.is_podman() {
            return buildx::build(self, NAME, packed.as_file(), request, interrupted, sink);
        }
        let tag = request
            .tag
            .map_or_else(|| format!("envc-build:{}", store::new_id()), String::from);
        let args: HashMap<String, String> = request.args.iter().cloned().collect();
        let labels = engine::labels(&store::new_id());
        let mut options = query::BuildImageOptionsBuilder::default()
            .dockerfile(NAME)
            .t(&tag)
            .rm(true)
            // Layers of earlier builds prove nothing, and another build may be removing them.
            .nocache(true)
            .forcerm(true)
            .buildargs(&args);
        if request.tag.is_none() {
            options = options.labels(&labels);
        }
        self.follow_build(
            options.build(),
            file_body(packed.path())?,
            interrupted,
            sink,
        )?;
        self.image_id(&tag)
    }

    fn follow_build(
        &self,
        options: query::BuildImageOptions,
        context: engine::Pieces,
        interrupted: &dyn Fn() -> bool,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<()> {
        const TICK: std::time::Duration = std::time::Duration::from_millis(50);
        self.wait(async {
            let mut stream = std::pin::pin!(self.docker.build_image(
                options,
                None,
                Some(bollard::body_try_stream(context))
            ));
            loop {
                if interrupted() {
                    // Dropping the request makes the engine stop the build.
                    return Err(SandboxError::Interrupted);
                }
                let Ok(next) = tokio::time::timeout(TICK, stream.next()).await else {
                    continue;
                };
                let Some(info) = next else {
                    return Ok(());
                };
                let info = info.map_err(engine_error("build the Dockerfile"))?;
                if let Some(text) = &info.stream {
                    sink(text.as_bytes());
                }
                if let Some(message) = info.error_detail.and_then(|detail| detail.message) {
                    return Err(SandboxError::Engine(format!(
                        "build the Dockerfile: {message}"
                    )));
                }
            }
        })
    }

    /// The Dockerfile with each base replaced by one with the company's settings; ids of what was made go to `made`.
    fn with_company_bases(
        &self,
        request: &BuildRequest<'_>,
        made: &mut Vec<String>,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<String> {
        let Some(company) = request
            .company
            .filter(|c| !c.env.is_empty() || !c.files.is_empty())
        else {
            return Ok(request.dockerfile.to_string());
        };
        let mut replaced: HashMap<String, String> = HashMap::new();
        for base in bases(request.dockerfile) {
            if replaced.contains_key(&base) {
                continue;
            }
            let reference = format!("envc-base:{}", store::new_id());
            self.company_base(&base, company, &reference, sink)?;
            made.push(reference.clone());
            replaced.insert(base, reference);
        }
        Ok(replace_bases(request.dockerfile, &replaced))
    }

    fn company_base(
        &self,
        base: &str,
        company: &Company,
        reference: &str,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<()> {
        let mut text = format!("FROM {base}\n");
        let mut extra = Vec::new();
        for (name, path) in &company.files {
            text.push_str(&format!("COPY {name} {LENT_DIR}/{name}\n"));
            extra.push((name.as_str(), path.as_path()));
        }
        for (name, value) in &company.env {
            text.push_str(&format!("ENV {name}={}\n", quoted(value)));
        }
        let scratch = tempfile::tempdir().map_err(io_error("prepare a base"))?;
        let dockerfile = scratch.path().join("Dockerfile");
        std::fs::write(&dockerfile, text).map_err(io_error("prepare a base"))?;
        extra.push(("Dockerfile", &dockerfile));
        let packed = archive::pack_with(scratch.path(), &[], &extra)?;
        let options = query::BuildImageOptionsBuilder::default()
            .dockerfile("Dockerfile")
            .t(reference)
            .rm(true)
            // Layers of earlier builds prove nothing, and another build may be removing them.
            .nocache(true)
            .forcerm(true)
            .labels(&engine::labels(&store::new_id()))
            .build();
        sink(
            format!("envc: {base} with this machine's certificates and proxy as {reference}\n")
                .as_bytes(),
        );
        self.follow_build(options, file_body(packed.path())?, &|| false, &mut |_| {})
    }
}

/// A value in double quotes as the Dockerfile's ENV reads it.
fn quoted(value: &str) -> String {
    let mut out = String::from("\"");
    for c in value.chars() {
        match c {
            '"' | '\\' | '$' => out.extend(['\\', c]),
            // No variable that envc passes has a line break; one that did could not be written here.
            '\n' | '\r' => {}
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The word of a `FROM` line that names its image, and the stage's name.
fn from_line(line: &str) -> Option<(&str, Option<&str>)> {
    let mut words = line.split_whitespace();
    words
        .next()
        .filter(|word| word.eq_ignore_ascii_case("FROM"))?;
    let image = words.find(|word| !word.starts_with("--"))?;
    let named = words
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case("AS"));
    Some((image, words.next().filter(|_| named)))
}

/// Images that the Dockerfile starts from; not its own stages, `scratch`, or what an argument names.
fn bases(dockerfile: &str) -> Vec<String> {
    let mut stages: Vec<String> = Vec::new();
    let mut bases = Vec::new();
    for (image, stage) in dockerfile.lines().filter_map(from_line) {
        let own = stages.iter().any(|stage| stage.eq_ignore_ascii_case(image));
        if !own && image != "scratch" && !image.contains('$') {
            bases.push(image.to_string());
        }
        stages.extend(stage.map(String::from));
    }
    bases
}

fn replace_bases(dockerfile: &str, replaced: &HashMap<String, String>) -> String {
    let mut out = String::new();
    for line in dockerfile.lines() {
        match from_line(line).and_then(|(image, _)| Some((image, replaced.get(image)?))) {
            Some((image, by)) => out.push_str(&line.replacen(image, by, 1)),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# syntax=x\nFROM --platform=linux/amd64 debian:bookworm AS build\nRUN true\nFROM build\nfrom scratch\nFROM $BASE\nFROM debian:trixie\n";

    #[test]
    fn bases_are_images_not_stages() {
        assert_eq!(bases(TEXT), ["debian:bookworm", "debian:trixie"]);
    }

    #[test]
    fn only_the_image_of_a_from_line_changes() {
        let map = HashMap::from([("debian:bookworm".to_string(), "x:1".to_string())]);
        let changed = replace_bases(TEXT, &map);
        assert_eq!(changed, TEXT.replace("debian:bookworm", "x:1"));
    }

    #[test]
    fn buildkit_only_where_needed() {
        assert_eq!(
            BuildStyle::for_dockerfile("FROM a\nRUN b\n"),
            BuildStyle::Classic
        );
        let mount = "FROM a\nRUN --mount=type=cache,target=/c b\n";
        assert_eq!(BuildStyle::for_dockerfile(mount), BuildStyle::BuildKit);
    }

    #[test]
    fn values_stay_values() {
        assert_eq!(quoted("a \"b\" $(c) \\"), "\"a \\\"b\\\" \\$(c) \\\\\"");
    }
}
