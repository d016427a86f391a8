//! Images as files: an OCI layout, and what `docker save` wrote before it was one. Everything is found by its digest and
//! checked against it.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::layers;

/// Largest manifest, index or configuration, in bytes.
const LARGEST: u64 = 8 << 20;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    #[serde(default)]
    media_type: String,
    digest: String,
    #[serde(default)]
    platform: Option<Platform>,
}

#[derive(Debug, Deserialize)]
struct Platform {
    os: String,
    architecture: String,
}

/// An index or a manifest: which it is shows in what it has.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Document {
    manifests: Vec<Descriptor>,
    layers: Vec<Descriptor>,
}

/// What `docker save` wrote before version 25.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Saved {
    config: String,
    layers: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Configuration {
    rootfs: RootFs,
}

#[derive(Debug, Deserialize)]
struct RootFs {
    diff_ids: Vec<String>,
}

/// An image in a directory.
#[derive(Debug)]
pub struct Layout {
    /// `sha256:…` of the manifest, or of the configuration where there is no manifest.
    pub digest: String,
    layers: Vec<Layer>,
}

#[derive(Debug)]
struct Layer {
    path: PathBuf,
    /// Of the file as it is.
    digest: String,
    media_type: String,
}

impl Layout {
    /// Reads the index and manifest for this machine's architecture.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let index = match read(&dir.join("index.json")) {
            Ok(index) => index,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::saved(dir),
            Err(error) => return Err(error),
        };
        let mut document: Document = serde_json::from_slice(&index)?;
        let mut digest = None;
        // An index may lead to further ones, as for several architectures.
        for _ in 0..4 {
            if document.manifests.is_empty() {
                break;
            }
            let chosen = choose(&document.manifests)
                .ok_or_else(|| wrong(format!("no image for linux/{} in it", architecture())))?;
            let bytes = read(&blob(dir, &chosen.digest)?)?;
            check(&bytes, &chosen.digest)?;
            digest = Some(chosen.digest.clone());
            document = serde_json::from_slice(&bytes)?;
        }
        let digest = digest.filter(|_| !document.layers.is_empty());
        let layers = document.layers.into_iter().map(|layer| {
            Ok(Layer {
                path: blob(dir, &layer.digest)?,
                digest: layer.digest,
                media_type: layer.media_type,
            })
        });
        Ok(Self {
            layers: layers.collect::<io::Result<_>>()?,
            digest: digest.ok_or_else(|| wrong("it holds no image with layers"))?,
        })
    }

    fn saved(dir: &Path) -> io::Result<Self> {
        let text = read(&dir.join("manifest.json"))
            .map_err(|_| wrong("neither index.json nor manifest.json in it: it is no image"))?;
        let images: Vec<Saved> = serde_json::from_slice(&text)?;
        let [image] = images.as_slice() else {
            return Err(wrong(format!("{} images in it: save one", images.len())));
        };
        let config = read(&inside(dir, &image.config)?)?;
        let digest = format!("sha256:{}", hex(&Sha256::digest(&config)));
        let name = image.config.rsplit('/').next().unwrap_or_default();
        if !digest.contains(name.trim_end_matches(".json")) {
            return Err(damaged(name));
        }
        let known: Configuration = serde_json::from_slice(&config)?;
        if known.rootfs.diff_ids.len() != image.layers.len() {
            return Err(wrong("its configuration is about other layers"));
        }
        let layers = image
            .layers
            .iter()
            .zip(known.rootfs.diff_ids)
            .map(|(name, digest)| {
                Ok(Layer {
                    path: inside(dir, name)?,
                    digest,
                    media_type: String::new(),
                })
            });
        Ok(Self {
            layers: layers.collect::<io::Result<_>>()?,
            digest,
        })
    }

    /// Unpacks all layers to `root`, each checked against its digest to the last byte.
    pub fn unpack(&self, root: &Path) -> io::Result<()> {
        for layer in &self.layers {
            let file = crate::scan::open_regular(&layer.path).map_err(|error| {
                io::Error::new(error.kind(), format!("layer {}: {error}", layer.digest))
            })?;
            let mut hashed = Hashed {
                inner: file,
                hasher: Sha256::new(),
            };
            let unpacked = decompress(&mut hashed, &layer.media_type, root);
            // The digest first: a damaged layer cannot be unpacked either, and the damage is what to tell.
            io::copy(&mut hashed, &mut io::sink())?;
            if format!("sha256:{}", hex(&hashed.hasher.finalize())) != layer.digest {
                return Err(damaged(&layer.digest));
            }
            unpacked.map_err(|error| {
                io::Error::new(error.kind(), format!("layer {}: {error}", layer.digest))
            })?;
        }
        Ok(())
    }
}

