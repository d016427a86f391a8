//! The environment that every command gets, and what the host lends: its certificates, its proxy, its package indexes.
//! All of it is passed by environment variables and by files under `/run/envc`, a tmpfs: none of it is in a snapshot.

use std::fs;
use std::path::{Path, PathBuf};

use super::contract::{Base, Result};
use super::options::Options;
use super::spec::{LENT_DIR, Lend};
use super::store::io_error;
use super::toolchains::{self, Toolchain};

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Variables that every command gets, whatever the host has.
pub fn base_environment() -> Vec<(String, String)> {
    [
        ("PATH", PATH),
        ("HOME", "/root"),
        ("USER", "root"),
        ("LOGNAME", "root"),
        ("SHELL", "/bin/sh"),
        ("LANG", "C.UTF-8"),
        ("TERM", "dumb"),
        ("TZ", "UTC"),
    ]
    .map(|(name, value)| (name.to_string(), value.to_string()))
    .to_vec()
}

/// Variables of the host by which its user names a file of trusted certificates.
const CA_SOURCES: [&str; 8] = [
    "SSL_CERT_FILE",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
    "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO",
    "CARGO_HTTP_CAINFO",
    "NIX_SSL_CERT_FILE",
];

/// Where distributions keep the bundle.
const CA_FILES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Variables of the tools by which a sandbox's commands find the bundle.
const CA_USERS: [&str; 10] = [
    "SSL_CERT_FILE",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
    "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO",
    "CARGO_HTTP_CAINFO",
    "NIX_SSL_CERT_FILE",
    "AWS_CA_BUNDLE",
    "DENO_CERT",
];

/// Settings of proxies and package indexes that pass as they are: names, and beginnings of names.
const PASSED: [&str; 22] = [
    "http_proxy",
    "https_proxy",
    "ftp_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "FTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_TRUSTED_HOST",
    "PIP_DEFAULT_TIMEOUT",
    "npm_config_registry",
    "NPM_CONFIG_REGISTRY",
    "GOPROXY",
    "GONOSUMDB",
    "GOSUMDB",
    "GONOSUMCHECK",
    "GOFLAGS_MODCACHERW",
    "RUSTUP_DIST_SERVER",
];

const PASSED_BEGINNINGS: [&str; 4] = [
    "CARGO_REGISTRIES_",
    "CARGO_SOURCE_",
    "UV_INDEX",
    "UV_DEFAULT_INDEX",
];

/// Package caches: a directory's name, and the variable that points a tool at it.
const CACHES: [(&str, &str); 6] = [
    ("pip", "PIP_CACHE_DIR"),
    ("uv", "UV_CACHE_DIR"),
    ("npm", "npm_config_cache"),
    ("go-build", "GOCACHE"),
    ("go-mod", "GOMODCACHE"),
    ("ccache", "CCACHE_DIR"),
];

/// The host's settings for a sandbox of any kind: variables, and files that stand under `/run/envc`.
#[derive(Debug, Clone, Default)]
pub struct Company {
    pub env: Vec<(String, String)>,
    /// Copies of the host's files in the sandbox's own directory, by their name under `/run/envc`.
    pub files: Vec<(String, PathBuf)>,
    /// Shared caches on the host, by their name under `/run/envc/cache`.
    pub caches: Vec<(String, PathBuf)>,
    toolchains: Vec<Toolchain>,
    /// Directories of lent programs, which stand last in every command's `PATH`.
    path: Vec<String>,
    dir: PathBuf,
}

/// The host's settings as variables alone, for a display of what commands get.
pub fn company_environment() -> Vec<(String, String)> {
    let mut env = passed_variables();
    if !ca_bundle().is_empty() {
        env.extend(ca_variables());
    }
    env
}

