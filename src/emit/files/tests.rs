use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn fresh() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join(".envc");
    (dir, out)
}

#[test]
fn writes_modes_and_ignores_itself() {
    let (_dir, path) = fresh();
    let out = OutDir::create(&path).unwrap();
    out.publish(&[
        Artifact::setup("#!/usr/bin/env bash\n"),
        Artifact::text("Dockerfile", "FROM x\n"),
    ])
    .unwrap();
    let mode = |name: &str| fs::metadata(path.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("setup.sh"), mode("Dockerfile")), (0o755, 0o644));
    assert!(
        fs::read_to_string(path.join(".gitignore"))
            .unwrap()
            .ends_with("\n*\n")
    );
    assert_eq!(out.read("Dockerfile").unwrap().unwrap(), b"FROM x\n");
    assert_eq!(out.read("nothing").unwrap(), None);
    let left: Vec<_> = names(&out.dir).unwrap();
    assert!(
        left.iter().all(|name| !name.starts_with(TEMPORARY)),
        "{left:?}"
    );
}

#[test]
fn a_link_or_a_file_in_its_place_is_refused() {
    let (dir, path) = fresh();
    let elsewhere = dir.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    for spelled in [
        path.clone(),
        path.join("."),
        PathBuf::from(format!("{}/", path.display())),
    ] {
        assert!(matches!(OutDir::create(&spelled), Err(OutError::Link(_))));
    }
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    fs::remove_file(&path).unwrap();
    fs::write(&path, "x").unwrap();
    assert!(matches!(
        OutDir::create(&path),
        Err(OutError::NotADirectory(_))
    ));
    assert_eq!(fs::read(&path).unwrap(), b"x");
}

#[test]
fn links_inside_are_replaced_never_followed() {
    let (dir, path) = fresh();
    drop(OutDir::create(&path).unwrap());
    let victim = dir.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, path.join("setup.sh")).unwrap();
    fs::remove_file(path.join("lock")).unwrap();
    let out = OutDir::create(&path).unwrap();
    assert!(out.read("setup.sh").is_err());
    out.write(&Artifact::setup("new")).unwrap();
    assert_eq!(fs::read(&victim).unwrap(), b"precious");
    assert_eq!(fs::read(path.join("setup.sh")).unwrap(), b"new");
    drop(out);
    fs::remove_file(path.join("lock")).unwrap();
    symlink(&victim, path.join("lock")).unwrap();
    assert!(matches!(OutDir::create(&path), Err(OutError::Link(_))));
    assert_eq!(fs::read(&victim).unwrap(), b"precious");
}

#[test]
fn a_planted_logs_link_is_refused() {
    let (dir, path) = fresh();
    let out = OutDir::create(&path).unwrap();
    fs::write(dir.path().join("victim"), "x").unwrap();
    symlink(dir.path(), path.join("logs")).unwrap();
    assert!(matches!(
        out.fresh_directory("logs"),
        Err(OutError::Link(_))
    ));
    assert!(dir.path().join("victim").exists());
}

#[test]
fn somebody_elses_directory_is_left_alone() {
    let (_dir, path) = fresh();
    fs::create_dir(&path).unwrap();
    fs::write(path.join("Dockerfile"), "mine").unwrap();
    assert!(matches!(OutDir::create(&path), Err(OutError::Foreign(_))));
    assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
}

#[test]
fn two_runs_are_kept_apart() {
    let (_dir, path) = fresh();
    let first = OutDir::create(&path).unwrap();
    let Err(OutError::Busy { pid, .. }) = OutDir::create(&path) else {
        panic!("the second run got the lock");
    };
    assert_eq!(pid, Some(std::process::id()));
    drop(first);
    OutDir::create(&path).unwrap();
}

#[test]
fn what_cannot_be_written_replaces_nothing() {
    let (_dir, path) = fresh();
    let out = OutDir::create(&path).unwrap();
    out.write(&Artifact::setup("old")).unwrap();
    let bad = Artifact::text("../escape", "x");
    assert!(out.publish(&[Artifact::setup("new"), bad]).is_err());
    assert_eq!(fs::read(path.join("setup.sh")).unwrap(), b"old");
    assert!(!path.parent().unwrap().join("escape").exists());
}

#[test]
fn an_old_certificate_does_not_outlive_its_script() {
    let (_dir, path) = fresh();
    let out = OutDir::create(&path).unwrap();
    out.publish(&[
        Artifact::setup("one"),
        Artifact::text("certificate.json", "{}"),
    ])
    .unwrap();
    out.write(&Artifact::text("plan.json", "{}")).unwrap();
    assert!(path.join("certificate.json").exists());
    out.write(&Artifact::setup("two")).unwrap();
    assert!(!path.join("certificate.json").exists());
}
