use super::super::testing::{repo, summary};

#[test]
fn a_workspace_is_built_as_one_and_its_packages_are_projects() {
    let graph = repo(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\"]\n[workspace.package]\nrust-version = \"1.70\"\n[workspace.dependencies]\nrusqlite = { version = \"0.30\", features = [\"bundled\"] }\n",
        ),
        (
            "crates/a/Cargo.toml",
            "[package]\nname = \"a\"\nedition = \"2024\"\nrust-version.workspace = true\n[dependencies]\nrusqlite.workspace = true\n",
        ),
        ("crates/a/src/main.rs", ""),
        (
            "crates/b/Cargo.toml",
            "[package]\nname = \"b\"\n[target.'cfg(windows)'.dependencies]\nwinapi = \"0.3\"\n[build-dependencies]\nbindgen = \"0.69\"\n",
        ),
        (
            "Cargo.lock",
            "version = 4\n[[package]]\nname = \"bindgen\"\nversion = \"0.69.0\"\ndependencies = [\"clang-sys\"]\n[[package]]\nname = \"clang-sys\"\nversion = \"1.0.0\"\n[[package]]\nname = \"rusqlite\"\nversion = \"0.30.0\"\ndependencies = [\"libsqlite3-sys 0.27.0\"]\n[[package]]\nname = \"libsqlite3-sys\"\nversion = \"0.27.0\"\n",
        ),
        ("rust-toolchain", "1.75.0\n"),
    ]);
    insta::assert_snapshot!(summary(&graph), @r#"
    cargo "" a (crates/a/Cargo.toml:2)
      build-command = cargo build --workspace --locked (Cargo.toml)
      edition = 2024 (crates/a/Cargo.toml:3)
      edition-rust = 1.85 (crates/a/Cargo.toml:3)
      install-command = cargo fetch --locked (Cargo.toml)
      language = C (Cargo.lock:14)
      lock = Cargo.lock (Cargo.lock)
      lock-rust = 1.78 (Cargo.lock:1)
      lock-version = 4 (Cargo.lock:1)
      member = crates/a (crates/a/Cargo.toml:1)
      member = crates/b (crates/b/Cargo.toml:1)
      package = a (crates/a/Cargo.toml:2)
      package = b (crates/b/Cargo.toml:2)
      run-command = cargo run --locked --bin a (crates/a/src/main.rs)
      rust-version = 1.70 (Cargo.toml:4)
      test-command = cargo test --workspace --locked (Cargo.toml)
      tool rust >=1.70 Manifest (Cargo.toml:4)
      cargo rusqlite 0.30 [runtime] (crates/a/Cargo.toml:6)
      cargo bindgen 0.69 [build] (crates/b/Cargo.toml:6)
      cargo winapi 0.3 [optional:cfg(windows)] if-present (crates/b/Cargo.toml:4)
      tool rust 1.75.0 Lock (rust-toolchain:1)
      system lib:clang [build] (Cargo.lock:7)
      system cmd:clang [build] (Cargo.lock:7)
      entry Command a (crates/a/src/main.rs)
      suite cargo (Cargo.toml)
    cargo "crates/a" a (crates/a/Cargo.toml:2)
      workspace-root = . (crates/a/Cargo.toml:1)
      project cargo "" (crates/a/Cargo.toml:2)
    cargo "crates/b" b (crates/b/Cargo.toml:2)
      workspace-root = . (crates/b/Cargo.toml:1)
      project cargo "" (crates/a/Cargo.toml:2)
    "#);
}

#[test]
fn default_features_switch_optional_dependencies_on() {
    let graph = repo(&[(
        "Cargo.toml",
        "[package]\nname = \"a\"\n[features]\ndefault = [\"tls\"]\ntls = [\"dep:openssl\"]\n[dependencies]\nopenssl = { version = \"0.10\", optional = true }\nssh2 = { version = \"0.9\", optional = true }\n",
    )]);
    insta::assert_snapshot!(summary(&graph), @r#"
    cargo "" a (Cargo.toml:2)
      build-command = cargo build (Cargo.toml)
      default-feature = tls (Cargo.toml:4)
      feature = tls (Cargo.toml:5)
      install-command = cargo fetch (Cargo.toml)
      language = C (Cargo.toml:7)
      member = . (Cargo.toml:1)
      package = a (Cargo.toml:2)
      test-command = cargo test (Cargo.toml)
      cargo openssl 0.10 [runtime] (Cargo.toml:7)
      cargo ssh2 0.9 [optional:ssh2] if-present (Cargo.toml:8)
      system pc:openssl [build] (Cargo.toml:7)
      system cmd:pkg-config [build] (Cargo.toml:7)
      system pc:openssl [optional:ssh2] if-present (Cargo.toml:8)
      system cmd:pkg-config [optional:ssh2] if-present (Cargo.toml:8)
      system pc:libssh2 [optional:ssh2] if-present (Cargo.toml:8)
      suite cargo (Cargo.toml)
    "#);
}

#[test]
fn hostile_manifests_are_survived() {
    repo(&[("Cargo.toml", "[package\nname=\"")]);
    repo(&[(
        "Cargo.toml",
        "[package]\nname = 3\n[workspace]\nmembers = [\"[\", 4, \"../../..\"]\n",
    )]);
    repo(&[(
        "Cargo.toml",
        "[package]\nname = \"a\"\n[features]\ndefault = [\"a\"]\na = [\"b\"]\nb = [\"a\"]\n",
    )]);
}
