//! Caches with the real apt: shared, safe side by side, and never the cause of a failure.

mod sandbox_support;

use std::fs;
use std::path::{Path, PathBuf};

use envc::sandbox::{Backend, Base, Options, Sandbox, create};
use sandbox_support::*;

fn with_caches(store: &Path, scope: &str) -> Options {
    Options {
        cache_scope: Some(scope.into()),
        ..options(store)
    }
}

/// A root file system to install in, and whether this user may.
fn rootfs() -> Option<Base> {
    let path = std::env::var_os("ENVC_TEST_ROOTFS").map(PathBuf::from);
    if path.is_none() {
        eprintln!("SKIPPED: set ENVC_TEST_ROOTFS to a root file system to install packages in");
    }
    path.map(Base::Rootfs)
}

fn sandbox(base: &Base, store: &Path, scope: &str) -> Box<dyn Sandbox> {
    create(Backend::Overlay, base, &with_caches(store, scope)).unwrap()
}

const INSTALL: &str =
    "apt-get -qq update && apt-get install -qy --no-install-recommends hello 2>&1 && hello";

fn packages(store: &Path) -> Vec<String> {
    fs::read_dir(store.join("caches/shared/apt/files"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| name.starts_with("hello_"))
        .collect()
}

#[test]
fn packages_are_downloaded_once_for_all_repositories() {
    let Some(base) = rootfs() else { return };
    let store = tempfile::tempdir().unwrap();
    let mut one = sandbox(&base, store.path(), "one");
    let output = ok(&mut *one, INSTALL);
    assert!(!output.contains("Need to get 0 B"), "{output}");
    // Until it is said that nothing of a repository has run, nobody else gets anything.
    assert_eq!(packages(store.path()), [] as [String; 0]);
    one.share_downloads();
    let found = packages(store.path());
    assert_eq!(found.len(), 1);
    // Later changes are the first repository's own affair.
    ok(
        &mut *one,
        "for f in /run/envc/cache/apt/*.deb; do echo spoilt >\"$f\"; done",
    );
    let store_view = ok(
        &mut *one,
        "ls /run/envc/cache/apt-store; (echo x >/run/envc/cache/apt-store/hello_x.deb) 2>&1 || true",
    );
    assert!(store_view.contains("Read-only"), "{store_view}");
    drop(one);
    let mut two = sandbox(&base, store.path(), "two");
    let output = ok(&mut *two, INSTALL);
    assert!(output.contains("Need to get 0 B/"), "{output}");
    assert!(output.contains("Hello, world!"), "{output}");
    // Nothing of it is in the result.
    let kept = two.keep(&store.path().join("kept")).unwrap();
    drop(two);
    let debs = walk(Path::new(&kept.state))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "deb"));
    assert_eq!(debs.count(), 0);

    // Spoilt on disk, with its size unchanged.
    let file = store.path().join("caches/shared/apt/files").join(&found[0]);
    let size = fs::metadata(&file).unwrap().len();
    fs::write(&file, vec![b'x'; size as usize]).unwrap();
    let mut three = sandbox(&base, store.path(), "three");
    let output = ok(&mut *three, INSTALL);
    assert!(!output.contains("Need to get 0 B/"), "{output}");
}

fn walk(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_type().unwrap().is_dir() {
            found.extend(walk(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found
}

#[test]
fn installations_side_by_side_do_not_wait_for_each_other() {
    let Some(base) = rootfs() else { return };
    let store = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut sandbox = sandbox(&base, store.path(), "same");
                    let output = ok(&mut *sandbox, INSTALL);
                    sandbox.share_downloads();
                    output
                })
            })
            .collect();
        for run in runs {
            assert!(run.join().unwrap().contains("Hello, world!"));
        }
    });
    assert_eq!(packages(store.path()).len(), 1);
}

/// A wheel that pip keeps, made here: no network.
const WHEEL: &str = r#"
mkdir -p /tmp/p/thing && cd /tmp/p && echo 'value = 7' >thing/__init__.py
printf '[build-system]\nrequires = []\nbuild-backend = "b"\nbackend-path = ["."]\n[project]\nname = "thing"\nversion = "1"\n' >pyproject.toml
cat >b.py <<'EOF'
import zipfile
def build_wheel(directory, config=None, metadata=None):
    name = "thing-1-py3-none-any.whl"
    with zipfile.ZipFile(directory + "/" + name, "w") as z:
        z.writestr("thing/__init__.py", "value = 7\n")
        z.writestr("thing-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: thing\nVersion: 1\n")
        z.writestr("thing-1.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: b\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        z.writestr("thing-1.dist-info/RECORD", "")
    return name
EOF
tar czf /tmp/thing-1.tar.gz --transform 's,^\.,thing-1,' . && rm -rf /tmp/v
python3 -m venv /tmp/v && /tmp/v/bin/pip -q install --no-index --no-build-isolation /tmp/thing-1.tar.gz
/tmp/v/bin/python -c 'import thing; print(thing.value)'
"#;

#[test]
fn a_spoilt_wheel_does_not_break_a_later_run() {
    if !Path::new("/usr/lib/python3/dist-packages/pip").exists()
        && !ok(
            &mut *make(
                Backend::Overlay,
                &Base::Host,
                tempfile::tempdir().unwrap().path(),
            ),
            "python3 -c 'import ensurepip' && echo there || true",
        )
        .contains("there")
    {
        eprintln!("SKIPPED: needs python3-venv on this machine");
        return;
    }
    let store = tempfile::tempdir().unwrap();
    let run = || ok(&mut *sandbox(&Base::Host, store.path(), "py"), WHEEL);
    assert!(run().ends_with('7'));
    let wheels: Vec<PathBuf> = walk(&store.path().join("caches/of-py/pip"))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "whl"))
        .collect();
    // A local archive is built anew each time; a wheel put where pip keeps them is found by its link alone.
    for wheel in &wheels {
        fs::write(wheel, "spoilt").unwrap();
    }
    let planted = store.path().join("caches/of-py/pip/wheels/00/half.whl");
    fs::create_dir_all(planted.parent().unwrap()).unwrap();
    fs::write(&planted, "half").unwrap();
    assert!(run().ends_with('7'));
    assert!(!planted.exists());
}
