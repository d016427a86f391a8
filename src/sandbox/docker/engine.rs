//! The connection to a Docker or Podman engine: a blocking face over `bollard`.

use std::collections::HashMap;
use std::future::Future;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bollard::Docker;
use bollard::models::ImageInspect;
use bollard::query_parameters as query;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use tokio::runtime::Runtime;

use crate::sandbox::contract::{Result, SandboxError};
use crate::sandbox::store::{self, io_error};

/// Label of everything envc makes in an engine; its value is the run's id.
pub const OWNER: &str = "envc.owner";
/// Label that tells which machine's process ids [`OWNER`] is about.
pub const MACHINE: &str = "envc.machine";
/// Value of [`OWNER`] for an image that outlives its run.
pub const KEPT: &str = "kept";

/// Label of a kept image: the directory it is kept for.
pub const KEPT_IN: &str = "envc.kept-in";
/// Label of a kept image: the run that kept it.
pub const KEPT_BY: &str = "envc.kept-by";
/// File in that directory: the id of the image it stands for.
pub const IMAGE_FILE: &str = "image";

/// A reachable engine. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub docker: Docker,
    runtime: Arc<Runtime>,
    /// `unix:///…`; `None`: as the environment says.
    address: Option<String>,
    podman: bool,
}

/// Connects to the engine that `DOCKER_HOST` names, else to the usual sockets of Docker and Podman.
pub fn docker_engine() -> Result<Engine> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(io_error("start the engine client"))?;
    let _guard = runtime.enter();
    let mut why = String::from("no engine's socket was found");
    for (address, docker) in candidates() {
        let attempt = docker.and_then(|docker| {
            runtime.block_on(async {
                let docker = docker.with_timeout(Duration::from_secs(600));
                let docker = docker.negotiate_version().await?;
                docker.ping().await?;
                let version = docker.version().await?;
                let podman = version.components.is_some_and(|parts| {
                    parts
                        .iter()
                        .any(|part| part.name.to_ascii_lowercase().contains("podman"))
                });
                Ok((docker, podman))
            })
        });
        match attempt {
            Ok((docker, podman)) => {
                drop(_guard);
                return Ok(Engine {
                    docker,
                    runtime: Arc::new(runtime),
                    address,
                    podman,
                });
            }
            Err::<_, bollard::errors::Error>(error) => why = error.to_string(),
        }
    }
    Err(SandboxError::Unavailable {
        backend: "docker",
        why,
        hint:
            "start Docker or Podman's socket, or name it in DOCKER_HOST; or use --sandbox overlay"
                .into(),
    })
}

type Candidate = (
    Option<String>,
    std::result::Result<Docker, bollard::errors::Error>,
);

fn candidates() -> Vec<Candidate> {
    if std::env::var_os("DOCKER_HOST").is_some() {
        return vec![(None, Docker::connect_with_defaults())];
    }
    let mut sockets = vec![PathBuf::from("/var/run/docker.sock")];
    if let Some(runtime) = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from) {
        sockets.push(runtime.join("docker.sock"));
        sockets.push(runtime.join("podman/podman.sock"));
    }
    sockets.push("/run/podman/podman.sock".into());
    sockets
        .iter()
        .filter(|path| path.exists())
        .map(|path| {
            let path = path.to_string_lossy();
            let docker = Docker::connect_with_unix(&path, 120, bollard::API_DEFAULT_VERSION);
            (Some(format!("unix://{path}")), docker)
        })
        .collect()
}

/// The engine's words as an error.
pub fn engine_error(what: &str) -> impl FnOnce(bollard::errors::Error) -> SandboxError {
    move |error| {
        let text = error.to_string();
        if text.contains("no space left on device") {
            return SandboxError::NoSpace(what.to_string());
        }
        SandboxError::Engine(format!("{what}: {text}"))
    }
}

