//! `envc.toml`: what a machine's user or administrator settles once. It is never taken from a repository: what it names
//! is read on the host.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::contract::{Result, SandboxError};

/// The file's contents. Everything may be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub cache: CacheSettings,
    pub network: NetworkSettings,
    pub index: IndexSettings,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CacheSettings {
    /// Repositories with one scope share everything that their builds leave in caches: they have to trust each other.
    pub scope: Option<String>,
    /// Bytes of all caches, such as `20GB`.
    pub limit: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkSettings {
    /// File of further certificates to trust.
    pub ca: Option<PathBuf>,
    /// URL, for http and https.
    pub proxy: Option<String>,
    pub no_proxy: Option<String>,
    /// Leave a proxy's user and password in the variables of commands: no tool takes them from elsewhere, and whatever
    /// writes its environment to a file writes them too.
    pub proxy_login: bool,
}

/// URLs of mirrors. One with a user and password is split: see `credentials`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IndexSettings {
    pub pip: Option<String>,
    pub npm: Option<String>,
    pub cargo: Option<String>,
    pub go: Option<String>,
    pub maven: Option<String>,
    /// Root of a mirror of the distribution, and of its security updates.
    pub apt: Option<String>,
    pub apt_security: Option<String>,
}

impl Settings {
    /// The first that is there: `ENVC_CONFIG`, `envc/envc.toml` below the user's configuration, `/etc/envc/envc.toml`.
    ///
    /// # Errors
    /// The file cannot be read or says something that is not understood.
    pub fn load() -> Result<Self> {
        if let Some(path) = std::env::var_os("ENVC_CONFIG") {
            return Self::read(Path::new(&path));
        }
        let user = std::env::var_os("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config")));
        user.map(|dir| dir.join("envc/envc.toml"))
            .into_iter()
            .chain([PathBuf::from("/etc/envc/envc.toml")])
            .find(|path| path.is_file())
            .map_or_else(|| Ok(Self::default()), |path| Self::read(&path))
    }

    fn read(path: &Path) -> Result<Self> {
        let wrong = |why: String| SandboxError::Settings(path.display().to_string(), why);
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let settings = Self::parse(&text).map_err(wrong)?;
        Ok(settings)
    }

    fn parse(text: &str) -> std::result::Result<Self, String> {
        let settings: Self = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        if let Some(limit) = &settings.cache.limit {
            bytes(limit)
                .ok_or_else(|| format!("cache.limit: {limit:?} is no size such as 20GB"))?;
        }
        Ok(settings)
    }

    /// Bytes that all caches may take.
    pub fn cache_limit(&self) -> Option<u64> {
        self.cache.limit.as_deref().and_then(bytes)
    }
}

/// `500MB`, `20 GB`, `1TiB`, or a bare number of bytes. Powers of 1000, and of 1024 with an `i`.
pub fn bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim().to_ascii_lowercase();
    let step: u64 = if unit.contains('i') { 1024 } else { 1000 };
    let power = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return None,
    };
    number
        .parse::<u64>()
        .ok()?
        .checked_mul(step.checked_pow(power)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_typing_errors_are_named() {
        let text = "[cache]\nlimit = \"5GB\"\n[index]\npip = \"https://mirror.invalid/simple\"\n";
        let settings = Settings::parse(text).unwrap();
        assert_eq!(settings.cache_limit(), Some(5_000_000_000));
        assert!(settings.index.pip.is_some());
        assert_eq!(Settings::parse("").unwrap(), Settings::default());
        let error = Settings::parse("[index]\npipp = \"x\"\n").unwrap_err();
        assert!(error.contains("pipp"), "{error}");
        assert!(Settings::parse("[cache]\nlimit = \"much\"\n").is_err());
    }

    #[test]
    fn sizes() {
        assert_eq!(bytes("12"), Some(12));
        assert_eq!(bytes("1 KiB"), Some(1024));
        assert_eq!(bytes("2mb"), Some(2_000_000));
        for wrong in ["", "x", "5 apples", "99999999999999TB", "-1"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }
}
