//! The environment that every command gets, and what the host lends: its certificates, its proxy, its package indexes.
//! All of it is passed by environment variables and by files under `/run/envc`, a tmpfs: none of it is in a snapshot.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::caches::{CacheDir, Caches};
use super::certificates::{ca_bundle, ca_variables};
use super::contract::{Base, Outcome, Result, SandboxFacts};
use super::credentials::{Blotter, Credentials};
use super::mirrors::{self, SECRETS, ToolFile};
use super::options::Options;
use super::passed::variables;
use super::settings::Settings;
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

/// The host's settings for a sandbox of any kind: variables, and files that stand under `/run/envc`.
#[derive(Debug, Clone, Default)]
pub struct Company {
    pub env: Vec<(String, String)>,
    /// Copies of the host's files in the sandbox's own directory, by their name under `/run/envc`.
    pub files: Vec<(String, PathBuf)>,
    caches: Option<Arc<Caches>>,
    credentials: Credentials,
    /// Files and variables that a build of an image does not get.
    secret_files: Vec<(String, PathBuf)>,
    secret_env: Vec<(String, String)>,
    /// Lent files that stand in a second place: name, and where.
    standing: Vec<(String, &'static str)>,
    toolchains: Vec<Toolchain>,
    /// Directories of lent programs, which stand last in every command's `PATH`.
    path: Vec<String>,
    dir: PathBuf,
}

/// The host's settings as variables alone, for a display of what commands get.
pub fn company_environment(settings: &Settings) -> Vec<(String, String)> {
    let mut env = variables(settings, &mut Credentials::default());
    if !ca_bundle(None).unwrap_or_default().is_empty() {
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
            company.add_network(&options.settings)?;
            company.add_certificates(&options.settings, &mut apt)?;
            if !matches!(base, Base::Host) {
                company.add_pip_configuration()?;
            }
            company.add_logins(&mut apt)?;
        }
        if let Some(scope) = &options.cache_scope {
            company.add_caches(options, scope, &mut apt)?;
        }
        if !apt.is_empty() {
            company.add_file("apt.conf", apt.as_bytes())?;
            company.set("APT_CONFIG", &format!("{LENT_DIR}/apt.conf"));
        }
        Ok(company)
    }

    /// Proxy and indexes: the variables of the host, and what `envc.toml` adds.
    fn add_network(&mut self, settings: &Settings) -> Result<()> {
        let passed = variables(settings, &mut self.credentials);
        for (name, value) in passed {
            let Some(registry) = name
                .strip_prefix("CARGO_REGISTRIES_")
                .and_then(|rest| rest.strip_suffix("_TOKEN"))
            else {
                self.set(&name, &value);
                continue;
            };
            self.credentials.hide(&value);
            let file = format!("{SECRETS}/cargo-{registry}");
            self.add_secret(&file, value.as_bytes())?;
            let provider = format!("cargo:token-from-stdout cat {LENT_DIR}/{file}");
            let name = format!("CARGO_REGISTRIES_{registry}_CREDENTIAL_PROVIDER");
            self.secret_env.push((name, provider));
        }
        if let Some(address) = &settings.index.cargo {
            let address = self.credentials.clean(address);
            let login = self.credentials.of(&address);
            let token =
                login.map(|(user, password)| if password.is_empty() { user } else { password });
            let token = token.map(str::to_owned);
            self.add_tool(mirrors::cargo(&address, token.is_some()))?;
            if let Some(token) = token {
                self.add_secret(&format!("{SECRETS}/cargo-mirror"), token.as_bytes())?;
            }
        }
        if let Some(address) = &settings.index.maven {
            let address = self.credentials.clean(address);
            let file = mirrors::maven(&address, self.credentials.of(&address));
            self.add_tool(file)?;
        }
        Ok(())
    }

    fn add_tool(&mut self, file: ToolFile) -> Result<()> {
        self.add_secret(&file.name, file.contents.as_bytes())?;
        if let Some(at) = file.at {
            self.standing.push((file.name, at));
        }
        let variable = file.variable;
        self.secret_env
            .extend(variable.map(|(name, value)| (name.to_owned(), value)));
        Ok(())
    }

    /// Files from which tools take users and passwords.
    fn add_logins(&mut self, apt: &mut String) -> Result<()> {
        if self.credentials.is_empty() {
            return Ok(());
        }
        let netrc = self.credentials.netrc();
        self.add_secret(&format!("{SECRETS}/netrc"), netrc.as_bytes())?;
        let npmrc = self.credentials.npmrc();
        self.add_secret(&format!("{SECRETS}/npmrc"), npmrc.as_bytes())?;
        for (name, file) in [("NETRC", "netrc"), ("npm_config_userconfig", "npmrc")] {
            let value = format!("{LENT_DIR}/{SECRETS}/{file}");
            self.secret_env.push((name.into(), value));
        }
        let auth = self.credentials.apt_auth();
        self.add_secret(&format!("{SECRETS}/apt-auth"), auth.as_bytes())?;
        apt.push_str(&format!(
            "Dir::Etc::netrc \"{LENT_DIR}/{SECRETS}/apt-auth\";\n"
        ));
        Ok(())
    }

