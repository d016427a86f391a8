//! Putting the layers of an image over each other in a directory, without trusting them: an archive's names and links
//! lead nowhere but into that directory.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

/// Links that a path may lead through.
const MOST_LINKS: usize = 40;
const WHITEOUT: &str = ".wh.";
const OPAQUE: &str = ".wh..wh..opq";

/// Unpacks one layer over what stands in `root`. Owners are kept where this user may set them; devices are left out, as
/// a sandbox has its own.
pub fn apply(layer: &mut dyn Read, root: &Path) -> io::Result<()> {
    fs::create_dir_all(root)?;
    let privileged = rustix::process::geteuid().is_root();
    let mut archive = tar::Archive::new(io::BufReader::with_capacity(1 << 18, layer));
    archive.set_preserve_permissions(true);
    archive.set_preserve_ownerships(privileged);
    archive.set_unpack_xattrs(privileged);
    let mut unpacking = Unpacking {
        root: root.to_path_buf(),
        added: BTreeSet::new(),
        directories: Vec::new(),
    };
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path()?.into_owned();
        unpacking.add(&mut entry, &name).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", name.display()))
        })?;
    }
    unpacking.finish()
}

struct Unpacking {
    root: PathBuf,
    /// Paths of this layer: a whiteout is about the layers below.
    added: BTreeSet<PathBuf>,
    /// Modes and times are set at the end: a directory without write permission has to be filled first.
    directories: Vec<(PathBuf, u32, u64)>,
}

impl Unpacking {
    fn add(&mut self, entry: &mut tar::Entry<'_, impl Read>, name: &Path) -> io::Result<()> {
        let Some(last) = name.components().next_back() else {
            return Ok(());
        };
        let Component::Normal(last) = last else {
            return Ok(());
        };
        let parent = self.parent(name)?;
        let target = parent.join(last);
        if let Some(hidden) = last.to_str().and_then(|last| last.strip_prefix(WHITEOUT)) {
            return self.hide(&parent, hidden, last.to_str() == Some(OPAQUE));
        }
        self.added.insert(target.clone());
        let kind = entry.header().entry_type();
        let old = fs::symlink_metadata(&target).ok();
        match kind {
            tar::EntryType::Directory => {
                if !old.is_some_and(|meta| meta.is_dir()) {
                    remove(&target)?;
                    fs::create_dir(&target)?;
                }
                let (mode, time) = (entry.header().mode()?, entry.header().mtime()?);
                self.directories.push((target.clone(), mode, time));
                own(entry, &target)
            }
            tar::EntryType::Link => {
                let link = entry.link_name()?.ok_or(io::ErrorKind::InvalidData)?;
                let last = link.file_name().ok_or(io::ErrorKind::InvalidData)?;
                let source = self.parent(&link)?.join(last);
                remove(&target)?;
                fs::hard_link(source, &target)
            }
            tar::EntryType::Regular
            | tar::EntryType::Continuous
            | tar::EntryType::GNUSparse
            | tar::EntryType::Symlink => {
                remove(&target)?;
                entry.unpack(&target).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// The directory that a name stands in, made where it is not there; links on the way are followed inside of the
    /// root.
    fn parent(&self, name: &Path) -> io::Result<PathBuf> {
        let mut at = self.root.clone();
        let mut links = 0;
        let mut rest: Vec<std::ffi::OsString> = Vec::new();
        let push = |rest: &mut Vec<std::ffi::OsString>, path: &Path| {
            let parts = path.components().rev();
            rest.extend(parts.map(|part| part.as_os_str().to_owned()));
        };
        push(&mut rest, name.parent().unwrap_or(Path::new("")));
        while let Some(part) = rest.pop() {
            if part == "/" {
                at.clone_from(&self.root);
                continue;
            }
            if part == "." {
                continue;
            }
            if part == ".." {
                // Above the root is the root.
                if at != self.root {
                    at.pop();
                }
                continue;
            }
            let next = at.join(&part);
            match fs::symlink_metadata(&next) {
                Ok(meta) if meta.is_symlink() => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(io::Error::other("too many links"));
                    }
                    push(&mut rest, &fs::read_link(&next)?);
                }
                Ok(meta) if meta.is_dir() => at = next,
                Ok(_) => {
                    fs::remove_file(&next)?;
                    fs::create_dir(&next)?;
                    at = next;
                }
                Err(_) => {
                    fs::create_dir(&next)?;
                    at = next;
                }
            }
        }
        Ok(at)
    }

    fn hide(&self, parent: &Path, name: &str, opaque: bool) -> io::Result<()> {
        if !opaque {
            let target = parent.join(name);
            let plain = !name.is_empty() && !name.contains('/') && name != "." && name != "..";
            if plain && !self.added.contains(&target) {
                remove(&target)?;
            }
            return Ok(());
        }
        for entry in fs::read_dir(parent)? {
            let path = entry?.path();
            let holds = self.added.range(path.clone()..).next();
            if !holds.is_some_and(|added| added.starts_with(&path)) {
                remove(&path)?;
            }
        }
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        for (path, mode, time) in self.directories.into_iter().rev() {
            // A later entry may have put something else there.
            if !fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir()) {
                continue;
            }
            let when = std::time::UNIX_EPOCH + std::time::Duration::from_secs(time);
            fs::File::open(&path)?.set_times(fs::FileTimes::new().set_modified(when))?;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode & 0o7777))?;
        }
        Ok(())
    }
}

