//! A company's network: mirrors with a login are used, and the login is seen nowhere.

mod cli_support;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use cli_support::*;

const CANARY: &str = "canary-5up3r-s3cret";

/// An index on loopback that notes the `Authorization` of each request, and has nothing.
struct Index {
    port: u16,
    seen: Arc<Mutex<BTreeSet<String>>>,
}

impl Index {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(BTreeSet::new()));
        let notes = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut stream = stream;
                let mut request = [0u8; 8192];
                let count = stream.read(&mut request).unwrap_or(0);
                let text = String::from_utf8_lossy(&request[..count]).into_owned();
                let login = text
                    .lines()
                    .find(|line| line.to_ascii_lowercase().starts_with("authorization:"))
                    .unwrap_or("none")
                    .to_owned();
                let answer: &[u8] = if login == "none" {
                    b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                } else {
                    b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                };
                notes.lock().unwrap().insert(login);
                let _ = stream.write_all(answer);
            }
        });
        Self { port, seen }
    }
}

/// Files below `dir` that hold `text`, links not followed.
fn files_with(dir: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files_with(&entry.path(), text));
        } else if kind.is_file() {
            let bytes = fs::read(entry.path()).unwrap_or_default();
            if bytes
                .windows(text.len())
                .any(|window| window == text.as_bytes())
            {
                found.push(entry.path().display().to_string());
            }
        }
    }
    found
}

/// `me:canary-5up3r-s3cret` in base64.
const ENCODED: &str = "bWU6Y2FuYXJ5LTV1cDNyLXMzY3JldA==";

#[test]
fn a_login_in_an_index_reaches_the_index_and_nothing_else() {
    if !can_build() {
        return;
    }
    let index = Index::start();
    let address = format!("http://me:{CANARY}@127.0.0.1:{}/simple", index.port);
    // A careless and a curious test: it prints its whole environment and every file that it is lent.
    let scene = Scene::with_test(
        "env; env >env.txt; cat /run/envc/secrets/* /run/envc/*.conf; \
         python3 -m venv /tmp/v && /tmp/v/bin/pip download --disable-pip-version-check -q no-such-thing; sh ./test.sh",
    );
    let mut command = scene.envc(&[
        "build",
        "--base",
        "host",
        "--certify",
        "none",
        "-v",
        "--json-events",
        "repo",
    ]);
    for name in [
        "PIP_INDEX_URL",
        "UV_INDEX_URL",
        "npm_config_registry",
        "GOPROXY",
    ] {
        command.env(name, &address);
    }
    command.env("CARGO_REGISTRIES_IN_HOUSE_TOKEN", CANARY);
    command.env("UV_INDEX_PRIVATE_PASSWORD", CANARY);
    command.env("UV_INDEX_PRIVATE_USERNAME", "me");
    command.env("https_proxy", format!("http://me:{CANARY}@127.0.0.1:1"));
    let ended = ended(&mut command).code(0);
    for text in [CANARY, ENCODED] {
        assert!(!ended.out.contains(text), "{}", ended.out);
        assert!(!ended.err.contains(text), "{}", ended.err);
        assert_eq!(files_with(scene.path(), text), [] as [String; 0]);
    }
    let log = files_with(&scene.repo.join(".envc/logs"), "[hidden]");
    assert!(!log.is_empty(), "the files were lent and blotted out");
    if !on_path("python3") {
        eprintln!("SKIPPED: no python3: pip was not tried");
        return;
    }
    let seen = index.seen.lock().unwrap();
    assert!(seen.iter().any(|line| line.contains(ENCODED)), "{seen:?}");
}

#[test]
fn settings_name_mirrors_and_a_typing_error_is_told() {
    if !can_build() {
        return;
    }
    let scene = Scene::with_test("env; cat /.cargo/config.toml; sh ./test.sh");
    let config = scene.path().join("envc.toml");
    fs::write(
        &config,
        "[index]\npip = \"https://mirror.invalid/simple\"\ncargo = \"sparse+https://mirror.invalid/crates/\"\n[network]\nno_proxy = \"mirror.invalid\"\n",
    )
    .unwrap();
    let mut command = scene.envc(&["build", "--base", "host", "--certify", "none", "-v", "repo"]);
    command
        .env("ENVC_CONFIG", &config)
        .env_remove("PIP_INDEX_URL");
    ended(&mut command)
        .code(0)
        .says("PIP_INDEX_URL=https://mirror.invalid/simple")
        .says("UV_DEFAULT_INDEX=https://mirror.invalid/simple")
        .says("registry = \"sparse+https://mirror.invalid/crates/\"");
    for artifact in ["setup.sh", "Dockerfile", "plan.json"] {
        assert!(
            !scene.artifact(artifact).contains("https://mirror.invalid"),
            "{artifact}"
        );
    }
    fs::write(&config, "[index]\npipp = \"x\"\n").unwrap();
    let mut command = scene.envc(&["build", "repo"]);
    command.env("ENVC_CONFIG", &config);
    ended(&mut command).code(2).says("pipp");
}

#[test]
fn the_store_is_described_and_pruned() {
    if !can_build() {
        return;
    }
    let scene = Scene::with_test("echo x >$$PIP_CACHE_DIR/entry; sh ./test.sh");
    scene.build(&[]).code(0);
    let parts = scene.run(&["cache", "info", "--json"]).code(0).json();
    let pip = |parts: &serde_json::Value| {
        let parts = parts["parts"].as_array().unwrap();
        parts.iter().any(|part| part["name"] == "pip")
    };
    assert!(pip(&parts), "{parts}");
    scene.run(&["cache", "info"]).code(0).prints("pip");
    scene
        .run(&["cache", "prune", "--older", "1"])
        .code(0)
        .prints("0 B freed");
    scene
        .run(&["cache", "prune", "--all"])
        .code(0)
        .prints("freed");
    let parts = scene.run(&["cache", "info", "--json"]).code(0).json();
    assert!(!pip(&parts), "{parts}");
    scene.run(&["cache", "prune", "--max", "lots"]).code(2);
}
