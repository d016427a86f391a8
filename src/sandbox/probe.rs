//! What works on this machine, found out by doing it.

use super::contract::*;
use super::docker::docker_engine;
use super::options::{Availability, Backend, Options};

/// Tries each backend: makes a sandbox, runs `true` in it, drops it. An engine is only asked whether it answers, as
/// it may have no image yet.
pub fn probe(options: &Options) -> Vec<Availability> {
    let mut found = vec![try_backend(Backend::Overlay, options)];
    let (works, detail) = match docker_engine().and_then(|engine| engine.version()) {
        Ok(version) => (true, version),
        Err(error) => (false, error.to_string()),
    };
    found.push(Availability {
        backend: Backend::Docker,
        base: "image".into(),
        works,
        detail,
    });
    found.push(try_backend(Backend::Host, options));
    found
}

fn try_backend(backend: Backend, options: &Options) -> Availability {
    let result = super::create(backend, &Base::Host, options).and_then(|mut sandbox| {
        let command = CommandSpec {
            argv: vec!["true".into()],
            dir: "/".into(),
            env: Vec::new(),
            limits: Limits::default(),
            network: Network::Full,
        };
        let mut output = Vec::new();
        let finished = sandbox.run(&command, &mut |bytes| output.extend_from_slice(bytes))?;
        Ok((
            finished.outcome,
            String::from_utf8_lossy(&output).into_owned(),
        ))
    });
    let (works, detail) = match result {
        Ok((Outcome::Exited(0), _)) => (true, detail(backend)),
        Ok((outcome, output)) => (false, format!("`true` ended with {outcome:?}: {output}")),
        Err(error) => (false, error.to_string()),
    };
    Availability {
        backend,
        base: "host".into(),
        works,
        detail,
    }
}

fn detail(backend: Backend) -> String {
    let root = rustix::process::geteuid().is_root();
    match (backend, root) {
        (Backend::Overlay, true) => "as root: any base, package installation included".into(),
        (Backend::Overlay, false) => {
            "in a user namespace: over this machine the system is read-only; packages install over \
             --base rootfs:PATH with a root file system of your own"
                .into()
        }
        (Backend::Host, _) => "no isolation: only for machines that are thrown away".into(),
        (Backend::Docker, _) => String::new(),
    }
}
