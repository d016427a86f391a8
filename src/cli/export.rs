//! `envc export`: the finished environment as a file for other machines.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use sha2::{Digest, Sha256};

use crate::sandbox::{
    Base, CommandSpec, Limits, Network, Options, Outcome, REPOSITORY_DIR, Sandbox, caches,
};
use crate::script;

use super::build::{Environment, with_caches};
use super::enter;
use super::exit::{Exit, Failure};
use super::{show, signals};

#[derive(Debug, Args)]
pub struct Export {
    /// Directory of the repository.
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Where the artifacts are [default: .envc in the repository].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write an OCI image (`docker load`, `podman load` and registries take it).
    #[arg(long, value_name = "FILE", required_unless_present = "tar")]
    oci: Option<PathBuf>,
    /// Write the root file system as a tar archive.
    #[arg(long, value_name = "FILE", conflicts_with = "oci")]
    tar: Option<PathBuf>,
    /// Name of the image.
    #[arg(long, value_name = "NAME:TAG", requires = "oci")]
    name: Option<String>,
}

pub fn run(arguments: &Export) -> Result<Exit, Failure> {
    let environment = enter::environment(&arguments.path, arguments.out.as_deref())?;
    if environment.kept.base == Base::Host {
        return Err(Failure::usage(
            "this environment stands on this machine's own root, which is not for export\n  build it on \
             another base: envc base make debian:bookworm, then envc build --base made:debian:bookworm",
        ));
    }
    // Nothing of the host is lent: no certificate, no mirror, no cache is to be found in what is written.
    let options = Options {
        interrupted: signals::flag()?,
        ca_and_proxy: false,
        ..Options::new()?
    };
    let mut sandbox = crate::sandbox::reopen(&environment.kept, &options)?;
    add_downloads(sandbox.as_mut(), &arguments.path, &options)?;
    match (&arguments.oci, &arguments.tar) {
        (Some(file), _) => image(
            sandbox.as_mut(),
            &environment,
            arguments.name.as_deref(),
            file,
        )?,
        (None, Some(file)) => {
            let fresh = fresh(file)?;
            root(sandbox.as_mut(), &mut &fresh.file)?;
            fresh.keep()?;
        }
        (None, None) => {}
    }
    Ok(Exit::Verified)
}

/// What tools look for at run time too was kept outside of the environment: it belongs in an export.
fn add_downloads(sandbox: &mut dyn Sandbox, path: &Path, options: &Options) -> Result<(), Failure> {
    let root = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let scope = with_caches(options.clone(), &root).cache_scope;
    for (dir, at) in caches::needed(&options.store_root(), &scope.unwrap_or_default()) {
        let files: Vec<PathBuf> = walkdir::WalkDir::new(&dir)
            .into_iter()
            .flatten()
            .filter(|entry| !entry.file_type().is_dir())
            .filter_map(|entry| Some(entry.path().strip_prefix(&dir).ok()?.to_path_buf()))
            .collect();
        sandbox.copy_in(&dir, &files, at)?;
    }
    Ok(())
}

