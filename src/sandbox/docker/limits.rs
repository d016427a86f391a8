//! What a container may use.

use bollard::models::ResourcesUlimits;

use super::DockerSandbox;
use super::engine::{self, engine_error};
use crate::sandbox::contract::{Limits, Result, Sandbox, SnapshotId};

/// Files that a process in a container may have open.
const OPEN_FILES: u64 = 65_536;
/// Processes of one user of the engine's machine; what bounds a container is its own limit.
const PROCESSES: u64 = 32_768;

impl DockerSandbox {
    /// Sets memory and processes, where they are not the present ones.
    pub(super) fn set_limits(&mut self, limits: &Limits) -> Result<()> {
        let wanted = (limits.memory, limits.processes);
        if wanted == self.limits {
            return Ok(());
        }
        let body = bollard::models::ContainerUpdateBody {
            memory: i64::try_from(wanted.0).ok(),
            memory_swap: i64::try_from(wanted.0).ok(),
            pids_limit: i64::try_from(wanted.1).ok(),
            ..Default::default()
        };
        let updated = self
            .engine
            .wait(self.engine.docker.update_container(&self.container, body));
        self.limits = wanted;
        match updated {
            // Podman before 5 cannot change a container: another one with the same files can have the limits.
            Err(error) if engine::is_missing(&error) => {
                let SnapshotId(image) = self.snapshot()?;
                self.start(&image)
            }
            other => other.map_err(engine_error("set the container's limits")),
        }
    }
}

/// Open files and processes of a user: plenty, and never more than this process may have. An engine's own default may
/// be more than it is allowed to give.
pub fn ulimits() -> Vec<ResourcesUlimits> {
    use rustix::process::{Resource, getrlimit};
    let own = |resource| getrlimit(resource).maximum;
    let limit = |name: &str, count: u64| ResourcesUlimits {
        name: Some(name.into()),
        soft: i64::try_from(count).ok(),
        hard: i64::try_from(count).ok(),
    };
    let files = own(Resource::Nofile).map_or(OPEN_FILES, |most| most.min(OPEN_FILES));
    let processes = own(Resource::Nproc).map_or(PROCESSES, |most| most.min(PROCESSES));
    vec![limit("nofile", files), limit("nproc", processes)]
}
