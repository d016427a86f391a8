//! Package indexes of a company: what `envc.toml` names, in the words of each tool. Nothing of it is written where a
//! result would keep it.

use std::fmt::Write;

use super::contract::SandboxFacts;
use super::credentials::Credentials;
use super::settings::Settings;
use super::spec::LENT_DIR;

/// Directory of files with credentials, below the lent one.
pub const SECRETS: &str = "secrets";

/// Variables that lead tools to the indexes and proxy of `settings`.
pub fn variables(settings: &Settings) -> Vec<(String, String)> {
    let index = &settings.index;
    let table = [
        (&index.pip, &["PIP_INDEX_URL", "UV_DEFAULT_INDEX"][..]),
        (
            &index.npm,
            &[
                "npm_config_registry",
                "YARN_REGISTRY",
                "YARN_NPM_REGISTRY_SERVER",
            ][..],
        ),
        (&index.go, &["GOPROXY"][..]),
        (
            &settings.network.proxy,
            &["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"][..],
        ),
        (&settings.network.no_proxy, &["no_proxy", "NO_PROXY"][..]),
    ];
    let mut found = Vec::new();
    for (value, names) in table {
        for name in names {
            found.extend(value.clone().map(|value| ((*name).to_owned(), value)));
        }
    }
    found
}

/// A file of tools that take no variable.
#[derive(Debug, PartialEq, Eq)]
pub struct ToolFile {
    /// Below the lent directory.
    pub name: String,
    pub contents: String,
    /// Where it has to stand too; `None`: a variable leads there.
    pub at: Option<&'static str>,
    pub variable: Option<(&'static str, String)>,
}

/// Configuration of cargo: a mirror in the place of crates.io.
pub fn cargo(address: &str, token: bool) -> ToolFile {
    let address = toml::Value::String(address.to_owned());
    let mut contents = format!(
        "[source.crates-io]\nreplace-with = \"mirror\"\n[source.mirror]\nregistry = {address}\n[registries.mirror]\nindex = {address}\n"
    );
    if token {
        let _ = writeln!(
            contents,
            "credential-provider = [\"cargo:token-from-stdout\", \"cat\", \"{LENT_DIR}/{SECRETS}/cargo-mirror\"]"
        );
    }
    ToolFile {
        name: "cargo.toml".into(),
        contents,
        // The root is above every directory, so cargo reads it everywhere.
        at: Some("/.cargo/config.toml"),
        variable: None,
    }
}

/// Settings of Maven (3.9 or later finds them by the variable).
pub fn maven(address: &str, login: Option<(&str, &str)>) -> ToolFile {
    let mut contents = format!(
        "<settings><mirrors><mirror><id>mirror</id><mirrorOf>central</mirrorOf><url>{}</url></mirror></mirrors>",
        escaped(address)
    );
    if let Some((user, password)) = login {
        let _ = write!(
            contents,
            "<servers><server><id>mirror</id><username>{}</username><password>{}</password></server></servers>",
            escaped(user),
            escaped(password)
        );
    }
    contents.push_str("</settings>\n");
    let name = format!("{SECRETS}/maven.xml");
    ToolFile {
        variable: Some(("MAVEN_ARGS", format!("-s {LENT_DIR}/{name}"))),
        name,
        contents,
        at: None,
    }
}

fn escaped(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}

/// The distribution's package sources on the mirror; `None`: how they are named there is not known.
pub fn apt_sources(
    settings: &Settings,
    facts: &SandboxFacts,
    credentials: &mut Credentials,
) -> Option<String> {
    let mirror = credentials.clean(settings.index.apt.as_ref()?);
    let security = settings
        .index
        .apt_security
        .as_ref()
        .map(|address| credentials.clean(address));
    let release = &facts.release;
    let components = match facts.distribution.as_str() {
        "debian" => "main",
        "ubuntu" => "main universe",
        _ => return None,
    };
    // The name becomes part of a line of sources.list.
    let plain = !release.is_empty() && release.chars().all(|c| c.is_ascii_lowercase());
    if !plain || mirror.contains(char::is_whitespace) {
        return None;
    }
    let mut text = format!(
        "deb {mirror} {release} {components}\ndeb {mirror} {release}-updates {components}\n"
    );
    if let Some(security) = security.filter(|address| !address.contains(char::is_whitespace)) {
        let _ = writeln!(text, "deb {security} {release}-security {components}");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::settings::IndexSettings;

    fn settings() -> Settings {
        Settings {
            index: IndexSettings {
                pip: Some("https://u:pw12@m.invalid/simple".into()),
                apt: Some("http://u:pw12@m.invalid/debian".into()),
                apt_security: Some("http://m.invalid/security".into()),
                ..IndexSettings::default()
            },
            ..Settings::default()
        }
    }

    #[test]
    fn the_distribution_comes_from_the_mirror() {
        let mut facts = crate::sandbox::os_release::facts("overlay", "x", "/none".as_ref(), None);
        facts.distribution = "debian".into();
        facts.release = "bookworm".into();
        let mut found = Credentials::default();
        let text = apt_sources(&settings(), &facts, &mut found).unwrap();
        assert_eq!(
            text,
            "deb http://m.invalid/debian bookworm main\ndeb http://m.invalid/debian bookworm-updates main\n\
             deb http://m.invalid/security bookworm-security main\n"
        );
        assert!(
            found
                .apt_auth()
                .contains("machine http://m.invalid login u password pw12")
        );
        facts.release = "x main\ndeb".into();
        assert_eq!(apt_sources(&settings(), &facts, &mut found), None);
    }

    #[test]
    fn files_hold_values_as_values() {
        let file = cargo("sparse+https://m.invalid/\"]x", true);
        let table: toml::Table = file.contents.parse().unwrap();
        assert_eq!(
            table["source"]["mirror"]["registry"].as_str(),
            Some("sparse+https://m.invalid/\"]x")
        );
        let file = maven("https://m.invalid/<x>&", Some(("u", "p<")));
        assert!(file.contents.contains("&lt;x&gt;&amp;") && file.contents.contains("p&lt;"));
        assert_eq!(variables(&settings()).len(), 2);
    }
}
