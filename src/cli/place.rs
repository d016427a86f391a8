//! The sandbox of a run: the one that the user names; where none is named, the best that works here.

use crate::plan::Plan;
use crate::sandbox::{Backend, Base, Options, Sandbox, SandboxError, create, docker_engine};

use super::arguments::Build;
use super::bases::default_base;
use super::exit::Failure;

/// Makes the sandbox. `tell` gets a sentence where it is not the usual one. The host itself is never chosen for a user.
pub fn sandbox(
    options: &Build,
    plan: &Plan,
    settings: &Options,
    tell: &mut dyn FnMut(String),
) -> Result<(Base, Box<dyn Sandbox>), Failure> {
    let make = |backend: Backend| {
        let named = options.source.base.clone();
        let base = named.unwrap_or_else(|| default_base(backend, plan));
        create(backend, &base, settings).map(|sandbox| (base, sandbox))
    };
    if let Some(name) = options.sandbox {
        return Ok(make(name.into())?);
    }
    let error = match make(Backend::Overlay) {
        Err(error @ SandboxError::Unavailable { .. }) => error,
        other => return Ok(other?),
    };
    // An engine can stand in only for a base that it can have.
    let image = !matches!(options.source.base, Some(Base::Host | Base::Rootfs(_)));
    if !image || docker_engine().is_err() {
        return Err(error.into());
    }
    tell(format!(
        "{}; commands run in the container engine instead",
        error.to_string().lines().next().unwrap_or_default()
    ));
    Ok(make(Backend::Docker)?)
}
