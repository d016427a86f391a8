//! Bases from archives, OCI layouts and a real registry on loopback; what is damaged is refused and leaves nothing.

mod sandbox_support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use envc::sandbox::{Backend, Base, create};
use sandbox_support::*;
use sha2::{Digest, Sha256};

/// A root file system of a shell and a few tools of this machine.
fn small_root(dir: &Path) {
    for name in ["bin", "etc", "usr/lib", "tmp"] {
        fs::create_dir_all(dir.join(name)).unwrap();
    }
    fs::write(
        dir.join("etc/os-release"),
        "ID=debian\nVERSION_CODENAME=bookworm\n",
    )
    .unwrap();
    fs::write(dir.join("etc/lower"), "lower\n").unwrap();
    for tool in ["sh", "cat", "ls", "id", "tail", "env"] {
        let path = ["/bin", "/usr/bin"]
            .iter()
            .map(|dir| Path::new(dir).join(tool))
            .find(|path| path.exists())
            .unwrap();
        fs::copy(&path, dir.join("bin").join(tool)).unwrap();
        let output = Command::new("ldd").arg(&path).output().unwrap();
        for word in String::from_utf8_lossy(&output.stdout)
            .split_whitespace()
            .filter(|word| word.starts_with('/'))
        {
            let target = dir.join(word.trim_start_matches('/'));
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::copy(word, target).unwrap();
        }
    }
}

fn tar_of(dir: &Path) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    builder.follow_symlinks(false);
    builder.append_dir_all(".", dir).unwrap();
    builder.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Two layers: a root, and one that adds a file and takes another away.
fn layers(dir: &Path) -> Vec<Vec<u8>> {
    let (lower, upper) = (dir.join("lower"), dir.join("upper"));
    small_root(&lower);
    fs::create_dir_all(upper.join("etc")).unwrap();
    fs::write(upper.join("etc/upper"), "upper\n").unwrap();
    fs::write(upper.join("etc/.wh.lower"), "").unwrap();
    vec![
        gzip(&tar_of(&lower)),
        zstd::encode_all(tar_of(&upper).as_slice(), 1).unwrap(),
    ]
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// An OCI layout below `dir`.
fn layout(dir: &Path, layers: &[Vec<u8>]) -> PathBuf {
    let layout = dir.join("layout");
    let blobs = layout.join("blobs/sha256");
    fs::create_dir_all(&blobs).unwrap();
    let put = |bytes: &[u8]| {
        fs::write(blobs.join(digest(bytes)), bytes).unwrap();
        serde_json::json!({ "digest": format!("sha256:{}", digest(bytes)), "size": bytes.len(), "mediaType": "x" })
    };
    let listed: Vec<_> = layers.iter().map(|layer| put(layer)).collect();
    let config = put(b"{}");
    let manifest = serde_json::json!({ "schemaVersion": 2, "config": config, "layers": listed });
    let mut own = put(manifest.to_string().as_bytes());
    own["platform"] = serde_json::json!({ "os": "linux", "architecture": if cfg!(target_arch = "x86_64") { "amd64" } else { "arm64" } });
    let other = serde_json::json!({ "digest": format!("sha256:{}", "0".repeat(64)), "size": 1, "mediaType": "x", "platform": { "os": "linux", "architecture": "s390x" } });
    let list = put(
        serde_json::json!({ "schemaVersion": 2, "manifests": [other, own] })
            .to_string()
            .as_bytes(),
    );
    fs::write(
        layout.join("index.json"),
        serde_json::json!({ "schemaVersion": 2, "manifests": [list] }).to_string(),
    )
    .unwrap();
    fs::write(
        layout.join("oci-layout"),
        "{\"imageLayoutVersion\":\"1.0.0\"}",
    )
    .unwrap();
    layout
}

/// The sandbox has what both layers together give.
fn check(base: &Base, store: &Path) {
    let mut sandbox = create(Backend::Overlay, base, &options(store)).unwrap();
    assert_eq!(
        ok(
            &mut *sandbox,
            "cat /etc/upper; ls /etc/lower 2>/dev/null || echo gone"
        ),
        "upper\ngone"
    );
    let facts = sandbox.facts();
    assert!(
        facts
            .digest
            .as_ref()
            .is_some_and(|digest| digest.starts_with("sha256:"))
    );
    assert_eq!(
        (facts.distribution.as_str(), facts.release.as_str()),
        ("debian", "bookworm")
    );
}

/// Making a sandbox fails with `words`, and nothing half-made stays.
fn refused(base: &Base, store: &Path, words: &str) {
    let error = create(Backend::Overlay, base, &options(store))
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains(words), "{error}");
    let images = fs::read_dir(store.join("images"))
        .into_iter()
        .flatten()
        .flatten();
    let left: Vec<_> = images
        .filter(|entry| entry.file_name() != "partial")
        .map(|entry| entry.file_name())
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let partial = fs::read_dir(store.join("images/partial"))
        .into_iter()
        .flatten();
    assert_eq!(partial.count(), 0);
}

