//! The sandbox in a container of a Docker or Podman engine. A snapshot is a commit, so it takes seconds where much was
//! written. Containers and images of dead runs are removed when the next sandbox is made.

mod archive;
mod build;
mod buildx;
mod engine;
mod exec;
mod export;
mod limits;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bollard::models::{
    ContainerConfig, ContainerCreateBody, HostConfig, NetworkConnectRequest,
    NetworkDisconnectRequest,
};
use bollard::query_parameters as query;
use futures_util::StreamExt;

use super::contract::*;
use super::environment::Company;
use super::options::Options;
use super::os_release;
use super::spec::LENT_DIR;
use super::store::{self, io_error};
pub use build::{BuildRequest, BuildStyle};
use engine::engine_error;
pub use engine::{Engine, docker_engine};
pub use export::exported;

/// A sandbox in a container. See [`create`](super::create).
pub struct DockerSandbox {
    engine: Engine,
    options: Options,
    id: String,
    base: Base,
    image: String,
    facts: SandboxFacts,
    store: PathBuf,
    company: Company,
    container: String,
    snapshots: Vec<String>,
    limits: (u64, u64),
}

impl DockerSandbox {
    pub fn create(base: &Base, options: &Options) -> Result<Self> {
        let Base::Image(name) = base else {
            return Err(SandboxError::Base(
                base.to_string(),
                "the docker sandbox stands on an image: use --base image:NAME".into(),
            ));
        };
        Self::over(name, base, options)
    }

    fn over(image: &str, base: &Base, options: &Options) -> Result<Self> {
        let engine = docker_engine()?;
        engine.reap();
        let digest = engine.image_id(image)?;
        let id = store::new_id();
        let store = store::create_dir(&options.helper, &options.store_root(), "containers", &id)?;
        let company = Company::collect(options, &store, base)?;
        let mut sandbox = Self {
            engine,
            options: options.clone(),
            id,
            base: base.clone(),
            image: digest.clone(),
            facts: os_release::facts(
                "docker",
                image,
                Path::new("/nonexistent"),
                Some(digest.clone()),
            ),
            store,
            company,
            container: String::new(),
            snapshots: Vec::new(),
            limits: (Limits::default().memory, Limits::default().processes),
        };
        sandbox.start(&digest)?;
        sandbox.read_os_release();
        let facts = sandbox.facts.clone();
        sandbox.company.add_apt_mirror(&options.settings, &facts)?;
        Ok(sandbox)
    }

    fn read_os_release(&mut self) {
        for path in ["/usr/lib/os-release", "/etc/os-release"] {
            if let Ok(text) = self.read_file(path) {
                let (distribution, release) = os_release::parse(&String::from_utf8_lossy(&text));
                self.facts.distribution = distribution;
                self.facts.release = release;
                return;
            }
        }
    }

    /// Replaces the container by a new one from `image`.
    fn start(&mut self, image: &str) -> Result<()> {
        self.remove();
        let host = HostConfig {
            binds: Some(self.binds()?),
            init: Some(true),
            memory: i64::try_from(self.limits.0).ok(),
            memory_swap: i64::try_from(self.limits.0).ok(),
            pids_limit: i64::try_from(self.limits.1).ok(),
            cap_drop: Some(vec!["MKNOD".into(), "AUDIT_WRITE".into()]),
            ulimits: Some(limits::ulimits()),
            security_opt: Some(vec!["no-new-privileges".into()]),
            ..Default::default()
        };
        let body = ContainerCreateBody {
            image: Some(image.into()),
            hostname: Some("envc".into()),
            // Does nothing for ever, with what every image with a shell has.
            entrypoint: Some(["tail", "-f", "/dev/null"].map(String::from).to_vec()),
            cmd: Some(Vec::new()),
            user: Some("0:0".into()),
            labels: Some(engine::labels(&self.id)),
            host_config: Some(host),
            ..Default::default()
        };
        let options = query::CreateContainerOptionsBuilder::default().build();
        let docker = &self.engine.docker;
        let created = self
            .engine
            .wait(docker.create_container(Some(options), body))
            .map_err(engine_error("create a container"))?;
        self.container = created.id;
        self.engine
            .wait(docker.start_container(&self.container, None))
            .map_err(engine_error("start a container"))
    }

    fn binds(&self) -> Result<Vec<String>> {
        let lent = self.store.join("lent");
        let bind = |source: &Path, target: &str, mode: &str| {
            format!("{}:{target}:{mode}", source.display())
        };
        let mut binds = vec![bind(&lent, LENT_DIR, "ro")];
        for dir in self.company.cache_dirs() {
            // The engine makes missing mount points; in a read-only directory it cannot.
            if let Some(below) = dir.target.strip_prefix(LENT_DIR) {
                std::fs::create_dir_all(lent.join(below.trim_start_matches('/')))
                    .map_err(io_error("lend a cache"))?;
            }
            let mode = if dir.writable { "rw" } else { "ro" };
            binds.push(bind(&dir.source, &dir.target, mode));
        }
        for (source, at) in self.company.standing() {
            binds.push(bind(&source, at, "ro"));
        }
        Ok(binds)
    }

