//! Bases that `envc base make` makes and keeps by name, for machines without an engine.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::{Unpacked, of_registry, of_tar, scratch};
use crate::sandbox::contract::{Result, SandboxError};
use crate::sandbox::docker;
use crate::sandbox::options::Options;
use crate::sandbox::store::io_error;

/// A base that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// As it was asked for: `debian:bookworm`.
    pub name: String,
    /// `mmdebstrap`, `engine`, `registry`.
    pub by: String,
    pub digest: String,
    pub root: PathBuf,
    /// Seconds since 1970.
    pub made: i64,
}

fn directory(options: &Options) -> PathBuf {
    options.store_root().join("bases")
}

fn file(name: &str, options: &Options) -> PathBuf {
    let plain: String = name
        .chars()
        .map(|c| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' => c,
            _ => '_',
        })
        .collect();
    let user = rustix::process::geteuid().as_raw();
    directory(options).join(format!("{plain}-{user}.json"))
}

/// All that were made and are still there, by name.
pub fn list(options: &Options) -> Vec<Made> {
    let mut found: Vec<Made> = fs::read_dir(directory(options))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| serde_json::from_slice(&fs::read(entry.path()).ok()?).ok())
        .filter(|made: &Made| made.root.is_dir())
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// The base made under `name`.
pub fn find(name: &str, options: &Options) -> Option<Made> {
    list(options).into_iter().find(|made| made.name == name)
}

/// Makes `name` (again): a Debian or Ubuntu release by `mmdebstrap` where that is installed, else from an engine that
/// has the image, else from its registry. `say` is told what is done.
pub fn make(name: &str, options: &Options, say: &mut dyn FnMut(&str)) -> Result<Made> {
    let (by, unpacked) = if let Some((distribution, release)) = bootstrappable(name) {
        say(&format!("mmdebstrap makes {distribution} {release}"));
        ("mmdebstrap", bootstrap(distribution, release, options)?)
    } else if crate::sandbox::engine_has_image(name) {
        say("exported from the engine");
        let (root, digest) = docker::exported(name, options)?;
        ("engine", Unpacked { root, digest })
    } else {
        say("pulled from its registry");
        ("registry", of_registry(name, options)?)
    };
    let made = Made {
        name: name.to_owned(),
        by: by.to_owned(),
        digest: unpacked.digest,
        root: unpacked.root,
        made: jiff::Timestamp::now().as_second(),
    };
    let path = file(name, options);
    let what = || format!("write {}", path.display());
    fs::create_dir_all(directory(options)).map_err(io_error(what()))?;
    let text = serde_json::to_vec_pretty(&made).map_err(|error| io_error(what())(error.into()))?;
    fs::write(&path, text).map_err(io_error(what()))?;
    Ok(made)
}

/// Forgets `name`; its files go where no other base has the same. `false`: there was none.
pub fn remove(name: &str, options: &Options) -> Result<bool> {
    let Some(made) = find(name, options) else {
        return Ok(false);
    };
    if crate::sandbox::in_use(&options.store_root()) {
        return Err(SandboxError::Base(
            name.into(),
            "a run is at work: try again when it has ended".into(),
        ));
    }
    let path = file(name, options);
    fs::remove_file(&path).map_err(io_error(format!("remove {}", path.display())))?;
    if !list(options).iter().any(|other| other.root == made.root) {
        crate::sandbox::remove_dir(&made.root, options)?;
    }
    Ok(true)
}

/// Distribution and release that `mmdebstrap` can make here.
fn bootstrappable(name: &str) -> Option<(&str, &str)> {
    let (distribution, release) = name.split_once(':')?;
    let keyring = match distribution {
        "debian" => "/usr/share/keyrings/debian-archive-keyring.gpg",
        "ubuntu" => "/usr/share/keyrings/ubuntu-archive-keyring.gpg",
        _ => return None,
    };
    // `latest` and tags with variants are the registry's own names.
    let plain = release.bytes().all(|byte| byte.is_ascii_lowercase()) && release != "latest";
    let has = |tool: &str| {
        std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(tool).is_file()))
    };
    (plain && std::path::Path::new(keyring).exists() && has("mmdebstrap"))
        .then_some((distribution, release))
}

fn bootstrap(distribution: &str, release: &str, options: &Options) -> Result<Unpacked> {
    let scratch = scratch(options)?;
    let tar = scratch.path().join("root.tar");
    let output = Command::new("mmdebstrap")
        .args(["--quiet", "--variant=minbase", "--include=ca-certificates"])
        .arg(format!(
            "--components={}",
            if distribution == "ubuntu" {
                "main,universe"
            } else {
                "main"
            }
        ))
        .arg(release)
        .arg(&tar)
        // Where the user names no mirror, the tool's own for the release.
        .args(options.settings.index.apt.as_deref())
        .stdin(Stdio::null())
        .output()
        .map_err(io_error("start mmdebstrap"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let tail: Vec<&str> = text.lines().rev().take(5).collect();
        let tail: Vec<&str> = tail.into_iter().rev().collect();
        return Err(SandboxError::Base(
            format!("{distribution}:{release}"),
            format!("mmdebstrap failed:\n{}", tail.join("\n")),
        ));
    }
    of_tar(&tar, options)
}
