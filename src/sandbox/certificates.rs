//! Certificates of authorities that the host trusts.

use std::fs;
use std::path::{Path, PathBuf};

use super::contract::Result;
use super::spec::LENT_DIR;
use super::store::io_error;

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

/// The variables, all leading to the lent bundle.
pub fn ca_variables() -> Vec<(String, String)> {
    CA_USERS
        .map(|name| (name.to_string(), format!("{LENT_DIR}/ca.crt")))
        .to_vec()
}

/// Certificates that the host trusts: the system's bundle and the files its user's variables name, each once.
pub fn ca_bundle(further: Option<&Path>) -> Result<Vec<u8>> {
    if let Some(path) = further {
        // Named by the user: a silent miss would show as a failing download much later.
        fs::metadata(path).map_err(io_error(format!(
            "read the certificates in {}",
            path.display()
        )))?;
    }
    let named = CA_SOURCES
        .iter()
        .filter_map(std::env::var_os)
        .map(PathBuf::from)
        .chain(further.map(Path::to_path_buf));
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
    Ok(bundle)
}