    fn remove(&mut self) {
        if !self.container.is_empty() {
            self.engine
                .remove_container(&std::mem::take(&mut self.container));
        }
    }

    /// Ends all that a command left running.
    fn restart(&self) -> Result<()> {
        let docker = &self.engine.docker;
        let options = query::KillContainerOptionsBuilder::default()
            .signal("KILL")
            .build();
        let _ = self
            .engine
            .wait(docker.kill_container(&self.container, Some(options)));
        let waited = query::WaitContainerOptionsBuilder::default()
            .condition("not-running")
            .build();
        self.engine.wait(async {
            let mut end = docker.wait_container(&self.container, Some(waited));
            while end.next().await.is_some_and(|state| state.is_ok()) {}
        });
        self.engine
            .wait(docker.start_container(&self.container, None))
            .map_err(engine_error("restart the container"))
    }

    /// Processes in the container beside its own two (the engine's init and the one that waits).
    fn leftovers(&self) -> bool {
        let top = self
            .engine
            .wait(self.engine.docker.top_processes(&self.container, None));
        top.ok()
            .and_then(|top| top.processes)
            .is_none_or(|list| list.len() > 2)
    }

    fn set_network(&self, connected: bool) -> Result<()> {
        let docker = &self.engine.docker;
        let result = if connected {
            let request = NetworkConnectRequest {
                container: self.container.clone(),
                ..Default::default()
            };
            self.engine.wait(docker.connect_network("bridge", request))
        } else {
            let request = NetworkDisconnectRequest {
                container: self.container.clone(),
                force: Some(true),
            };
            self.engine
                .wait(docker.disconnect_network("bridge", request))
        };
        result.map_err(engine_error("change the container's network"))
    }

    fn ran_out_of_memory(&self) -> bool {
        let state = self
            .engine
            .wait(self.engine.docker.inspect_container(&self.container, None));
        state.is_ok_and(|c| c.state.and_then(|s| s.oom_killed) == Some(true))
    }

    fn upload(&self, body: engine::Pieces) -> Result<()> {
        let options = query::UploadToContainerOptionsBuilder::default()
            .path("/")
            .build();
        self.engine
            .wait(self.engine.docker.upload_to_container(
                &self.container,
                Some(options),
                bollard::body_try_stream(body),
            ))
            .map_err(engine_error("copy files into the container"))
    }

    fn environment(&self, command: &CommandSpec) -> Vec<String> {
        let env = self.company.full_environment(&command.env);
        env.into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }

    /// Saves the container as an image and gives its id.
    fn commit(
        &self,
        labels: HashMap<String, String>,
        reference: Option<(&str, &str)>,
    ) -> Result<String> {
        let mut options = query::CommitContainerOptionsBuilder::default()
            .container(&self.container)
            .pause(false);
        if let Some((repository, tag)) = reference {
            options = options.repo(repository).tag(tag);
        }
        if self.engine.is_podman() {
            // It takes the container's labels over and heeds these only as instructions.
            let lines = labels
                .iter()
                .map(|(name, value)| format!("LABEL {name}={value}"));
            options = options.changes(&lines.collect::<Vec<_>>().join("\n"));
        }
        let config = ContainerConfig {
            labels: Some(labels),
            ..Default::default()
        };
        let committed = self
            .engine
            .wait(self.engine.docker.commit_container(options.build(), config))
            .map_err(engine_error("save the container's state"))?;
        Ok(committed.id)
    }

    /// A kept state as a new sandbox.
    pub fn reopen(kept: &Kept, options: &Options) -> Result<Self> {
        let mut sandbox = Self::over(&kept.state, &kept.base, options)?;
        if let Base::Image(name) = &kept.base {
            sandbox.facts.base.clone_from(name);
        }
        Ok(sandbox)
    }
}

/// Removes a kept state.
pub fn forget(kept: &Kept) -> Result<()> {
    let engine = docker_engine()?;
    engine.image_id(&kept.state)?;
    engine.remove_kept(&kept.state);
    Ok(())
}

impl Drop for DockerSandbox {
    fn drop(&mut self) {
        self.remove();
        // The newest first: an older one may be what it builds on.
        for image in self.snapshots.drain(..).rev() {
            self.engine.remove_image(&image);
        }
        super::helper::remove_tree(&self.store);
    }
}

impl Sandbox for DockerSandbox {
    fn facts(&self) -> &SandboxFacts {
        &self.facts
    }

    fn copy_in(&mut self, from: &Path, files: &[PathBuf], to: &str) -> Result<()> {
        let packed = archive::pack(from, files, to)?;
        self.upload(engine::file_body(packed.path())?)
    }