fn own(entry: &tar::Entry<'_, impl Read>, path: &Path) -> io::Result<()> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let id = |value: io::Result<u64>| value.map(|id| u32::try_from(id).unwrap_or(0));
    let (user, group) = (id(entry.header().uid())?, id(entry.header().gid())?);
    std::os::unix::fs::lchown(path, Some(user), Some(group))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => {
            crate::sandbox::helper::remove_tree(path);
            Ok(())
        }
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(entries: &[(&str, tar::EntryType, &str)]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, kind, text) in entries {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_mode(if *kind == tar::EntryType::Directory {
                0o755
            } else {
                0o644
            });
            header.set_mtime(1);
            // SAFETY-free way to write names that the builder refuses: straight into the field.
            let field = header.as_old_mut();
            field.name[..name.len()].copy_from_slice(name.as_bytes());
            let data = match kind {
                tar::EntryType::Regular => text.as_bytes(),
                _ => {
                    field.linkname[..text.len()].copy_from_slice(text.as_bytes());
                    b""
                }
            };
            header.set_size(data.len() as u64);
            header.set_uid(0);
            header.set_gid(0);
            header.set_cksum();
            builder.append(&header, data).unwrap();
        }
        builder.into_inner().unwrap()
    }

    const FILE: tar::EntryType = tar::EntryType::Regular;
    const DIR: tar::EntryType = tar::EntryType::Directory;
    const LINK: tar::EntryType = tar::EntryType::Symlink;
    const HARD: tar::EntryType = tar::EntryType::Link;

    #[test]
    fn upper_layers_change_lower_ones() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        let read = |name: &str| fs::read_to_string(root.join(name)).ok();
        let lower = [
            ("a", DIR, ""),
            ("a/x", FILE, "1"),
            ("a/y", FILE, "2"),
            ("b", FILE, "3"),
            ("run", DIR, ""),
            ("var", DIR, ""),
            ("var/run", LINK, "/run"),
        ];
        apply(&mut layer(&lower).as_slice(), &root).unwrap();
        assert_eq!(read("a/x").as_deref(), Some("1"));
        let upper = [
            ("a/new", FILE, "4"),
            ("a/.wh..wh..opq", FILE, ""),
            (".wh.b", FILE, ""),
            ("var/run/pid", FILE, "5"),
            ("c", HARD, "a/new"),
        ];
        apply(&mut layer(&upper).as_slice(), &root).unwrap();
        assert_eq!((read("a/x"), read("a/y"), read("b")), (None, None, None));
        assert_eq!(read("a/new").as_deref(), Some("4"));
        assert_eq!(read("c").as_deref(), Some("4"));
        assert_eq!(read("run/pid").as_deref(), Some("5"));
    }

    #[test]
    fn no_name_and_no_link_leads_out() {
        let dir = tempfile::tempdir().unwrap();
        let (root, outside) = (dir.path().join("root"), dir.path().join("outside"));
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret"), "host").unwrap();
        let out = outside.to_str().unwrap();
        let hostile = [
            ("../outside/one", FILE, "x"),
            ("up", LINK, "../outside"),
            ("up/two", FILE, "x"),
            ("absolute", LINK, out),
            ("absolute/three", FILE, "x"),
            ("up/.wh.secret", FILE, ""),
            ("absolute/.wh..wh..opq", FILE, ""),
        ];
        apply(&mut layer(&hostile).as_slice(), &root).unwrap();
        // A hard link to a file of the host has nothing to lead to.
        let hard = [("hard", HARD, "../outside/secret")];
        assert!(apply(&mut layer(&hard).as_slice(), &root).is_err());
        let names: Vec<_> = fs::read_dir(&outside)
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        assert_eq!(names, ["secret"]);
        assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), "host");
        let looping = [("l", LINK, "l"), ("l/x", FILE, "")];
        assert!(apply(&mut layer(&looping).as_slice(), &root).is_err());
    }
}