/// The engine does not know what was asked for, or the way to ask for it.
pub fn is_missing(error: &bollard::errors::Error) -> bool {
    matches!(
        error,
        bollard::errors::Error::DockerResponseServerError {
            status_code: 404 | 405 | 501,
            ..
        }
    )
}

impl Engine {
    /// Runs a request to its end on this thread.
    pub fn wait<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// Podman builds and runs all that Docker does, with other programs and some gaps.
    pub fn is_podman(&self) -> bool {
        self.podman
    }

    /// The command-line client of this engine, for what needs a terminal.
    pub fn client(&self) -> Result<std::process::Command> {
        let has = |name: &str| {
            std::env::var_os("PATH").is_some_and(|path| {
                std::env::split_paths(&path).any(|dir| dir.join(name).is_file())
            })
        };
        let address = self
            .address
            .clone()
            .or_else(|| std::env::var("DOCKER_HOST").ok());
        if has("docker") {
            let mut client = std::process::Command::new("docker");
            client.envs(address.map(|address| ("DOCKER_HOST", address)));
            return Ok(client);
        }
        if has("podman") {
            let mut client = std::process::Command::new("podman");
            client.arg("--remote");
            client.args(address.map(|address| format!("--url={address}")));
            return Ok(client);
        }
        Err(SandboxError::Unavailable {
            backend: "docker",
            why: "an interactive command needs the docker or podman client".into(),
            hint: "install docker-cli or podman".into(),
        })
    }

    /// The engine's name and version, for people.
    pub fn version(&self) -> Result<String> {
        let version = self
            .wait(self.docker.version())
            .map_err(engine_error("ask for the version"))?;
        let name = version
            .platform
            .map_or_else(|| "engine".to_string(), |platform| platform.name);
        Ok(format!("{} {}", name, version.version.unwrap_or_default())
            .trim()
            .to_string())
    }

    /// Looks an image up, by reference or id.
    pub fn image(&self, name: &str) -> Result<ImageInspect> {
        self.wait(self.docker.inspect_image(name)).map_err(|error| {
            SandboxError::Base(
                name.into(),
                format!("not in the engine ({error}): pull it first, e.g. docker pull {name}"),
            )
        })
    }

    /// `sha256:…` of an image.
    pub fn image_id(&self, name: &str) -> Result<String> {
        let missing = || SandboxError::Engine(format!("image {name} has no id"));
        self.image(name)?.id.ok_or_else(missing)
    }

    /// Removes an image; one that others build on stays.
    pub fn remove_image(&self, id: &str) {
        let options = query::RemoveImageOptionsBuilder::default().build();
        let _ = self.wait(self.docker.remove_image(id, Some(options), None));
    }

    /// Removes an image by all its names, too.
    pub fn remove_kept(&self, id: &str) {
        let options = query::RemoveImageOptionsBuilder::default()
            .force(true)
            .build();
        let _ = self.wait(self.docker.remove_image(id, Some(options), None));
    }

    pub fn remove_container(&self, id: &str) {
        let options = query::RemoveContainerOptionsBuilder::default()
            .force(true)
            .v(true)
            .build();
        let _ = self.wait(self.docker.remove_container(id, Some(options)));
    }

    /// Removes containers and images that dead runs of this machine left.
    pub fn reap(&self) {
        let filters = HashMap::from([(
            "label".to_string(),
            vec![format!("{MACHINE}={}", machine())],
        )]);
        let options = query::ListContainersOptionsBuilder::default()
            .all(true)
            .filters(&filters)
            .build();
        for container in self
            .wait(self.docker.list_containers(Some(options)))
            .unwrap_or_default()
        {
            if is_dead(container.labels.as_ref())
                && let Some(id) = &container.id
            {
                self.remove_container(id);
            }
        }
        let options = query::ListImagesOptionsBuilder::default()
            .all(true)
            .filters(&filters)
            .build();
        for image in self
            .wait(self.docker.list_images(Some(options)))
            .unwrap_or_default()
        {
            if is_dead(Some(&image.labels)) {
                self.remove_image(&image.id);
            } else if is_abandoned(&image.labels, &image.id) {
                self.remove_kept(&image.id);
            }
        }
    }

