//! Where commands run: one contract, three places.
//!
//! `overlay` (namespaces and overlayfs, no daemon), `docker` (an engine's socket) and `host` (this machine as it is)
//! all satisfy [`Sandbox`]; [`create`] makes one.

pub mod caches;
mod certificates;
mod cgroup;
mod contract;
mod credentials;
mod docker;
mod environment;
mod fingerprint;
mod gauge;
mod handover;
mod helper;
mod host;
mod images;
mod interactive;
mod machine;
mod mirrors;
mod options;
mod os_release;
mod overlay;
mod passed;
mod privilege;
mod probe;
mod process;
mod resumed;
mod running;
mod settings;
mod spec;
mod store;
mod supervise;
mod toolchains;

pub use contract::*;
pub use docker::{BuildRequest, BuildStyle, Engine, docker_engine};
pub use environment::{Company, base_environment, company_environment};
pub use fingerprint::fingerprint;
pub use helper::{HELPER_ARGUMENT, helper_main};
pub use images::made;
pub use machine::{Finding, examine};
pub use options::{Availability, Backend, Options};
pub use probe::probe;
pub use settings::{Settings, bytes};

/// Makes a sandbox over `base`. The caller drops it to clean up.
pub fn create(backend: Backend, base: &Base, options: &Options) -> Result<Box<dyn Sandbox>> {
    match backend {
        Backend::Overlay => Ok(Box::new(overlay::OverlaySandbox::create(base, options)?)),
        Backend::Docker => Ok(Box::new(docker::DockerSandbox::create(base, options)?)),
        Backend::Host => Ok(Box::new(host::HostSandbox::create(base, options)?)),
    }
}

/// Comes back to a kept state. Changes made from here on are gone with the returned sandbox, unless kept anew.
pub fn reopen(kept: &Kept, options: &Options) -> Result<Box<dyn Sandbox>> {
    match kept.backend.as_str() {
        "overlay" => Ok(Box::new(overlay::OverlaySandbox::reopen(kept, options)?)),
        "host" => Ok(Box::new(host::HostSandbox::reopen(kept, options)?)),
        "docker" => Ok(Box::new(docker::DockerSandbox::reopen(kept, options)?)),
        other => Err(unknown_backend(other)),
    }
}

/// Comes back to a kept state to go on with a run: [`Sandbox::reset`] still leads to the clean base.
pub fn resume(backend: Backend, kept: &Kept, options: &Options) -> Result<Box<dyn Sandbox>> {
    Ok(Box::new(resumed::Resumed::open(backend, kept, options)?))
}

/// Whether a sandbox of any run stands in the store now.
pub fn in_use(root: &std::path::Path) -> bool {
    store::in_use(root)
}

/// Removes a directory whose files may belong to ids of a user namespace.
pub fn remove_dir(dir: &std::path::Path, options: &Options) -> Result<()> {
    process::remove(&options.helper, dir)
}

/// Removes what [`Sandbox::keep`] kept.
pub fn forget(kept: &Kept, options: &Options) -> Result<()> {
    match kept.backend.as_str() {
        "overlay" => overlay::forget(kept, options),
        "host" => host::forget(kept),
        "docker" => docker::forget(kept),
        other => Err(unknown_backend(other)),
    }
}

fn unknown_backend(name: &str) -> SandboxError {
    SandboxError::Base(
        "kept environment".into(),
        format!("made by an unknown backend, {name:?}: build it again"),
    )
}

/// Whether a Docker or Podman engine answers and holds the image.
pub fn engine_has_image(reference: &str) -> bool {
    docker_engine().is_ok_and(|engine| engine.image_id(reference).is_ok())
}
