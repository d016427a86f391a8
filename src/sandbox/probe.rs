//! What works on this machine, found out by doing it.

use super::contract::*;
use super::docker::docker_engine;
use super::options::{Availability, Backend, Options};
use super::overlay::OverlaySandbox;
use super::privilege::Privilege;

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
    let result = match backend {
        Backend::Overlay => OverlaySandbox::create(&Base::Host, options).and_then(|mut sandbox| {
            let here = overlay_detail(&sandbox);
            Ok((try_command(&mut sandbox)?, here))
        }),
        _ => super::create(backend, &Base::Host, options)
            .and_then(|mut sandbox| Ok((try_command(&mut *sandbox)?, HOST_DETAIL.to_owned()))),
    };
    let (works, detail) = match result {
        Ok((None, detail)) => (true, detail),
        Ok((Some(why), _)) => (false, why),
        Err(error) => (false, error.to_string()),
    };
    Availability {
        backend,
        base: "host".into(),
        works,
        detail,
    }
}

/// Runs `true`; says what went wrong.
fn try_command(sandbox: &mut dyn Sandbox) -> Result<Option<String>> {
    let command = CommandSpec {
        argv: vec!["true".into()],
        dir: "/".into(),
        env: Vec::new(),
        limits: Limits::default(),
        network: Network::Full,
    };
    let mut output = Vec::new();
    let finished = sandbox.run(&command, &mut |bytes| output.extend_from_slice(bytes))?;
    let text = String::from_utf8_lossy(&output);
    let failed = !finished.outcome.ok();
    Ok(failed.then(|| format!("`true` ended with {:?}: {text}", finished.outcome)))
}

const HOST_DETAIL: &str = "no isolation: only for machines that are thrown away";

fn overlay_detail(sandbox: &OverlaySandbox) -> String {
    let (in_memory, single_id) = sandbox.limits_here();
    let mut detail = match Privilege::here() {
        Privilege::Root => "as root: any base, package installation included".to_owned(),
        Privilege::NamespaceRoot => {
            "as root of a user namespace: any base, package installation included".to_owned()
        }
        Privilege::User => {
            "in a user namespace: over this machine the system is read-only; packages install over \
             --base rootfs:PATH with a root file system of your own"
                .to_owned()
        }
    };
    if single_id {
        detail.push_str("; root is the only user there (see subordinate ids)");
    }
    if in_memory {
        detail.push_str(
            "; layers are in memory, as the file system of the cache directory cannot hold them: large builds need \
             XDG_CACHE_HOME on ext4, xfs or btrfs",
        );
    }
    detail
}