#[test]
fn archives_are_bases() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    small_root(&root);
    fs::write(root.join("etc/upper"), "upper\n").unwrap();
    fs::remove_file(root.join("etc/lower")).unwrap();
    let bytes = tar_of(&root);
    for (name, bytes) in [
        ("a.tar", bytes.clone()),
        ("a.tar.gz", gzip(&bytes)),
        ("a.tar.zst", zstd::encode_all(bytes.as_slice(), 1).unwrap()),
    ] {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        check(&Base::Tar(path), dir.path());
    }
    let cut = dir.path().join("cut.tar.gz");
    let whole = gzip(&bytes);
    fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    refused(&Base::Tar(cut), &dir.path().join("fresh"), "cut.tar.gz");
}

#[test]
fn layouts_are_bases() {
    let dir = tempfile::tempdir().unwrap();
    let layers = layers(dir.path());
    let layout = layout(dir.path(), &layers);
    check(&Base::Oci(layout.clone()), dir.path());
    let packed = dir.path().join("image.tar");
    fs::write(&packed, tar_of(&layout)).unwrap();
    check(&Base::Oci(packed), &dir.path().join("other"));
    // One bit of a layer.
    let blob = layout.join("blobs/sha256").join(digest(&layers[1]));
    let mut bytes = fs::read(&blob).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    fs::write(&blob, bytes).unwrap();
    refused(
        &Base::Oci(layout.clone()),
        &dir.path().join("fresh"),
        "damaged",
    );
    fs::remove_file(layout.join("index.json")).unwrap();
    refused(&Base::Oci(layout), &dir.path().join("fresh"), "no image");
}

struct Registry {
    child: Child,
    port: u16,
    data: PathBuf,
}

impl Registry {
    /// Debian's `docker-registry` on a free port of loopback.
    fn start(dir: &Path) -> Option<Self> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let data = dir.join("registry");
        let config = dir.join("registry.yml");
        fs::write(&config, format!("version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n    rootdirectory: {}\nhttp:\n  addr: 127.0.0.1:{port}\n", data.display())).unwrap();
        let child = Command::new("docker-registry")
            .arg("serve")
            .arg(&config)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(child) = child else {
            eprintln!("SKIPPED: needs docker-registry (apt-get install docker-registry)");
            return None;
        };
        for _ in 0..200 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(Self { child, port, data });
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("the registry does not answer");
    }

    fn push(&self, layers: &[Vec<u8>]) -> String {
        use oci_client::client::{ClientConfig, ClientProtocol, Config, ImageLayer};
        let name = format!("127.0.0.1:{}/team/small:1", self.port);
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = oci_client::Client::new(ClientConfig {
            protocol: ClientProtocol::Http,
            ..ClientConfig::default()
        });
        let layers: Vec<ImageLayer> = layers
            .iter()
            .map(|layer| {
                ImageLayer::new(
                    layer.clone(),
                    "application/vnd.oci.image.layer.v1.tar+gzip".into(),
                    None,
                )
            })
            .collect();
        let config = Config::oci_v1(b"{}".to_vec(), None);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let auth = oci_client::secrets::RegistryAuth::Anonymous;
        runtime
            .block_on(client.push(&name.parse().unwrap(), &layers, config, &auth, None))
            .unwrap();
        name
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn images_of_a_registry_are_bases() {
    let dir = tempfile::tempdir().unwrap();
    let Some(registry) = Registry::start(dir.path()) else {
        return;
    };
    let layers = layers(dir.path());
    let name = registry.push(&layers);
    check(&Base::Registry(name.clone()), dir.path());
    let missing = name.replace("small", "none");
    refused(
        &Base::Registry(missing),
        &dir.path().join("fresh"),
        "cannot be pulled",
    );
    refused(
        &Base::Registry("Not A Name".into()),
        &dir.path().join("fresh"),
        "no reference",
    );

    // The registry's disk, or someone on the way, changes a layer.
    let hash = digest(&layers[0]);
    let blob = registry.data.join(format!(
        "docker/registry/v2/blobs/sha256/{}/{hash}/data",
        &hash[..2]
    ));
    let mut bytes = fs::read(&blob).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    fs::write(&blob, bytes).unwrap();
    refused(
        &Base::Registry(name.clone()),
        &dir.path().join("fresh"),
        "digest",
    );
    // What was unpacked before is still good, and needs no layer.
    check(&Base::Registry(name), dir.path());
}