impl Company {
    /// Gathers what the host lends; files are copied to `dir`, which is the sandbox's own.
    pub fn collect(options: &Options, dir: &Path, base: &Base) -> Result<Self> {
        let dir = dir.join("lent");
        fs::create_dir_all(&dir).map_err(io_error(format!("create {}", dir.display())))?;
        let mut company = Self {
            dir,
            ..Self::default()
        };
        // A sandbox's state is thrown away after a crash: nothing is gained by waiting for the disk after each file.
        let mut apt = String::from("DPkg::Options:: \"--force-unsafe-io\";\n");
        if options.ca_and_proxy {
            company.env = passed_variables();
            company.add_certificates(&mut apt)?;
            if !matches!(base, Base::Host) {
                company.add_pip_configuration()?;
            }
        }
        if let Some(scope) = &options.cache_scope {
            company.add_caches(&options.store_root(), scope, &mut apt)?;
        }
        if !apt.is_empty() {
            company.add_file("apt.conf", apt.as_bytes())?;
            company.set("APT_CONFIG", &format!("{LENT_DIR}/apt.conf"));
        }
        Ok(company)
    }

    fn set(&mut self, name: &str, value: &str) {
        self.env.push((name.into(), value.into()));
    }

    fn add_file(&mut self, name: &str, contents: &[u8]) -> Result<()> {
        let path = self.dir.join(name);
        fs::write(&path, contents).map_err(io_error(format!("write {}", path.display())))?;
        self.files.push((name.into(), path));
        Ok(())
    }

    fn add_certificates(&mut self, apt: &mut String) -> Result<()> {
        let bundle = ca_bundle();
        if bundle.is_empty() {
            return Ok(());
        }
        self.add_file("ca.crt", &bundle)?;
        self.env.extend(ca_variables());
        apt.push_str(&format!("Acquire::https::CAInfo \"{LENT_DIR}/ca.crt\";\n"));
        let wgetrc = format!("ca_certificate = {LENT_DIR}/ca.crt\n");
        self.add_file("wgetrc", wgetrc.as_bytes())?;
        self.set("WGETRC", &format!("{LENT_DIR}/wgetrc"));
        Ok(())
    }

    fn add_pip_configuration(&mut self) -> Result<()> {
        if let Ok(contents) = fs::read("/etc/pip.conf") {
            self.add_file("pip.conf", &contents)?;
            self.set("PIP_CONFIG_FILE", &format!("{LENT_DIR}/pip.conf"));
        }
        Ok(())
    }

    fn add_caches(&mut self, root: &Path, scope: &str, apt: &mut String) -> Result<()> {
        let safe: String = scope
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let root = root.join("caches").join(safe);
        let tools = CACHES
            .iter()
            .map(|(name, variable)| (*name, Some(*variable)));
        for (name, variable) in tools.chain([("apt", None)]) {
            let dir = root.join(name);
            fs::create_dir_all(&dir).map_err(io_error(format!("create {}", dir.display())))?;
            if let Some(variable) = variable {
                self.set(variable, &format!("{LENT_DIR}/cache/{name}"));
            }
            self.caches.push((name.into(), dir));
        }
        // A cache on another file system cannot be linked to.
        self.set("UV_LINK_MODE", "copy");
        apt.push_str(&format!(
            "Dir::Cache::archives \"{LENT_DIR}/cache/apt\";\nAPT::Keep-Downloaded-Packages \"true\";\n"
        ));
        Ok(())
    }

    /// Lends the user's toolchains to a sandbox over this machine. They come last in `PATH`: what a script installs wins.
    pub fn add_toolchains(&mut self) {
        let (lent, system) = toolchains::found();
        self.path = system.into_iter().map(str::to_string).collect();
        for toolchain in &lent {
            let bin = format!("{LENT_DIR}/toolchains/{}/bin", toolchain.name);
            self.path.push(bin);
        }
        self.toolchains = lent;
    }

