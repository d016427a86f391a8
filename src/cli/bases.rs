//! Which base the sandbox stands on, and what is known of it.

use std::path::Path;

use crate::packages::{BaseFacts, base_of_os_release, bases};
use crate::plan::Plan;
use crate::sandbox::{Backend, Base, Options, SandboxFacts};

use super::exit::Failure;

/// Facts of a base that was named on the command line; `None` where only the engine can tell.
pub fn facts_of(base: &Base) -> Result<Option<BaseFacts>, Failure> {
    match base {
        Base::Host => of_root(Path::new("/")).map(Some),
        Base::Rootfs(root) => of_root(root).map(Some),
        Base::Image(reference) => Ok(bases()
            .iter()
            .find(|base| &base.image == reference)
            .cloned()),
        Base::Made(name) => match crate::sandbox::made::find(name, &Options::new()?) {
            Some(made) => of_root(&made.root).map(Some),
            None => Err(Failure::usage(format!(
                "no base {name} was made: run envc base make {name}"
            ))),
        },
        // Only the sandbox itself shows what is in it.
        Base::Tar(_) | Base::Oci(_) | Base::Registry(_) => Ok(None),
    }
}

fn of_root(root: &Path) -> Result<BaseFacts, Failure> {
    let files = ["etc/os-release", "usr/lib/os-release"];
    let text = files
        .iter()
        .find_map(|file| std::fs::read_to_string(root.join(file)).ok())
        .ok_or_else(|| {
            Failure::usage(format!(
                "{} holds no etc/os-release: it is no root file system of a distribution",
                root.display()
            ))
        })?;
    base_of_os_release(&text).ok_or_else(|| {
        Failure::usage(format!(
            "the distribution of {} is not known; bases that are: {}. Give one with --base image:REF or --base rootfs:PATH",
            root.display(),
            bases().iter().map(|base| base.image.clone()).collect::<Vec<_>>().join(", ")
        ))
    })
}

/// Facts of the base a running sandbox stands on.
pub fn facts_of_sandbox(facts: &SandboxFacts) -> Option<BaseFacts> {
    let text = format!(
        "ID={}\nVERSION_CODENAME={}\n",
        facts.distribution, facts.release
    );
    base_of_os_release(&text)
}

fn made(name: &str) -> bool {
    Options::new().is_ok_and(|options| crate::sandbox::made::find(name, &options).is_some())
}

/// The base where the user names none: the plan's image where an engine has it (clean, and the same as the
/// Dockerfile's), else this machine's root, read-only.
pub fn default_base(backend: Backend, plan: &Plan) -> Base {
    base_for_image(backend, &plan.base.image)
}

/// [`default_base`] for an image that is known.
pub fn base_for_image(backend: Backend, image: &str) -> Base {
    let from_engine = || Base::Image(image.to_owned());
    match backend {
        Backend::Docker => from_engine(),
        Backend::Host => Base::Host,
        Backend::Overlay if crate::sandbox::engine_has_image(image) => from_engine(),
        Backend::Overlay if made(image) => Base::Made(image.to_owned()),
        Backend::Overlay => Base::Host,
    }
}
