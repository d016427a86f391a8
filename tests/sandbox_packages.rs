//! Real package managers through the host's certificates, indexes and caches. Needs the network:
//! `cargo test --test sandbox_packages -- --ignored`.

mod sandbox_support;

use envc::sandbox::{Backend, Base, create, probe};
use sandbox_support::*;

fn bases() -> Vec<(Backend, Base)> {
    let mut bases = Vec::new();
    if let Some(path) = std::env::var_os("ENVC_TEST_ROOTFS") {
        bases.push((Backend::Overlay, Base::Rootfs(path.into())));
    }
    if envc::sandbox::docker_engine().is_ok() {
        bases.push((Backend::Docker, Base::Image("debian:trixie".into())));
    }
    assert!(!bases.is_empty(), "set ENVC_TEST_ROOTFS or start an engine");
    bases
}

#[test]
#[ignore = "needs the network"]
fn packages_install_and_caches_stay_outside() {
    for (backend, base) in bases() {
        let store = tempfile::tempdir().unwrap();
        let mut options = options(store.path());
        options.cache_scope = Some("a repository".into());
        let mut sandbox = create(backend, &base, &options).unwrap();
        let start = std::time::Instant::now();
        ok(
            &mut *sandbox,
            "apt-get update && apt-get install -y --no-install-recommends zlib1g-dev python3-pip cargo 2>&1",
        );
        println!("{backend:?} {base:?}: apt in {:?}", start.elapsed());
        ok(&mut *sandbox, "test -e /usr/include/zlib.h");
        ok(
            &mut *sandbox,
            "cd /tmp && pip download --no-deps six 2>&1 && ls six-*.whl",
        );
        ok(
            &mut *sandbox,
            "mkdir -p /tmp/c/src && cd /tmp/c && touch src/lib.rs && { cargo --version | grep -q ' 1[.][0-6]' && exit 0; printf '[package]\\nname=\"c\"\\nversion=\"0.1.0\"\\n[dependencies]\\nitoa=\"1\"\\n' > Cargo.toml; cargo fetch 2>&1; }",
        );
        // (A cargo older than 1.70 wants the registry's git index, which few proxies pass.)
        // What was downloaded is in the shared cache, and no certificate or configuration in the layer.
        let cache = store.path().join("caches/a_repository/apt");
        let packages = std::fs::read_dir(&cache).unwrap().flatten();
        assert!(
            packages
                .filter(|e| e.path().extension().is_some_and(|x| x == "deb"))
                .count()
                > 5
        );
        let snapshot = sandbox.snapshot().unwrap();
        sandbox.rollback(&snapshot).unwrap();
        ok(&mut *sandbox, "test -e /usr/include/zlib.h");
        let kept = sandbox.keep(&store.path().join("kept")).unwrap();
        if backend == Backend::Overlay {
            let found = std::process::Command::new("find")
                .args([
                    store.path().join("kept").as_os_str(),
                    "-path".as_ref(),
                    "*run/envc/*".as_ref(),
                ])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8_lossy(&found.stdout), "");
        }
        drop(sandbox);
        envc::sandbox::forget(&kept, &options).unwrap();
    }
}

#[test]
fn probing_says_what_works() {
    let store = tempfile::tempdir().unwrap();
    for found in probe(&options(store.path())) {
        println!("{found:?}");
        assert!(!found.detail.is_empty());
    }
}