    fn write_file(&mut self, path: &str, contents: &[u8], mode: u32) -> Result<()> {
        let packed = archive::single(path, contents, mode)?;
        let body = async { Ok(packed.into()) };
        self.upload(Box::pin(futures_util::stream::once(body)))
    }

    fn read_file(&mut self, path: &str) -> Result<Vec<u8>> {
        const LIMIT: usize = 65 << 20;
        let options = query::DownloadFromContainerOptionsBuilder::default()
            .path(path)
            .build();
        let what = format!("read {path}");
        let packed = self.engine.wait(async {
            let mut packed = Vec::new();
            let mut stream = self
                .engine
                .docker
                .download_from_container(&self.container, Some(options));
            while let Some(piece) = stream.next().await {
                packed.extend_from_slice(&piece.map_err(engine_error(&what))?);
                if packed.len() > LIMIT {
                    return Err(SandboxError::Engine(format!(
                        "{what}: larger than {LIMIT} bytes"
                    )));
                }
            }
            Ok(packed)
        })?;
        archive::only_file(path, &packed)
    }

    fn run(&mut self, command: &CommandSpec, sink: &mut dyn FnMut(&[u8])) -> Result<Finished> {
        self.set_limits(&self.options.limits(command.limits))?;
        let network = self.options.network.allow(command.network);
        if network == Network::None {
            self.set_network(false)?;
        }
        let env = self.environment(command);
        let options = &self.options;
        let interrupted = || options.interrupted();
        let mut blotter = self.company.blotter();
        let ended = exec::run(
            &self.engine,
            &self.container,
            (command, env),
            &interrupted,
            &mut |bytes| blotter.push(bytes, sink),
        );
        blotter.finish(sink);
        let stopped = ended.as_ref().map_or(true, |ended| ended.verdict.is_some());
        let out_of_memory = !stopped && self.ran_out_of_memory();
        if stopped || out_of_memory || self.leftovers() {
            self.restart()?;
        }
        if network == Network::None {
            self.set_network(true)?;
        }
        if ended.is_err() {
            self.company.command_ended(Outcome::Interrupted);
        }
        let ended = ended?;
        let outcome = match ended.verdict {
            Some(verdict) => verdict,
            None if out_of_memory && ended.exit_code != 0 => Outcome::OutOfMemory,
            None => exec::outcome(ended.exit_code),
        };
        self.company.command_ended(outcome);
        Ok(Finished {
            outcome,
            wall: ended.wall,
            output_bytes: ended.output_bytes,
        })
    }

    fn snapshot(&mut self) -> Result<SnapshotId> {
        let image = self.commit(engine::labels(&self.id), None)?;
        self.snapshots.push(image.clone());
        Ok(SnapshotId(image))
    }

    fn rollback(&mut self, snapshot: &SnapshotId) -> Result<()> {
        if !self.snapshots.contains(&snapshot.0) {
            return Err(SandboxError::Engine(format!(
                "no snapshot {:?} of this sandbox",
                snapshot.0
            )));
        }
        self.start(&snapshot.0)
    }

    fn reset(&mut self) -> Result<()> {
        let image = self.image.clone();
        self.start(&image)
    }

    fn interactive(&mut self, command: &CommandSpec) -> Result<i32> {
        let on_terminal = super::interactive::on_terminal();
        let mut client = self.engine.client()?;
        client.args(["exec", if on_terminal { "-it" } else { "-i" }]);
        client.args(["--workdir", &command.dir]);
        for variable in self.environment(command) {
            client.args(["--env", &variable]);
        }
        client.arg(&self.container).args(&command.argv);
        let status = client.status().map_err(io_error(
            "start the engine's client for an interactive command",
        ))?;
        let _ = self.restart();
        Ok(status.code().unwrap_or(1))
    }

    fn share_downloads(&mut self) {
        self.company.share_downloads();
    }

    fn keep(&mut self, dir: &Path) -> Result<Kept> {
        std::fs::create_dir_all(dir).map_err(io_error(format!("create {}", dir.display())))?;
        let dir =
            std::fs::canonicalize(dir).map_err(io_error(format!("find {}", dir.display())))?;
        // The file says which image the directory stands for: one whose directory is gone, or names another, is nobody's.
        let mark = dir.join(engine::IMAGE_FILE);
        let mut labels = engine::labels(engine::KEPT);
        labels.insert(engine::KEPT_BY.into(), self.id.clone());
        labels.insert(engine::KEPT_IN.into(), engine::path_label(&dir));
        let state = self.commit(labels, Some(("envc-kept", &store::new_id())))?;
        std::fs::write(&mark, &state).map_err(io_error(format!("write {}", mark.display())))?;
        Ok(Kept {
            backend: "docker".into(),
            base: self.base.clone(),
            state,
        })
    }
}
