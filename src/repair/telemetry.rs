//! How well knowledge did before, on this machine.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

const SCHEMA: &str = "envc.telemetry/1";
/// Bytes of the file that are read; it holds three numbers for each of some hundred units.
const MOST: u64 = 4 << 20;

/// Counters per origin of edits (see [`super::Edit::origin`]). They break ties between candidates, no more: a run
/// without the file is as correct as one with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Telemetry {
    schema: String,
    units: BTreeMap<String, Usage>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Proposed and tried.
    pub hits: u64,
    /// The edit was kept.
    pub successes: u64,
    /// It was dropped.
    pub failures: u64,
}

impl Usage {
    /// Share of successes, with one of each assumed before anything was seen: 0.5 for the unknown.
    #[allow(clippy::cast_precision_loss)]
    pub fn rate(self) -> f64 {
        (self.successes.saturating_add(1)) as f64
            / (self
                .successes
                .saturating_add(self.failures)
                .saturating_add(2)) as f64
    }
}

/// The counters could not be kept; the build is none the worse for it.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {source} (set XDG_STATE_HOME to a directory that can be written)")]
pub struct TelemetryError {
    path: PathBuf,
    #[source]
    source: std::io::Error,
}

impl Telemetry {
    /// `$XDG_STATE_HOME/envc/telemetry.json`, by default under `~/.local/state` (XDG base directory specification);
    /// `None` without either variable.
    pub fn default_path() -> Option<PathBuf> {
        let absolute = |name| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|p| p.is_absolute())
        };
        let state = absolute("XDG_STATE_HOME")
            .or_else(|| Some(absolute("HOME")?.join(".local").join("state")))?;
        Some(state.join("envc").join("telemetry.json"))
    }

    /// Reads the file; a missing one is empty. One that cannot be used starts anew, and the text says why.
    pub fn load(path: &Path) -> (Self, Option<String>) {
        let warn = |why: String| {
            let warning = format!("{}: {why}; its counters start anew", path.display());
            (Self::default(), Some(warning))
        };
        match std::fs::metadata(path) {
            Ok(facts) if facts.is_file() && facts.len() <= MOST => {}
            Ok(_) => return warn("not a file of counters".to_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return (Self::default(), None);
            }
            Err(error) => return warn(error.to_string()),
        }
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) => return warn(error.to_string()),
        };
        match serde_json::from_slice::<Self>(&text) {
            Ok(read) if read.schema == SCHEMA => (read, None),
            Ok(read) => warn(format!("schema {:?} is not known", read.schema)),
            Err(error) => warn(error.to_string()),
        }
    }

    pub fn usage(&self, origin: &str) -> Usage {
        self.units.get(origin).copied().unwrap_or_default()
    }

    /// Counts one edit of `origin` that was tried, and whether it was kept.
    pub fn record(&mut self, origin: &str, kept: bool) {
        let usage = self.units.entry(origin.to_owned()).or_default();
        usage.hits = usage.hits.saturating_add(1);
        let which = if kept {
            &mut usage.successes
        } else {
            &mut usage.failures
        };
        *which = which.saturating_add(1);
    }

    /// Writes the whole file or nothing: a new file takes the old one's place.
    ///
    /// # Errors
    /// The directory cannot be made or written.
    pub fn save(&self, path: &Path) -> Result<(), TelemetryError> {
        let write = || -> std::io::Result<()> {
            let dir = path.parent().unwrap_or(Path::new("."));
            std::fs::create_dir_all(dir)?;
            let mut file = tempfile::NamedTempFile::new_in(dir)?;
            let whole = Self {
                schema: SCHEMA.to_owned(),
                units: self.units.clone(),
            };
            serde_json::to_writer_pretty(&mut file, &whole)?;
            file.write_all(b"\n")?;
            file.as_file().sync_all()?;
            file.persist(path).map_err(|error| error.error)?;
            Ok(())
        };
        write().map_err(|source| TelemetryError {
            path: path.to_owned(),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/telemetry.json");
        let (mut telemetry, warning) = Telemetry::load(&path);
        assert_eq!(warning, None);
        telemetry.record("missing-header", true);
        telemetry.record("missing-header", true);
        telemetry.record("missing-header", false);
        telemetry.save(&path).unwrap();
        let (read, warning) = Telemetry::load(&path);
        assert_eq!(warning, None);
        assert_eq!(
            read.usage("missing-header"),
            Usage {
                hits: 3,
                successes: 2,
                failures: 1
            }
        );
        assert!((read.usage("never").rate() - 0.5).abs() < 1e-9);
        assert!(read.usage("missing-header").rate() > 0.5);
    }

    #[test]
    fn a_corrupt_file_starts_anew_with_a_warning() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("telemetry.json");
        for text in ["{", "[]", "{\"schema\":\"other/9\",\"units\":{}}", "\u{0}"] {
            std::fs::write(&path, text).unwrap();
            let (read, warning) = Telemetry::load(&path);
            assert_eq!(read, Telemetry::default());
            assert!(warning.unwrap().contains("start anew"));
            read.save(&path).unwrap();
            assert_eq!(Telemetry::load(&path).1, None);
        }
        assert!(Telemetry::load(dir.path()).1.is_some());
    }
}
