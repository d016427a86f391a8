//! The host's variables about proxies and package indexes.

use super::credentials::Credentials;
use super::mirrors;
use super::settings::Settings;

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

/// What the host's variables and `envc.toml` say, the first first, without users and passwords.
pub fn variables(settings: &Settings, credentials: &mut Credentials) -> Vec<(String, String)> {
    let mut passed: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| {
            PASSED.contains(&name.as_str())
                || PASSED_BEGINNINGS
                    .iter()
                    .any(|start| name.starts_with(start))
        })
        .collect();
    for (name, value) in mirrors::variables(settings) {
        if !passed.iter().any(|(known, _)| *known == name) {
            passed.push((name, value));
        }
    }
    take_logins_of_uv(&mut passed);
    for (name, value) in &mut passed {
        let cleaned = credentials.clean(value);
        // No tool takes a proxy's password from a file.
        if !(name.to_ascii_lowercase().ends_with("_proxy") && settings.network.proxy_login) {
            *value = cleaned;
        }
    }
    passed
}

/// uv has variables for the user and password of a named index: they go into its address, to be taken out of there.
fn take_logins_of_uv(passed: &mut Vec<(String, String)>) {
    let mut take = |name: String| {
        let at = passed.iter().position(|(known, _)| *known == name)?;
        Some(passed.swap_remove(at).1)
    };
    let Some(indexes) = take("UV_INDEX".to_owned()) else {
        return;
    };
    let mut words = Vec::new();
    for word in indexes.split_whitespace() {
        let named = word.split_once('=').and_then(|(name, address)| {
            let name = name.to_ascii_uppercase().replace(['-', '.'], "_");
            let password = take(format!("UV_INDEX_{name}_PASSWORD"));
            let user = take(format!("UV_INDEX_{name}_USERNAME"));
            let (scheme, rest) = address.split_once("://")?;
            let login = format!("{}:{}@", user.unwrap_or_default(), password?);
            Some(word.replace(address, &format!("{scheme}://{login}{rest}")))
        });
        words.push(named.unwrap_or_else(|| word.to_owned()));
    }
    passed.push(("UV_INDEX".to_owned(), words.join(" ")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_index_of_uv_keeps_no_password_in_a_variable() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut passed = vec![
            pair(
                "UV_INDEX",
                "in-house=https://x.invalid/simple https://y.invalid/simple",
            ),
            pair("UV_INDEX_IN_HOUSE_USERNAME", "me"),
            pair("UV_INDEX_IN_HOUSE_PASSWORD", "secret1"),
        ];
        take_logins_of_uv(&mut passed);
        let mut found = Credentials::default();
        let cleaned: Vec<String> = passed.iter().map(|(_, value)| found.clean(value)).collect();
        assert_eq!(
            cleaned,
            ["in-house=https://x.invalid/simple https://y.invalid/simple"]
        );
        assert_eq!(
            found.netrc(),
            "machine x.invalid login me password secret1\n"
        );
    }
}
