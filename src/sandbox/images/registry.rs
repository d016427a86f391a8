//! Images of a registry, without a daemon: the manifest and its layers are put into an OCI layout, each checked against
//! its digest.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use oci_client::client::{Certificate, CertificateEncoding, ClientConfig, ClientProtocol};
use oci_client::manifest::{
    IMAGE_MANIFEST_LIST_MEDIA_TYPE, IMAGE_MANIFEST_MEDIA_TYPE, OCI_IMAGE_INDEX_MEDIA_TYPE,
    OCI_IMAGE_MEDIA_TYPE, OciImageManifest,
};
use oci_client::secrets::RegistryAuth;
use oci_client::{Client, Reference};

use super::layout::check;
use crate::sandbox::contract::{Result, SandboxError};
use crate::sandbox::options::Options;
use crate::sandbox::store::io_error;

/// Tries for one blob: registries and lines between are not always steady.
const TRIES: u32 = 3;

/// A registry's client for one image.
pub struct Remote {
    client: Client,
    reference: Reference,
    auth: RegistryAuth,
    runtime: tokio::runtime::Runtime,
    name: String,
}

impl Remote {
    /// `name` as in `docker pull`: `debian:bookworm`, `registry.example/team/image@sha256:…`.
    pub fn new(name: &str, options: &Options) -> Result<Self> {
        let refuse = |why: String| SandboxError::Base(name.into(), why);
        let reference: Reference = name
            .parse()
            .map_err(|error| refuse(format!("no reference of an image: {error}")))?;
        // A second call finds the first one's provider: either will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let registry = reference.resolve_registry().to_owned();
        let host = registry.split(':').next().unwrap_or_default();
        // As every engine has it: only this machine itself is believed without encryption.
        let protocol = match host {
            "localhost" | "127.0.0.1" => ClientProtocol::HttpsExcept(vec![registry.clone()]),
            _ => ClientProtocol::Https,
        };
        let further = options.settings.network.ca.as_deref();
        let certificates = further
            .map(fs::read)
            .transpose()
            .map_err(io_error("read the certificates"))?;
        let config = ClientConfig {
            protocol,
            extra_root_certificates: certificates
                .into_iter()
                .map(|data| Certificate {
                    encoding: CertificateEncoding::Pem,
                    data,
                })
                .collect(),
            https_proxy: options.settings.network.proxy.clone(),
            connect_timeout: Some(std::time::Duration::from_secs(30)),
            read_timeout: Some(std::time::Duration::from_secs(120)),
            ..ClientConfig::default()
        };
        Ok(Self {
            client: Client::new(config),
            auth: login(&registry),
            reference,
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(io_error("start the registry's client"))?,
            name: name.into(),
        })
    }

    fn failed(&self, error: &oci_client::errors::OciDistributionError) -> SandboxError {
        SandboxError::Base(self.name.clone(), format!("cannot be pulled: {error}"))
    }

    /// The manifest for this machine, and its digest.
    pub fn manifest(&self) -> Result<(OciImageManifest, String)> {
        self.runtime
            .block_on(self.client.pull_image_manifest(&self.reference, &self.auth))
            .map_err(|error| self.failed(&error))
    }

