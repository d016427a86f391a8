//! Where commands run: one contract, three places.
//!
//! `overlay` (namespaces and overlayfs, no daemon), `docker` (an engine's socket) and `host` (this machine as it is)
//! all satisfy [`Sandbox`]; [`create`] makes one.

mod cgroup;
mod contract;
mod environment;
mod helper;
mod options;
mod os_release;
mod overlay;
mod spec;
mod store;
mod supervise;

pub use contract::*;
pub use environment::{base_environment, company_environment};
pub use helper::{HELPER_ARGUMENT, helper_main};
pub use options::{Availability, Backend, Options};

/// Makes a sandbox over `base`. The caller drops it to clean up.
pub fn create(backend: Backend, base: &Base, options: &Options) -> Result<Box<dyn Sandbox>> {
    match backend {
        Backend::Overlay => Ok(Box::new(overlay::OverlaySandbox::create(base, options)?)),
        Backend::Docker | Backend::Host => Err(SandboxError::Unavailable {
            backend: backend.name(),
            why: "not built yet".into(),
            hint: "use --sandbox overlay".into(),
        }),
    }
}