/// By its first bytes: media types are often wrong, files rarely.
pub fn decompress(layer: &mut dyn Read, media_type: &str, root: &Path) -> io::Result<()> {
    let mut start = [0u8; 4];
    let mut count = 0;
    while let Some(rest) = start.get_mut(count..).filter(|rest| !rest.is_empty()) {
        match layer.read(rest)? {
            0 => break,
            more => count += more,
        }
    }
    let head = start.get(..count).unwrap_or_default().to_vec();
    let gzip = head.starts_with(&[0x1f, 0x8b]);
    let zstd = head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
    let mut whole = io::Cursor::new(head).chain(layer);
    if gzip {
        return layers::apply(&mut flate2::read::MultiGzDecoder::new(whole), root);
    }
    if zstd {
        return layers::apply(&mut zstd::stream::read::Decoder::new(whole)?, root);
    }
    if media_type.contains("encrypted") {
        return Err(wrong("it is encrypted"));
    }
    layers::apply(&mut whole, root)
}

struct Hashed<R> {
    inner: R,
    hasher: Sha256,
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

fn choose(manifests: &[Descriptor]) -> Option<&Descriptor> {
    let fits =
        |platform: &Platform| platform.os == "linux" && platform.architecture == architecture();
    manifests
        .iter()
        .find(|one| one.platform.as_ref().is_some_and(fits))
        .or_else(|| manifests.iter().find(|one| one.platform.is_none()))
}

/// This machine's architecture as images call it.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "powerpc64" => "ppc64le",
        other => other,
    }
}

fn blob(dir: &Path, digest: &str) -> io::Result<PathBuf> {
    let hash = digest.strip_prefix("sha256:").filter(|hash| {
        hash.len() == 64
            && hash
                .bytes()
                .all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase())
    });
    let hash = hash.ok_or_else(|| wrong(format!("{digest:?} is no SHA-256 digest")))?;
    Ok(dir.join("blobs/sha256").join(hash))
}

/// A name of a file in the layout that leads nowhere else.
fn inside(dir: &Path, name: &str) -> io::Result<PathBuf> {
    let path = Path::new(name);
    let plain = path
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_)));
    if !plain {
        return Err(wrong(format!("{name:?} is no name in it")));
    }
    let whole = fs::canonicalize(dir.join(path))?;
    if !whole.starts_with(fs::canonicalize(dir)?) {
        return Err(wrong(format!("{name:?} leads out of it")));
    }
    Ok(whole)
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = crate::scan::open_regular(path)?;
    if file.take(LARGEST + 1).read_to_end(&mut bytes)? as u64 > LARGEST {
        return Err(wrong(format!("{} is too large", path.display())));
    }
    Ok(bytes)
}

/// Whether `bytes` are those that `digest` names.
pub fn check(bytes: &[u8], digest: &str) -> io::Result<()> {
    if format!("sha256:{}", hex(&Sha256::digest(bytes))) == digest {
        return Ok(());
    }
    Err(damaged(digest))
}

fn wrong(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.into())
}

fn damaged(what: &str) -> io::Error {
    wrong(format!(
        "{what} is damaged: its contents do not have this digest"
    ))
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