    /// Writes an OCI layout with the image of `digest` to `dir`.
    pub fn pull(
        &self,
        manifest: &OciImageManifest,
        digest: &str,
        dir: &Path,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<()> {
        let what = || format!("pull {}", self.name);
        let blobs = dir.join("blobs/sha256");
        fs::create_dir_all(&blobs).map_err(io_error(what()))?;
        let types = [
            OCI_IMAGE_MEDIA_TYPE,
            IMAGE_MANIFEST_MEDIA_TYPE,
            OCI_IMAGE_INDEX_MEDIA_TYPE,
            IMAGE_MANIFEST_LIST_MEDIA_TYPE,
        ];
        let exact = self.reference.clone_with_digest(digest.to_owned());
        let (bytes, _) = self
            .runtime
            .block_on(self.client.pull_manifest_raw(&exact, &self.auth, &types))
            .map_err(|error| self.failed(&error))?;
        check(&bytes, digest)
            .map_err(|error| SandboxError::Base(self.name.clone(), error.to_string()))?;
        let name = |digest: &str| digest.trim_start_matches("sha256:").to_owned();
        fs::write(blobs.join(name(digest)), &bytes).map_err(io_error(what()))?;
        for layer in &manifest.layers {
            let hash = layer.digest.strip_prefix("sha256:");
            let hash = hash.filter(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let Some(hash) = hash else {
                return Err(SandboxError::Base(
                    self.name.clone(),
                    format!("{:?} is no digest", layer.digest),
                ));
            };
            if interrupted() {
                return Err(SandboxError::Interrupted);
            }
            self.blob(layer, &blobs.join(hash))?;
        }
        let index = serde_json::json!({
            "schemaVersion": 2,
            "manifests": [{ "mediaType": OCI_IMAGE_MEDIA_TYPE, "digest": digest, "size": bytes.len() }],
        });
        fs::write(dir.join("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}")
            .map_err(io_error(what()))?;
        fs::write(dir.join("index.json"), index.to_string()).map_err(io_error(what()))
    }

    fn blob(&self, layer: &oci_client::manifest::OciDescriptor, path: &Path) -> Result<()> {
        let mut tries = 0;
        loop {
            tries += 1;
            let pulled = self.runtime.block_on(async {
                let mut bytes = tokio::io::BufWriter::new(Spool::create(path)?);
                self.client
                    .pull_blob(&self.reference, layer, &mut bytes)
                    .await
            });
            match pulled {
                Ok(()) => return Ok(()),
                Err(_) if tries < TRIES => {}
                Err(error) => return Err(self.failed(&error)),
            }
        }
    }
}

/// A file that takes what comes; writing to a disk waits for nothing that others could use the time for.
struct Spool(fs::File);

impl Spool {
    fn create(path: &Path) -> std::io::Result<Self> {
        fs::File::create(path).map(Self)
    }
}

impl tokio::io::AsyncWrite for Spool {
    fn poll_write(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        bytes: &[u8],
    ) -> std::task::Poll<std::io::Result<usize>> {
        std::task::Poll::Ready(std::io::Write::write(&mut self.0, bytes))
    }

    fn poll_flush(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn poll_shutdown(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        std::task::Poll::Ready(Ok(()))
    }
}

/// The user's login for a registry, where `docker login` left one in its file.
fn login(registry: &str) -> RegistryAuth {
    let dir = std::env::var_os("DOCKER_CONFIG")
        .map(std::path::PathBuf::from)
        .or_else(|| {
            std::env::var_os("HOME").map(|home| std::path::PathBuf::from(home).join(".docker"))
        });
    let text = dir.and_then(|dir| fs::read(dir.join("config.json")).ok());
    let config = text.and_then(|text| serde_json::from_slice::<serde_json::Value>(&text).ok());
    config
        .and_then(|config| login_in(&config, registry))
        .unwrap_or(RegistryAuth::Anonymous)
}

fn login_in(config: &serde_json::Value, registry: &str) -> Option<RegistryAuth> {
    let auths = config.get("auths")?;
    let entry = auths
        .get(registry)
        .or_else(|| auths.get(format!("https://{registry}")))?;
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(entry.get("auth")?.as_str()?)
        .ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (user, password) = text.split_once(':')?;
    Some(RegistryAuth::Basic(user.into(), password.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_for_its_registry_only() {
        let config = serde_json::json!({ "auths": { "r.invalid": { "auth": "bWU6cHc=" } } });
        assert!(matches!(
            login_in(&config, "r.invalid"),
            Some(RegistryAuth::Basic(user, password)) if user == "me" && password == "pw"
        ));
        assert!(login_in(&config, "other.invalid").is_none());
    }
}