    /// What to bind into a sandbox with its own root. `single_id`: no other user exists there, so apt must not
    /// change to its own.
    pub fn lent(&self, single_id: bool) -> Result<Vec<Lend>> {
        let mut lent = Vec::new();
        if single_id {
            let path = self.dir.join("apt.conf");
            let mut text = fs::read_to_string(&path).unwrap_or_default();
            text.push_str("APT::Sandbox::User \"root\";\n");
            fs::write(&path, text).map_err(io_error(format!("write {}", path.display())))?;
        }
        lent.extend(self.files.iter().map(|(name, source)| Lend {
            source: source.clone(),
            target: format!("{LENT_DIR}/{name}"),
            writable: false,
        }));
        lent.extend(self.caches.iter().map(|(name, source)| Lend {
            source: source.clone(),
            target: format!("{LENT_DIR}/cache/{name}"),
            writable: true,
        }));
        lent.extend(self.toolchains.iter().map(|toolchain| Lend {
            source: toolchain.dir.clone(),
            target: format!("{LENT_DIR}/toolchains/{}", toolchain.name),
            writable: false,
        }));
        let hosts = self.dir.join("hosts");
        let text = "127.0.0.1 localhost envc\n::1 localhost ip6-localhost ip6-loopback\n";
        fs::write(&hosts, text).map_err(io_error("write the hosts file"))?;
        lent.push(system_file(hosts, "/etc/hosts"));
        if let Ok(contents) = fs::read("/etc/resolv.conf") {
            let copy = self.dir.join("resolv.conf");
            fs::write(&copy, contents).map_err(io_error("write the resolver's configuration"))?;
            lent.push(system_file(copy, "/etc/resolv.conf"));
        }
        Ok(lent)
    }

    /// All variables of a command; what the command asks for wins, but its `PATH` still leads to what is lent:
    /// a script that found its compiler there has made programs whose tests need it.
    pub fn full_environment(&self, own: &[(String, String)]) -> Vec<(String, String)> {
        let mut env: Vec<(String, String)> = Vec::new();
        for (name, value) in base_environment().iter().chain(&self.env).chain(own) {
            match env.iter_mut().find(|(n, _)| n == name) {
                Some(entry) => entry.1.clone_from(value),
                None => env.push((name.clone(), value.clone())),
            }
        }
        if let Some((_, path)) = env.iter_mut().find(|(name, _)| name == "PATH") {
            for dir in &self.path {
                if !path.split(':').any(|known| known == dir) {
                    path.push(':');
                    path.push_str(dir);
                }
            }
        }
        env
    }
}

fn system_file(source: PathBuf, target: &str) -> Lend {
    Lend {
        source,
        target: target.into(),
        writable: false,
    }
}

fn ca_variables() -> Vec<(String, String)> {
    CA_USERS
        .map(|name| (name.to_string(), format!("{LENT_DIR}/ca.crt")))
        .to_vec()
}

fn passed_variables() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| {
            PASSED.contains(&name.as_str())
                || PASSED_BEGINNINGS
                    .iter()
                    .any(|start| name.starts_with(start))
        })
        .collect()
}

/// Certificates that the host trusts: the system's bundle and the files its user's variables name, each once.
fn ca_bundle() -> Vec<u8> {
    let named = CA_SOURCES
        .iter()
        .filter_map(std::env::var_os)
        .map(PathBuf::from);
    let system = CA_FILES
        .iter()
        .map(PathBuf::from)
        .find(|path| path.is_file());
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut bundle = Vec::new();
    for path in named.chain(system) {
        let Ok(path) = fs::canonicalize(path) else {
            continue;
        };
        if seen.contains(&path) {
            continue;
        }
        if let Ok(contents) = fs::read(&path) {
            bundle.extend_from_slice(&contents);
            if !bundle.ends_with(b"\n") {
                bundle.push(b'\n');
            }
        }
        seen.push(path);
    }
    bundle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lent_programs_come_last_in_any_path() {
        let company = Company {
            path: vec!["/opt/lent/bin".into()],
            ..Company::default()
        };
        let path = |own: &[(String, String)]| {
            let env = company.full_environment(own);
            env.into_iter().find(|(name, _)| name == "PATH").unwrap().1
        };
        assert_eq!(path(&[]), format!("{PATH}:/opt/lent/bin"));
        let own = |value: &str| [("PATH".to_string(), value.to_string())];
        assert_eq!(path(&own("/venv/bin:/bin")), "/venv/bin:/bin:/opt/lent/bin");
        assert_eq!(path(&own("/opt/lent/bin:/bin")), "/opt/lent/bin:/bin");
    }
}