    /// Writes the root file system of an image to `into` as a tar archive.
    pub fn export(&self, image: &str, into: &mut dyn std::io::Write) -> Result<()> {
        let body = bollard::models::ContainerCreateBody {
            image: Some(image.into()),
            entrypoint: Some(vec!["/none".into()]),
            labels: Some(labels(&store::new_id())),
            ..Default::default()
        };
        let options = query::CreateContainerOptionsBuilder::default().build();
        let created = self
            .wait(self.docker.create_container(Some(options), body))
            .map_err(engine_error("create a container to export"))?;
        let result = self.wait(async {
            let mut stream = self.docker.export_container(&created.id);
            while let Some(piece) = stream.next().await {
                let piece = piece.map_err(engine_error("export an image"))?;
                into.write_all(&piece)
                    .map_err(io_error("write an exported image"))?;
            }
            Ok(())
        });
        self.remove_container(&created.id);
        result
    }
}

/// Labels of a thing that belongs to the run `owner`.
pub fn labels(owner: &str) -> HashMap<String, String> {
    HashMap::from([
        (OWNER.to_string(), owner.to_string()),
        (MACHINE.to_string(), machine()),
    ])
}

fn is_dead(labels: Option<&HashMap<String, String>>) -> bool {
    labels
        .and_then(|labels| labels.get(OWNER))
        .is_some_and(|owner| store::is_orphan(owner))
}

/// A kept image whose directory is gone, or stands for another image by now.
fn is_abandoned(labels: &HashMap<String, String>, id: &str) -> bool {
    if labels.get(OWNER).is_none_or(|owner| owner != KEPT) {
        return false;
    }
    // Its run may be about to write the file.
    if labels.get(KEPT_BY).is_none_or(|run| !store::is_orphan(run)) {
        return false;
    }
    labels.get(KEPT_IN).is_some_and(|dir| {
        let named = std::fs::read_to_string(labelled_path(dir).join(IMAGE_FILE));
        let bare = |text: &str| text.trim().trim_start_matches("sha256:").to_owned();
        named.map_or(true, |named| bare(&named) != bare(id))
    })
}

/// A path as a word without quotes or blanks: bytes that are no plain characters are written as `%xx`.
pub fn path_label(path: &Path) -> String {
    let mut word = String::new();
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                word.push(char::from(byte));
            }
            _ => word.push_str(&format!("%{byte:02x}")),
        }
    }
    word
}

fn labelled_path(word: &str) -> PathBuf {
    let bytes = crate::sandbox::credentials::percent_decoded(word);
    std::ffi::OsString::from_vec(bytes).into()
}

fn machine() -> String {
    let id = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
    let name = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    // An identifier of this machine for comparison only; the id itself is not for others' eyes.
    use sha2::Digest;
    let hash = sha2::Sha256::digest(format!("{id}{name}").as_bytes());
    hash.iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A request's body.
pub type Pieces = Pin<Box<dyn Stream<Item = std::io::Result<Bytes>> + Send>>;

/// Reads a file piece by piece as the body of a request.
pub fn file_body(path: &Path) -> Result<Pieces> {
    let file = std::fs::File::open(path).map_err(io_error("read an archive"))?;
    let stream = futures_util::stream::try_unfold(file, |mut file| async move {
        let mut buffer = vec![0u8; 1 << 18];
        let count = std::io::Read::read(&mut file, &mut buffer)?;
        buffer.truncate(count);
        Ok((count > 0).then(|| (buffer.into(), file)))
    });
    Ok(Box::pin(stream))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_is_a_label() {
        for path in ["/a/b-c.d", "/with space/%41\"$x\n", "/é"] {
            let word = path_label(Path::new(path));
            assert!(!word.contains([' ', '"', '$', '\n']), "{word}");
            assert_eq!(labelled_path(&word), Path::new(path));
        }
    }
}