/// Writes the root file system as a tar archive, without what is mounted or passing.
fn root(sandbox: &mut dyn Sandbox, out: &mut dyn Write) -> Result<(), Failure> {
    let spec = CommandSpec {
        argv: [
            "sh",
            "-c",
            "exec tar --one-file-system --exclude=./tmp/* --exclude=./var/tmp/* -cf - . 2>/dev/null",
        ]
        .map(str::to_owned)
        .to_vec(),
        dir: "/".to_owned(),
        env: Vec::new(),
        limits: Limits {
            wall: std::time::Duration::from_secs(6 * 3600),
            output: u64::MAX,
            ..Limits::default()
        },
        network: Network::None,
    };
    let mut failed = None;
    let finished = sandbox.run(&spec, &mut |bytes| {
        if failed.is_none() {
            failed = out.write_all(bytes).err();
        }
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    match finished.outcome {
        Outcome::Exited(0) => Ok(()),
        Outcome::Interrupted => Err(Failure::new(Exit::Interrupted, "interrupted")),
        other => Err(Failure::new(
            Exit::NotReached,
            format!("the environment's tar ended with {other:?}: it cannot be exported"),
        )),
    }
}

/// Counts and hashes what goes through.
struct Hashed<W> {
    inner: W,
    hasher: Sha256,
    bytes: u64,
}

impl<W: Write> Hashed<W> {
    fn new(inner: W) -> Self {
        Self {
            inner,
            hasher: Sha256::new(),
            bytes: 0,
        }
    }

    fn digest(self) -> (W, String, u64) {
        let hash: String = self
            .hasher
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        (self.inner, hash, self.bytes)
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hasher.update(bytes.get(..count).unwrap_or_default());
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

fn image(
    sandbox: &mut dyn Sandbox,
    environment: &Environment,
    name: Option<&str>,
    file: &Path,
) -> Result<(), Failure> {
    let fresh = fresh(file)?;
    let layer = tempfile::tempfile_in(directory(file))?;
    let level = flate2::Compression::fast();
    let mut plain = Hashed::new(flate2::write::GzEncoder::new(Hashed::new(&layer), level));
    root(sandbox, &mut plain)?;
    let (encoder, diff_id, _) = plain.digest();
    let (_, layer_digest, layer_size) = encoder.finish()?.digest();
    let config = serde_json::to_vec(&configuration(environment, &diff_id))?;
    let config_digest = crate::verify::attest::sha256(&config);
    let manifest = serde_json::to_vec(&serde_json::json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": descriptor("application/vnd.oci.image.config.v1+json", &config_digest, config.len() as u64),
        "layers": [descriptor("application/vnd.oci.image.layer.v1.tar+gzip", &layer_digest, layer_size)],
    }))?;
    let manifest_digest = crate::verify::attest::sha256(&manifest);
    let mut entry = descriptor(
        "application/vnd.oci.image.manifest.v1+json",
        &manifest_digest,
        manifest.len() as u64,
    );
    let name = name.map_or_else(|| default_name(environment), str::to_owned);
    if let Some(entry) = entry.as_object_mut() {
        let tag = serde_json::json!({ "org.opencontainers.image.ref.name": name });
        entry.insert("annotations".into(), tag);
    }
    let blob = |digest: &str| format!("blobs/sha256/{digest}");
    // For engines that read what `docker save` writes.
    let saved = serde_json::json!([{
        "Config": blob(&config_digest), "RepoTags": [name], "Layers": [blob(&layer_digest)],
    }]);
    let index = serde_json::json!({ "schemaVersion": 2, "manifests": [entry] });
    let mut archive = tar::Builder::new(&fresh.file);
    add(
        &mut archive,
        "oci-layout",
        b"{\"imageLayoutVersion\":\"1.0.0\"}",
    )?;
    add(&mut archive, "index.json", &serde_json::to_vec(&index)?)?;
    add(&mut archive, "manifest.json", &serde_json::to_vec(&saved)?)?;
    add(&mut archive, &blob(&config_digest), &config)?;
    add(&mut archive, &blob(&manifest_digest), &manifest)?;
    let mut header = header(layer_size);
    std::io::Seek::rewind(&mut &layer)?;
    archive.append_data(&mut header, blob(&layer_digest), &layer)?;
    archive.into_inner()?;
    fresh.keep()?;
    show::print(&crate::emit::sanitize(&format!(
        "{name}  sha256:{manifest_digest}"
    )))
}

fn default_name(environment: &Environment) -> String {
    let plain: String = environment
        .script
        .repository
        .name
        .chars()
        .map(|c| match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9') => c,
            _ => '-',
        })
        .collect();
    format!("envc-{}:latest", plain.trim_matches('-'))
}

fn configuration(environment: &Environment, diff_id: &str) -> serde_json::Value {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let lent: Vec<(String, String)> = crate::sandbox::base_environment();
    let own = script::activation(&environment.script);
    let env: Vec<String> = lent
        .iter()
        .filter(|(name, _)| !own.iter().any(|(own, _)| own == name) && name != "TERM")
        .chain(&own)
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    serde_json::json!({
        "architecture": architecture,
        "os": "linux",
        "config": { "Env": env, "WorkingDir": REPOSITORY_DIR, "Cmd": ["bash"] },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{diff_id}")] },
        "history": [{ "created_by": "envc export" }],
    })
}

fn descriptor(media_type: &str, digest: &str, size: u64) -> serde_json::Value {
    serde_json::json!({ "mediaType": media_type, "digest": format!("sha256:{digest}"), "size": size })
}

fn header(size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_mode(0o644);
    header.set_size(size);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header
}

fn add(archive: &mut tar::Builder<&File>, name: &str, contents: &[u8]) -> std::io::Result<()> {
    archive.append_data(&mut header(contents.len() as u64), name, contents)
}

fn directory(file: &Path) -> &Path {
    file.parent()
        .filter(|dir| *dir != Path::new(""))
        .unwrap_or(Path::new("."))
}

/// A file that takes its name only when it is complete.
struct Fresh {
    file: File,
    path: tempfile::TempPath,
    name: PathBuf,
}

fn fresh(name: &Path) -> Result<Fresh, Failure> {
    let (file, path) = tempfile::Builder::new()
        .prefix(".envc-export-")
        .tempfile_in(directory(name))
        .map_err(|error| Failure::usage(format!("cannot write {}: {error}", name.display())))?
        .into_parts();
    Ok(Fresh {
        file,
        path,
        name: name.to_path_buf(),
    })
}

impl Fresh {
    fn keep(self) -> Result<(), Failure> {
        use std::os::unix::fs::PermissionsExt;
        self.file
            .set_permissions(std::fs::Permissions::from_mode(0o644))?;
        self.file.sync_all()?;
        self.path
            .persist(&self.name)
            .map_err(|error| Failure::from(error.error))
    }
}