    /// Leads apt to the mirror of `envc.toml`, as soon as the distribution is known.
    pub fn add_apt_mirror(&mut self, settings: &Settings, facts: &SandboxFacts) -> Result<()> {
        let Some(text) = mirrors::apt_sources(settings, facts, &mut self.credentials) else {
            return Ok(());
        };
        self.add_file("sources.list", text.as_bytes())?;
        let path = self.dir.join("apt.conf");
        let mut apt = fs::read_to_string(&path).unwrap_or_default();
        apt.push_str(&format!(
            "Dir::Etc::sourcelist \"{LENT_DIR}/sources.list\";\nDir::Etc::sourceparts \"{LENT_DIR}/none.d\";\n"
        ));
        self.add_logins(&mut apt)?;
        self.files.retain(|(name, _)| name != "apt.conf");
        self.add_file("apt.conf", apt.as_bytes())?;
        self.set("APT_CONFIG", &format!("{LENT_DIR}/apt.conf"));
        Ok(())
    }

    /// Keeps secrets out of a command's output.
    pub fn blotter(&self) -> Blotter<'_> {
        Blotter::new(self.credentials.secrets())
    }

    /// A file that only commands in the sandbox see: it is in no image and no layer.
    fn add_secret(&mut self, name: &str, contents: &[u8]) -> Result<()> {
        use std::io::Write;
        use std::os::unix::fs::OpenOptionsExt;
        let path = self.dir.join(name);
        let what = || format!("write {}", path.display());
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(io_error(what()))?;
        }
        let mut options = fs::File::options();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(&path).map_err(io_error(what()))?;
        file.write_all(contents).map_err(io_error(what()))?;
        self.secret_files.retain(|(known, _)| known != name);
        self.secret_files.push((name.into(), path));
        Ok(())
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

    fn add_certificates(&mut self, settings: &Settings, apt: &mut String) -> Result<()> {
        let bundle = ca_bundle(settings.network.ca.as_deref())?;
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
            let text = String::from_utf8_lossy(&contents);
            let cleaned = self.credentials.clean(&text);
            self.add_file("pip.conf", cleaned.as_bytes())?;
            self.set("PIP_CONFIG_FILE", &format!("{LENT_DIR}/pip.conf"));
        }
        Ok(())
    }

    fn add_caches(&mut self, options: &Options, scope: &str, apt: &mut String) -> Result<()> {
        let own = self.dir.join("own-caches");
        let caches = Caches::open(&options.store_root(), scope, &own, options.cache_limit)?;
        self.env.extend(caches.env.iter().cloned());
        apt.push_str(&caches.apt_configuration());
        self.caches = Some(Arc::new(caches));
        Ok(())
    }

    /// Directories of the caches that are lent.
    pub fn cache_dirs(&self) -> &[CacheDir] {
        self.caches.as_ref().map_or(&[], |caches| &caches.dirs)
    }

    /// Lets other repositories have what was downloaded so far; see [`Sandbox::share_downloads`].
    pub fn share_downloads(&self) {
        if let Some(caches) = &self.caches {
            caches.share();
        }
    }

    /// A command that did not end by itself may have left something half-written.
    pub fn command_ended(&self, outcome: Outcome) {
        if let (Some(caches), false) = (&self.caches, matches!(outcome, Outcome::Exited(_))) {
            caches.doubt();
        }
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

    /// Files that stand outside of the lent directory: on the host, and where.
    pub fn standing(&self) -> impl Iterator<Item = (PathBuf, &'static str)> + '_ {
        self.standing
            .iter()
            .map(|(name, at)| (self.dir.join(name), *at))
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
        let files = self.files.iter().chain(&self.secret_files);
        lent.extend(files.map(|(name, source)| Lend {
            source: source.clone(),
            target: format!("{LENT_DIR}/{name}"),
            writable: false,
        }));
        lent.extend(self.cache_dirs().iter().map(|dir| Lend {
            source: dir.source.clone(),
            target: dir.target.clone(),
            writable: dir.writable,
        }));
        lent.extend(self.toolchains.iter().map(|toolchain| Lend {
            source: toolchain.dir.clone(),
            target: format!("{LENT_DIR}/toolchains/{}", toolchain.name),
            writable: false,
        }));
        lent.extend(self.standing().map(|(source, at)| system_file(source, at)));
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
        let lent = self.env.iter().chain(&self.secret_env);
        for (name, value) in base_environment().iter().chain(lent).chain(own) {
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
